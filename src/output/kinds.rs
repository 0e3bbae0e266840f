//! Explanations of objects with a schedule that are not CronJobs.

use std::io::{self, Write};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::separated;
use super::contexts::TextAndDocument;
use super::envelope::DocumentBody;
use super::lines::TextPage;
use cronjob_controller::kinds::{KindExplanation, KindSchedule};
use cronjob_text::duration::{from_now, local_time};
use kube_cron::Zone;

/// What the controllers of other kinds do with objects: `explain KIND/NAME -o json`.
#[derive(JsonSchema, Serialize)]
pub struct ScheduleExplanations {
    /// The time used as now.
    pub(crate) now: Timestamp,
    /// The explained objects.
    pub(crate) items: Vec<KindExplanation>,
}

impl DocumentBody for ScheduleExplanations {}

impl TextAndDocument for ScheduleExplanations {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        separated(out, &self.items, |out, one| text(out, one, self.now))
    }
}

fn text(out: &mut dyn Write, one: &KindExplanation, now: Timestamp) -> io::Result<()> {
    let mut page = TextPage::default();
    page.title(&format!("{} {}/{}", one.kind, one.namespace, one.name));
    page.paragraph(2, &one.verdict);
    if let Some(resuming) = &one.resuming {
        page.paragraph(2, format!("If it is resumed now: {resuming}"));
    }
    let reader = format!(
        "{}, which reads schedules with {}",
        one.controller, one.library
    );
    page.blank().entry("Controller", reader);
    if let (Some(base), Some(field)) = (one.base, one.base_field) {
        let base = local_time(base, Zone::utc().time_zone(), "UTC");
        page.entry("Counts from", format!("{base} ({field})"));
    }
    let rules = [one.missed_runs, one.changes, one.blocked];
    for (heading, rule) in ["Missed runs", "Changes", "Delays"].into_iter().zip(rules) {
        page.heading(heading).paragraph(2, rule);
    }
    for schedule in &one.schedules {
        runs(&mut page, schedule, now);
    }
    page.write(out)
}

/// A schedule with its next runs.
fn runs(page: &mut TextPage, one: &KindSchedule, now: Timestamp) {
    page.heading(&format!(
        "Next runs of {} in {}",
        one.schedule, one.time_zone
    ));
    if let Some(error) = &one.error {
        page.paragraph(2, error);
    }
    if let Some(description) = &one.description {
        let sentence = match &one.never {
            Some(why) => format!("It never runs: {why}."),
            None => format!("It runs {description}."),
        };
        page.paragraph(2, sentence);
    }
    for run in &one.next_runs {
        let at = local_time(*run, one.zone.time_zone(), "");
        page.line(format_args!("  {at}  {}", from_now(now, *run)));
    }
}
