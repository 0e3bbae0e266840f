//! Times of the API.

use jiff::Timestamp;

/// RFC 3339 as Go's `time.Parse` reads it. The library would also accept other forms, times
/// without seconds and leap seconds, which the API server rejects.
pub(super) fn timestamp(text: &str) -> Option<Timestamp> {
    let (date_time, rest) = text.split_at_checked("2026-11-21T08:30:00".len())?;
    let shape = |(byte, model): (u8, u8)| match model {
        b'0' => byte.is_ascii_digit(),
        _ => byte == model,
    };
    let pairs = date_time.bytes().zip(*b"0000-00-00T00:00:00");
    if !pairs.into_iter().all(shape) || date_time.ends_with("60") {
        return None;
    }
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if zone.len() == fraction.len() {
                return None;
            }
            zone
        }
        None => rest,
    };
    let numeric = |zone: &str| {
        zone.len() == "+00:00".len()
            && zone.starts_with(['+', '-'])
            && zone.bytes().skip(1).zip(*b"00:00").all(shape)
    };
    if zone != "Z" && !numeric(zone) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn times_are_those_of_rfc_3339() {
        let at = |text: &str| timestamp(text).map(|time| time.to_string());
        for (text, expected) in [
            ("2026-11-21T08:30:00Z", "2026-11-21T08:30:00Z"),
            ("2026-11-21T08:30:00.123456Z", "2026-11-21T08:30:00.123456Z"),
            ("2026-11-21T08:30:00+05:30", "2026-11-21T03:00:00Z"),
            ("2026-11-21T08:30:00.5-00:30", "2026-11-21T09:00:00.5Z"),
        ] {
            assert_eq!(at(text).as_deref(), Some(expected), "{text}");
        }
        let wrong = ",2026-11-21,2026-11-21 08:30:00Z,2026-11-21t08:30:00z,2026-11-21T08:30Z,2026-11-21T08:30:00,\
                     2026-11-21T08:30:60Z,2026-11-21T08:30:00.Z,2026-11-21T08:30:00+0530,\
                     2026-11-21T08:30:00Z[UTC],2026-11-31T08:30:00Z,2026-11-21T08:30:00é";
        for wrong in wrong.split(',') {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }
}
