//! The objects of a text that are checked, without parsing what cannot contain one.
//!
//! Most YAML of a repository is something else, and parsing it all would take a hundred times as long as
//! skipping it. Therefore only documents that contain the word are parsed.

use cronjob_controller::kinds::{self, ScheduledKind};
use located_yaml::{Node, Part, Span, Value, narrow};

const KIND: &str = "CronJob";

/// Whether a text may contain an object that is checked. Only a text that certainly contains none is skipped.
pub(super) fn may_hold(text: &str) -> bool {
    mentioned(text).next().is_some() || writes_kind_oddly(text)
}

/// Whether a text that cannot be parsed is probably such an object, and does not only mention one.
pub(super) fn names_kind(text: &str) -> bool {
    let is_named = |kind| {
        let mut lines = text.lines();
        lines.any(|line| line.contains("kind") && line.contains(kind))
    };
    mentioned(text).any(is_named)
}

/// Whether bytes that are not UTF-8 are probably a manifest.
pub(super) fn is_probable(bytes: &[u8]) -> bool {
    mentioned(&String::from_utf8_lossy(bytes)).next().is_some()
}

/// The kinds that are checked, as far as a text contains them. Those of others have common names.
fn mentioned(text: &str) -> impl Iterator<Item = &'static str> + '_ {
    let others = kinds::KINDS.iter();
    let others = others.filter(|kind| text.contains(kind.name) && text.contains(kind.group));
    let cron_job = text.contains(KIND).then_some(KIND);
    cron_job.into_iter().chain(others.map(|kind| kind.name))
}

/// Whether the kind could be written with escapes, on two lines, or in base64. That is rare, but must not
/// be a way around the linter.
fn writes_kind_oddly(text: &str) -> bool {
    let escaped = text
        .match_indices('\\')
        .any(|(at, _)| is_odd(text.as_bytes(), at));
    escaped || text.contains("tag:yaml.org,2002:") || text.contains("!!binary")
}

/// Whether a backslash may hide a letter of the kind, or a line break in it.
fn is_odd(bytes: &[u8], at: usize) -> bool {
    let after = bytes.get(at + 1..).unwrap_or_default();
    let hex = match after {
        [b'x', hex @ ..] => hex.get(..2),
        [b'u', hex @ ..] => hex.get(..4),
        [b'U', hex @ ..] => hex.get(..8),
        [b'\n' | b'\r', ..] => return is_broken_kind(bytes, at),
        _ => return false,
    };
    let Some(text) = hex.and_then(|hex| std::str::from_utf8(hex).ok()) else {
        return false;
    };
    let letter = u32::from_str_radix(text, 16).ok().and_then(char::from_u32);
    letter.is_some_and(|letter| KIND.contains(letter))
}

/// Whether a part of the kind is before a line break that YAML ignores.
fn is_broken_kind(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    (1..KIND.len()).any(|length| {
        KIND.as_bytes()
            .get(..length)
            .is_some_and(|start| before.ends_with(start))
    })
}

/// The parts of a text that may contain a `CronJob`: all of it, if it is JSON, or else some of its
/// documents.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let Some(whole) = Part::whole(text) else {
        return Vec::new();
    };
    let is_json = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with(['{', '[']);
    if is_json {
        return vec![whole];
    }
    let mut parts = Vec::new();
    let (mut line, mut counted, mut start) = (1_u32, 0, 0);
    for end in ends(text) {
        let Some(part) = text.get(start..end) else {
            break;
        };
        // A preamble belongs to the first document.
        if is_preamble(part) && end < text.len() {
            continue;
        }
        if may_hold(part) {
            let passed = text.get(counted..start).unwrap_or_default();
            let newlines = passed.matches('\n').count();
            line = line.saturating_add(narrow(newlines));
            counted = start;
            let span = Span::new(start, end);
            parts.push(Part { span, line });
        }
        start = end;
    }
    parts
}

/// Where the documents of a text end: before each line of three dashes, and with the text.
fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let marks = text.match_indices("\n---").filter(|(at, mark)| {
        let after = text.as_bytes().get(at + mark.len());
        after.is_none_or(u8::is_ascii_whitespace)
    });
    marks
        .map(|(at, _)| at + 1)
        .chain(std::iter::once(text.len()))
}

