//! Explanations, as text and as a document.

mod events;
mod findings;

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anstream::adapter::strip_str;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::comparison::{Comparison, write_changes};
use super::each::Each;
use super::envelope::{DocumentBody, DocumentHeader, Envelope};
use super::lines::{entry, hanging, heading, paragraph, title, wrapped};
use super::style::{Meaning, styled};
use super::table::Table;
use crate::controller::{
    Decision, DecisionStep, EditEffect, LIMIT, MissedClass, Outcome, Requeue, TooMany, Verdict,
};
use crate::diagnose::{Explanation, Facts, LastRunState, Severity, local, no_run_yet, when};
use crate::duration::{from_now, human, local_time, whole_second};
use crate::forecast::NextState;
use crate::model::{ARGO_IGNORES_HEALTH, ArgoHealth, CronJob, Tool, UnreadResource};
use crate::printable::printable;
use crate::upcoming::UpcomingRun;
use crate::validation::WriteChange;
use crate::words::counted;
use events::{expected_events, recorded_events};
pub(crate) use findings::log_tail;
use findings::{findings, logs, most_severe};

/// What all explanations of one call have in common.
pub(crate) struct ExplainHeader {
    pub common: DocumentHeader,
    /// Whether that is the API server's time, and so not worth a line.
    pub is_server_time: bool,
    /// The manifests that the API server rejects, by namespace and name.
    pub rejected: BTreeSet<(String, String)>,
    /// What the API servers of the compared versions answer differently for `CronJob`s, by namespace and name.
    pub writes: BTreeMap<(String, String), Vec<WriteChange>>,
}

impl ExplainHeader {
    /// What the API servers of the compared versions answer differently.
    pub(super) fn writes_of(&self, cron_job: &CronJob) -> &[WriteChange] {
        if self.writes.is_empty() {
            return &[];
        }
        let key = (cron_job.namespace.clone(), cron_job.name.clone());
        self.writes.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// What the controller will do with each `CronJob`, and why: `explain -o json`.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Explanations<'a, E = &'a Explanation<'a>> {
    /// The data that could not be read. Whatever depends on it is conditional or unknown.
    lacks: &'a [UnreadResource],
    /// How many `CronJob`s behave the same in all versions; null without `--compare`.
    comparison: Option<Comparison>,
    /// An explanation for each `CronJob`.
    items: Each<'a, ExplanationOf<'a, E>>,
}

impl<E: JsonSchema + Serialize> DocumentBody for Explanations<'_, E> {
    const KIND: &'static str = "Explanations";
}

/// An explanation, its `CronJob` and its assumptions.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanation")]
#[serde(rename_all = "camelCase")]
struct ExplanationOf<'a, E> {
    /// The namespace of the `CronJob`.
    namespace: String,
    /// The name of the `CronJob`.
    name: String,
    /// Whether it is in a cluster. A manifest that is not is treated as created now.
    in_cluster: bool,
    #[serde(flatten)]
    header: &'a DocumentHeader,
    /// Whether another version would do something else now, or has other next runs; null without `--compare`.
    differs: Option<bool>,
    /// What the API servers of the newer versions answer differently when the `CronJob` is written. The Job template
    /// is only checked if it is from a file.
    writes: &'a [WriteChange],
    #[serde(flatten)]
    explanation: E,
}

impl<'a, E: Borrow<Explanation<'a>>> ExplanationOf<'a, E> {
    fn new(header: &'a ExplainHeader, explanation: E) -> Self {
        let explained: &Explanation<'a> = explanation.borrow();
        let cron_job = &*explained.facts.cron_job;
        ExplanationOf {
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            in_cluster: !cron_job.not_in_cluster,
            header: &header.common,
            differs: (!explained.compared.is_empty()).then(|| explained.differs()),
            writes: header.writes_of(cron_job),
            explanation,
        }
    }
}

/// The document for all explanations of a call.
pub(crate) fn document<'a>(
    header: &'a ExplainHeader,
    lacks: &'a [UnreadResource],
    explanations: &'a [Explanation<'a>],
) -> Envelope<Explanations<'a>> {
    Explanations {
        lacks,
        comparison: comparison(explanations),
        items: Each::of(move || {
            explanations
                .iter()
                .map(move |one| ExplanationOf::new(header, one))
        }),
    }
    .into()
}

