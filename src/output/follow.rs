//! The prediction of `--follow`, compared with what happened.

use std::io::{self, Write};

use jiff::Timestamp;

use super::lines::TextPage;
use super::style::{Meaning, styled};
use crate::controller::{Decision, Outcome};
use crate::diagnose::{PredictionCheck, is_refuted, is_unseen_event};
use crate::duration::human;
use crate::model::CronJob;

/// The controller does not sync by itself.
pub(crate) fn nothing_to_wait_for(out: &mut dyn Write, cron_job: &CronJob) -> io::Result<()> {
    let text = "Nothing to wait for: the controller does not sync again until the CronJob changes.";
    about(&cron_job.full_name()).paragraph(2, text).write(out)
}

/// The beginning of what is said about a CronJob.
fn about(name: &str) -> TextPage {
    let mut page = TextPage::default();
    page.heading(name);
    page
}

/// The next sync, with its local time, and its expected outcome.
pub(crate) fn waiting(
    out: &mut dyn Write,
    cron_job: &CronJob,
    now: Timestamp,
    at: Timestamp,
    shown: &str,
    predicted: &Decision,
) -> io::Result<()> {
    let seconds = at.as_second() - now.as_second();
    let when = if seconds > 0 {
        format!("Waiting for the sync at {shown} (in {})", human(seconds))
    } else {
        "Waiting for the controller, which should sync now".to_owned()
    };
    let what = match (predicted.outcome, &predicted.job_name) {
        (Outcome::Start, Some(job)) => format!("expected to start {job}"),
        (Outcome::Replace, Some(job)) => {
            let deleted = predicted.deleted_jobs.join(", ");
            format!("expected to delete {deleted} and start {job}")
        }
        (outcome, _) => format!("expected to start nothing ({})", outcome.in_words()),
    };
    let text = format!("{when}: {what}.");
    about(&cron_job.full_name()).paragraph(2, text).write(out)
}

/// Something happened before the predicted sync.
pub(crate) fn early(out: &mut dyn Write, at: Timestamp, what: &str) -> io::Result<()> {
    let text = format!("{}: {what}", at.strftime("%H:%M:%S"));
    TextPage::default().paragraph(2, text).write(out)
}

/// The time of the sync has come.
pub(crate) fn syncing(out: &mut dyn Write, cron_job: &CronJob, at: &str) -> io::Result<()> {
    about(&format!("{} after {at}", cron_job.full_name())).write(out)
}

/// The result for one CronJob of several.
pub(crate) fn verdict_of(
    out: &mut dyn Write,
    name: &str,
    checks: &[PredictionCheck],
) -> io::Result<()> {
    about(name).write(out)?;
    verdict(out, checks)
}

pub(crate) fn verdict(out: &mut dyn Write, checks: &[PredictionCheck]) -> io::Result<()> {
    // Repeated events are one line.
    let mut shown: Vec<(&PredictionCheck, usize)> = Vec::new();
    for check in checks {
        match shown.iter_mut().find(|(same, _)| *same == check) {
            Some((_, times)) => *times += 1,
            None => shown.push((check, 1)),
        }
    }
    let mut page = TextPage::default();
    for (check, times) in shown {
        add_check(&mut page, check, times);
    }
    if checks.iter().any(is_unseen_event) {
        let text = "A missing event may have been dropped: the controller manager records a burst of 25 \
                    events for each object, and then one every 5 minutes.";
        page.paragraph(2, text);
    }
    let (meaning, text) = if is_refuted(checks) {
        (Meaning::Bad, "Not as predicted.")
    } else {
        (Meaning::Strong, "As predicted.")
    };
    page.line(format_args!("  {}", styled(meaning, text)));
    page.write(out)
}

fn add_check(page: &mut TextPage, check: &PredictionCheck, times: usize) {
    const NOTHING: &str = "none";
    let (meaning, label, text) = match (&check.predicted, &check.observed) {
        (predicted, Some(observed)) if predicted.as_ref() == Some(observed) => {
            (Meaning::Plain, "as predicted", observed.clone())
        }
        (None, None) => (Meaning::Plain, "as predicted", NOTHING.to_owned()),
        (Some(predicted), None) if is_unseen_event(check) => {
            (Meaning::Faint, "missing", predicted.clone())
        }
        (Some(predicted), None) => (Meaning::Bad, "missing", predicted.clone()),
        (None, Some(observed)) => (Meaning::Odd, "unexpected", observed.clone()),
        (Some(predicted), Some(observed)) => {
            let text = format!("{observed} instead of {predicted}");
            (Meaning::Bad, "differs", text)
        }
    };
    let what = match check.what {
        "Job" => "Job created:",
        "deleted" => "Job deleted:",
        "event" => "event:",
        other => other,
    };
    let times = if times > 1 {
        format!(" ({times} times)")
    } else {
        String::new()
    };
    let label = styled(meaning, format!("{label:<12}"));
    page.item(&format!("  {label}"), format!(" {what} {text}{times}"));
}