/// Whether a part contains only comments, directives and blank lines.
fn is_preamble(part: &str) -> bool {
    part.trim_start_matches('\u{feff}')
        .lines()
        .all(|line| line.trim().is_empty() || line.starts_with(['#', '%']))
}

/// The `CronJob`s in a tree that are checked.
pub(super) fn cron_jobs(root: &Node) -> Vec<&Node> {
    let objects = Objects::of(root).checked.into_iter();
    let cron_jobs = objects.filter_map(|(other, object)| other.is_none().then_some(object));
    cron_jobs.collect()
}

/// The objects in a tree.
#[derive(Default)]
pub(super) struct Objects<'n> {
    /// Those that are checked: the tree itself, or objects in it at any depth. Those that are not `CronJob`s have their
    /// kind.
    pub checked: Vec<(Option<&'static ScheduledKind>, &'n Node)>,
    pub unchecked: Vec<UncheckedObject<'n>>,
}

/// A `CronJob` in an object of another kind, which is not checked.
pub(super) struct UncheckedObject<'n> {
    pub node: &'n Node,
    /// The kind of the object that contains it.
    pub within: &'n str,
    pub why: WhyUnchecked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhyUnchecked {
    /// A policy makes sure that it does not exist.
    Deleted,
    /// Only some of its fields are written.
    Partial,
    /// It is in a text, such as a file of a `ConfigMap`.
    Text,
    UnknownKind,
}

/// Kinds that contain objects: the API group, the kind, the path of the list, and the field of its items that has the
/// object, if it is not the item itself.
const CONTAINERS: [(&str, &str, &[&str], Option<&str>); 7] = [
    ("", "Template", &["objects"], None),
    ("template.openshift.io", "Template", &["objects"], None),
    ("hive.openshift.io", "SyncSet", &["spec", "resources"], None),
    (
        "hive.openshift.io",
        "SelectorSyncSet",
        &["spec", "resources"],
        None,
    ),
    (
        "policy.open-cluster-management.io",
        "Policy",
        &["spec", "policy-templates"],
        Some("objectDefinition"),
    ),
    (
        "policy.open-cluster-management.io",
        "ConfigurationPolicy",
        &["spec", "object-templates"],
        Some("objectDefinition"),
    ),
    (
        "work.open-cluster-management.io",
        "ManifestWork",
        &["spec", "workload", "manifests"],
        None,
    ),
];

impl<'n> Objects<'n> {
    pub(super) fn of(root: &'n Node) -> Self {
        let mut found = Objects::default();
        found.collect(root, None, None);
        found
    }

    fn collect(&mut self, node: &'n Node, version: Option<&'n str>, kind: Option<&'n str>) {
        let text = |field: &str| node.get(field).and_then(Node::as_str);
        let version = text("apiVersion").or(version);
        let Some(kind) = text("kind").or(kind) else {
            return;
        };
        let group = version.and_then(|version| version.split_once('/'));
        let group = group.map_or("", |(group, _)| group);
        let mut containers = CONTAINERS.iter();
        if kind == KIND && is_of_batch(node) {
            self.checked.push((None, node));
        } else if let Some(other) = kinds::find(version.unwrap_or_default(), kind) {
            self.checked.push((Some(other), node));
        } else if let Some((_, _, path, field)) =
            containers.find(|container| (container.0, container.1) == (group, kind))
        {
            let list = path.iter().try_fold(node, |node, step| node.get(step));
            if list.is_none() {
                self.not_checked(node, kind);
            }
            for item in list.and_then(Node::as_sequence).unwrap_or_default() {
                let object = field.map_or(Some(item), |field| item.get(field));
                if let Some(object) = object {
                    self.collect_inside(kind, item, object);
                }
            }
        } else if let Some(item) = kind.strip_suffix("List") {
            let item = Some(item).filter(|item| !item.is_empty());
            let version = version.filter(|_| item.is_some());
            let items = node.get("items").and_then(Node::as_sequence);
            for node in items.unwrap_or_default() {
                self.collect(node, version, item);
            }
        } else {
            self.not_checked(node, kind);
        }
    }

    /// The first `CronJob` in an object of another kind.
    fn not_checked(&mut self, node: &'n Node, within: &'n str) {
        self.unchecked
            .extend(whole_cron_job(node).map(|node| UncheckedObject {
                node,
                within,
                why: match &node.value {
                    Value::String(_) => WhyUnchecked::Text,
                    _ => WhyUnchecked::UnknownKind,
                },
            }));
    }

