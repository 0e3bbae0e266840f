//! Replays the corpus of each fuzz target, and slightly damaged copies of it.

use std::fs;

use crate::support::files::{below, root};

#[path = "../crates/fuzz/targets.rs"]
mod targets;

/// The largest size that the corpus may have.
const LARGEST: usize = 400_000;

#[test]
fn corpus_is_read_without_a_panic() {
    let mut total = 0;
    for (name, target) in targets::TARGETS {
        let files = below(&format!("crates/fuzz/corpus/{name}"));
        assert!(!files.is_empty(), "{name}");
        for file in files {
            let bytes = fs::read(root().join(&file)).unwrap();
            total += bytes.len();
            target(&bytes);
            // Truncated, and with a wrong byte.
            let step = (bytes.len() / 7).max(1);
            for at in (0..bytes.len()).step_by(step) {
                target(&bytes[..at]);
                let mut wrong = bytes.clone();
                wrong[at] ^= 0x95;
                target(&wrong);
            }
        }
    }
    assert!(total < LARGEST, "{total} bytes");
}
