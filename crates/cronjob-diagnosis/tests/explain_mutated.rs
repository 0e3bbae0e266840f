//! No input makes `explain` panic: a recorded cluster with values exchanged, dropped and mangled.

use crate::support::cases;
use crate::support::mutate::{any_controller, any_now, any_zone, mangled, recorded_lists};
use crate::support::random::Random;
use cronjob_controller::controller::{decide, edit_effect};
use cronjob_diagnosis::diagnose::verdict;
use cronjob_diagnosis::diagnose::{Facts, causes, diagnose};
use cronjob_diagnosis::kubectl::PLAIN;
use kube_model::{Coverage, RelatedObjects, evidence_by_cron_job, pods_wanted};
use kube_objects::snapshot::Evidence;

const RELEASES: [&str; 8] = [
    "1.4", "1.10", "1.20", "1.21", "1.25", "1.27.4", "1.36", "1.37",
];

#[test]
fn explain_of_mangled_evidence_does_not_panic() {
    let lists = recorded_lists("cronjobs jobs events pods");
    let mut random = cases::random(20_261_121);
    let mut explained = 0;
    for _ in 0..cases::cases(15) {
        let evidence = mangled(&mut random, &lists);
        explained += explain_all(&mut random, &evidence);
    }
    assert!(explained > 50, "only {explained} CronJobs could be read");
}

fn explain_all(random: &mut Random, evidence: &Evidence) -> usize {
    let local = any_zone(random);
    let mut controller = any_controller(random, &RELEASES);
    controller.local = local;
    let now = any_now(random);
    let cron_jobs = evidence.cron_jobs.iter();
    let cron_jobs: Vec<_> = cron_jobs.map(|located| &located.object).collect();
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
        nodes: evidence.nodes.clone(),
        config_maps: evidence.config_maps.clone(),
    };
    let coverage = Coverage::of_files(cron_jobs.iter().copied(), &seen, now);
    for evidence in evidence_by_cron_job(cron_jobs.iter().copied().cloned().collect(), seen) {
        let facts = Facts::of(&controller, &PLAIN, &evidence, coverage, now);
        let _ = (diagnose(&facts), facts.pods_of_interest());
        assert!(pods_wanted(&evidence).len() <= 5);
    }
    cron_jobs.len()
}
