//! Moments from the seconds and the texts that tests are written with.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// The moment of a valid Unix second.
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

/// How long this thread has run on a processor: what else the machine does is not counted. Where
/// the system does not report it, the time that has passed.
pub(crate) fn cpu_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let reported = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = reported.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.elapsed(), Duration::from_nanos)
}
