//! What has changed since the last success.

use jiff::Timestamp;

use crate::output::lines::TextPage;
use crate::output::plan::{short_path, shown};
use cronjob_diagnosis::diagnose::{
    ChangedConfigMap, ComparedPart, Explanation, Facts, FieldWriter, SinceSuccess, TemplateChange,
    by_manager, local,
};
use cronjob_text::duration::human;
use cronjob_text::printable::{one_line, shortened};
use cronjob_text::text::Text;
use cronjob_text::words::listed;

/// Of more changes the most telling ones are shown.
const MOST: usize = 3;

/// What has changed, as a sentence, the changes, and what follows.
pub(crate) struct SinceSuccessInWords {
    pub heading: Text,
    pub changes: Vec<Text>,
    pub notes: Vec<Text>,
}

/// Adds what has changed since the last success. `wide` adds all changes, and the node.
pub(super) fn since_success(page: &mut TextPage, explanation: &Explanation<'_>, wide: bool) {
    let Some(words) = since_success_in_words(explanation, wide) else {
        return;
    };
    page.paragraph(2, words.heading);
    for change in words.changes.into_iter().chain(words.notes) {
        page.item("    ", change);
    }
}

/// What is the same as in the last success, if nothing has changed and there is nothing else to say.
pub(super) fn unchanged_in_short(explanation: &Explanation<'_>) -> Option<String> {
    let found = explanation.since_success.as_ref()?;
    let words = since_success_in_words(explanation, false)?;
    let is_all = words.changes.is_empty() && words.notes.is_empty();
    let is_unchanged = is_all && found.success.job_name.is_some() && !found.has_changes();
    unchanged(found).filter(|_| is_unchanged)
}

/// What has changed since the last success; `None` if nothing was compared.
pub(crate) fn since_success_in_words(
    explanation: &Explanation<'_>,
    wide: bool,
) -> Option<SinceSuccessInWords> {
    let (facts, found) = (&explanation.facts, explanation.since_success.as_ref()?);
    let at = found
        .success
        .scheduled_time
        .unwrap_or(found.success.finished_at);
    let Some(job) = &found.success.job_name else {
        return Some(SinceSuccessInWords {
            heading: text!(
                "{}{}",
                of_gone(found, &local(facts, at).into()),
                how_to_keep(facts)
            ),
            changes: Vec::new(),
            notes: Vec::new(),
        });
    };
    let job = wide.then(|| text!(", {}", one_line(job)));
    let success = text!(
        "the last success ({}{})",
        local(facts, at),
        job.unwrap_or_default()
    );
    let mut words = SinceSuccessInWords {
        heading: text!("Changed since {}:", success),
        changes: changes(facts, found, wide),
        notes: Vec::new(),
    };
    if !found.has_changes() {
        words.heading = match unchanged(found) {
            Some(parts) => text!("Same {} as {}.", parts, success),
            None => text!(
                "Cannot compare with {}: the Jobs could not be read.",
                success
            ),
        };
    }
    let shown = found
        .fields
        .iter()
        .take(if wide { usize::MAX } else { MOST });
    let writers: Vec<&FieldWriter> = shown.filter_map(|field| field.set_by.as_ref()).collect();
    if let [first, others @ ..] = writers.as_slice() {
        let is_one = others.iter().all(|other| other == first);
        let of_all = is_one
            && found.config_maps.is_empty()
            && writers.len() == found.fields.len().min(words.changes.len());
        words.notes.extend(if of_all {
            vec![text!("Set {}.", written(facts, found, first))]
        } else {
            let each = found.fields.iter().filter_map(|field| {
                let by = written(facts, found, field.set_by.as_ref()?);
                Some(text!("{} set {}.", name(field), by))
            });
            each.take(MOST).collect()
        });
    }
    words.notes.extend(changed_since(facts, found, wide));
    let later = found.config_maps_changed_since.iter();
    let later = later.map(|changed| text!("{}, after this run.", config_map(facts, changed)));
    words.notes.extend(later);
    if wide && !found.config_maps_not_compared.is_empty() {
        let names = found
            .config_maps_not_compared
            .iter()
            .map(|name| one_line(name));
        let names = names.collect::<Vec<_>>().join(", ");
        words.notes.push(text!(
            "Not compared, as it could not be read: ConfigMap {}.",
            names
        ));
    }
    Some(words)
}

