//! The `CronJob` itself: its metadata, its own fields, and what of its template makes a Job one of
//! a `CronJob`.
//!
//! The rules and their words are those of Kubernetes' `pkg/apis/batch/validation` and
//! `pkg/registry/batch/cronjob`.

use serde_json::{Map, Value, json};

use super::super::schema::{CronJobSpec, ObjectMeta};
use super::super::{At, CauseReason, ManifestReview, formats, warnings};
use super::job;
use super::pod::POLICIES_OF_JOBS;
use cronjob_controller::controller::{Behavior, Release, ZonePrefix, names_zone};
use cronjob_text::printable::floor_char_boundary;
use kube_cron::{ParseError, Schedule, Zones, go_quote, load_location};

/// The characters that the server adds to `generateName`, and how long the result may be.
const SUFFIX: &str = "xxxxx";
const LONGEST_BASE: usize = 63 - SUFFIX.len();

const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

const SCHEDULE_DOCS: &str = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";

/// Checks a `CronJob` that is to be created against all rules, in the server's order.
pub(crate) fn check(
    review: &mut ManifestReview,
    top: &At<'_>,
    release: Release,
    zones: &dyn Zones,
) {
    let behavior = release.behavior();
    let (metadata, spec) = (top.field("metadata"), top.field("spec"));
    let schedule = spec.field("schedule");
    let unread = Schedule::parse(schedule.text(), behavior.dialect, zones).err();
    if !review.server.survives_panics && unread.as_ref().is_some_and(ParseError::is_panic) {
        let message = "the API server panics on this schedule, and the request fails";
        review.note(CauseReason::Internal, schedule.place(), &schedule, message);
        return;
    }
    let generate_name = metadata.field("generateName");
    if !generate_name.text().is_empty() {
        review.check_form(&generate_name, formats::subdomain_prefix);
    }
    let name_field = metadata.field("name");
    let name = match name_field.text() {
        "" if !generate_name.text().is_empty() => generated(generate_name.text()),
        name => name.to_owned(),
    };
    if name.is_empty() {
        review.required(&name_field, "name or generateName is required");
    } else {
        review.check_text(&name_field, &name, formats::subdomain);
    }
    check_metadata(review, &metadata);
    check_schedule(review, &spec, unread, behavior);
    review.check_fields(&spec, &CronJobSpec, &["startingDeadlineSeconds"]);
    let time_zone = spec.field("timeZone");
    if let Some(name) = time_zone.some_text().filter(|_| behavior.time_zone_field) {
        for detail in time_zone_details(name, review.server.checks_zone_characters, zones) {
            review.invalid_text(&time_zone, &detail);
        }
    }
    review.check_fields(&spec, &CronJobSpec, &["concurrencyPolicy"]);
    let template = spec.field("jobTemplate");
    let job = template.field("spec");
    job::check(review, &job);
    policy_of_jobs(review, &job);
    check_selector(review, &job);
    let limits = ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"];
    review.check_fields(&spec, &CronJobSpec, &limits);
    if let Some(limit) = review.server.name_limit.filter(|limit| name.len() > *limit) {
        let detail = formats::longer_than(limit, "characters");
        review.invalid(&name_field, go_quote(&name), &detail);
    }
    if !review.causes.is_empty() {
        return;
    }
    // An accepted name is a DNS subdomain that is short enough: only dots can keep it from being a
    // label.
    if review.server.warns_of_dots && name.contains('.') {
        let message = "metadata.name: this is used in Pod names and hostnames, which can result in \
                       surprising behavior; a DNS label is recommended: [must not contain dots]";
        review.warn(name_field.place(), message.to_owned());
    }
    warnings::check(review, &job);
    // "spec.spec" is upstream's mistake, in all releases that warn.
    let warns = behavior.warns_of_zone_prefix && names_zone(schedule.text());
    let message = match behavior.zone_prefix {
        ZonePrefix::Accepted if warns => {
            "CRON_TZ or TZ used in spec.spec.schedule is not officially supported"
        }
        ZonePrefix::Refused if warns => {
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead"
        }
        _ => return,
    };
    let message = format!("{message}, see {SCHEDULE_DOCS} for more details");
    review.warn(schedule.place(), message);
}

