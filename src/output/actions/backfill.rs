//! The plan of a backfill: which missed runs are started, which are not, and what to expect.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use crate::output::table::{Cell, Table};
use cronjob_diagnosis::change::backfill::{BackfillPlan, BackfillRun, LeftOutRuns};
use cronjob_diagnosis::diagnose::{Facts, local};

/// The plan as a table, with its notes below.
pub(crate) fn table(out: &mut dyn Write, facts: &Facts<'_>, plan: &BackfillPlan) -> io::Result<()> {
    let mut page = TextPage::default();
    page.title(&facts.input.cron_job.full_name());
    let steps = plan.steps.iter();
    let steps = steps.map(|step| (step.scheduled_time, step_row(facts, step)));
    let left_out = plan.left_out.iter();
    let left_out = left_out.map(|left| (left.first, left_row(facts, left)));
    let mut rows: Vec<(Timestamp, Vec<Cell>)> = steps.chain(left_out).collect();
    rows.sort_by_key(|(scheduled_time, _)| *scheduled_time);
    if !rows.is_empty() {
        let mut table = Table::new(["SCHEDULED", "LOCAL TIME", "JOB", "ACTION"]);
        for (_, row) in rows {
            table.push(row);
        }
        page.table(table, true);
    }
    if !plan.notes.is_empty() {
        page.heading("Notes");
    }
    for note in &plan.notes {
        let (label, meaning) = if note.warning {
            ("warning", Meaning::Odd)
        } else {
            ("note", Meaning::Faint)
        };
        let label = styled(meaning, format!("{label:<7}"));
        page.item(&format!("  {label}  "), &note.text);
    }
    page.write(out)
}

fn step_row(facts: &Facts<'_>, step: &BackfillRun) -> Vec<Cell> {
    let code = step.missed.as_ref().map(|missed| &*missed.code);
    let what = match (step.may_have_run, code) {
        (true, Some(code)) => format!("run (may have run already: {code})"),
        (true, None) => "run (may have run already)".to_owned(),
        (false, None | Some("unknown" | "notCreated")) => "run (missed)".to_owned(),
        (false, Some(code)) => format!("run (missed: {code})"),
    };
    vec![
        step.scheduled_time.to_string().into(),
        local(facts, step.scheduled_time).to_string().into(),
        step.job_name.as_str().into(),
        Cell::new(what, Meaning::Strong),
    ]
}

fn left_row(facts: &Facts<'_>, left: &LeftOutRuns) -> Vec<Cell> {
    let detail = &left.detail;
    let what = match left.count {
        1 => format!("skip: {detail}"),
        many => format!("skip {many} runs through {}: {detail}", left.last),
    };
    vec![
        left.first.to_string().into(),
        local(facts, left.first).to_string().into(),
        left.job_name.as_deref().unwrap_or("-").into(),
        Cell::new(what, Meaning::Faint),
    ]
}
