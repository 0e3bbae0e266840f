//! Which pods are worth asking a cluster for.

use jiff::Timestamp;

use super::evidence::CronJobEvidence;
use super::job::Job;
use super::run::{PastRun, past_runs};

/// A cluster with thousands of `CronJob`s should not be asked for all their pods.
pub(crate) const MOST_WITH_PODS: usize = 5;

/// The Jobs whose pods matter, at most five, newest first: the unfinished ones, and the last finished one if it
/// failed. Findings examine the pods of no other Job.
pub fn pods_wanted(evidence: &CronJobEvidence) -> Vec<&Job> {
    runs_with_pods(&past_runs(&evidence.cron_job, &evidence.jobs))
}

/// A pod that is not ready is not unusual for this many seconds.
const STARTING: i64 = 10;

/// The unfinished Jobs among them whose own status shows that something may be wrong with their
/// pods: one is missing, not ready, or has failed.
pub(crate) fn pods_in_question(evidence: &CronJobEvidence, now: Timestamp) -> Vec<&Job> {
    let is_new = |job: &Job| {
        let created = job.creation_timestamp;
        created.is_some_and(|created| now.as_second() - created.as_second() < STARTING)
    };
    let in_question = |job: &Job| {
        let not_ready = job.ready.unwrap_or_default() < job.active;
        job.ending().is_none()
            && !is_new(job)
            && (not_ready || job.failed > 0 || lacks_pods(evidence, job))
    };
    // Of most CronJobs nothing has to be sorted.
    if !evidence.jobs.iter().any(in_question) {
        return Vec::new();
    }
    let mut wanted = pods_wanted(evidence);
    wanted.retain(|job| in_question(job));
    wanted
}

/// Whether an unfinished Job has fewer pods than its template asks for, before one has ended.
pub(crate) fn lacks_pods(evidence: &CronJobEvidence, job: &Job) -> bool {
    let spec = &evidence.cron_job.spec;
    let parallelism = spec.job_setting("parallelism").unwrap_or(1);
    let completions = spec.job_setting("completions").unwrap_or(parallelism);
    let none_ended = job.succeeded == 0 && job.failed == 0;
    job.active == 0 || none_ended && i64::from(job.active) < parallelism.min(completions)
}

/// The same of runs.
pub(crate) fn runs_with_pods<'a>(runs: &[PastRun<'a>]) -> Vec<&'a Job> {
    let over = runs.iter().filter(|run| run.finished_at().is_some());
    let last = over.max_by_key(|run| run.finished_at());
    let failed = last.filter(|run| run.failure().is_some());
    let newest_first = runs.iter().rev();
    newest_first
        .filter(|run| {
            let is_last = failed.is_some_and(|failed| std::ptr::eq(failed.job, run.job));
            is_last || may_have_pods(run)
        })
        .map(|run| run.job)
        .take(MOST_WITH_PODS)
        .collect()
}

