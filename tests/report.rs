//! `report` with the real binary: its document equals those of the other verbs, and its page shows the document.

use crate::support;

mod calls;
mod document;
mod page;
mod small;

use serde_json::Value;
use support::run::{Ran, doctor, doctor_with_stdin};

/// The recorded cluster at the time of the recording.
pub(crate) const RECORDED: [&str; 8] = [
    "-f",
    "examples/cluster",
    "--now",
    "2026-11-21T02:13:08Z",
    "--kubernetes-version",
    "1.36",
    "--tzdb",
    "bundled",
];

pub(crate) fn recorded(verb: &str, arguments: &[&str]) -> Ran {
    doctor(&[&[verb], &RECORDED[..], arguments].concat())
}

/// A report on manifests at the time of the recorded cluster.
pub(crate) fn report(manifests: &str, arguments: &[&str]) -> Ran {
    let call = [
        "report",
        "-f",
        "-",
        "--tzdb",
        "bundled",
        "--kubernetes-version",
        "1.36",
    ];
    let now = ["--now", "2026-11-21T02:13:08Z", "--quiet"];
    doctor_with_stdin(&[&call[..], &now, arguments].concat(), manifests)
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
