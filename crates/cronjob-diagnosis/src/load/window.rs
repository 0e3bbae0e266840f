//! The window of a load, divided into buckets.

use jiff::Timestamp;

/// A span of time without its end, divided into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWindow {
    from: i64,
    to: i64,
    bucket: i64,
}

/// Why a window is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadWindowError {
    #[error("the end of the period, {to}, must be after its beginning, {from}")]
    Empty { from: Timestamp, to: Timestamp },
    #[error("a bucket must be at least 1s")]
    NoBucket,
    #[error("the period must not be longer than two years")]
    TooLong,
    #[error(
        "the period has {0} buckets, and at most {MOST_BUCKETS} are possible; use longer buckets"
    )]
    TooMany(i64),
}

const MOST_BUCKETS: i64 = 366 * 24 * 60;
const LONGEST: i64 = 2 * 366 * 86_400;

impl LoadWindow {
    /// Creates a window; fractions of a second are dropped.
    pub fn new(
        from: Timestamp,
        to: Timestamp,
        bucket_seconds: i64,
    ) -> Result<Self, LoadWindowError> {
        let (first, last) = (from.as_second(), to.as_second());
        if first >= last {
            return Err(LoadWindowError::Empty { from, to });
        }
        if bucket_seconds < 1 {
            return Err(LoadWindowError::NoBucket);
        }
        if last - first > LONGEST {
            return Err(LoadWindowError::TooLong);
        }
        let span = LoadWindow {
            from: first,
            to: last,
            bucket: bucket_seconds,
        };
        match span.length() {
            length if length > MOST_BUCKETS => Err(LoadWindowError::TooMany(length)),
            _ => Ok(span),
        }
    }

    pub fn from(&self) -> Timestamp {
        moment(self.from)
    }

    /// The end, which is not in it.
    pub fn to(&self) -> Timestamp {
        moment(self.to)
    }

    /// The length of a bucket; the last one may be shorter.
    pub fn bucket_seconds(&self) -> i64 {
        self.bucket
    }

    pub fn start_of(&self, bucket: usize) -> Timestamp {
        moment(self.seconds_of(bucket).0)
    }

    pub fn length(&self) -> i64 {
        (self.to - self.from + self.bucket - 1) / self.bucket
    }

    pub(super) fn seconds(&self) -> (i64, i64) {
        (self.from, self.to)
    }

    /// The first second of a bucket, and the first after it.
    pub(super) fn seconds_of(&self, bucket: usize) -> (i64, i64) {
        let number = i64::try_from(bucket).unwrap_or(i64::MAX);
        let start = self.from.saturating_add(number.saturating_mul(self.bucket));
        (start, start.saturating_add(self.bucket).min(self.to))
    }

    /// The bucket of a second of the window.
    pub(super) fn bucket_of(&self, second: i64) -> usize {
        usize::try_from((second - self.from) / self.bucket).unwrap_or(0)
    }
}

pub(super) fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}
