//! What scripts learn from the exit code.

use crate::live::call::ask;
use crate::live::scene::{ALL, SHOP, server};

#[test]
fn scan() {
    let server = server();
    for (fail_on, code) in [("error", 1), ("warning", 1), ("info", 1), ("never", 0)] {
        let flag = format!("--fail-on={fail_on}");
        let all = ask(&server, "viewer", &["scan", "-A", &flag]);
        assert_eq!((all.stdout.as_str(), all.code), (ALL, code));
        assert_eq!(ask(&server, "viewer", &["scan", &flag]).fine(), SHOP);
    }
}

#[test]
fn explain() {
    let server = server();
    for (name, code) in [("never", 1), ("gone", 2)] {
        let ran = ask(
            &server,
            "viewer",
            &["explain", "-nops", name, "--fail-on=error"],
        );
        assert_eq!(ran.code, code, "{name}");
    }
    assert_eq!(
        ask(&server, "viewer", &["explain", "nightly", "--fail-on=info"]).code,
        0
    );
}

/// What could not be done counts more than what was found.
#[test]
fn what_is_missing_comes_first() {
    let server = server();
    let ran = ask(
        &server,
        "viewer",
        &["scan", "-nops", "never", "gone", "--fail-on=error"],
    );
    assert_eq!(ran.code, 2);
}
