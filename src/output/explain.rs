//! Explanations, as text and as a document.

use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::controller::ControllerDocument;
use super::envelope::{DocumentBody, Envelope};
use super::lines::{entry, hanging, heading, paragraph, remedy, title};
use super::style::{Meaning, styled};
use super::table::Table;
use crate::controller::{
    Decision, DecisionStep, EditEffect, LIMIT, MissedClass, Outcome, RecordedEvent, Requeue,
    TooMany, Verdict,
};
use crate::diagnose::{Explanation, Facts, Finding, LogTail, Severity, local, suspended_by, when};
use crate::duration::{from_now, human, local_time, whole_second};
use crate::model::{Tool, UnreadResource};
use crate::printable::{printable, shortened};

/// What all explanations of one call have in common.
pub(crate) struct ExplainHeader {
    /// The controller that is modeled.
    pub controller: ControllerDocument,
    /// The time used as now.
    pub now: Timestamp,
}

/// What the controller will do with each `CronJob`, and why: `explain -o json`.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Explanations<'a> {
    /// The data that could not be read. Whatever depends on it is conditional or unknown.
    lacks: &'a [UnreadResource],
    /// An explanation for each `CronJob`.
    items: Vec<ExplanationOf<'a>>,
}

impl DocumentBody for Explanations<'_> {
    const KIND: &'static str = "Explanations";
}

/// An explanation, its `CronJob` and its assumptions.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanation")]
#[serde(rename_all = "camelCase")]
struct ExplanationOf<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// The name of the `CronJob`.
    name: &'a str,
    /// Whether it is in a cluster. A manifest that is not is treated as created now.
    in_cluster: bool,
    /// The time used as now.
    now: Timestamp,
    /// The controller that is modeled.
    controller: &'a ControllerDocument,
    #[serde(flatten)]
    explanation: &'a Explanation<'a>,
}

/// The document for all explanations of a call.
pub(crate) fn document<'a>(
    header: &'a ExplainHeader,
    lacks: &'a [UnreadResource],
    explanations: &'a [Explanation<'a>],
) -> Envelope<Explanations<'a>> {
    let item = |explanation: &'a Explanation<'a>| {
        let cron_job = explanation.facts.cron_job;
        ExplanationOf {
            namespace: &cron_job.namespace,
            name: &cron_job.name,
            in_cluster: !cron_job.not_in_cluster,
            now: header.now,
            controller: &header.controller,
            explanation,
        }
    };
    let items = explanations.iter().map(item).collect();
    Explanations { lacks, items }.into()
}

/// Writes one explanation. `wide` adds every step of the sync, the status afterwards and UTC times.
pub(crate) fn text(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
    wide: bool,
) -> io::Result<()> {
    let cron_job = explanation.facts.cron_job;
    title(out, &format!("{}/{}", cron_job.namespace, cron_job.name))?;
    paragraph(out, 2, &as_sentence(&explanation.verdict))?;
    writeln!(out)?;
    basis(out, header, explanation, wide)?;
    next_sync(out, explanation, wide)?;
    if wide {
        status(out, &explanation.decision)?;
    }
    pods(out, &explanation.facts)?;
    missed(out, explanation, wide)?;
    next_runs(out, explanation, wide)?;
    what_if(out, explanation)?;
    compared(out, explanation)?;
    findings(out, explanation)?;
    logs(out, explanation)
}

/// A verdict as a sentence by itself.
fn as_sentence(verdict: &str) -> String {
    let end = if verdict.ends_with('.') { "" } else { "." };
    printable(&format!("{verdict}{end}"))
}

/// What the explanation is based on: the schedule, the controller and the time.
fn basis(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
    wide: bool,
) -> io::Result<()> {
    let cron_job = explanation.facts.cron_job;
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
    }
    if explanation.facts.is_suspended()
        && let Some((manager, time)) = suspended_by(cron_job)
    {
        let time = local(&explanation.facts, time);
        let text = format!("by {manager}, no later than {time}");
        entry(out, "Suspended", &printable(&text))?;
    }
    expected(out, explanation, wide)?;
    let controller = &header.controller;
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
    entry(out, "Controller", &controller)?;
    let now = whole_second(header.now);
    entry(out, "Now", &now.to_string())?;
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
            entry(out, "Runbook", &self::runbook(runbook))
        }
        _ => Ok(()),
    }
}

/// A longer runbook is cut.
const LONGEST_RUNBOOK: usize = 500;

fn runbook(text: &str) -> String {
    shortened(&printable(text), LONGEST_RUNBOOK)
}

