//! Which missed slots are run, which are not, and what comes of it.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Action, DryRun};
use crate::diagnose::{Facts, local};
use crate::hands::backfill::{LeftOut, Plan, Step};
use crate::output::lines::{hanging, heading};
use crate::output::next_runs::ControllerDocument;
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table, printable};

/// The plan as a table, with what comes of it below.
pub fn table(out: &mut dyn Write, facts: &Facts<'_>, plan: &Plan) -> io::Result<()> {
    let cron_job = facts.cron_job;
    let name = printable(&format!("{}/{}", cron_job.namespace, cron_job.name));
    writeln!(out, "{}", styled(Meaning::Strong, name))?;
    let mut rows: Vec<(Timestamp, Vec<Cell>)> = Vec::new();
    rows.extend(
        plan.steps
            .iter()
            .map(|step| (step.slot, step_row(facts, step))),
    );
    rows.extend(
        plan.left_out
            .iter()
            .map(|left| (left.first, left_row(facts, left))),
    );
    rows.sort_by_key(|(slot, _)| *slot);
    let mut table = Table::new(["SLOT", "LOCAL TIME", "JOB", "WHAT"]);
    for (_, row) in rows {
        table.push(row);
    }
    table.write(out, true)?;
    if plan.notes.is_empty() {
        return Ok(());
    }
    heading(out, "What comes of it")?;
    for note in &plan.notes {
        let (label, meaning) = if note.warning {
            ("warning", Meaning::Odd)
        } else {
            ("note", Meaning::Faint)
        };
        write!(out, "  {}  ", styled(meaning, format!("{label:<7}")))?;
        hanging(out, 11, &printable(&note.text))?;
    }
    Ok(())
}

fn step_row(facts: &Facts<'_>, step: &Step) -> Vec<Cell> {
    let code = step.missed.as_ref().map(|missed| missed.code);
    let what = match (step.may_have_run, code) {
        (true, Some(code)) => format!("run; may have run: {code}"),
        (true, None) => "run; may have run".to_owned(),
        (false, None | Some("unknown" | "notCreated")) => "run; missed".to_owned(),
        (false, Some(code)) => format!("run; missed: {code}"),
    };
    vec![
        step.slot.to_string().into(),
        local(facts, step.slot).into(),
        step.job_name.as_str().into(),
        Cell::new(what, Meaning::Strong),
    ]
}

fn left_row(facts: &Facts<'_>, left: &LeftOut) -> Vec<Cell> {
    let detail = &left.detail;
    let what = match left.count {
        1 => format!("leave out: {detail}"),
        many => format!("leave out {many}, to {}: {detail}", left.last),
    };
    vec![
        left.first.to_string().into(),
        local(facts, left.first).into(),
        left.job_name.as_deref().unwrap_or("-").into(),
        Cell::new(what, Meaning::Faint),
    ]
}

/// A step in documents.
pub fn prediction(facts: &Facts<'_>, step: &Step) -> Value {
    let missed = step.missed.as_ref();
    json!({
        "scheduledTime": step.slot,
        "localTime": local(facts, step.slot),
        "jobName": step.job_name,
        "scheduledTimestamp": step.scheduled_timestamp,
        "mayHaveRun": step.may_have_run,
        "cause": missed.map(|missed| missed.code),
        "reason": missed.map(|missed| &missed.detail),
    })
}

#[derive(Serialize)]
struct Document<'a, T> {
    #[serde(flatten)]
    actions: T,
    plan: PlanDocument<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlanDocument<'a> {
    slots: usize,
    left_out: Vec<LeftOutDocument<'a>>,
    notes: Vec<NoteDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LeftOutDocument<'a> {
    first: Timestamp,
    last: Timestamp,
    count: u64,
    job_name: Option<&'a str>,
    cause: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct NoteDocument<'a> {
    code: &'static str,
    severity: &'static str,
    text: &'a str,
}

/// The document: what was done, and the plan.
pub fn document<'a>(
    controller: &'a ControllerDocument,
    now: Timestamp,
    dry_run: DryRun,
    actions: &'a [Action],
    plan: &'a Plan,
) -> impl Serialize + 'a {
    let left_out = plan.left_out.iter().map(|left| LeftOutDocument {
        first: left.first,
        last: left.last,
        count: left.count,
        job_name: left.job_name.as_deref(),
        cause: left.why.as_str(),
        reason: &left.detail,
    });
    let notes = plan.notes.iter().map(|note| NoteDocument {
        code: note.code,
        severity: if note.warning { "warning" } else { "info" },
        text: &note.text,
    });
    Document {
        actions: super::document(controller, now, dry_run, actions),
        plan: PlanDocument {
            slots: plan.steps.len(),
            left_out: left_out.collect(),
            notes: notes.collect(),
        },
    }
}
