//! How many random cases a test tries: few by default, more with `CASES`, and the same ones again with `SEED`.

use proptest::test_runner::{Config, RngSeed};

use super::random::{Random, setting};

/// The number of cases: the usual one, unless `CASES` is set.
pub(crate) fn cases(usual: u32) -> u32 {
    setting("CASES").unwrap_or(usual)
}

/// Random numbers that are the same in every run.
pub(crate) fn random(seed: u64) -> Random {
    Random::seeded(seed)
}

/// The configuration of proptest, whose cases differ in every run.
pub(crate) fn properties(usual: u32) -> Config {
    Config {
        rng_seed: setting("SEED").map_or(RngSeed::Random, RngSeed::Fixed),
        ..Config::with_cases(cases(usual))
    }
}