/// What the controller would do if it synced now: the checks that decide it, and the recorded events.
fn next_sync(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    let decision = &explanation.decision;
    let waits = matches!(decision.outcome, Outcome::Wait | Outcome::AlreadyProcessed);
    let decides = |step: &&DecisionStep| match step.verdict {
        Verdict::Pass => wide,
        Verdict::Stop => wide || !waits,
        Verdict::Note => true,
    };
    let steps: Vec<&DecisionStep> = decision.steps.iter().filter(decides).collect();
    let unusual = decision.error.is_some() || decision.requeue_after.is_some_and(|after| after < 0);
    if steps.is_empty() && decision.events.is_empty() && !unusual && !wide {
        return Ok(());
    }
    heading(out, "Next sync")?;
    for step in steps {
        let (word, meaning) = match step.verdict {
            Verdict::Pass => ("pass", Meaning::Faint),
            Verdict::Stop if waits => ("wait", Meaning::Plain),
            Verdict::Stop => ("STOP", Meaning::Bad),
            Verdict::Note => ("note", Meaning::Odd),
        };
        write!(out, "  {} {:<12}", styled(meaning, word), step.check)?;
        hanging(out, 19, &printable(&step.detail))?;
    }
    events(out, decision, wide)?;
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

/// The events that the sync records; their messages only with `-o wide`.
fn events(out: &mut dyn Write, decision: &Decision, wide: bool) -> io::Result<()> {
    let name = |event: &RecordedEvent| format!("{} {}", event.r#type.as_str(), event.reason);
    if wide {
        for event in &decision.events {
            let text = format!("records {}: {}", name(event), event.message);
            write!(out, "  ")?;
            hanging(out, 10, &printable(&text))?;
        }
        return Ok(());
    }
    let mut names: Vec<String> = decision.events.iter().map(name).collect();
    names.dedup();
    match names.as_slice() {
        [] => Ok(()),
        [only] => paragraph(out, 2, &format!("records event: {only}")),
        several => paragraph(out, 2, &format!("records events: {}", several.join(", "))),
    }
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

fn missed(out: &mut dyn Write, explanation: &Explanation<'_>, wide: bool) -> io::Result<()> {
    let facts = &explanation.facts;
    let Some(explained) = &explanation.missed else {
        return Ok(());
    };
    let missed = &explained.runs;
    if missed.count == 0 {
        return Ok(());
    }
    heading(out, "Missed runs")?;
    let runs = if missed.count == 1 { "run" } else { "runs" };
    let span = match (missed.first, missed.last) {
        (Some(first), Some(last)) => span(facts, first, last),
        _ => format!("since {}", local(facts, missed.since)),
    };
    paragraph(out, 2, &format!("{} {runs}: {span}", missed.count))?;
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
    let near_limit = missed.count >= NEAR_LIMIT
        || missed
            .controller_estimate
            .is_some_and(|estimate| u64::try_from(estimate).is_ok_and(|n| n >= NEAR_LIMIT));
    estimate(out, explanation, missed.count, wide || near_limit)?;
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
    let first = local_time(first, facts.zone().time_zone(), "");
    format!("first {first}, last {}", local(facts, last))
}

/// How many missed runs the controller believes there are, if that differs or the limit matters.
fn estimate(
    out: &mut dyn Write,
    explanation: &Explanation<'_>,
    count: u64,
    limit_matters: bool,
) -> io::Result<()> {
    let Some(belief) = explanation.decision.missed else {
        return Ok(());
    };
    let is_same = |estimate| u64::try_from(estimate) == Ok(count);
    let mut text = match (belief.estimate, belief.class) {
        (Some(estimate), _) if is_same(estimate) && !limit_matters => return Ok(()),
        (Some(estimate), _) if is_same(estimate) => {
            format!("The controller's estimate is also {estimate}")
        }
        (Some(estimate), _) => format!(
            "The controller estimates {estimate} (time since the first missed run divided by the \
             interval of the first two)"
        ),
        (None, MissedClass::Many) => format!("The controller counts more than {LIMIT}"),
        (None, _) if limit_matters => "The controller does not count them".to_owned(),
        (None, _) => return Ok(()),
    };
    if limit_matters || belief.class == MissedClass::Many {
        let too_many = explanation.facts.controller.behavior().too_many;
        let above = match too_many {
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
    let shown = if wide { usize::MAX } else { RUNS_SHOWN };
    for run in explanation.next_runs.iter().take(shown) {
        let mut text = when(facts, run.scheduled_time);
        if wide {
            text = format!("{}  {text}", run.scheduled_time);
        }
        if !run.notes.is_empty() {
            let notes = styled(Meaning::Odd, printable(&run.notes.join("; ")));
            text.push_str(&format!(": {notes}"));
        }
        write!(out, "  ")?;
        hanging(out, 4, &text)?;
    }
    Ok(())
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
        let again = decision
            .requeue_after
            .map(|after| human((after / 1_000_000_000).max(0)));
        [
            ("  outcome", decision.outcome.as_str().to_owned()),
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
    let (now, then) = (rows(&explanation.decision), rows(&what_if.decision));
    for ((label, now), (_, then)) in now.into_iter().zip(then) {
        table.push(vec![label.into(), now.into(), then.into()]);
    }
    table.write(out, true)?;
    paragraph(out, 2, &effect(facts, &what_if.effect))
}

/// The effect of making the change.
fn effect(facts: &Facts<'_>, effect: &EditEffect) -> String {
    let Some(at) = effect.looks_at else {
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
                decision.outcome.as_str()
            )),
        }
        if effect.retroactive {
            text.push_str(", which is before the change");
        }
        text.push('.');
    }
    text
}

fn compared(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    if explanation.compared.is_empty() {
        return Ok(());
    }
    let facts = &explanation.facts;
    heading(out, "Comparison of Kubernetes versions")?;
    let headings = [
        "  VERSION",
        "OUTCOME",
        "SCHEDULED TIME",
        "MISSED",
        "SYNCS AGAIN",
    ];
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
        let missed = decision
            .missed
            .map_or("<none>", |missed| missed.class.as_str());
        table.push(vec![
            format!("  {release}").into(),
            decision.outcome.as_str().into(),
            scheduled.into(),
            missed.into(),
            again.into(),
        ]);
    }
    table.write(out, true)
}

fn findings(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    if explanation.findings.is_empty() {
        return Ok(());
    }
    heading(out, "Findings")?;
    let mut is_shown = false;
    for finding in &explanation.findings {
        let meaning = match finding.severity {
            Severity::Error => Meaning::Bad,
            Severity::Warning => Meaning::Odd,
            Severity::Info => Meaning::Plain,
        };
        let severity = styled(meaning, format!("{:<8}", finding.severity.as_str()));
        write!(out, "  {severity} ")?;
        hanging(out, 11, &format!("{} [{}]", finding.title, finding.code))?;
        paragraph(out, 11, &printable(&finding.detail))?;
        if let Some(text) = &finding.remedy {
            remedy(out, 11, text)?;
        }
        if shows_log(finding) && !std::mem::replace(&mut is_shown, true) {
            for log in &explanation.logs {
                log_tail(out, 11, log)?;
            }
        }
    }
    let expectations = explanation.expectations.as_ref();
    match expectations.and_then(|expectations| expectations.runbook.as_deref()) {
        Some(text) => {
            write!(out, "  Runbook: ")?;
            hanging(out, 11, &runbook(text))
        }
        None => Ok(()),
    }
}

/// Whether a finding is about the pods whose log is shown.
fn shows_log(finding: &Finding) -> bool {
    finding.code == "last-run-failed" || finding.code.starts_with("pod-")
}

/// Writes the last lines of logs that no finding is about.
fn logs(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    if explanation.logs.is_empty() || explanation.findings.iter().any(shows_log) {
        return Ok(());
    }
    heading(out, "Log")?;
    for log in &explanation.logs {
        log_tail(out, 2, log)?;
    }
    Ok(())
}

/// Writes the last lines of a log. They are not wrapped.
pub(crate) fn log_tail(out: &mut dyn Write, indent: usize, log: &LogTail) -> io::Result<()> {
    const LONGEST: usize = 1_000;
    let when = if log.previous {
        " before its last restart"
    } else {
        ""
    };
    let (container, pod) = (printable(&log.container), printable(&log.pod));
    let whose = format!("container {container} of pod {pod}{when}");
    let text = match (&log.error, log.lines.len()) {
        (Some(error), _) => format!("Cannot read the log of {whose}: {}", printable(error)),
        (None, 0) => format!("The log of {whose} is empty."),
        (None, 1) => format!("Last line of the log of {whose}:"),
        (None, many) => format!("Last {many} lines of the log of {whose}:"),
    };
    paragraph(out, indent, &text)?;
    for line in &log.lines {
        let line = shortened(&printable(line), LONGEST);
        writeln!(out, "{:indent$}{} {line}", "", styled(Meaning::Faint, "|"))?;
    }
    Ok(())
}