/// The same for explanations that are made while they are written.
pub(super) fn document_of_each<'a, I: Iterator<Item = Explanation<'a>> + 'a>(
    header: &'a ExplainHeader,
    lacks: &'a [UnreadResource],
    explanations: impl Fn() -> I + 'a,
) -> Envelope<Explanations<'a, Explanation<'a>>> {
    Explanations {
        lacks,
        comparison: None,
        items: Each::of(move || explanations().map(move |one| ExplanationOf::new(header, one))),
    }
    .into()
}

/// How much of an explanation is shown.
#[derive(Clone, Copy, Default)]
pub(crate) struct Detail {
    /// Every step of the sync, the status afterwards, and UTC times.
    pub wide: bool,
    /// The controller's estimate of missed runs, also where it has no effect.
    pub estimates: bool,
}

/// Writes one explanation: what is wrong and what to do first, then the details. What was asked for with
/// flags is last, where a terminal shows it.
pub(crate) fn text(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
    detail: Detail,
) -> io::Result<()> {
    let wide = detail.wide;
    let mut named = NamedRuns::default();
    headline(out, explanation, wide, &mut named)?;
    let cron_job = &*explanation.facts.cron_job;
    let key = (cron_job.namespace.clone(), cron_job.name.clone());
    if header.rejected.contains(&key) {
        paragraph(
            out,
            2,
            "The API server rejects this manifest: run lint to see why.",
        )?;
    }
    findings(out, explanation, &mut named)?;
    writeln!(out)?;
    basis(out, header, explanation, wide)?;
    next_sync(out, explanation, wide)?;
    if wide {
        status(out, &explanation.decision)?;
    }
    pods(out, &explanation.facts)?;
    recorded_events(out, explanation, wide)?;
    missed(out, explanation, detail)?;
    next_runs(out, explanation, wide)?;
    what_if(out, explanation)?;
    compared(out, explanation, wide)?;
    writes(out, header, std::slice::from_ref(explanation))?;
    logs(out, explanation)
}

/// The most bytes of a brief explanation: assistants pay for each of them.
const LONGEST_BRIEF: usize = 2_000;
/// What is kept of a longer one: the verdict at the beginning, and the remedy at the end.
const KEPT: (usize, usize) = (1_200, 600);

/// Writes only the verdict, the most severe finding and its remedy.
pub(crate) fn brief(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let mut whole = Vec::new();
    headline(&mut whole, explanation, false, &mut NamedRuns::default())?;
    if let Some(what_if) = &explanation.what_if {
        let changes = what_if.changes.join(", ");
        let text = format!("With {changes}: {}", what_if.verdict);
        paragraph(&mut whole, 2, &as_sentence(&text))?;
    }
    most_severe(&mut whole, explanation)?;
    let plain = strip_str(&String::from_utf8_lossy(&whole)).to_string();
    if plain.len() <= LONGEST_BRIEF {
        return out.write_all(&whole);
    }
    out.write_all(cut(&plain).as_bytes())
}

/// The beginning and the last lines of a text, and how much is missing between them.
fn cut(text: &str) -> String {
    let boundary = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at));
    let head = boundary(KEPT.0).and_then(|at| text.get(..at));
    let head = head.unwrap_or_default();
    let tail = boundary(text.len().saturating_sub(KEPT.1));
    let tail = tail.and_then(|at| text.get(at..)).unwrap_or_default();
    let tail = tail.split_once('\n').map_or("", |(_, lines)| lines);
    let missing = text.len() - head.len() - tail.len();
    format!("{head}…\n  ({missing} bytes are cut. Without --brief, everything is shown.)\n{tail}")
}

