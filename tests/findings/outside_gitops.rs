//! Manual suspensions of CronJobs that Argo CD or Flux manages.

use cronjob_doctor::internals::diagnose::Finding;
use cronjob_doctor::internals::model::CronJob;

use super::{Example, example};

const CODE: &str = "suspended-outside-gitops";

fn found(change: impl FnOnce(&mut CronJob)) -> Option<Finding> {
    let mut example: Example = example(CODE);
    change(&mut example.evidence.cron_jobs[0].object);
    let mut findings = example.findings().into_iter();
    findings.find(|finding| finding.code == CODE)
}

#[test]
fn manual_suspension_names_who_when_and_the_next_sync() {
    let finding = found(|_| {}).unwrap();
    assert_eq!(
        finding.detail,
        "It was suspended with kubectl patch at Tue 2026-03-17 10:12:30 UTC (or earlier). \
         Argo CD (application shop) manages this CronJob: if its manifest states \
         spec.suspend: false, its next sync resumes it."
    );
    // A later sync did not take the field back.
    let synced = found(|cron_job| {
        cron_job.managed_fields[0].time = "2026-03-18T00:00:00Z".parse().ok();
    });
    let detail = synced.unwrap().detail;
    assert!(
        detail.ends_with("manages this CronJob, but its next sync will not undo this."),
        "{detail}"
    );
}

#[test]
fn suspension_in_git_or_without_gitops_is_no_finding() {
    let in_git = found(|cron_job| {
        cron_job.managed_fields[0].of_spec.push("suspend".into());
    });
    assert!(in_git.is_none(), "{in_git:?}");
    let helm = found(|cron_job| {
        cron_job.annotations = [("meta.helm.sh/release-name", "shop")]
            .into_iter()
            .collect();
        cron_job.managed_fields[0].manager = "helm".to_owned();
    });
    assert!(helm.is_none(), "{helm:?}");
    let resumed = found(|cron_job| cron_job.spec.suspend = Some(false));
    assert!(resumed.is_none(), "{resumed:?}");
}
