//! No input makes `explain` panic: a recorded cluster with values exchanged, dropped and mangled.

use crate::support::mutate::{any_controller, any_now, mangled};
use crate::support::random::Random;
use cronjob_doctor::internals::controller::{decide, edit_effect};
use cronjob_doctor::internals::diagnose::verdict;
use cronjob_doctor::internals::diagnose::{Facts, causes, diagnose};
use cronjob_doctor::internals::evidence::evidence_by_cron_job;
use cronjob_doctor::internals::kubectl::PLAIN;
use cronjob_doctor::internals::model::{Coverage, RelatedObjects, pods_wanted};
use cronjob_doctor::internals::schedule::{BundledZones, Location, load_location};
use cronjob_doctor::internals::snapshot::Evidence;
use serde_json::Value;

const RELEASES: [&str; 8] = [
    "1.4", "1.10", "1.20", "1.21", "1.25", "1.27.4", "1.36", "1.37",
];
const ZONES: [&str; 4] = [
    "UTC",
    "America/Sao_Paulo",
    "Pacific/Chatham",
    "Asia/Kolkata",
];

#[test]
fn explain_survives_whatever_it_is_given() {
    let files = [
        include_str!("fixtures/cronjobs.json"),
        include_str!("fixtures/jobs.json"),
        include_str!("fixtures/events.json"),
        include_str!("fixtures/pods.json"),
    ];
    let lists: Vec<Value> = files.map(|text| serde_json::from_str(text).unwrap()).into();
    let mut random = crate::support::cases::random(20_261_121);
    let mut explained = 0;
    for _ in 0..crate::support::cases::cases(40) {
        let evidence = mangled(&mut random, &lists);
        explained += explain_all(&mut random, &evidence);
    }
    assert!(explained > 130, "only {explained} CronJobs could be read");
}

fn explain_all(random: &mut Random, evidence: &Evidence) -> usize {
    let name = ZONES[random.below(ZONES.len())];
    let zone = load_location(name, &BundledZones).unwrap();
    let Location::Zone(local) = zone else {
        return 0;
    };
    let mut controller = any_controller(random, &RELEASES);
    controller.local = local;
    let now = any_now(random);
    let cron_jobs: Vec<_> = evidence
        .cron_jobs
        .iter()
        .map(|located| &located.object)
        .collect();
    for (index, cron_job) in cron_jobs.iter().enumerate() {
        let facts = Facts::gather(&controller, cron_job, &evidence.jobs, &evidence.events, now);
        assert!(!verdict(&facts).is_empty());
        let _ = (causes(&facts), diagnose(&facts));
        let _ = decide(&controller, cron_job, &[], now);
        let other = cron_jobs[(index + 1) % cron_jobs.len()];
        let _ = edit_effect(&controller, cron_job, other, &evidence.jobs, now);
    }
    let seen = RelatedObjects {
        jobs: evidence.jobs.clone(),
        events: evidence.events.clone(),
        pods: evidence.pods.clone(),
        quotas: evidence.quotas.clone(),
    };
    let coverage = Coverage::of_files(cron_jobs.iter().copied(), &seen, now);
    for evidence in evidence_by_cron_job(cron_jobs.iter().copied().cloned().collect(), seen) {
        let facts = Facts::of(&controller, &PLAIN, &evidence, coverage, now);
        let _ = (diagnose(&facts), facts.pods_of_interest());
        assert!(pods_wanted(&evidence).len() <= 5);
    }
    cron_jobs.len()
}