/// Writes the name and the verdict.
fn headline(
    out: &mut dyn Write,
    explanation: &Explanation<'_>,
    wide: bool,
    named: &mut NamedRuns,
) -> io::Result<()> {
    let cron_job = &*explanation.facts.cron_job;
    title(out, &format!("{}/{}", cron_job.namespace, cron_job.name))?;
    // A run that starts as usual is not wrong, whatever the findings are.
    let meaning = match (explanation.facts.outlook().next(), meaning(explanation)) {
        (_, Meaning::Good) => Meaning::Good,
        (Some((NextState::Start | NextState::StartIfFinished | NextState::Waiting, _)), _)
            if explanation.decision.deleted_jobs.is_empty() =>
        {
            Meaning::Strong
        }
        (_, meaning) => meaning,
    };
    let verdict = named.shortened(&explanation.facts, &explanation.verdict);
    for line in wrapped(2, &as_sentence(&verdict)) {
        writeln!(out, "  {}", styled(meaning, line))?;
    }
    last_run(out, explanation, wide)?;
    match &explanation.schedule_edit {
        Some(edit) => edit
            .sentence(&explanation.facts)
            .map_or(Ok(()), |sentence| paragraph(out, 2, &printable(&sentence))),
        None => Ok(()),
    }
}

/// Writes what happened to the last run, and when one succeeded last if that was another.
fn last_run(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    let facts = &explanation.facts;
    if facts.cron_job.not_in_cluster {
        return Ok(());
    }
    let last = explanation.last_run.as_ref();
    let text = last.map(|run| {
        if wide {
            run.text.clone()
        } else {
            run.brief(facts)
        }
    });
    let run = text.or_else(|| no_run_yet(facts));
    let is_success = last.is_some_and(|run| run.state == LastRunState::Succeeded);
    let success = explanation.last_success.as_ref().filter(|_| !is_success);
    let success = success.map(|success| {
        let ago = human(facts.ago(success.finished_at));
        if wide {
            let at = local(facts, success.finished_at);
            format!("Last success: {at} ({ago} ago).")
        } else {
            format!("Last success: {ago} ago.")
        }
    });
    let run = run.map(|run| format!("Last run: {run}."));
    let sentences: Vec<String> = run.into_iter().chain(success).collect();
    if sentences.is_empty() {
        return Ok(());
    }
    paragraph(out, 2, &printable(&sentences.join(" ")))
}

/// The runs whose time is on the page.
#[derive(Default)]
struct NamedRuns(BTreeSet<String>);

impl NamedRuns {
    /// A text in which the time of a run is complete only where it is first on the page: later it is `for 22:04`.
    fn shortened(&mut self, facts: &Facts<'_>, text: &str) -> String {
        const LEAD: &str = "for the run scheduled at ";
        let zone = format!(" {}", facts.display_zone().name());
        let mut parts = text.split(LEAD);
        let mut short = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let time = part
                .split_once(&zone)
                .map(|(time, rest)| (time, time.get(DAY..), rest));
            match time {
                Some((time, Some(clock), rest)) if !self.0.insert(time.to_owned()) => {
                    short.push_str(&format!("for {clock}{rest}"));
                }
                _ => {
                    short.push_str(LEAD);
                    short.push_str(part);
                }
            }
        }
        short
    }
}

/// How good or bad the verdict is: as bad as the most severe finding, or as what the controller does.
fn meaning(explanation: &Explanation<'_>) -> Meaning {
    let worst = explanation.findings.iter().map(|one| one.severity).max();
    match (explanation.decision.outcome, worst) {
        (_, Some(Severity::Error))
        | (
            Outcome::UnknownTimeZone
            | Outcome::UnparseableSchedule
            | Outcome::InvalidSchedule
            | Outcome::TooManyMissed
            | Outcome::NameTaken
            | Outcome::Hangs
            | Outcome::Panics,
            _,
        ) => Meaning::Bad,
        (_, Some(Severity::Warning))
        | (
            Outcome::Suspended
            | Outcome::Deleted
            | Outcome::Blocked
            | Outcome::DeadlineExceeded
            | Outcome::NoRunFound,
            _,
        ) => Meaning::Odd,
        (Outcome::Start | Outcome::Replace | Outcome::Wait | Outcome::AlreadyProcessed, _) => {
            Meaning::Good
        }
    }
}

/// A verdict as a sentence by itself.
fn as_sentence(verdict: &str) -> String {
    let end = if verdict.ends_with('.') { "" } else { "." };
    printable(&format!("{verdict}{end}"))
}