/// The changes, the most telling ones first.
fn changes(facts: &Facts<'_>, found: &SinceSuccess, wide: bool) -> Vec<Text> {
    let most = if wide { usize::MAX } else { MOST };
    let fields = found.fields.iter().map(changed);
    let images = found.images.iter().map(|image| {
        text!(
            "image {} of container {}: {} -> {} (same name, another digest)",
            one_line(&image.image),
            one_line(&image.container),
            short_digest(&image.old_digest),
            short_digest(&image.new_digest)
        )
    });
    let node = found.node.iter().filter_map(|node| {
        let before = node.old.as_ref().filter(|old| **old != node.new);
        let before = before.map_or_else(Text::default, |old| text!(" (before: {})", one_line(old)));
        let new = one_line(&node.new);
        match node.ready_for_seconds {
            Some(seconds) => Some(text!(
                "node {}, ready for {} when the pod started{}",
                new,
                human(seconds),
                before
            )),
            None if wide => Some(text!("node {}{}", new, before)),
            None => None,
        }
    });
    let config_maps = found.config_maps.iter().map(|changed| {
        let (what, reference) = found
            .first_failure
            .map_or(("this run", found.started), |first| {
                ("the first failure", first)
            });
        let before = human(reference.as_second() - changed.changed_at.as_second());
        text!("{}, {} before {}", config_map(facts, changed), before, what)
    });
    let all = fields.chain(images).chain(config_maps).chain(node);
    let all: Vec<Text> = all.collect();
    let more = all.len().saturating_sub(most);
    let more = (more > 0).then(|| text!("and {} more (-o wide)", more));
    all.into_iter().take(most).chain(more).collect()
}

/// `ConfigMap shop/settings was changed with kubectl edit at Tue 14:03`
fn config_map(facts: &Facts<'_>, changed: &ChangedConfigMap) -> Text {
    let by = changed.field_manager.as_ref();
    let by = by.map_or_else(String::new, |manager| format!(" {}", by_manager(manager)));
    text!(
        "ConfigMap {}/{} was changed{} at {}",
        one_line(&facts.input.cron_job.namespace),
        one_line(&changed.name),
        by,
        local(facts, changed.changed_at)
    )
}

/// `containers[main].image: app:1.4 -> app:1.5`
fn changed(field: &TemplateChange) -> Text {
    if field.hidden {
        return text!("{}: changed (value hidden)", name(field));
    }
    let [old, new] = [&field.change.old, &field.change.new].map(|value| shown(value.as_ref()));
    text!("{}: {} -> {}", name(field), old, new)
}

fn name(field: &TemplateChange) -> String {
    const LONGEST: usize = 200;
    shortened(&one_line(short_path(&field.change.field)), LONGEST)
}

/// The first digits, as tools show them.
fn short_digest(digest: &str) -> String {
    const DIGITS: usize = 12;
    let (algorithm, digits) = digest.split_once(':').unwrap_or(("", digest));
    let digits: String = digits.chars().take(DIGITS).collect();
    one_line(&format!("{algorithm}:{digits}"))
}

/// `by field manager argocd-controller at Tue 14:03 or earlier, 9m before the first failure`
fn written(facts: &Facts<'_>, found: &SinceSuccess, writer: &FieldWriter) -> Text {
    let at = writer.no_later_than;
    let (what, reference) = match found.first_failure {
        Some(first) => ("the first failure", first),
        None if found.job_name.is_some() => ("this run", found.started),
        None => return who_and_when(facts, writer),
    };
    let distance = |from: Timestamp, to: Timestamp| human(to.as_second() - from.as_second());
    let relation = if at <= reference {
        format!("{} before", distance(at, reference))
    } else {
        format!("{} after", distance(reference, at))
    };
    text!("{}, {} {}", who_and_when(facts, writer), relation, what)
}

