//! The last line of a run of all tests: how many were skipped, and what they needed.

#![allow(clippy::print_stdout, reason = "it is what this program is for")]

use test_requirements::{forget, skipped_tests};

fn main() {
    // A test runner that asks for the names of tests finds none here.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let skipped = skipped_tests();
    forget();
    let total: usize = skipped.values().map(std::collections::BTreeSet::len).sum();
    if total == 0 {
        return println!("skipped: no test");
    }
    let parts = skipped.iter();
    let parts: Vec<String> = parts
        .map(|(name, tests)| format!("{} without {name}", tests.len()))
        .collect();
    println!("skipped: {total} tests ({})", parts.join(", "));
}
