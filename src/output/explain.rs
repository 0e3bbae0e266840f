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
use crate::controller::{Decision, EditEffect, LIMIT, MissedClass, Requeue, TooMany, Verdict};
use crate::diagnose::{Explanation, Facts, Severity, when};
use crate::duration::human;
use crate::model::UnreadResource;
use crate::printable::printable;

/// What the explanations of a call have in common.
pub(crate) struct ExplainHeader {
    /// The controller.
    pub controller: ControllerDocument,
    /// The moment that is used as now.
    pub now: Timestamp,
}

/// What the controller will do with each `CronJob`, and why: `explain -o json`.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Explanations<'a> {
    /// What could not be read; what depends on it is conditional or unknown.
    lacks: &'a [UnreadResource],
    /// An explanation for each `CronJob`.
    items: Vec<ExplanationOf<'a>>,
}

impl DocumentBody for Explanations<'_> {
    const KIND: &'static str = "Explanations";
}

/// An explanation, with the `CronJob` that it is about and what it assumes.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanation")]
#[serde(rename_all = "camelCase")]
struct ExplanationOf<'a> {
    /// The namespace of the `CronJob`.
    namespace: &'a str,
    /// Its name.
    name: &'a str,
    /// Whether it is in a cluster; a manifest that never was counts as created now.
    in_cluster: bool,
    /// The moment that is used as now.
    now: Timestamp,
    /// The controller that is modelled.
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

/// Writes one explanation.
pub(crate) fn text(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
    wide: bool,
) -> io::Result<()> {
    let facts = &explanation.facts;
    let cron_job = facts.cron_job;
    title(out, &format!("{}/{}", cron_job.namespace, cron_job.name))?;
    paragraph(out, 2, &printable(&explanation.verdict))?;
    writeln!(out)?;

    let zone = facts
        .timetable
        .as_ref()
        .and_then(|timetable| timetable.zone());
    let zone = zone
        .map(|zone| format!(" in {}", zone.name()))
        .unwrap_or_default();
    entry(
        out,
        "Schedule",
        &printable(&format!("{}{zone}", cron_job.spec.schedule)),
    )?;
    if let Some(description) = &explanation.schedule.description {
        entry(out, "", description)?;
    }
    let source = match header.controller.source {
        "default" => ", the newest known",
        _ => "",
    };
    let controller = &header.controller;
    let shown_by = match controller.time_zone_source {
        "evidence" => ", as the times of its Jobs show",
        _ => "",
    };
    entry(
        out,
        "Controller",
        &format!(
            "Kubernetes {}{source} ({}), its clock in {}{shown_by}",
            controller.kubernetes_version, controller.model, controller.time_zone
        ),
    )?;
    entry(out, "Now", &header.now.to_string())?;
    if cron_job.not_in_cluster {
        entry(out, "Created", "not in a cluster: counts as created now")?;
    }

    steps(out, &explanation.decision)?;
    events(out, &explanation.decision)?;
    if wide {
        status(out, &explanation.decision)?;
    }
    pods(out, facts)?;
    missed(out, explanation)?;
    next_runs(out, explanation)?;
    what_if(out, explanation)?;
    compared(out, explanation)?;
    findings(out, explanation)
}

fn steps(out: &mut dyn Write, decision: &Decision) -> io::Result<()> {
    heading(out, "What the controller does when it looks now")?;
    for step in &decision.steps {
        let (word, meaning) = match step.verdict {
            Verdict::Pass => ("pass", Meaning::Faint),
            Verdict::Stop => ("STOP", Meaning::Bad),
            Verdict::Note => ("note", Meaning::Odd),
        };
        write!(out, "  {} {:<12}", styled(meaning, word), step.check)?;
        hanging(out, 19, &printable(&step.detail))?;
    }
    Ok(())
}

fn events(out: &mut dyn Write, decision: &Decision) -> io::Result<()> {
    for event in &decision.events {
        write!(out, "  event ")?;
        hanging(
            out,
            8,
            &printable(&format!(
                "{} {}: {}",
                event.r#type.as_str(),
                event.reason,
                event.message
            )),
        )?;
    }
    let wakes = match decision.requeue_after {
        Some(after) if after < 0 => {
            format!(
                "at once, again and again: its next wake-up lies {} in the past",
                human(-(after / 1_000_000_000))
            )
        }
        Some(after) => match decision.wakes_at {
            Some(at) => format!("at {at} (in {})", human(after / 1_000_000_000)),
            None => "in centuries".to_owned(),
        },
        None if decision.error.is_some() => "soon, and later and later: the look failed".to_owned(),
        None => "only when something changes".to_owned(),
    };
    write!(out, "  looks again ")?;
    hanging(out, 14, &wakes)
}