/// The schedule must be there and be readable, and its zone must be in one place.
fn check_schedule(
    review: &mut ManifestReview,
    spec: &At<'_>,
    unread: Option<ParseError>,
    behavior: Behavior,
) {
    let at = spec.field("schedule");
    if at.text().is_empty() {
        review.required(&at, "");
        return;
    }
    if let Some(error) = unread {
        review.invalid_text(&at, &error.to_string());
    }
    let twice = behavior.time_zone_field && spec.field("timeZone").exists();
    let detail = match behavior.zone_prefix {
        ZonePrefix::Refused if names_zone(at.text()) => {
            "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        }
        ZonePrefix::Accepted if twice && names_zone(at.text()) => {
            "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        }
        _ => return,
    };
    review.invalid_text(&at, detail);
}

/// What the API server (1.27 and later) finds wrong with a `timeZone`, in order.
pub fn validate_time_zone(name: &str, zones: &dyn Zones) -> Vec<String> {
    time_zone_details(name, true, zones)
}

fn time_zone_details(name: &str, checks_characters: bool, zones: &dyn Zones) -> Vec<String> {
    if name.is_empty() {
        return vec!["timeZone must be nil or non-empty string".to_owned()];
    }
    let is_plain_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
        part != "."
            && part != ".."
            && !part.starts_with('-')
            && (1..=14).contains(&part.len())
            && part.bytes().all(plain)
    };
    if checks_characters && !name.split('/').all(is_plain_part) {
        return vec![format!("unknown time zone {name}")];
    }
    let explicit =
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    let is_local = name.eq_ignore_ascii_case("local");
    let details = is_local.then(|| explicit.to_owned()).into_iter();
    let unknown = load_location(name, zones).err();
    let unknown = unknown.map(|error| error.to_string());
    details.chain(unknown).collect()
}

/// The restart policy must be one that Jobs have.
///
/// The default of all pods is `Always`, and the server checks after it has set defaults: a policy
/// that is left out is the wrong one.
fn policy_of_jobs(review: &mut ManifestReview, job: &At<'_>) {
    let (template, failures) = (job.field("template"), job.field("podFailurePolicy"));
    let pod = template.field("spec");
    let policy = pod.field("restartPolicy");
    match policy.text() {
        "OnFailure" if failures.exists() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            review.invalid_text(&policy, detail);
        }
        "OnFailure" | "Never" => {}
        "" | "Always" if review.server.misses_restart_policy => {
            review.required(&policy, "valid values: \"OnFailure\", \"Never\"");
        }
        "" => review.unsupported_value(&policy, policy.place(), "Always", &POLICIES_OF_JOBS),
        _ => review.unsupported(&policy, &POLICIES_OF_JOBS),
    }
}

/// Only the server sets the selector.
fn check_selector(review: &mut ManifestReview, job: &At<'_>) {
    let (selector, manual) = (job.field("selector"), job.field("manualSelector"));
    if selector.exists() {
        let shown = if review.server.shows_json {
            selector_as_json(&selector)
        } else {
            selector_as_go(&selector)
        };
        review.invalid(&selector, shown, "`selector` will be auto-generated");
    }
    if manual.is_true() {
        let message = "Unsupported value: true: supported values: \"nil\", \"false\"";
        review.note(CauseReason::NotSupported, manual.place(), &manual, message);
    }
}

/// A label selector as the server shows it since it shows objects as JSON: without what is empty.
fn selector_as_json(at: &At<'_>) -> String {
    let labels = at.field("matchLabels");
    let labels = labels
        .entries()
        .map(|label| (label.name().to_owned(), label.text().into()));
    let expressions = at.field("matchExpressions");
    let expressions = expressions.items().map(|expression| {
        let values = expression.field("values");
        let values = values.items().map(|value| value.text().into());
        let (key, operator) = (expression.text_of("key"), expression.text_of("operator"));
        filled(json!({"key": key, "operator": operator, "values": Value::Array(values.collect())}))
    });
    let labels = Value::Object(labels.collect());
    let expressions = Value::Array(expressions.collect());
    // Go escapes what could end a script in a page.
    filled(json!({"matchLabels": labels, "matchExpressions": expressions}))
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// The fields of an object that are not empty lists or objects.
fn filled(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|_, value| {
            !value.as_array().is_some_and(Vec::is_empty)
                && !value.as_object().is_some_and(Map::is_empty)
        });
    }
    object
}

