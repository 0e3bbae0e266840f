//! What the controller did after a change, compared with the prediction.

use std::io::{self, Write};

use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use cronjob_diagnosis::diagnose::{PredictionCheck, is_refuted, is_unseen_event};

/// Writes the checks of a CronJob, and whether they are as predicted.
pub(crate) fn write_checks(
    out: &mut dyn Write,
    name: &str,
    checks: &[PredictionCheck],
) -> io::Result<()> {
    let mut page = TextPage::default();
    page.heading(name);
    // Repeated events are one line.
    let mut shown: Vec<(&PredictionCheck, usize)> = Vec::new();
    for check in checks {
        match shown.iter_mut().find(|(same, _)| *same == check) {
            Some((_, times)) => *times += 1,
            None => shown.push((check, 1)),
        }
    }
    for (check, times) in shown {
        add_check(&mut page, check, times);
    }
    // Where something else is not as predicted, that says more.
    if checks.iter().any(is_unseen_event) && !is_refuted(checks) {
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
