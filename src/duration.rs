//! Durations as kubectl shows them: two units at most, fewer the longer it is.

/// A distance in time, as in kubectl's AGE column.
pub(crate) fn human(seconds: i64) -> String {
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

/// A period, exact to the second: `1d`, `1h30m`, `90s` as `1m30s`.
pub(crate) fn exact(seconds: i64) -> String {
    let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];
    let mut rest = seconds;
    let mut text = String::new();
    for (size, unit) in units {
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
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
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (179 * 60 + 59, "179m"),
            (180 * 60, "3h"),
            (8 * 3600 - 1, "7h59m"),
            (8 * 3600, "8h"),
            (48 * 3600 - 1, "47h"),
            (2 * DAY, "2d"),
            (7 * DAY + 23 * 3600, "7d23h"),
            (8 * DAY, "8d"),
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
    fn exact_to_the_second() {
        assert_eq!(exact(0), "0s");
        assert_eq!(exact(90), "1m30s");
        assert_eq!(exact(86_400), "1d");
        assert_eq!(exact(90_061), "1d1h1m1s");
    }

    #[test]
    fn human_is_kubectls_duration() {
        use crate::duration::human;

        assert_eq!(human(45), "45s");
        assert_eq!(human(125), "2m5s");
        assert_eq!(human(3 * 3600 + 12 * 60), "3h12m");
        assert_eq!(human(9 * 86400), "9d");
    }
}