/// Whether a run is not over. The pods of a Job that is suspended are deleted.
fn may_have_pods(run: &PastRun<'_>) -> bool {
    run.ending().is_none() && (run.job.suspend != Some(true) || run.job.active > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Condition;
    use crate::model::testing::{self, condition, cron_job};
    use serde_json::json;

    fn at(minute: i64) -> Option<Timestamp> {
        Timestamp::from_second(minute * 60).ok()
    }

    fn job(minute: i64, ending: Option<(&str, i64)>) -> Job {
        let condition = ending.map(|(r#type, at_minute)| Condition {
            last_transition_time: at(at_minute),
            ..condition(r#type, "True", "")
        });
        Job {
            creation_timestamp: at(minute),
            conditions: condition.into_iter().collect(),
            ..testing::job(&format!("a-{minute}"), "a")
        }
    }

    fn evidence(jobs: Vec<Job>) -> CronJobEvidence {
        CronJobEvidence {
            cron_job: cron_job("a"),
            jobs,
            ..CronJobEvidence::default()
        }
    }

    fn names_of(jobs: Vec<&Job>) -> Vec<String> {
        jobs.into_iter().map(|job| job.name.clone()).collect()
    }

    fn names(jobs: Vec<Job>) -> Vec<String> {
        names_of(pods_wanted(&evidence(jobs)))
    }

    #[test]
    fn what_succeeded_is_of_no_interest() {
        assert_eq!(names(vec![job(10, Some(("Complete", 11)))]), [""; 0]);
        let failed_before = job(10, Some(("Failed", 11)));
        let succeeded = job(20, Some(("Complete", 21)));
        assert_eq!(names(vec![failed_before, succeeded]), [""; 0]);
    }

    #[test]
    fn what_runs_and_the_last_failure() {
        let jobs = vec![
            job(10, Some(("Failed", 11))),
            job(20, Some(("Failed", 21))),
            job(30, None),
            job(40, None),
        ];
        assert_eq!(names(jobs), ["a-40", "a-30", "a-20"]);
    }

    #[test]
    fn a_suspended_job_has_no_pods_once_they_are_deleted() {
        let mut suspended = job(10, None);
        suspended.suspend = Some(true);
        assert_eq!(names(vec![suspended.clone()]), [""; 0]);
        suspended.active = 1;
        assert_eq!(names(vec![suspended]), ["a-10"]);
    }

    #[test]
    fn not_more_than_five() {
        let jobs = (10..20).map(|minute| job(minute, None)).collect();
        assert_eq!(names(jobs), ["a-19", "a-18", "a-17", "a-16", "a-15"]);
    }

    #[test]
    fn jobs_of_others_are_left_alone() {
        let mut other = job(10, None);
        other.owner_references.clear();
        assert_eq!(names(vec![other]), [""; 0]);
    }

    /// Which of these Jobs, all of minute 10, are in question this many seconds after their creation.
    fn in_question(jobs: Vec<Job>, template: serde_json::Value, age: i64) -> Vec<String> {
        let mut evidence = evidence(jobs);
        evidence.cron_job.spec.job_template = std::sync::Arc::new(template);
        let now = Timestamp::from_second(600 + age).unwrap();
        names_of(pods_in_question(&evidence, now))
    }

    fn active(active: i32, ready: Option<i32>) -> Job {
        Job {
            active,
            ready,
            ..job(10, None)
        }
    }

    #[test]
    fn job_whose_pods_are_all_ready_is_not_in_question() {
        let alone = |job: Job| !in_question(vec![job], json!(null), 60).is_empty();
        assert!(!alone(active(1, Some(1))));
        assert!(alone(active(1, Some(0))));
        assert!(alone(active(0, Some(0))));
        assert!(alone(active(1, None)), "older servers do not say");
        assert!(!alone(job(10, Some(("Failed", 11)))));
        let failed = Job {
            failed: 1,
            ..active(1, Some(1))
        };
        assert!(alone(failed));
        let suspended = Job {
            suspend: Some(true),
            ..active(0, None)
        };
        assert!(!alone(suspended));
    }

    #[test]
    fn job_that_was_created_just_now_is_not_in_question() {
        let after = |age| in_question(vec![active(1, Some(0))], json!(null), age).len();
        assert_eq!((after(9), after(10)), (0, 1));
    }

    #[test]
    fn job_with_fewer_pods_than_its_template_asks_for_is_in_question() {
        let with = |job: Job, parallelism: i64, completions: Option<i64>| {
            let spec = json!({"parallelism": parallelism, "completions": completions});
            in_question(vec![job], json!({ "spec": spec }), 60).len()
        };
        assert_eq!(with(active(2, Some(2)), 3, None), 1);
        assert_eq!(with(active(2, Some(2)), 3, Some(2)), 0);
        assert_eq!(with(active(3, Some(3)), 3, Some(9)), 0);
        let ending = Job {
            succeeded: 1,
            ..active(2, Some(2))
        };
        assert_eq!(with(ending, 3, Some(3)), 0);
    }
}