/// Writes the health that Argo CD shows, if that is not the health of the last run.
fn argo_health(out: &mut dyn Write, facts: &Facts<'_>) -> io::Result<()> {
    let cron_job = &*facts.cron_job;
    let is_ignored = cron_job.annotations.get(ARGO_IGNORES_HEALTH) == Some("true");
    let text = match (ArgoHealth::of(cron_job), cron_job.status.last_schedule_time) {
        (ArgoHealth::Degraded, Some(since)) if !is_ignored => format!(
            "Degraded since {} (Argo CD 3.2 or later), because the last run has not succeeded. The next \
             success ends that, also the success of a Job that trigger starts.",
            local(facts, since)
        ),
        (ArgoHealth::HealthyWithoutSuccess, _) if !is_ignored && cron_job.status.active.is_empty() => {
            "Healthy, although no success is recorded: it shows Degraded only after a first success."
                .to_owned()
        }
        _ => return Ok(()),
    };
    entry(out, "Argo CD", &text)
}

/// What the explanation is based on: the schedule, the controller and the time.
fn basis(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
    wide: bool,
) -> io::Result<()> {
    let cron_job = &*explanation.facts.cron_job;
    let timetable = explanation.facts.timetable.as_ref();
    let zone = timetable
        .and_then(|timetable| timetable.zone())
        .map_or_else(String::new, |zone| format!(" in {}", zone.name()));
    let description = explanation.schedule.description.as_ref();
    let description =
        description.map_or_else(String::new, |description| format!(" ({description})"));
    let schedule = format!("{}{zone}{description}", cron_job.spec.schedule);
    entry(out, "Schedule", &printable(&schedule))?;
    // That kubectl applied it is usual.
    let managed = explanation.managed_by.as_ref();
    if let Some(managed) = managed.filter(|managed| managed.tool != Tool::Kubectl) {
        entry(out, "Managed by", &printable(&managed.text()))?;
        if managed.tool == Tool::ArgoCd {
            argo_health(out, &explanation.facts)?;
        }
    }
    expected(out, explanation, wide)?;
    let controller = &header.common.controller;
    let newest = match controller.source {
        "default" => ", newest known version",
        _ => "",
    };
    let inferred = match controller.time_zone_source {
        "evidence" => " (inferred from its Jobs)",
        _ => "",
    };
    let controller = format!(
        "Kubernetes {} ({}{newest}), time zone {}{inferred}",
        controller.kubernetes_version, controller.model, controller.time_zone
    );
    let document = &header.common.controller;
    let is_usual = (document.source, document.model) == ("server", "v2")
        && (document.time_zone.as_str(), document.time_zone_source) == ("UTC", "default");
    if wide || !is_usual {
        entry(out, "Controller", &controller)?;
    }
    if wide || !header.is_server_time {
        entry(out, "Now", &whole_second(header.common.now).to_string())?;
    }
    if cron_job.not_in_cluster {
        entry(out, "Created", "not in a cluster: treated as created now")?;
    }
    Ok(())
}

/// How long runs take, and what is expected of them. When a success is due matters once it is overdue.
fn expected(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    let facts = &explanation.facts;
    let due = explanation.success_due;
    if let Some(due) = due.filter(|due| wide || *due < facts.now) {
        entry(out, "Success due", &when(facts, due))?;
    }
    if let Some(usual) = explanation.usual_duration {
        entry(out, "Duration", &format!("usually {}", usual.in_words()))?;
    }
    let Some(expectations) = &explanation.expectations else {
        return Ok(());
    };
    if let Some(mut text) = expectations.in_words() {
        let is_checked = expectations.success_within_seconds.is_none();
        if facts.is_suspended() && !is_checked {
            text.push_str(" (not checked while suspended)");
        }
        entry(out, "Expected", &text)?;
    }
    // Below findings it is easier to see.
    match &expectations.runbook {
        Some(runbook) if explanation.findings.is_empty() => {
            entry(out, "Runbook", &findings::runbook(runbook))
        }
        _ => Ok(()),
    }
}

