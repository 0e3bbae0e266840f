//! How a survey follows a cluster, for `scan --watch`, `top` and `serve`.

use crate::evidence::{Basis, Live};
use cronjob_diagnosis::survey::LiveSurvey;
use kube_access::{WatchEvent, WatchedObject, WatchedObjects};
use kube_model::Coverage;

impl Live {
    /// Judges the CronJobs of a survey together, at the time of a basis. Returns the coverage at that time.
    pub(super) fn judge_together(
        &self,
        survey: &mut LiveSurvey,
        basis: &Basis,
        coverage: Coverage,
    ) -> Coverage {
        let coverage = Coverage {
            as_of: basis.now,
            ..coverage
        };
        let are_all = self.wanted.selects_namespaces();
        survey.judge_together(&basis.controller, are_all, coverage, basis.now);
        coverage
    }
}

/// Applies a change of the cluster to a survey.
pub(super) fn apply_change(survey: &mut LiveSurvey, change: WatchEvent) {
    match change {
        WatchEvent::Now(WatchedObject::CronJob(cron_job)) => survey.set_cron_job(*cron_job),
        WatchEvent::Now(WatchedObject::Job(job)) => survey.set_job(&job),
        WatchEvent::Now(WatchedObject::Event(event)) => survey.set_event(*event),
        WatchEvent::Gone(WatchedObject::CronJob(cron_job)) => survey.remove_cron_job(&cron_job),
        WatchEvent::Gone(WatchedObject::Job(job)) => survey.remove_job(&job),
        WatchEvent::Gone(WatchedObject::Event(event)) => survey.remove_event(&event),
        WatchEvent::All(WatchedObjects::CronJobs(cron_jobs)) => survey.replace_cron_jobs(cron_jobs),
        WatchEvent::All(WatchedObjects::Jobs(jobs)) => survey.replace_jobs(&jobs),
        WatchEvent::All(WatchedObjects::Events(events)) => survey.replace_events(events),
        WatchEvent::Now(WatchedObject::Pod(_))
        | WatchEvent::Gone(WatchedObject::Pod(_))
        | WatchEvent::All(WatchedObjects::Pods(_))
        | WatchEvent::Unreadable(_)
        | WatchEvent::Lost { .. }
        | WatchEvent::Back { .. } => {}
    }
}
