//! What a change of manifests leads to, in every format.

mod github;
mod markdown;
mod text;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Answer, Format, Formats};
use super::envelope::{DocumentBody, DocumentHeader};
use cronjob_controller::upcoming::UpcomingRun;
use cronjob_diagnosis::plan::{
    ChangeKind, EffectKind, FIELDS_ARE_KEPT, KeptField, Plan, PlanEffect, PlannedCronJob,
};
use cronjob_text::printable::{printable, shortened};
use cronjob_text::text::{LocalTime, Text};
use cronjob_text::words::{counted, occurring, plural};

use github::github;
use markdown::markdown;
use text::text;

/// What a change of manifests will do, before it is applied: `plan -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Plan")]
#[serde(rename_all = "camelCase")]
pub struct PlanDocument<'a> {
    #[serde(flatten)]
    pub(crate) header: &'a DocumentHeader,
    #[serde(flatten)]
    pub(crate) plan: &'a Plan,
}

impl DocumentBody for PlanDocument<'_> {}

impl Answer for PlanDocument<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::default_of(Format::Text, |out, one| text(out, one.header, one.plan))
            .and(Format::Markdown, |out, one| {
                markdown(out, one.header, one.plan)
            })
            .and_documents()
            .and(Format::Github, |out, one| github(out, one.plan))
    }
}

/// More changed fields of one `CronJob` are counted.
const MOST_FIELDS: usize = 20;
const LONGEST_VALUE: usize = 80;

/// A field without what everybody knows to stand in front of it.
pub(super) fn short_path(field: &str) -> &str {
    const JOB: &str = "spec.jobTemplate.";
    const POD: &str = "spec.template.spec.";
    let of_job = field.strip_prefix(JOB).unwrap_or(field);
    of_job.strip_prefix(POD).unwrap_or(field)
}

pub(super) fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => "(unset)".to_owned(),
        Some(Value::String(text)) if is_plain(text) => text.clone(),
        Some(other) => other.to_string(),
    };
    shortened(&printable(&text), LONGEST_VALUE)
}

/// Whether a text needs no quotes.
fn is_plain(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_./:@+".contains(c);
    let starts_like_text = text.starts_with(|c: char| c.is_ascii_alphabetic());
    starts_like_text && text.chars().all(is_word) && !matches!(text, "true" | "false" | "null")
}

fn qualified_name(item: &PlannedCronJob) -> String {
    format!("{}/{}", item.namespace, item.name)
}

/// What happens to it, in a word or two.
fn change_in_words(item: &PlannedCronJob) -> String {
    match (item.change, &item.previous) {
        (ChangeKind::Renamed, Some(previous)) => format!("renamed from {previous}"),
        (ChangeKind::Recreated, _) => "re-created".to_owned(),
        (ChangeKind::NotRead, _) => "not read".to_owned(),
        (change, _) => change.as_str().to_owned(),
    }
}

fn kept_in_words(kept: &KeptField) -> String {
    format!(
        "{}: {} stays: it is not in the manifest, and apply will not reset it.",
        kept.field,
        shown(Some(&kept.value))
    )
}

/// Who changed the schedule in the cluster, if applying the manifest overwrites that.
fn overwritten(item: &PlannedCronJob) -> Option<String> {
    let writer = item.schedule_set_by.as_ref()?;
    Some(format!(
        "spec.schedule was changed in the cluster by {}; apply overwrites that change.",
        shortened(&printable(writer), LONGEST_VALUE)
    ))
}

/// Whether it is shown. Of those that do not change only those are that stay suspended.
fn is_shown(item: &PlannedCronJob) -> bool {
    let stays_suspended = || item.kept.iter().any(|kept| kept.field == "spec.suspend");
    item.change != ChangeKind::Unchanged || !item.refused.is_empty() || stays_suspended()
}

