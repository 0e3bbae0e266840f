//! From when until when, in pieces of which length.

use jiff::Timestamp;

/// A span of time, from its beginning on and without its end, in buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWindow {
    from: i64,
    to: i64,
    bucket: i64,
}

/// Why a span cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadWindowError {
    /// It ends before it begins.
    #[error("the window ends at {to}, which is not after its start, {from}")]
    Empty {
        /// Where it begins.
        from: Timestamp,
        /// Where it ends.
        to: Timestamp,
    },
    /// A bucket without a second in it.
    #[error("must be at least 1s")]
    NoBucket,
    /// More than can be looked at.
    #[error("the window is longer than 2 years")]
    TooLong,
    /// More buckets than can be shown.
    #[error("the window has {0} buckets, at most {MOST_BUCKETS} are supported: use longer buckets")]
    TooMany(i64),
}

/// A year of minutes.
const MOST_BUCKETS: i64 = 366 * 24 * 60;
const LONGEST: i64 = 2 * 366 * 86_400;

impl LoadWindow {
    /// The span; fractions of a second are dropped.
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

    /// The beginning.
    pub fn from(&self) -> Timestamp {
        moment(self.from)
    }

    /// The end, which is not in it.
    pub fn to(&self) -> Timestamp {
        moment(self.to)
    }

    /// How long a bucket is; the last one may be cut.
    pub fn bucket_seconds(&self) -> i64 {
        self.bucket
    }

    /// Where a bucket begins.
    pub fn start_of(&self, bucket: usize) -> Timestamp {
        moment(self.seconds_of(bucket).0)
    }

    /// How many buckets there are.
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

    /// The bucket of a second of the span.
    pub(super) fn bucket_of(&self, second: i64) -> usize {
        usize::try_from((second - self.from) / self.bucket).unwrap_or(0)
    }
}

pub(super) fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}
