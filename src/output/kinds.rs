//! Explanations of objects with a schedule that are not CronJobs.

use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::envelope::DocumentBody;
use super::lines::paragraph;
use super::style::{Meaning, styled};
use crate::duration::{from_now, local_time};
use crate::kinds::{KindExplanation, KindSchedule};
use crate::printable::printable;
use crate::schedule::Zone;

/// What the controllers of other kinds do with objects: `explain KIND/NAME -o json`.
#[derive(JsonSchema, Serialize)]
pub(crate) struct ScheduleExplanations {
    /// The time used as now.
    pub now: Timestamp,
    /// The explained objects.
    pub items: Vec<KindExplanation>,
}

impl DocumentBody for ScheduleExplanations {
    const KIND: &'static str = "ScheduleExplanations";
}

pub(crate) fn text(out: &mut dyn Write, one: &KindExplanation, now: Timestamp) -> io::Result<()> {
    let name = format!("{} {} in namespace {}", one.kind, one.name, one.namespace);
    writeln!(out, "{}", styled(Meaning::Strong, printable(&name)))?;
    paragraph(out, 2, &printable(&one.verdict))?;
    if let Some(resuming) = &one.resuming {
        paragraph(
            out,
            2,
            &printable(&format!("If it is resumed now: {resuming}")),
        )?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "Controller:   {}, which reads schedules with {}",
        one.controller, one.library
    )?;
    if let (Some(base), Some(field)) = (one.base, one.base_field) {
        let base = local_time(base, Zone::utc().time_zone(), "UTC");
        writeln!(out, "Counts from:  {base} ({field})")?;
    }
    for (heading, rule) in [
        ("Missed runs", one.missed_runs),
        ("Changes", one.changes),
        ("Delays", one.blocked),
    ] {
        writeln!(out)?;
        writeln!(out, "{}", styled(Meaning::Strong, heading))?;
        paragraph(out, 2, rule)?;
    }
    for schedule in &one.schedules {
        writeln!(out)?;
        runs(out, schedule, now)?;
    }
    Ok(())
}

/// A schedule with its next runs.
fn runs(out: &mut dyn Write, one: &KindSchedule, now: Timestamp) -> io::Result<()> {
    let heading = format!("Next runs of {} in {}", one.schedule, one.time_zone);
    writeln!(out, "{}", styled(Meaning::Strong, printable(&heading)))?;
    if let Some(error) = &one.error {
        return paragraph(out, 2, &printable(error));
    }
    if let Some(description) = &one.description {
        let sentence = match description.strip_prefix("never: ") {
            Some(why) => format!("It never runs: {why}."),
            None => format!("It runs {description}."),
        };
        paragraph(out, 2, &sentence)?;
    }
    for run in &one.next_runs {
        let (at, when) = (
            local_time(*run, one.zone.time_zone(), ""),
            from_now(now, *run),
        );
        writeln!(out, "  {at}  {when}")?;
    }
    Ok(())
}
