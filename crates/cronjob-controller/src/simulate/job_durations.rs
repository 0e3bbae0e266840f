//! How long a Job takes and whether it fails: random, but always the same for the same Job.
//!
//! The result depends only on the seed, the `CronJob` and the scheduled time. So a run takes equally long in every
//! Kubernetes version that is compared, and does not depend on other `CronJob`s.

use jiff::{SignedDuration, Timestamp};

/// How long the Jobs of a simulation take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Durations {
    Between(SignedDuration, SignedDuration),
    /// One of these with equal probability; never empty.
    OneOf(Vec<SignedDuration>),
}

impl Durations {
    pub fn of(duration: SignedDuration) -> Self {
        Durations::Between(duration, duration)
    }

    /// How long they take on average.
    pub fn mean(&self) -> SignedDuration {
        let all = match self {
            Durations::Between(low, high) => &[*low, *high][..],
            Durations::OneOf(all) => all,
        };
        let sum = all
            .iter()
            .fold(SignedDuration::ZERO, |sum, one| sum.saturating_add(*one));
        i32::try_from(all.len()).map_or(SignedDuration::ZERO, |count| sum / count.max(1))
    }
}

/// The random state of one Job.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobRandomness(u64);

impl JobRandomness {
    /// The random state of all Jobs of a `CronJob`.
    pub(super) fn of_cron_job(seed: u64, namespace: &str, name: &str) -> Self {
        let bytes = namespace.bytes().chain([b'/']).chain(name.bytes());
        JobRandomness(bytes.fold(mixed(seed), |hash, byte| mixed(hash ^ u64::from(byte))))
    }

    /// The random state of the Job of a scheduled time.
    pub(super) fn of_run(self, scheduled_time: Timestamp) -> Self {
        JobRandomness(mixed(self.0 ^ scheduled_time.as_second().cast_unsigned()))
    }

    pub(super) fn duration(self, durations: &Durations) -> SignedDuration {
        match durations {
            Durations::Between(low, high) => {
                let width = high.as_secs().saturating_sub(low.as_secs()).max(0);
                let width = width.cast_unsigned().saturating_add(1);
                let more = i64::try_from(mixed(self.0) % width).unwrap_or(0);
                low.saturating_add(SignedDuration::from_secs(more))
            }
            Durations::OneOf(choices) => {
                let count = u64::try_from(choices.len().max(1)).unwrap_or(1);
                let index = usize::try_from(mixed(self.0) % count).unwrap_or(0);
                choices.get(index).copied().unwrap_or_default()
            }
        }
    }

    pub(super) fn fails(self, per_million: u32) -> bool {
        mixed(self.0 ^ u64::MAX) % 1_000_000 < u64::from(per_million)
    }
}

/// The output function of `SplitMix64`: neighboring inputs give distant outputs.
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due_times() -> impl Iterator<Item = Timestamp> {
        (0..10_000).map(|minute| Timestamp::from_second(minute * 60).unwrap())
    }

    fn drawn(randomness: JobRandomness, durations: &Durations) -> Vec<i64> {
        let drawn = due_times().map(|time| randomness.of_run(time).duration(durations));
        drawn.map(|duration| duration.as_secs()).collect()
    }

    #[test]
    fn random_durations_are_uniform_and_within_bounds() {
        let randomness = JobRandomness::of_cron_job(0, "shop", "orders");
        let seconds = SignedDuration::from_secs;
        let drawn = drawn(randomness, &Durations::Between(seconds(300), seconds(900)));
        assert_eq!(drawn.iter().min(), Some(&300));
        assert_eq!(drawn.iter().max(), Some(&900));
        let mean = drawn.iter().sum::<i64>() / 10_000;
        assert!((595..605).contains(&mean), "{mean}");
    }

    #[test]
    fn failures_are_as_frequent_as_the_rate() {
        let randomness = JobRandomness::of_cron_job(7, "shop", "orders");
        let failed = |rate: u32| {
            let failed = due_times().filter(|time| randomness.of_run(*time).fails(rate));
            failed.count()
        };
        assert!((900..1100).contains(&failed(100_000)));
        assert_eq!((failed(0), failed(1_000_000)), (0, 10_000));
    }

    #[test]
    fn random_durations_depend_on_seed_and_name() {
        let durations = Durations::Between(SignedDuration::ZERO, SignedDuration::from_hours(9));
        let draw = |seed, name| {
            let randomness = JobRandomness::of_cron_job(seed, "shop", name);
            drawn(randomness, &durations)
        };
        assert_eq!(draw(1, "orders"), draw(1, "orders"));
        assert_ne!(draw(1, "orders"), draw(2, "orders"));
        assert_ne!(draw(1, "orders"), draw(1, "mails"));
    }
}
