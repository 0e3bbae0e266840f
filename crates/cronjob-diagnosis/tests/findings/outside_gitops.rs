//! Manual suspensions of CronJobs that Argo CD or Flux manages.

use cronjob_diagnosis::diagnose::Finding;
use kube_model::CronJob;

use super::pods::changed;

const CODE: &str = "suspended-outside-gitops";

fn found(change: impl FnOnce(&mut CronJob)) -> Option<Finding> {
    changed(CODE, |example| change(example.cron_job()))
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
    // A later sync of Argo CD did not reset the field.
    let synced = found(|cron_job| {
        cron_job.managed_fields[0].time = "2026-03-18T00:00:00Z".parse().ok();
    });
    let detail = synced.unwrap().detail;
    let kept = "manages this CronJob, but its next sync will not undo this.";
    assert_ends!(detail, kept);
}

#[test]
fn suspension_in_git_or_without_gitops_is_not_reported() {
    let in_git = |cron_job: &mut CronJob| {
        cron_job.managed_fields[0].of_spec.push("suspend".into());
    };
    let helm = |cron_job: &mut CronJob| {
        let annotations = [("meta.helm.sh/release-name", "shop")];
        cron_job.annotations = annotations.into_iter().collect();
        cron_job.managed_fields[0].manager = "helm".to_owned();
    };
    let resumed = |cron_job: &mut CronJob| cron_job.spec.suspend = Some(false);
    for change in [in_git, helm, resumed] {
        assert_eq!(found(change), None);
    }
}