    /// An object in an object of another kind. A policy may contain only a part of it, or delete it.
    fn collect_inside(&mut self, within: &'n str, item: &Node, object: &'n Node) {
        let is_cron_job =
            object.get("kind").and_then(Node::as_str) == Some(KIND) && is_of_batch(object);
        let compliance = item.get("complianceType").and_then(Node::as_str);
        let is_deleted = compliance.is_some_and(|kind| kind.eq_ignore_ascii_case("mustnothave"));
        let why = if is_deleted {
            WhyUnchecked::Deleted
        } else {
            WhyUnchecked::Partial
        };
        if is_cron_job && (is_deleted || (compliance.is_some() && !is_whole(object))) {
            self.unchecked.push(UncheckedObject {
                node: object,
                within,
                why,
            });
        } else {
            self.collect(object, None, None);
        }
    }
}

fn is_whole(cron_job: &Node) -> bool {
    let spec = cron_job.get("spec");
    spec.is_some_and(|spec| spec.get("schedule").is_some() && spec.get("jobTemplate").is_some())
}

/// The first `CronJob` in the fields of an object, which is more than a reference to one.
fn whole_cron_job(node: &Node) -> Option<&Node> {
    if node.get("kind").and_then(Node::as_str) == Some(KIND) && is_of_batch(node) && is_whole(node)
    {
        return Some(node);
    }
    match &node.value {
        Value::String(text) => {
            let parts = ["kind: CronJob", "schedule:", "jobTemplate:"];
            parts.iter().all(|part| text.contains(part)).then_some(node)
        }
        Value::Sequence(items) => items.iter().find_map(whole_cron_job),
        Value::Mapping(mapping) => {
            let mut values = mapping.entries().iter().map(|entry| &entry.value);
            values.find_map(whole_cron_job)
        }
        _ => None,
    }
}

