//! Which missed slots are run, which are not, and what comes of it.

use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::document::part;
use crate::diagnose::{Facts, local};
use crate::hands::backfill::{LeftOut, Plan, Step, Why};
use crate::output::lines::{hanging, heading};
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table, printable};
use crate::output::words::Word;

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

/// A slot that is run, in documents.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "BackfillPrediction")]
#[serde(rename_all = "camelCase")]
pub(super) struct StepDocument<'a> {
    /// The slot.
    scheduled_time: Timestamp,
    /// The same in the time zone of the schedule.
    local_time: String,
    /// The name of the Job that runs it.
    job_name: &'a str,
    /// The Job's annotation `batch.kubernetes.io/cronjob-scheduled-timestamp`, from those releases that
    /// write it.
    scheduled_timestamp: Option<&'a str>,
    /// Whether it may have run already.
    may_have_run: bool,
    /// Why it was missed, in a word that does not change.
    cause: Option<&'static str>,
    /// The same in a sentence.
    reason: Option<&'a str>,
}

/// A step in documents.
pub fn prediction(facts: &Facts<'_>, step: &Step) -> Value {
    let missed = step.missed.as_ref();
    part(&StepDocument {
        scheduled_time: step.slot,
        local_time: local(facts, step.slot),
        job_name: &step.job_name,
        scheduled_timestamp: step.scheduled_timestamp.as_deref(),
        may_have_run: step.may_have_run,
        cause: missed.map(|missed| missed.code),
        reason: missed.map(|missed| missed.detail.as_str()),
    })
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "BackfillPlan")]
#[serde(rename_all = "camelCase")]
pub(super) struct PlanDocument<'a> {
    /// How many slots are run.
    slots: usize,
    /// Slots that are not, and why.
    left_out: Vec<LeftOutDocument<'a>>,
    /// What comes of it.
    notes: Vec<NoteDocument<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "LeftOut")]
#[serde(rename_all = "camelCase")]
struct LeftOutDocument<'a> {
    /// The first of the slots.
    first: Timestamp,
    /// The last of them.
    last: Timestamp,
    /// How many there are.
    count: u64,
    /// The Job that has to do with it.
    job_name: Option<&'a str>,
    /// Why, in a word that does not change.
    cause: Word<Why>,
    /// The same in a sentence.
    reason: &'a str,
}

#[derive(JsonSchema, Serialize)]
#[schemars(rename = "BackfillNote")]
struct NoteDocument<'a> {
    /// Which note: a word that does not change.
    code: &'static str,
    /// How much it matters.
    #[schemars(extend("enum" = ["warning", "info"]))]
    severity: &'static str,
    /// The note.
    text: &'a str,
}

impl<'a> From<&'a Plan> for PlanDocument<'a> {
    fn from(plan: &'a Plan) -> Self {
        let left_out = plan.left_out.iter().map(|left| LeftOutDocument {
            first: left.first,
            last: left.last,
            count: left.count,
            job_name: left.job_name.as_deref(),
            cause: left.why.into(),
            reason: &left.detail,
        });
        let notes = plan.notes.iter().map(|note| NoteDocument {
            code: note.code,
            severity: if note.warning { "warning" } else { "info" },
            text: &note.text,
        });
        PlanDocument {
            slots: plan.steps.len(),
            left_out: left_out.collect(),
            notes: notes.collect(),
        }
    }
}