/// What the controller would do if it synced now: the checks that decide it, and the events it would record.
fn next_sync(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    let decision = &explanation.decision;
    let waits = matches!(decision.outcome, Outcome::Wait | Outcome::AlreadyProcessed);
    let decides = |step: &&DecisionStep| match step.verdict {
        Verdict::Pass => wide,
        Verdict::Stop => wide || !waits,
        Verdict::Note => true,
    };
    let steps: Vec<&DecisionStep> = decision.steps.iter().filter(decides).collect();
    let stop = match meaning(explanation) {
        Meaning::Bad => Meaning::Bad,
        _ => Meaning::Odd,
    };
    let unusual = decision.error.is_some() || decision.requeue_after.is_some_and(|after| after < 0);
    if steps.is_empty() && decision.events.is_empty() && !unusual && !wide {
        return Ok(());
    }
    heading(out, "Next sync")?;
    for step in steps {
        let (word, meaning) = match step.verdict {
            Verdict::Pass => ("pass", Meaning::Faint),
            Verdict::Stop if waits => ("wait", Meaning::Plain),
            Verdict::Stop => ("STOP", stop),
            Verdict::Note => ("note", Meaning::Odd),
        };
        write!(out, "  {} {:<12}", styled(meaning, word), step.check)?;
        hanging(out, 19, &printable(&step.detail))?;
    }
    expected_events(out, explanation, wide)?;
    if !wide && !unusual {
        return Ok(());
    }
    let again = match decision.requeue_after {
        Some(after) if after < 0 => format!(
            "syncs again immediately, in a hot loop: the next wake-up is {} in the past",
            human(-(after / 1_000_000_000))
        ),
        Some(_) => match decision.wakes_at {
            Some(at) => format!(
                "syncs again at {at} ({})",
                from_now(explanation.facts.now, at)
            ),
            None => "does not sync again for centuries".to_owned(),
        },
        None if decision.error.is_some() => {
            "fails; the controller retries with back-off".to_owned()
        }
        None => "does not sync again until the object changes".to_owned(),
    };
    paragraph(out, 2, &again)
}

/// What the status says afterwards, and what is deleted.
fn status(out: &mut dyn Write, decision: &Decision) -> io::Result<()> {
    heading(out, "Status after the next sync")?;
    let none = || "<none>".to_owned();
    let list = |names: &[String]| {
        if names.is_empty() {
            none()
        } else {
            printable(&names.join(", "))
        }
    };
    let time = |at: Option<Timestamp>| at.map_or_else(none, |at| at.to_string());
    let status = &decision.status_after;
    let written = if decision.updates_status { "yes" } else { "no" };
    let entries = [
        ("active", list(&status.active)),
        ("lastScheduleTime", time(status.last_schedule_time)),
        ("lastSuccessfulTime", time(status.last_successful_time)),
        ("deleted Jobs", list(&decision.deleted_jobs)),
        ("status update", written.to_owned()),
    ];
    for (label, text) in entries {
        write!(out, "  {}", styled(Meaning::Faint, format!("{label:<20}")))?;
        hanging(out, 22, &text)?;
    }
    Ok(())
}

/// No more pods than these are shown; findings and documents have the rest.
const PODS_SHOWN: usize = 5;

/// Writes the state of each pod.
fn pods(out: &mut dyn Write, facts: &Facts<'_>) -> io::Result<()> {
    let pods = facts.pods_of_interest();
    if pods.is_empty() {
        return Ok(());
    }
    heading(out, "Pods of unfinished and recently failed Jobs")?;
    for state in pods.iter().take(PODS_SHOWN) {
        let reason = state.reason.map(|reason| format!(", {reason}"));
        let line = format!(
            "{}: {}{}",
            state.name,
            state.phase,
            reason.unwrap_or_default()
        );
        paragraph(out, 2, &printable(&line))?;
    }
    match pods.len().saturating_sub(PODS_SHOWN) {
        0 => Ok(()),
        more => paragraph(out, 2, &format!("and {more} more")),
    }
}

/// From this number of missed runs on, the limit of the controller matters.
const NEAR_LIMIT: u64 = 80;
/// From this number of missed runs on, the controller's estimate is shown.
const SHOWN_ESTIMATE: u64 = 50;