/// Other API groups have their own `CronJob`s. One without a group is assumed to be that of Kubernetes.
fn is_of_batch(node: &Node) -> bool {
    match node.get("apiVersion").map(|version| &version.value) {
        Some(Value::String(version)) => {
            let group = version.split_once('/').map_or("", |(group, _)| group);
            matches!(group, "" | "batch") || version.contains("{{")
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use located_yaml::parse;

    const VELERO: &str = "apiVersion: velero.io/v1\nkind: Schedule";

    fn found(text: &str) -> Vec<(u32, &str)> {
        let parts = parts(text).into_iter();
        parts
            .filter_map(|part| Some((part.line, part.span.slice(text)?)))
            .collect()
    }

    #[test]
    fn only_documents_that_contain_cronjob_are_read() {
        let text = "kind: Job\n---\nkind: CronJob\n--- # two\nkind: Pod\n---\n\nkind: CronJob\n";
        let expected = [(2, "---\nkind: CronJob\n"), (6, "---\n\nkind: CronJob\n")];
        assert_eq!(found(text), expected);
        assert_eq!(found("kind: Job\n---\n"), []);
        // Three dashes with more behind them are no mark.
        assert_eq!(found("a: CronJob\n---b\n"), [(1, "a: CronJob\n---b\n")]);
    }

    #[test]
    fn comments_before_the_first_document_belong_to_it() {
        let text = "# about it\n\n---\nkind: CronJob\n";
        assert_eq!(found(text), [(1, text)]);
        let text = "\u{feff}%YAML 1.1\n---\nkind: CronJob\n---\n# CronJob\n";
        let first = (1, "\u{feff}%YAML 1.1\n---\nkind: CronJob\n");
        assert_eq!(found(text), [first, (4, "---\n# CronJob\n")]);
    }

    #[test]
    fn kind_in_escaped_or_binary_form_is_recognized() {
        for odd in [
            "kind: CronJob",
            r#"{"kind": "Cron\u004aob"}"#,
            r#"kind: "\x43ronJob""#,
            r#"kind: "\U00000043ronJob""#,
            "kind: \"Cron\\\n  Job\"",
            "kind: !!binary Q3JvbkpvYg==",
            "%TAG !b! tag:yaml.org,2002:\n---\nkind: !b!binary Q3JvbkpvYg==",
        ] {
            assert!(may_hold(odd), "{odd}");
            let parsed = parse(odd);
            assert_eq!(cron_jobs(&parsed.documents[0].root).len(), 1, "{odd}");
        }
        for other in [
            "kind: Job",
            r#"{"html": "\u003cb\u003e"}"#,
            "run: |\n  cargo build \\\n    --release\n",
            "kind: \"Cro",
            "\\x4",
            "\\",
        ] {
            assert!(!may_hold(other), "{other}");
        }
    }

    #[test]
    fn cronjobs_in_lists_are_found() {
        let count = |text: &str| cron_jobs(&parse(text).documents[0].root).len();
        let typed = "kind: CronJobList\nitems: [{}, {kind: CronJob}, {kind: Job}]";
        assert_eq!(count(typed), 2);
        let nested =
            "kind: List\nitems: [{kind: CronJob}, {kind: List, items: [{kind: CronJob}]}, {}]";
        assert_eq!(count(nested), 2);
        assert_eq!(count("kind: CronJob\napiVersion: batch.example.com/v1"), 0);
        assert_eq!(count("kind: CronJob\napiVersion: batch/v9"), 1);
        assert_eq!(count("kind: List\nitems: {}"), 0);
        let others = |text: &str| Objects::of(&parse(text).documents[0].root).checked.len();
        assert_eq!(others(VELERO), 1);
        assert_eq!(
            others(&format!("{VELERO}List\nitems: [{{}}, {{kind: Pod}}]")),
            1
        );
        assert_eq!(
            others("kind: List\nitems: [{apiVersion: velero.io/v1, kind: Schedule}]"),
            1
        );
        assert_eq!(others("kind: ScheduleList\nitems: [{}]"), 0);
    }

    /// The number of checked objects, and why others are not.
    fn nested(text: &str) -> (usize, Vec<WhyUnchecked>) {
        let parsed = parse(text);
        let objects = Objects::of(&parsed.documents[0].root);
        let why = objects.unchecked.iter().map(|unchecked| unchecked.why);
        (objects.checked.len(), why.collect())
    }

    #[test]
    fn cronjobs_in_other_objects_are_found() {
        const WHOLE: &str =
            "{apiVersion: batch/v1, kind: CronJob, spec: {schedule: 0 2 * * *, jobTemplate: {}}}";
        const PART: &str = "{apiVersion: batch/v1, kind: CronJob, spec: {suspend: true}}";
        let policy = |object: &str, compliance: &str| {
            format!(
                "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nspec:\n  policy-templates:\n  - \
                 objectDefinition:\n      apiVersion: policy.open-cluster-management.io/v1\n      kind: \
                 ConfigurationPolicy\n      spec:\n        object-templates:\n        - complianceType: \
                 {compliance}\n          objectDefinition: {object}\n"
            )
        };
        let template = "apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n- ";
        let sync_set =
            "apiVersion: hive.openshift.io/v1\nkind: SelectorSyncSet\nspec:\n  resources:\n  - ";
        let unknown = "apiVersion: example.com/v1\nkind: Bundle\nspec:\n  manifest: ";
        for (text, expected) in [
            (format!("{template}{WHOLE}\n- {{kind: Route}}"), (1, vec![])),
            (format!("kind: Template\napiVersion: v1\nobjects: [{WHOLE}]"), (1, vec![])),
            (format!("{sync_set}{WHOLE}"), (1, vec![])),
            (format!("{sync_set}{PART}"), (1, vec![])),
            (policy(WHOLE, "musthave"), (1, vec![])),
            (policy(PART, "musthave"), (0, vec![WhyUnchecked::Partial])),
            (policy(WHOLE, "mustnothave"), (0, vec![WhyUnchecked::Deleted])),
            (policy("{kind: Pod}", "mustnothave"), (0, vec![])),
            (format!("{unknown}{WHOLE}"), (0, vec![WhyUnchecked::UnknownKind])),
            (format!("{unknown}{PART}"), (0, vec![])),
            (
                "kind: ConfigMap\ndata:\n  a: |\n    kind: CronJob\n    spec: {schedule: 0 2 * * *, jobTemplate: {}}\n"
                    .to_owned(),
                (0, vec![WhyUnchecked::Text]),
            ),
            (format!("{template}{{kind: Template, objects: [{WHOLE}]}}"), (1, vec![])),
        ] {
            assert_eq!(nested(&text), expected, "{text}");
        }
    }
}
