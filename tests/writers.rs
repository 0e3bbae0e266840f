//! What is known about who wrote to a `CronJob`.

use crate::support::files::{text, yaml};
use crate::support::json::merge;
use crate::support::prelude::*;

#[test]
fn writers_are_known_by_managed_fields_and_annotations() {
    for case in yaml(&text("tests/writers.yaml")) {
        let mut cron_job = json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"namespace": "shop", "name": "report", "uid": "u"},
            "spec": {"schedule": "0 2 * * *", "suspend": true, "jobTemplate": {}},
            "status": {},
        });
        merge(&mut cron_job, &case["cronJob"]);
        let call = |more: &str| {
            let call = "explain -f - -q --now=2026-11-21T13:00:00Z";
            doctor_with_objects((call, more), &[cron_job.clone()])
        };
        let item = call("-o json").json()["items"][0].take();
        let mut found = item.clone();
        merge(&mut found, &case["expected"]);
        assert_eq!(found, item, "{case:#}");
        let page = call("-o wide").stdout;
        let mut lines = page.lines();
        let line = lines.find_map(|line| line.strip_prefix("  Managed by  "));
        assert_eq!(line, case["shown"].as_str(), "{case:#}");
    }
}