fn missed(out: &mut dyn Write, explanation: &Explanation<'_>, detail: Detail) -> io::Result<()> {
    let wide = detail.wide;
    let facts = &explanation.facts;
    let Some(explained) = &explanation.missed else {
        return Ok(());
    };
    let missed = &explained.runs;
    if missed.count == 0 {
        return Ok(());
    }
    heading(out, "Missed runs")?;
    let span = match (missed.first, missed.last) {
        (Some(first), Some(last)) => span(facts, first, last),
        _ => format!("since {}", local(facts, missed.since)),
    };
    paragraph(out, 2, &format!("{}: {span}", counted(missed.count, "run")))?;
    if wide {
        let time = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
        let text = format!(
            "counted from {}, first {}, last {}",
            missed.since,
            time(missed.first),
            time(missed.last)
        );
        paragraph(out, 2, &text)?;
    }
    match explained.causes.as_slice() {
        [only] if only.count == missed.count => {
            let text = format!("{}: {}", only.cause.in_words(), only.evidence);
            paragraph(out, 2, &printable(&text))?;
        }
        causes => {
            for cause in causes {
                let text = format!(
                    "{}: {} ({})",
                    cause.cause.in_words(),
                    cause.evidence,
                    self::span(facts, cause.first, cause.last)
                );
                write!(out, "  {:>4}  ", cause.count)?;
                hanging(out, 8, &printable(&text))?;
            }
        }
    }
    let backfilled = match facts.backfilled().count() {
        0 => None,
        1 => Some("1 of them was".to_owned()),
        many => Some(format!("{many} of them were")),
    };
    if let Some(were) = backfilled {
        let text = format!("{were} backfilled, which does not change the controller's count.");
        paragraph(out, 2, &text)?;
    }
    let estimated = missed.controller_estimate;
    let estimated = estimated.and_then(|estimate| u64::try_from(estimate).ok());
    let most = missed.count.max(estimated.unwrap_or_default());
    let near_limit = most >= NEAR_LIMIT;
    if wide || detail.estimates || most >= SHOWN_ESTIMATE {
        estimate(out, explanation, missed.count, wide || near_limit)?;
    }
    let refuses = facts.controller.behavior().too_many == TooMany::Refuses;
    let crosses = missed
        .crosses_limit_at
        .filter(|at| *at > facts.now && (wide || near_limit || refuses));
    if let Some(at) = crosses {
        let then = if refuses {
            "; then no run starts any more"
        } else {
            ""
        };
        let text = format!(
            "The count will exceed {LIMIT} at {} unless a run starts{then}.",
            when(facts, at)
        );
        paragraph(out, 2, &text)?;
    }
    Ok(())
}

/// `first Wed 2026-11-18 08:00, last Fri 2026-11-20 18:00 America/New_York`.
fn span(facts: &Facts<'_>, first: Timestamp, last: Timestamp) -> String {
    if first == last {
        return local(facts, last);
    }
    let first = local_time(first, facts.display_zone().time_zone(), "");
    format!("first {first}, last {}", local(facts, last))
}

/// How many missed runs the controller believes there are, and what it does above its limit if that matters.
fn estimate(
    out: &mut dyn Write,
    explanation: &Explanation<'_>,
    count: u64,
    limit_matters: bool,
) -> io::Result<()> {
    let Some(belief) = explanation.decision.missed else {
        return Ok(());
    };
    let mut text = match (belief.estimate, belief.class) {
        (Some(estimate), _) if u64::try_from(estimate) == Ok(count) => {
            format!("The controller's estimate is also {estimate}")
        }
        (Some(estimate), _) => format!(
            "The controller estimates {estimate} (time since the first missed run divided by the \
             interval of the first two)"
        ),
        (None, MissedClass::Many) => format!("The controller counts more than {LIMIT}"),
        (None, _) => "The controller does not count them".to_owned(),
    };
    if limit_matters || belief.class == MissedClass::Many {
        let above = match explanation.facts.controller.behavior().too_many {
            TooMany::Refuses => "it starts nothing",
            TooMany::WarnsWithZero | TooMany::WarnsWithNumber | TooMany::Warns => {
                "it records a TooManyMissedTimes event, and still starts the latest run it finds"
            }
        };
        text.push_str(&format!("; above {LIMIT} {above}"));
    }
    paragraph(out, 2, &format!("{text}."))
}

