//! Random numbers, for names and pauses that must not be the same in several programs.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// A random number. Not for secrets.
pub fn random() -> u64 {
    // The keys of the hasher are random.
    RandomState::new().build_hasher().finish()
}