fn who_and_when(facts: &Facts<'_>, writer: &FieldWriter) -> Text {
    let by = by_manager(&writer.field_manager);
    text!(
        "{} at {} or earlier",
        by,
        local(facts, writer.no_later_than)
    )
}

/// That nothing has changed, and what was compared: `Same Job template and node as the last success (Mon 02:00).`
fn unchanged(found: &SinceSuccess) -> Option<String> {
    let is_same = |part: &ComparedPart| match part {
        ComparedPart::Nodes => found.node.is_none(),
        ComparedPart::ConfigMaps => found.config_maps_changed_since.is_empty(),
        ComparedPart::Template | ComparedPart::Images => true,
    };
    let parts = found.compared.iter().filter(|part| is_same(part));
    let parts = parts.map(|part| match part {
        ComparedPart::Template => "Job template",
        ComparedPart::Images => "image digests",
        ComparedPart::Nodes => "node",
        ComparedPart::ConfigMaps => "ConfigMaps",
    });
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    let is_compared = found.compared.contains(&ComparedPart::Template);
    is_compared.then(|| listed(&parts))
}

/// What is known although the Job of the success is gone.
fn of_gone(found: &SinceSuccess, at: &Text) -> Text {
    let recorded = found.recorded.as_ref();
    let part = |name: &str, differs: Option<bool>| {
        let how = if differs? { "changed" } else { "the same" };
        Some(format!("{name} {how}"))
    };
    let template = recorded.and_then(|it| part("Job template", it.template));
    let images = recorded.and_then(|it| part("image digests", it.images));
    let parts: Vec<String> = template.into_iter().chain(images).collect();
    if parts.is_empty() {
        return text!(
            "Cannot compare with the last success ({}): its Job is gone.",
            at
        );
    }
    let parts = parts.join(", ");
    text!(
        "Since the last success ({}), by what is recorded: {}.",
        at,
        parts
    )
}

/// What keeps the Job of a success, if something deletes it.
fn how_to_keep(facts: &Facts<'_>) -> &'static str {
    let spec = &facts.input.cron_job.spec;
    if spec.successful_jobs_history_limit == Some(0) {
        " Set successfulJobsHistoryLimit to 1 or more to keep it."
    } else if spec.job_setting("ttlSecondsAfterFinished").is_some() {
        " Remove ttlSecondsAfterFinished to keep it; successfulJobsHistoryLimit still applies."
    } else {
        ""
    }
}

/// What has changed since the run was started.
fn changed_since(facts: &Facts<'_>, found: &SinceSuccess, wide: bool) -> Option<Text> {
    let (first, others) = found.changed_since.split_first()?;
    let writers = found
        .changed_since
        .iter()
        .filter_map(|field| field.set_by.as_ref());
    let last = writers.max_by_key(|writer| writer.no_later_than);
    let by = last.map_or_else(Text::default, |last| {
        text!(" {}", who_and_when(facts, last))
    });
    let job = found.job_name.as_ref().filter(|_| found.is_unfinished);
    let keeps = job.map_or_else(Text::default, |job| {
        text!("; {} keeps the old template", one_line(job))
    });
    if found.is_reverted() {
        return Some(text!(
            "Already changed back{}: the next run uses that{}.",
            by,
            keeps
        ));
    }
    let new = |field: &TemplateChange| match &field.change.new {
        _ if field.hidden => name(field),
        value => format!("{}: {}", name(field), shown(value.as_ref())),
    };
    let mut values = vec![new(first)];
    match others.len() {
        0 => {}
        _ if wide => values.extend(others.iter().map(new)),
        more => values.push(format!("{more} more")),
    }
    Some(text!(
        "Already changed{}: the next run has {}{}.",
        by,
        values.join(", "),
        keeps
    ))
}