/// The next runs before and after, where they differ.
fn runs(item: &PlannedCronJob) -> Vec<(&'static str, Text)> {
    let times = |runs: &[UpcomingRun]| -> Vec<Timestamp> {
        runs.iter().map(|run| run.scheduled_time).collect()
    };
    let (before, after) = (&item.runs_before, &item.runs_after);
    match item.change {
        ChangeKind::Removed | ChangeKind::Unchanged | ChangeKind::NotRead => Vec::new(),
        _ if !item.refused.is_empty() => Vec::new(),
        ChangeKind::Added => vec![("Next runs", runs_in_words(after))],
        _ if times(before) == times(after) => {
            let notes = after.iter().any(|run| !run.notes.is_empty());
            let shown = notes.then(|| ("Next runs", runs_in_words(after)));
            shown.into_iter().collect()
        }
        _ => {
            let first = |runs: &[UpcomingRun]| runs_in_words(runs.get(..1).unwrap_or_default());
            vec![("Next run", text!("{}, was {}", first(after), first(before)))]
        }
    }
}

fn zone_name(zone: &TimeZone) -> &str {
    zone.iana_name().unwrap_or("UTC")
}

/// `Sat 2026-11-21 14:00 UTC, 20:00, Sun 2026-11-22 02:00`
fn runs_in_words(runs: &[UpcomingRun]) -> Text {
    if runs.is_empty() {
        return "none".into();
    }
    let mut day_before = None;
    let times = runs.iter().enumerate().map(|(number, run)| {
        let zone = run.local_time.time_zone();
        let name = if number == 0 { zone_name(zone) } else { "" };
        let time = LocalTime::new(run.scheduled_time, zone, name);
        let is_same = day_before.replace(time.date) == Some(time.date);
        let time = if is_same {
            time.of_day().into()
        } else {
            Text::from(time)
        };
        match run.notes.as_slice() {
            [] => time,
            notes => text!("{} ({})", time, Text::join(notes, "; ")),
        }
    });
    Text::join(times, ", ")
}

/// `1 changed, 12 unchanged; 1 starts a missed run`
fn summary_in_words(plan: &Plan) -> String {
    let summary = &plan.summary;
    let changes = occurring([
        (summary.added, "added"),
        (summary.removed, "removed"),
        (summary.renamed, "renamed"),
        (summary.recreated, "re-created"),
        (summary.changed, "changed"),
        (summary.unchanged, "unchanged"),
        (summary.not_read, "not read"),
    ]);
    if changes.is_empty() {
        return "no CronJobs".to_owned();
    }
    let is_or_are = |count, one, several| (count, plural(count, one, several));
    let effects = occurring([
        is_or_are(summary.refused, "is rejected", "are rejected"),
        is_or_are(
            summary.starts_now,
            "starts a missed run",
            "start missed runs",
        ),
        is_or_are(
            summary.removes_running,
            "deletes running Jobs",
            "delete running Jobs",
        ),
        is_or_are(summary.skips_runs, "skips runs", "skip runs"),
    ]);
    let then = if effects.is_empty() { "" } else { "; " };
    format!("{}{then}{}", changes.join(", "), effects.join(", "))
}

/// That more Jobs are due in one minute than before.
fn peak_in_words(plan: &Plan) -> Option<String> {
    let (before, after) = (plan.peak.before, plan.peak.after);
    (after > before && after > 1).then(|| {
        format!(
            "New peak: {} due in the same minute within the next 24h; {before} before the change.",
            counted(usize::try_from(after).unwrap_or(usize::MAX), "Job")
        )
    })
}

/// The assumptions that text names: each field that keeps its value is named where it does.
fn shown_assumptions(plan: &Plan) -> impl Iterator<Item = &String> {
    let assumptions = plan.assumptions.iter();
    assumptions.filter(|assumption| *assumption != FIELDS_ARE_KEPT)
}

/// The effects that text names: a sync that starts nothing is in the documents only.
fn shown_effects(item: &PlannedCronJob) -> impl Iterator<Item = &PlanEffect> {
    let effects = item.effects.iter();
    effects.filter(|effect| effect.kind != EffectKind::NextSync)
}

/// Whether an effect is one to know about before the change.
fn is_severe(kind: EffectKind) -> bool {
    matches!(
        kind,
        EffectKind::StartsNow
            | EffectKind::RemovesRunning
            | EffectKind::SkipsRuns
            | EffectKind::NeverRuns
            | EffectKind::RunsTwice
    )
}