/// No more runs than these are shown without `-o wide`.
const RUNS_SHOWN: usize = 3;

fn next_runs(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    if explanation.next_runs.is_empty() {
        return Ok(());
    }
    let facts = &explanation.facts;
    let title = if explanation.decision.outcome == Outcome::Deleted {
        "Next runs (being deleted: none will start)"
    } else if facts.is_suspended() {
        "Next runs (suspended: none will start)"
    } else {
        "Next runs"
    };
    heading(out, title)?;
    let runs = &explanation.next_runs;
    let shown = match runs.get(..RUNS_SHOWN) {
        _ if wide => usize::MAX,
        Some(first) if is_daily(first) => 1,
        _ => RUNS_SHOWN,
    };
    // What the verdict has said of the only one is not repeated, and what holds for all stands once.
    let is_said = |note: &&String| !wide && shown == 1 && explanation.verdict.contains(*note);
    let notes_of = |run: &UpcomingRun| {
        let notes = run.notes.iter().filter(|note| !is_said(note));
        printable(&notes.map(String::as_str).collect::<Vec<_>>().join("; "))
    };
    let mut notes: Vec<String> = runs.iter().take(shown).map(notes_of).collect();
    let of_all = notes.first().filter(|first| {
        let is_same = notes.iter().skip(1).all(|note| note == *first);
        !wide && notes.len() > 1 && !first.is_empty() && is_same
    });
    let of_all = of_all.cloned();
    if of_all.is_some() {
        notes.iter_mut().for_each(String::clear);
    }
    let mut day_before = String::new();
    for (run, notes) in runs.iter().zip(notes) {
        let mut text = when(facts, run.scheduled_time);
        let day = text.get(..DAY).unwrap_or_default().to_owned();
        let mut indent = 2;
        if wide {
            text = format!("{}  {text}", run.scheduled_time);
        } else if day == day_before && notes.is_empty() {
            indent += DAY;
            text = text.split_off(DAY.min(text.len()));
        }
        day_before = day;
        write!(out, "{:indent$}", "")?;
        if !notes.is_empty() {
            text.push_str(&format!(": {}", styled(Meaning::Odd, notes)));
        }
        hanging(out, indent.max(4), &text)?;
    }
    if let Some(notes) = of_all {
        write!(out, "  ")?;
        hanging(out, 4, &format!("Each: {}", styled(Meaning::Odd, notes)))?;
    }
    Ok(())
}

/// The width of the day in a time: `Sun 2026-11-22 `.
const DAY: usize = 15;

/// Whether these runs are one a day, at the same time, without anything unusual.
fn is_daily(runs: &[UpcomingRun]) -> bool {
    let is_next = |(one, other): (&UpcomingRun, &UpcomingRun)| {
        one.local_time
            .tomorrow()
            .is_ok_and(|next| next == other.local_time)
    };
    runs.iter().skip(1).all(|run| run.notes.is_empty())
        && runs.iter().zip(runs.iter().skip(1)).all(is_next)
}

fn what_if(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let Some(what_if) = &explanation.what_if else {
        return Ok(());
    };
    let facts = &explanation.facts;
    heading(
        out,
        &format!("With {}", printable(&what_if.changes.join(", "))),
    )?;
    paragraph(out, 2, &as_sentence(&what_if.verdict))?;
    let mut table = Table::new(["  ", "NOW", "WITH CHANGE"]);
    let rows = |decision: &Decision| {
        let none = || "<none>".to_owned();
        let deletes = match decision.deleted_jobs.as_slice() {
            [] => none(),
            jobs => jobs.join(","),
        };
        let again = decision.wakes_at;
        let again = again.map(|at| human((at.as_second() - facts.now.as_second()).max(0)));
        [
            ("  outcome", decision.outcome.in_words().to_owned()),
            (
                "  scheduled time",
                (decision.scheduled_time).map_or_else(none, |at| local(facts, at)),
            ),
            ("  Job", decision.job_name.clone().unwrap_or_else(none)),
            ("  deletes", deletes),
            (
                "  syncs again",
                again.map_or_else(none, |again| format!("in {again}")),
            ),
        ]
    };
    let then = what_if.first_decision(facts.now);
    let (now, then) = (rows(&explanation.decision), rows(then));
    for ((label, now), (_, then)) in now.into_iter().zip(then) {
        table.push(vec![label.into(), now.into(), then.into()]);
    }
    table.write(out, true)?;
    paragraph(out, 2, &effect(facts, &what_if.effect))
}

