//! The explanation of a schedule, as text.

use std::io::{self, Write};

use jiff::civil::DateTime;

use super::style::{Meaning as Style, styled};
use cronjob_controller::upcoming::{ScheduleMeaning, Subject};
use cronjob_text::duration::exact;
use cronjob_text::printable::{printable, shortened};
use cronjob_text::words::plural;
use kube_cron::{DayRule, Period, Rhythm, Surprise, SurpriseKind};

/// Writes the explanation of a schedule. `read_by` names the library and the time zone.
pub(crate) fn text(
    out: &mut dyn Write,
    subject: &Subject,
    read_by: &str,
    meaning: &ScheduleMeaning,
) -> io::Result<()> {
    if let (Some(namespace), Some(name)) = (&subject.namespace, &subject.name) {
        line(out, "CronJob", &format!("{namespace}/{name}"))?;
    }
    line(out, "Schedule", &subject.schedule)?;
    line(out, "Parsed by", read_by)?;
    line(out, "Runs", &meaning.description.sentence)?;
    let mut label = "Fields";
    for field in &meaning.description.fields {
        let (name, text) = (field.name.to_string(), printable(&field.text));
        line(
            out,
            label,
            &format!("{name:<14}{text:<11} {}", field.meaning),
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
        line(out, "Interval", &intervals(period))?;
    }
    if let Some(changed) = &meaning.changed {
        let (now, before) = if changed.runs_since {
            ("runs", "does not")
        } else {
            ("does not run", "does")
        };
        let text = format!(
            "Kubernetes 1.22 and later {now} on {}; 1.21 and earlier {before}",
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
    writeln!(out, "{label} {}", shortened(&printable(text), LONGEST))
}

fn intervals(period: Period) -> String {
    let (shortest, longest) = (exact(period.shortest), exact(period.longest));
    let typical = exact(period.typical);
    match period.rhythm {
        Rhythm::Even => format!("always {typical}"),
        Rhythm::Alternating { first, second } => {
            format!("alternately {} and {}", exact(first), exact(second))
        }
        Rhythm::Mostly => {
            format!("usually {typical}; shortest {shortest}, longest {longest}")
        }
        Rhythm::Mixed => format!("between {shortest} and {longest}"),
    }
}

fn rule_in_words(rule: &DayRule) -> Option<&'static str> {
    match rule {
        DayRule::Either { .. } => Some("runs when either day field matches (OR):"),
        DayRule::Both { .. } => Some("runs when both day fields match (AND):"),
        _ => None,
    }
}

fn surprise_in_words(surprise: &Surprise) -> String {
    let time = |local: &DateTime| local.strftime("%H:%M").to_string();
    let mut times: Vec<String> = surprise.local_times.iter().take(4).map(time).collect();
    if surprise.count > times.len() {
        times.push(format!("… ({} in total)", surprise.count));
    }
    let number = times.len();
    let times = times.join(", ");
    let date = surprise.date.strftime("%a %Y-%m-%d");
    match surprise.kind {
        SurpriseKind::Lost => format!("{date}: {times} {} skipped", plural(number, "is", "are")),
        SurpriseKind::Doubled => format!("{date}: {times} {} twice", plural(number, "runs", "run")),
        SurpriseKind::Additional => {
            format!("{date}: an extra run at {times}, which is not in the schedule")
        }
    }
}
