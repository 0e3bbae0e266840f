//! Moments from the seconds and the texts that tests are written with.

use jiff::Timestamp;

/// The moment of a Unix second that a test knows to be one.
pub(crate) fn at(second: i64) -> Timestamp {
    match Timestamp::from_second(second) {
        Ok(moment) => moment,
        Err(error) => unreachable!("{error}"),
    }
}

/// The Unix second of a moment that a test has written down.
pub(crate) fn second(text: &str) -> i64 {
    match text.parse::<Timestamp>() {
        Ok(moment) => moment.as_second(),
        Err(error) => unreachable!("{text}: {error}"),
    }
}
