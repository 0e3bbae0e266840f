//! What a manifest shows, as it is read from files.

use jiff::Timestamp;
use kube_model::{Coverage, CronJobEvidence, evidence_by_cron_job};
use kube_objects::snapshot::{Evidence, Options};

/// The CronJobs of a manifest, each with what is about it. They are not judged together.
pub(crate) fn read(manifest: &str, now: Timestamp) -> (Vec<CronJobEvidence>, Coverage) {
    let options = Options {
        keep_objects: true,
        ..Options::default()
    };
    let (mut evidence, errors) = Evidence::of_json("objects", manifest.to_owned(), &options);
    assert!(errors.is_empty(), "{errors:?}");
    let related = evidence.take_related();
    let cron_jobs = evidence.cron_jobs.into_iter();
    let mut cron_jobs: Vec<_> = cron_jobs.map(|located| located.object).collect();
    let coverage = Coverage::of_files(&cron_jobs, &related, now);
    for cron_job in &mut cron_jobs {
        cron_job.assume_created(now);
    }
    (evidence_by_cron_job(cron_jobs, related), coverage)
}