/// What the status says afterwards, and what is deleted.
fn status(out: &mut dyn Write, decision: &Decision) -> io::Result<()> {
    heading(out, "The status afterwards")?;
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
    entry(out, "active", &list(&status.active))?;
    entry(out, "last slot", &time(status.last_schedule_time))?;
    entry(out, "succeeded", &time(status.last_successful_time))?;
    entry(out, "deleted", &list(&decision.deleted_jobs))?;
    entry(
        out,
        "written",
        if decision.updates_status { "yes" } else { "no" },
    )
}

/// So many are shown; findings and documents have the rest.
const SHOWN: usize = 5;

/// Writes how each pod is.
fn pods(out: &mut dyn Write, facts: &Facts<'_>) -> io::Result<()> {
    let pods = facts.telling_pods();
    if pods.is_empty() {
        return Ok(());
    }
    heading(out, "Pods of Jobs that run or failed last")?;
    for state in pods.iter().take(SHOWN) {
        let reason = state.reason.map(|reason| format!(", {reason}"));
        let line = format!(
            "{}: {}{}",
            state.name,
            state.phase,
            reason.unwrap_or_default()
        );
        paragraph(out, 2, &printable(&line))?;
    }
    match pods.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => paragraph(out, 2, &format!("and {more} more")),
    }
}

fn missed(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let facts = &explanation.facts;
    let Some(explained) = &explanation.missed else {
        return Ok(());
    };
    let missed = &explained.runs;
    if missed.count == 0 {
        return Ok(());
    }
    heading(out, "Missed")?;
    let slots = if missed.count == 1 { "slot" } else { "slots" };
    let mut text = format!("{} {slots} since {}", missed.count, missed.since);
    if let (Some(first), Some(last)) = (missed.first, missed.last) {
        text.push_str(&if first == last {
            format!(": {first}")
        } else {
            format!(": the first at {first}, the last at {last}")
        });
    }
    paragraph(out, 2, &text)?;
    let were = match facts.backfilled().count() {
        0 => None,
        1 => Some("1 of them was".to_owned()),
        many => Some(format!("{many} of them were")),
    };
    if let Some(were) = were {
        let text = format!("{were} backfilled, which the controller does not know.");
        paragraph(out, 2, &text)?;
    }
    if let Some(belief) = explanation.decision.missed {
        let behavior = facts.controller.behavior();
        let above = match behavior.too_many {
            TooMany::Refuses => "it starts nothing any more",
            TooMany::WarnsWithZero | TooMany::WarnsWithNumber | TooMany::Warns => {
                "it warns, and still starts the last one it finds"
            }
        };
        let estimate = match (belief.estimate, belief.class) {
            (Some(estimate), _) if u64::try_from(estimate) == Ok(missed.count) => {
                format!("The controller reckons {estimate}, too")
            }
            (Some(estimate), _) => format!(
                "The controller reckons {estimate}: it divides the time since the first by the \
                 distance of the first two"
            ),
            (None, MissedClass::Many) => "The controller counts more than 100".to_owned(),
            (None, _) => "The controller makes no count".to_owned(),
        };
        paragraph(out, 2, &format!("{estimate}; above {LIMIT} {above}."))?;
    }
    if let Some(at) = missed.crosses_limit_at.filter(|at| *at > facts.now) {
        paragraph(
            out,
            2,
            &format!(
                "If nothing starts, it will be above {LIMIT} from {at} on (in {}).",
                human(at.as_second() - facts.now.as_second())
            ),
        )?;
    }
    for cause in &explained.causes {
        let span = if cause.count == 1 {
            cause.first.to_string()
        } else {
            format!("{} to {}", cause.first, cause.last)
        };
        let text = printable(&format!(
            "{}: {} ({span})",
            cause.cause.as_str(),
            cause.evidence
        ));
        write!(out, "  {:>6} ", cause.count)?;
        hanging(out, 9, &text)?;
    }
    Ok(())
}