/// A label selector as Go writes values for programmers, which is how older servers show it.
fn selector_as_go(at: &At<'_>) -> String {
    // What is empty is nil here: it was left out.
    let list = |kind: &str, items: Vec<String>| match items.join(", ") {
        items if items.is_empty() => format!("{kind}(nil)"),
        items => format!("{kind}{{{items}}}"),
    };
    let labels = at.field("matchLabels");
    let labels = labels
        .entries()
        .map(|label| format!("{}:{}", go_quote(label.name()), go_quote(label.text())))
        .collect();
    let expressions = at.field("matchExpressions");
    let expressions = expressions
        .items()
        .map(|expression| {
            let values = expression.field("values");
            let values = values.items().map(|value| go_quote(value.text())).collect();
            format!(
                "v1.LabelSelectorRequirement{{Key:{}, Operator:{}, Values:{}}}",
                go_quote(expression.text_of("key")),
                go_quote(expression.text_of("operator")),
                list("[]string", values)
            )
        })
        .collect();
    format!(
        "v1.LabelSelector{{MatchLabels:{}, MatchExpressions:{}}}",
        list("map[string]string", labels),
        list("[]v1.LabelSelectorRequirement", expressions)
    )
}

/// A name such as the server makes of `generateName`: what it adds is always a part of a name.
fn generated(base: &str) -> String {
    let end = floor_char_boundary(base, LONGEST_BASE);
    format!("{}{SUFFIX}", base.get(..end).unwrap_or_default())
}

fn check_metadata(review: &mut ManifestReview, at: &At<'_>) {
    // The namespace that is left out is the request's.
    review.check_fields(at, &ObjectMeta, &["namespace"]);
    review.labels(&at.field("labels"));
    review.annotations(&at.field("annotations"));
    owners(review, &at.field("ownerReferences"));
    finalizers(review, &at.field("finalizers"));
}

fn owners(review: &mut ManifestReview, at: &At<'_>) {
    let mut controller: Option<String> = None;
    for owner in at.items() {
        for name in ["apiVersion", "kind", "name", "uid"] {
            let owner = owner.named(at);
            let field = owner.field(name);
            if field.text().is_empty() {
                let what = if name == "apiVersion" { "version " } else { "" };
                review.invalid_text(&field, &format!("{what}must not be empty"));
            }
        }
        if owner.field("controller").is_true() {
            let name = format!("{}/{}", owner.text_of("kind"), owner.text_of("name"));
            match &controller {
                Some(first) => {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in \
                         references for {first} and {name}"
                    );
                    review.invalid(&owner.named(at), at.json(), &detail);
                }
                None => controller = Some(name),
            }
        }
    }
}

fn finalizers(review: &mut ManifestReview, at: &At<'_>) {
    for finalizer in at.items() {
        review.check_form(&finalizer.named(at), formats::qualified_name);
    }
    let has = |name: &str| at.items().any(|item| item.text() == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        review.invalid_list(at, "[]string", detail);
    }
    for finalizer in at.items() {
        let name = finalizer.text();
        if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            review.invalid_text(&finalizer, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::at::At;
    use super::{selector_as_go, selector_as_json};
    use located_yaml;

    #[test]
    fn selector_is_shown_as_json_or_as_go_writes_it() {
        let shown = |text: &str| {
            let parsed = located_yaml::parse(text);
            let at = At::top(&parsed.documents[0].root);
            (selector_as_json(&at), selector_as_go(&at))
        };
        let (json, go) = shown(
            "{matchLabels: {b: <2>, a: '1'}, matchExpressions: [\
             {key: tier, operator: In, values: [x, z]}, {key: old, operator: Exists}]}",
        );
        assert_eq!(
            json,
            r#"{"matchLabels":{"a":"1","b":"\u003c2\u003e"},"matchExpressions":[{"key":"tier","operator":"In","values":["x","z"]},{"key":"old","operator":"Exists"}]}"#
        );
        assert_eq!(
            go,
            r#"v1.LabelSelector{MatchLabels:map[string]string{"a":"1", "b":"<2>"}, MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"tier", Operator:"In", Values:[]string{"x", "z"}}, v1.LabelSelectorRequirement{Key:"old", Operator:"Exists", Values:[]string(nil)}}}"#
        );
        let (json, go) = shown("{}");
        assert_eq!(json, "{}");
        assert_eq!(
            go,
            "v1.LabelSelector{MatchLabels:map[string]string(nil), \
             MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"
        );
    }
}
