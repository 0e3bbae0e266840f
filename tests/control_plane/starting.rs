//! Runs that start while CronJobs and Jobs are read.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::control_plane::prelude::*;

/// All runs start at the same time. Each scan is checked, from the minute before until all runs are known to have
/// started.
#[test]
fn just_created_job_is_never_reported_as_a_taken_name() {
    const CRON_JOBS: usize = 20;
    let ns = namespace!("starting");
    for number in 0..CRON_JOBS {
        ns.create(&format!("each-{number}"), &json!({"schedule": "* * * * *"}));
    }
    let begin = Instant::now();
    let (mut scans, mut counts) = (0, BTreeSet::new());
    loop {
        let ran = ns.doctor("scan -q -o json");
        let document = ran.json();
        let items = document["items"].items();
        for item in items {
            let mut findings = item["findings"].items().iter();
            let taken = findings.find(|finding| finding["code"] == "job-name-taken");
            assert_eq!(taken, None, "{item} at {}", document["now"]);
        }
        let started = items
            .iter()
            .filter(|item| !item["lastScheduleTime"].is_null());
        let started = started.count();
        scans += 1;
        counts.insert(started);
        if started == CRON_JOBS {
            break;
        }
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "{started} started"
        );
    }
    eprintln!("{scans} scans saw {counts:?} of {CRON_JOBS} started");
}
