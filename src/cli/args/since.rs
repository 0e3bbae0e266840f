//! How far back: a duration or a moment.

use std::str::FromStr;

use anyhow::anyhow;
use jiff::{SignedDuration, Timestamp};

use super::what_if::too_late;
use crate::duration::exact;

/// The beginning of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Since {
    /// So many seconds before now.
    Ago(i64),
    /// At a moment.
    At(Timestamp),
}

impl Since {
    /// The moment, seen from another.
    pub(in crate::cli) fn before(self, now: Timestamp) -> anyhow::Result<Timestamp> {
        match self {
            Since::At(moment) => Ok(moment),
            Since::Ago(seconds) => now
                .checked_sub(SignedDuration::from_secs(seconds))
                .map_err(|_| anyhow!("--since {} begins before the year -9999", exact(seconds))),
        }
    }
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let moment = text.parse().map(Since::At).ok();
        moment
            .or_else(|| duration(text).map(Since::Ago))
            .ok_or_else(|| {
                too_late(text).unwrap_or_else(|| {
                    "expected a duration such as 90m, 24h, 7d or 1d12h, or a time in RFC 3339 such as \
                     2026-03-29T02:30:00Z"
                        .to_owned()
                })
            })
    }
}

/// Whole numbers with units from weeks to seconds, in seconds.
pub(super) fn duration(text: &str) -> Option<i64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases = [
            ("24h", Some(86_400)),
            ("7d", Some(7 * 86_400)),
            ("1d12h", Some(129_600)),
            ("2w3m4s", Some(14 * 86_400 + 184)),
            ("0s", Some(0)),
            ("", None),
            ("7", None),
            ("d", None),
            ("-1h", None),
            ("1.5h", None),
            ("1y", None),
            ("1ms", None),
            ("99999999999999999999d", None),
            ("9999999999999999d", None),
            ("7ä", None),
        ];
        for (text, expected) in cases {
            assert_eq!(duration(text), expected, "{text}");
        }
    }

    #[test]
    fn moments_and_durations_before_them() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let before = |text: &str| text.parse::<Since>().unwrap().before(now).ok();
        assert_eq!(before("24h"), "2026-03-09T12:00:00Z".parse().ok());
        assert_eq!(
            before("2026-03-01T01:00:00+01:00"),
            "2026-03-01T00:00:00Z".parse().ok()
        );
        assert_eq!(before("999999999999s"), None);
    }
}