/// The effect of making the change.
fn effect(facts: &Facts<'_>, effect: &EditEffect) -> String {
    let Some(at) = effect.syncs_at else {
        return format!(
            "After the change, the controller does not sync by itself ({}).",
            effect.because
        );
    };
    let syncs = if at <= facts.now {
        "immediately".to_owned()
    } else {
        format!("at {}, {}", local(facts, at), from_now(facts.now, at))
    };
    let mut text = format!(
        "After the change, the controller syncs {syncs} ({}).",
        effect.because
    );
    if let Some(decision) = &effect.decision_then {
        let job = decision.job_name.as_deref().unwrap_or_default();
        match decision.scheduled_time {
            Some(scheduled) if decision.starts() => text.push_str(&format!(
                " It then starts {job} for the run scheduled at {}",
                local(facts, scheduled)
            )),
            _ => text.push_str(&format!(
                " It then starts nothing ({})",
                decision.outcome.in_words()
            )),
        }
        if effect.retroactive {
            text.push_str(", which is before the change");
        }
        text.push('.');
    }
    text
}

/// Writes what other versions do. `wide` adds how many missed runs they find.
fn compared(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    if explanation.compared.is_empty() {
        return Ok(());
    }
    let facts = &explanation.facts;
    heading(out, "Comparison of Kubernetes versions")?;
    let mut headings = vec!["  VERSION", "OUTCOME", "SCHEDULED TIME", "SYNCS AGAIN"];
    if wide {
        headings.push("MISSED");
    }
    let mut table = Table::new(headings);
    for compared in &explanation.compared {
        let (release, decision) = (compared.release, &compared.decision);
        let none = || "<none>".to_owned();
        let again = match decision.requeue_after {
            Some(after) if after < 0 => "immediately, in a hot loop".to_owned(),
            Some(after) => format!("in {}", human(after / 1_000_000_000)),
            None if release.behavior().requeue == Requeue::Poll => "every 10s".to_owned(),
            None => none(),
        };
        let scheduled = decision
            .scheduled_time
            .map_or_else(none, |at| local(facts, at));
        let mut row = vec![
            format!("  {release}").into(),
            decision.outcome.in_words().into(),
            scheduled.into(),
            again.into(),
        ];
        if wide {
            let missed = decision.missed.map(|missed| missed.class.as_str());
            row.push(missed.unwrap_or("<none>").into());
        }
        table.push(row);
    }
    table.write(out, true)
}

/// How many of them behave the same; none if nothing is compared.
pub(super) fn comparison(explanations: &[Explanation<'_>]) -> Option<Comparison> {
    let is_compared = explanations.iter().any(|one| !one.compared.is_empty());
    let different = explanations.iter().filter(|one| one.differs()).count();
    is_compared.then(|| Comparison::of(explanations.len(), different))
}

/// Writes what the API servers of the compared versions answer differently.
pub(super) fn writes(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanations: &[Explanation<'_>],
) -> io::Result<()> {
    let cron_jobs = explanations.iter().map(|one| &*one.facts.cron_job);
    let changes = cron_jobs.map(|cron_job| (full_name(cron_job), header.writes_of(cron_job)));
    let changes = changes.filter(|(_, changes)| !changes.is_empty());
    write_changes(out, &header.common.controller.kubernetes_version, changes)
}

pub(super) fn full_name(cron_job: &CronJob) -> String {
    format!("{}/{}", cron_job.namespace, cron_job.name)
}
