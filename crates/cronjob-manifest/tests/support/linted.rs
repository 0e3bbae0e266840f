//! The report about one manifest.

use std::sync::Arc;

use cronjob_manifest::lint::{LintReport, LintSettings, Linter};
use kube_cron::{BundledZones, Zone};

/// The report as of November 21, 2026.
pub(crate) fn report(bytes: &[u8], settings: LintSettings) -> LintReport {
    let linter = Linter {
        now: "2026-11-21T08:00:00Z".parse().unwrap(),
        zones: &BundledZones,
        local: Zone::utc(),
    };
    let file = Arc::from("a.yaml");
    linter.finish(vec![linter.read(&file, bytes, &Arc::new(settings))])
}