fn next_runs(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    if explanation.next_runs.is_empty() {
        return Ok(());
    }
    let facts = &explanation.facts;
    let suspended = facts.cron_job.spec.suspend == Some(true);
    heading(
        out,
        if suspended {
            "Next slots (suspended: none of them runs)"
        } else {
            "Next slots"
        },
    )?;
    for run in &explanation.next_runs {
        paragraph(out, 2, &when(facts, run.scheduled_time))?;
        for note in &run.notes {
            paragraph(out, 25, &styled(Meaning::Odd, printable(note)))?;
        }
    }
    Ok(())
}

fn what_if(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    let Some(what_if) = &explanation.what_if else {
        return Ok(());
    };
    heading(
        out,
        &format!("With {}", printable(&what_if.changes.join(", "))),
    )?;
    paragraph(out, 2, &printable(&what_if.verdict))?;
    let mut table = Table::new(["  ", "AS IT IS", "WHAT IF"]);
    let rows = |decision: &Decision| {
        let none = || "<none>".to_owned();
        let time = |at: Option<Timestamp>| at.map_or_else(none, |at| at.to_string());
        [
            ("  outcome", decision.outcome.as_str().to_owned()),
            ("  missed", missed_class(decision).to_owned()),
            ("  slot", time(decision.scheduled_time)),
            ("  job", decision.job_name.clone().unwrap_or_else(none)),
            (
                "  deletes",
                if decision.deleted_jobs.is_empty() {
                    none()
                } else {
                    decision.deleted_jobs.join(",")
                },
            ),
            (
                "  looks again",
                decision
                    .requeue_after
                    .map_or_else(none, |after| human((after / 1_000_000_000).max(0))),
            ),
        ]
    };
    let (now, then) = (rows(&explanation.decision), rows(&what_if.decision));
    for ((label, now), (_, then)) in now.into_iter().zip(then) {
        table.push(vec![label.into(), now.into(), then.into()]);
    }
    table.write(out, true)?;
    paragraph(out, 2, &effect(&what_if.effect))
}

/// What making the change leads to.
fn effect(effect: &EditEffect) -> String {
    let Some(at) = effect.looks_at else {
        return format!(
            "Once it is changed, the controller does not look by itself: {}.",
            effect.because
        );
    };
    let mut text = format!(
        "Once it is changed, the controller looks at {at}: {}.",
        effect.because
    );
    if let Some(decision) = &effect.decision_then {
        text.push_str(&format!(" It comes to: {}", decision.outcome.as_str()));
        if let Some(slot) = decision.scheduled_time {
            text.push_str(&format!(", for the slot {slot}"));
        }
        text.push('.');
    }
    if effect.retroactive {
        text.push_str(" That slot is over before the change is made: the run is retroactive.");
    }
    text
}

/// None, few or many: what the controller believes.
fn missed_class(decision: &Decision) -> &'static str {
    decision
        .missed
        .map_or("<none>", |missed| missed.class.as_str())
}

fn compared(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    if explanation.compared.is_empty() {
        return Ok(());
    }
    heading(out, "Release by release")?;
    let mut table = Table::new(["  RELEASE", "OUTCOME", "SLOT", "MISSED", "LOOKS AGAIN"]);
    for compared in &explanation.compared {
        let (release, decision) = (compared.release, &compared.decision);
        let looks = match decision.requeue_after {
            Some(after) if after < 0 => "at once, again and again".to_owned(),
            Some(_) => (decision.wakes_at).map_or_else(|| "<none>".to_owned(), |at| at.to_string()),
            None if release.behavior().requeue == Requeue::Poll => "every 10s".to_owned(),
            None => "<none>".to_owned(),
        };
        let slot = decision
            .scheduled_time
            .map_or_else(|| "<none>".to_owned(), |at| at.to_string());
        table.push(vec![
            format!("  {release}").into(),
            decision.outcome.as_str().into(),
            slot.into(),
            missed_class(decision).into(),
            looks.into(),
        ]);
    }
    table.write(out, true)
}

fn findings(out: &mut dyn Write, explanation: &Explanation<'_>) -> io::Result<()> {
    if explanation.findings.is_empty() {
        return Ok(());
    }
    heading(out, "Findings")?;
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
    }
    Ok(())
}
