//! What the comment beside a schedule says of it.

use crate::lint::{LintSubject, Violation};
use cronjob_text::duration::every;
use kube_cron::FieldName;

/// The words of a comment that says only when something runs. Another word, such as the name of a zone, may explain the
/// difference.
const WORDS: [&str; 56] = [
    "a",
    "a.m",
    "all",
    "am",
    "and",
    "at",
    "backup",
    "by",
    "check",
    "clean",
    "cleanup",
    "cron",
    "daily",
    "day",
    "days",
    "each",
    "every",
    "execute",
    "executed",
    "executes",
    "for",
    "from",
    "h",
    "hour",
    "hourly",
    "hours",
    "in",
    "is",
    "it",
    "job",
    "min",
    "mins",
    "minute",
    "minutes",
    "morning",
    "night",
    "nightly",
    "o",
    "of",
    "on",
    "once",
    "p.m",
    "past",
    "per",
    "pm",
    "run",
    "running",
    "runs",
    "schedule",
    "scheduled",
    "starts",
    "sync",
    "the",
    "this",
    "to",
    "trigger",
];

const WEEKDAYS: [&str; 9] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "weekday",
    "weekdays",
];

pub(super) fn comment_contradicts_schedule(subject: &LintSubject<'_>) -> Option<Violation> {
    let path = "spec.schedule";
    let node = subject.get(path)?;
    let after = subject.text.get(node.place.span.range().end..)?;
    let comment = after.lines().next()?.trim_start().strip_prefix('#')?;
    let told = Told::read(comment)?;
    let difference = told.difference(subject)?;
    Some(subject.found(
        path,
        format!(
            "the comment says {}, but it runs {difference}",
            told.words()
        ),
    ))
}

/// What a comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    /// An interval in seconds.
    Every(i64),
    /// Hours and minutes; the minutes are unknown in `5 AM`.
    At(u32, u32),
}

impl Told {
    /// The only time or interval in a comment that says nothing else.
    fn read(comment: &str) -> Option<Self> {
        if comment.contains(['=', '/', '+', '*', '-', '(', '~']) {
            return None;
        }
        let lower = comment.to_ascii_lowercase();
        let is_end = |c: char| c.is_whitespace() || ",.;!".contains(c);
        let words: Vec<&str> = lower
            .split(is_end)
            .filter(|word| !word.is_empty())
            .collect();
        let mut told = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let next = words.get(index + 1).copied().unwrap_or_default();
            let before = index
                .checked_sub(1)
                .and_then(|before| words.get(before))
                .copied();
            if let Some(time) = clock(word, next) {
                told.push(time);
            } else if let Ok(number) = word.parse::<i64>() {
                let seconds = unit(next)?;
                if before != Some("every") || !(1..=10_000).contains(&number) {
                    return None;
                }
                told.push(Told::Every(number * seconds));
            } else if !WORDS.contains(word) && !WEEKDAYS.contains(word) {
                return None;
            }
        }
        match told.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    fn words(&self) -> String {
        match self {
            Told::Every(seconds) => every(*seconds),
            Told::At(hour, minute) => format!("{hour:02}:{minute:02}"),
        }
    }

    /// When the schedule runs instead, if that is something else.
    fn difference(&self, subject: &LintSubject<'_>) -> Option<String> {
        let schedule = subject.schedule()?;
        match self {
            Told::Every(seconds) => {
                let period = subject.period()?;
                let known = [period.shortest, period.typical, period.longest];
                let is_right = known.contains(seconds);
                (!is_right).then(|| every(period.typical))
            }
            Told::At(hour, minute) => {
                let hours = schedule.allowed(FieldName::Hour);
                let minutes = schedule.allowed(FieldName::Minute);
                let is_right = hours.contains(hour) && minutes.contains(minute);
                // Times in another zone have the same minutes; only what is a time of day can be compared.
                if is_right || hours.len() > 6 || minutes.len() > 1 || hours.is_empty() {
                    return None;
                }
                let minute = minutes.first()?;
                let times = hours.iter().map(|hour| format!("{hour:02}:{minute:02}"));
                Some(format!("at {}", times.collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

fn unit(word: &str) -> Option<i64> {
    match word {
        "minute" | "minutes" | "min" | "mins" => Some(60),
        "hour" | "hours" | "h" => Some(3_600),
        _ => None,
    }
}

/// `23:17`, `5am`, `5:30 pm` or the number of `5 am`.
fn clock(word: &str, next: &str) -> Option<Told> {
    let half = ["am", "pm"].into_iter();
    let attached = half
        .clone()
        .find_map(|half| Some((word.strip_suffix(half)?, half)));
    let (digits, half) = match attached {
        Some((digits, half)) => (digits, Some(half)),
        None => (word, half.clone().find(|half| *half == next)),
    };
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, ""));
    if minute.is_empty() && half.is_none() {
        return None;
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 2);
    let hour = number(hour)?;
    let minute = if minute.is_empty() {
        0
    } else {
        number(minute)?
    };
    let hour = match half {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some("pm") => hour % 12 + 12,
        Some(_) => hour % 12,
        None => hour,
    };
    (hour < 24 && minute < 60).then_some(Told::At(hour, minute))
}

#[cfg(test)]
mod tests {
    use super::Told;

    #[test]
    fn comments_that_only_say_when_it_runs_are_understood() {
        for (comment, expected) in [
            (" Every 4 hours", Some(Told::Every(14_400))),
            ("every 30 min", Some(Told::Every(1_800))),
            (" runs every 15 minutes.", Some(Told::Every(900))),
            (" Every day 23:17", Some(Told::At(23, 17))),
            ("Daily at 5:00 AM", Some(Told::At(5, 0))),
            (" 2am every night", Some(Told::At(2, 0))),
            ("12 pm on Sundays", None),
            ("12 pm on Sunday", Some(Told::At(12, 0))),
            ("12 AM", Some(Told::At(0, 0))),
            // Something else explains the difference, or it is no time.
            ("5:00 AM Copenhagen", None),
            ("03:00 UTC", None),
            ("= 05:00", None),
            ("every 4 weeks", None),
            ("at 2:00 and 14:00", None),
            ("4 retries", None),
            ("25:00", None),
            ("13 pm", None),
            ("every hour", None),
            ("", None),
        ] {
            assert_eq!(Told::read(comment), expected, "{comment}");
        }
    }
}
