//! What a schedule means, as text.

use std::io::{self, Write};

use jiff::civil::DateTime;

use super::style::{Meaning as Style, styled};
use crate::duration::exact;
use crate::printable::{printable, shortened};
use crate::schedule::{DayRule, Period, Rhythm, Surprise, SurpriseKind};
use crate::upcoming::{ScheduleMeaning, Subject};

/// Writes the meaning of a subject's schedule. `read_by` says by which library, in which zone.
pub(crate) fn text(
    out: &mut dyn Write,
    subject: &Subject,
    read_by: &str,
    meaning: &ScheduleMeaning,
) -> io::Result<()> {
    if let (Some(namespace), Some(name)) = (&subject.namespace, &subject.name) {
        line(out, "CronJob", &printable(&format!("{namespace}/{name}")))?;
    }
    line(out, "Schedule", &printable(&subject.schedule))?;
    line(out, "Read by", read_by)?;
    line(out, "Runs", &meaning.description.sentence)?;
    let mut label = "Fields";
    for field in &meaning.description.fields {
        let text = printable(&field.text);
        line(
            out,
            label,
            &format!("{:<14}{text:<11} {}", field.name.to_string(), field.meaning),
        )?;
        label = "";
    }
    if let Some(rule) = rule_in_words(&meaning.description.days) {
        line(out, "Days", rule)?;
        let examples: Vec<String> = meaning
            .day_examples
            .iter()
            .map(ToString::to_string)
            .collect();
        for pair in examples.chunks(2) {
            line(out, "", &format!("  {}", pair.join(", ")))?;
        }
    }
    if let Some(period) = meaning.period {
        line(out, "Distance", &distances(period))?;
    }
    if let Some(changed) = &meaning.changed {
        let now = if changed.runs_since {
            "runs"
        } else {
            "does not run"
        };
        let before = if changed.runs_since { "did not" } else { "did" };
        let text = format!(
            "since Kubernetes 1.22 it {now} on {}; up to 1.21 it {before}",
            changed.date
        );
        line(out, "Changed", &text)?;
    }
    let mut label = "Clock";
    for surprise in &meaning.surprises {
        line(out, label, &surprise_in_words(surprise))?;
        label = "";
    }
    Ok(())
}

fn line(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    const LONGEST: usize = 1_000;
    let label = styled(Style::Strong, format!("{label:<10}"));
    writeln!(out, "{label} {}", shortened(text, LONGEST))
}

/// How far apart the runs are.
fn distances(period: Period) -> String {
    let (shortest, longest) = (exact(period.shortest), exact(period.longest));
    let typical = exact(period.typical);
    match period.rhythm {
        Rhythm::Even => format!("{typical} between runs, always"),
        Rhythm::Alternating { first, second } => {
            format!(
                "alternately {} and {} between runs",
                exact(first),
                exact(second)
            )
        }
        Rhythm::Mostly => {
            format!("{typical} between most runs; {shortest} at least, {longest} at most")
        }
        Rhythm::Mixed => format!("between {shortest} and {longest}"),
    }
}

fn rule_in_words(rule: &DayRule) -> Option<&'static str> {
    match rule {
        DayRule::Either { .. } => Some("one of the two day fields is enough (OR):"),
        DayRule::Both { .. } => Some("both day fields must match (AND):"),
        _ => None,
    }
}

fn surprise_in_words(surprise: &Surprise) -> String {
    let time = |local: &DateTime| local.strftime("%H:%M").to_string();
    let mut times: Vec<String> = surprise.local_times.iter().take(4).map(time).collect();
    if surprise.count > times.len() {
        times.push(format!("… {} in all", surprise.count));
    }
    let times = times.join(", ");
    let date = surprise.date.strftime("%a %Y-%m-%d");
    match surprise.kind {
        SurpriseKind::Lost => format!("{date}: no run at {times}"),
        SurpriseKind::Doubled => format!("{date}: two runs at {times}"),
        SurpriseKind::Additional => {
            format!("{date}: a run at {times}, which the schedule does not say")
        }
    }
}
