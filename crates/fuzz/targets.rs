//! The fuzz targets: each reads untrusted bytes, and must neither panic nor hang.

use std::sync::Arc;

use cronjob_doctor::cli::check_history_query;
use cronjob_doctor::recorder::read_page;
use cronjob_manifest::lint::{LintSettings, Linter, apply};
use kube_access::fuzzed;
use kube_cron::{BundledZones, Zone};
use kube_objects::snapshot::{Evidence, Options, SourceText};

type Target = (&'static str, fn(&[u8]));

/// The targets by the names of their folders in fuzz/corpus/.
#[allow(dead_code, reason = "each fuzz target uses one of them")]
pub(crate) const TARGETS: [Target; 6] = [
    ("manifests", manifests),
    ("snapshots", snapshots),
    ("lists", fuzzed::list_page),
    ("watches", fuzzed::watch_frame),
    ("kubeconfigs", fuzzed::kubeconfig),
    ("recorder", recorder),
];

/// Lints a manifest and applies all fixes. What is fixed can be linted again.
fn manifests(bytes: &[u8]) {
    let linter = Linter {
        now: "2026-11-21T08:00:00Z".parse().unwrap(),
        zones: &BundledZones,
        local: Zone::utc(),
    };
    let lint = |bytes: &[u8]| {
        let settings = Arc::new(LintSettings::default());
        linter.finish(vec![linter.read(&Arc::from("a.yaml"), bytes, &settings)])
    };
    let report = lint(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let fixes = report
        .findings
        .iter()
        .filter_map(|one| one.found.fix.as_ref());
    let fixed = apply(text, fixes);
    assert!(fixed.applied > 0 || fixed.text == text);
    lint(fixed.text.as_bytes());
}

/// Reads the output of `kubectl get -o yaml` or `-o json`.
fn snapshots(bytes: &[u8]) {
    let source = SourceText {
        name: Arc::from("a.yaml"),
        text: String::from_utf8_lossy(bytes).into_owned(),
    };
    for error in Evidence::default().add(&source, &Options::default()) {
        assert!(!error.to_string().is_empty());
    }
}

/// Reads a query to a recorder, and its answer.
fn recorder(bytes: &[u8]) {
    if let Ok(query) = std::str::from_utf8(bytes) {
        let _ = check_history_query(query);
    }
    let _ = read_page(bytes);
}
