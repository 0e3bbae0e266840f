//! `report` with the real binary: its document equals those of the other verbs, and its page shows the document.

mod calls;
mod document;
mod page;
mod small;
mod week;

use crate::support::prelude::*;

/// The recorded cluster at the time of the recording.
const RECORDED: &str = "-f examples/cluster --now 2026-11-21T02:13:08Z --kubernetes-version 1.36 \
                        --tzdb bundled";

pub(crate) fn recorded(verb: &str, arguments: impl CommandLine) -> Ran {
    doctor((verb, RECORDED, arguments))
}

/// A report on manifests at the time of the recorded cluster.
pub(crate) fn report(manifests: &str, arguments: impl CommandLine) -> Ran {
    let call =
        "report -f - --tzdb bundled --kubernetes-version 1.36 --now 2026-11-21T02:13:08Z --quiet";
    doctor_with_stdin((call, arguments), manifests)
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
