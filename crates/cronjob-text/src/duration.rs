//! Durations and times as text shows them, and durations that users write. Those shown follow kubectl: two
//! units at most, and fewer the longer the duration is.

use std::time::Duration;

use jiff::tz::TimeZone;

use crate::text::LocalTime;
use jiff::{SignedDuration, Timestamp};

/// A time without its fraction of a second, as the API keeps times.
pub fn whole_second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}

/// The first whole second that is not before a time.
pub fn ceiling(moment: Timestamp) -> i64 {
    moment.as_second() + i64::from(moment.subsec_nanosecond() > 0)
}

/// A moment later, or the end of all times.
pub fn later(moment: Timestamp, duration: SignedDuration) -> Timestamp {
    moment.checked_add(duration).unwrap_or(Timestamp::MAX)
}

/// A duration as in kubectl's AGE column.
pub fn human(seconds: i64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let (days, years) = (hours / 24, hours / 24 / 365);
    let two = |whole: i64, unit: &str, rest: i64, small: &str| {
        if rest == 0 {
            format!("{whole}{unit}")
        } else {
            format!("{whole}{unit}{rest}{small}")
        }
    };
    if seconds < 120 {
        format!("{seconds}s")
    } else if minutes < 10 {
        two(minutes, "m", seconds % 60, "s")
    } else if minutes < 180 {
        format!("{minutes}m")
    } else if hours < 8 {
        two(hours, "h", minutes % 60, "m")
    } else if hours < 48 {
        format!("{hours}h")
    } else if days < 8 {
        two(days, "d", hours % 24, "h")
    } else if days < 2 * 365 {
        format!("{days}d")
    } else if days < 8 * 365 {
        two(years, "y", days % 365, "d")
    } else {
        format!("{years}y")
    }
}

