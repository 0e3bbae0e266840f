//! How many random cases a test tries: few in every run, more with `CASES`, the same again with `SEED`.

use proptest::test_runner::{Config, RngSeed};

use super::random::{Random, setting};

/// The number of cases.
pub(crate) fn cases(usual: u32) -> u32 {
    setting("CASES").unwrap_or(usual)
}

/// Random numbers that are the same in every run.
pub(crate) fn random(seed: u64) -> Random {
    Random::seeded(seed)
}

/// The cases of proptest, which are others in every run.
pub(crate) fn properties(usual: u32) -> Config {
    Config {
        rng_seed: setting("SEED").map_or(RngSeed::Random, RngSeed::Fixed),
        ..Config::with_cases(cases(usual))
    }
}