/// Formats a duration of the standard library as [`human`] formats seconds.
pub fn human_duration(duration: Duration) -> String {
    human(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}

/// A value of a field or a period of a schedule: as [`human`] shows it, but without its rounding.
pub fn exact(seconds: i64) -> String {
    const DAY: i64 = 86_400;
    let smallest_unit_shown = match seconds {
        ..600 => 1,
        600..28_800 => 60,
        28_800..691_200 => 3_600,
        _ => DAY,
    };
    if seconds < 2 * 365 * DAY && seconds % smallest_unit_shown == 0 {
        return human(seconds);
    }
    let units = [(DAY, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];
    let mut rest = seconds;
    let mut text = String::new();
    for (size, unit) in units {
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    text
}

/// A duration in the fewest units, without rounding: `24h`, `1h`, `2h1m`, `1m30s`. Days begin with the second.
pub fn in_units(seconds: i64) -> String {
    const DAY: i64 = 86_400;
    let days = if seconds < 2 * DAY { 0 } else { seconds / DAY };
    let mut rest = seconds - days * DAY;
    let mut text = if days > 0 {
        format!("{days}d")
    } else {
        String::new()
    };
    for (size, unit) in [(3_600, 'h'), (60, 'm'), (1, 's')] {
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    if text.is_empty() {
        format!("{seconds}s")
    } else {
        text
    }
}

/// How often something happens: `every minute`, `every 5m`.
pub fn every(seconds: i64) -> String {
    match seconds {
        60 => "every minute".to_owned(),
        3_600 => "every hour".to_owned(),
        86_400 => "every day".to_owned(),
        other => format!("every {}", in_units(other)),
    }
}

/// A duration of whole numbers with units from weeks to seconds, such as `1d12h`, in seconds.
pub fn parse(text: &str) -> Option<i64> {
    let mut seconds: i64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = rest.split_at_checked(digits)?;
        let size = match unit.bytes().next()? {
            b'w' => 7 * 86_400,
            b'd' => 86_400,
            b'h' => 3_600,
            b'm' => 60,
            b's' => 1,
            _ => return None,
        };
        let part = number.parse::<i64>().ok()?.checked_mul(size)?;
        seconds = seconds.checked_add(part)?;
        rest = unit.get(1..)?;
    }
    (!text.is_empty()).then_some(seconds)
}

/// The width of the day in a [`local_time`]: `Sun 2026-11-22 `.
pub const DAY: usize = 15;

/// The time as people read it, in the named time zone: `Sat 2026-11-21 02:00 Europe/Berlin`. See [`LocalTime`].
pub fn local_time(at: Timestamp, zone: &TimeZone, name: &str) -> String {
    LocalTime::new(at, zone, name).to_string()
}

/// The distance to a time: `in 22h`, `5m ago`, `now`.
pub fn from_now(now: Timestamp, at: Timestamp) -> String {
    match at.as_second().saturating_sub(now.as_second()) {
        0 => "now".to_owned(),
        seconds @ 1.. => format!("in {}", human(seconds)),
        seconds => format!("{} ago", human(-seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the table in kubectl's `duration.HumanDuration`.
    #[test]
    fn human_as_kubectl_rounds() {
        const DAY: i64 = 86_400;
        let cases = [
            (0, "0s"),
            (45, "45s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (599, "9m59s"),
            (600, "10m"),
            (179 * 60 + 59, "179m"),
            (180 * 60, "3h"),
            (192 * 60, "3h12m"),
            (8 * 3600 - 1, "7h59m"),
            (8 * 3600, "8h"),
            (48 * 3600 - 1, "47h"),
            (2 * DAY, "2d"),
            (7 * DAY + 23 * 3600, "7d23h"),
            (8 * DAY, "8d"),
            (9 * DAY, "9d"),
            (729 * DAY, "729d"),
            (2 * 365 * DAY, "2y"),
            (3 * 365 * DAY + 4 * DAY, "3y4d"),
            (8 * 365 * DAY, "8y"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn units_are_the_fewest_and_round_nothing() {
        for (seconds, expected) in [
            (0, "0s"),
            (45, "45s"),
            (60, "1m"),
            (90, "1m30s"),
            (310, "5m10s"),
            (3_600, "1h"),
            (7_260, "2h1m"),
            (86_400, "24h"),
            (90_000, "25h"),
            (172_800, "2d"),
            (100 * 86_400 + 3_601, "100d1h1s"),
        ] {
            assert_eq!(in_units(seconds), expected);
        }
        let words = [60, 300, 3_600, 86_400, 604_800].map(every);
        assert_eq!(
            words,
            [
                "every minute",
                "every 5m",
                "every hour",
                "every day",
                "every 7d"
            ]
        );
    }

    #[test]
    fn exact_rounds_nothing_and_otherwise_follows_human() {
        assert_eq!(exact(0), "0s");
        assert_eq!(exact(90), "90s");
        assert_eq!(exact(411), "6m51s");
        assert_eq!(exact(1_530), "25m30s");
        assert_eq!(exact(5_400), "90m");
        assert_eq!(exact(86_400), "24h");
        assert_eq!(exact(90_061), "1d1h1m1s");
        assert_eq!(exact(100 * 86_400 + 3_600), "100d1h");
        assert_eq!(exact(730 * 86_400), "730d");
    }

    #[test]
    fn exact_equals_human_wherever_human_does_not_round() {
        let size = |unit: char| match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            _ => 86_400,
        };
        for seconds in (0..200_000).chain((200_000..10_000_000).step_by(600)) {
            let shown = human(seconds);
            let (mut total, mut number) = (0, 0);
            for c in shown.chars() {
                if let Some(digit) = c.to_digit(10) {
                    number = number * 10 + i64::from(digit);
                } else {
                    (total, number) = (total + number * size(c), 0);
                }
            }
            assert_eq!(exact(seconds) == shown, total == seconds, "{seconds}");
        }
    }

    #[test]
    fn local_time_names_the_weekday_and_the_zone() {
        let berlin = TimeZone::fixed(jiff::tz::offset(1));
        let at: Timestamp = "2026-11-21T01:00:00.1Z".parse().unwrap();
        let shown = local_time(at, &berlin, "Europe/Berlin");
        assert_eq!(shown, "Sat 2026-11-21 02:00 Europe/Berlin");
        let at: Timestamp = "2026-11-21T02:12:19Z".parse().unwrap();
        let shown = local_time(at, &TimeZone::UTC, "UTC");
        assert_eq!(shown, "Sat 2026-11-21 02:12:19 UTC");
    }
}
