//! Jobs that were created from a `CronJob` and do not belong to it.
//!
//! The controller counts a Job if an owner reference with `controller: true` names the `CronJob`. Argo CD's
//! action "Create Job" and kubectl write a reference, but not all of their versions set `controller`. Older
//! versions of the Kubernetes Dashboard, Lens and others write no reference: their Jobs have kubectl's
//! annotation, and are named `CRONJOB-manual-x1z`. A Job without reference and annotation may be anything.

use crate::model::{CronJob, Job, MANUAL_ANNOTATION};

/// The `CronJob` that a Job without owners was created from, by its annotation and its name. `exists` says
/// which names `CronJob`s of its namespace have.
pub(crate) fn manual_origin(job: &Job, exists: impl Fn(&str) -> bool) -> Option<&str> {
    if !is_ownerless(job) {
        return None;
    }
    let origin = manual_name_giver(&job.name)?;
    // It may as well be called after a CronJob with the longer name.
    let longer = job.name.rsplit_once('-').map(|(longer, _)| longer);
    let is_ambiguous = longer.is_some_and(|longer| longer != origin && exists(longer));
    (!is_ambiguous && exists(origin)).then_some(origin)
}

/// Whether a Job was created from a `CronJob` that does not control it.
pub(super) fn is_unowned(cron_job: &CronJob, job: &Job) -> bool {
    let refers = || {
        job.owner_references.iter().any(|owner| {
            let is_same = cron_job.uid.is_empty() || owner.uid == cron_job.uid;
            owner.kind == "CronJob" && owner.name == cron_job.name && is_same
        })
    };
    let mut owners = job.owner_references.iter();
    let is_controlled = owners.any(|owner| owner.controller == Some(true));
    let is_made_from =
        || is_ownerless(job) && manual_name_giver(&job.name) == Some(cron_job.name.as_str());
    job.namespace == cron_job.namespace && !is_controlled && (refers() || is_made_from())
}

fn is_ownerless(job: &Job) -> bool {
    let manual = job.annotations.get(MANUAL_ANNOTATION);
    job.owner_references.is_empty() && manual.is_some_and(|value| value == "manual")
}

/// The `CronJob` whose name is in that of a manually created Job: `a-manual`, `a-manual-x1z`.
fn manual_name_giver(job: &str) -> Option<&str> {
    const SUFFIX: &str = "-manual";
    let giver = job.strip_suffix(SUFFIX).or_else(|| {
        let (rest, _) = job.rsplit_once('-')?;
        rest.strip_suffix(SUFFIX)
    });
    giver.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::OwnerReference;
    use crate::model::testing::{self, cron_job};

    fn job(name: &str, annotated: bool) -> Job {
        let annotation = annotated.then_some((MANUAL_ANNOTATION, "manual"));
        Job {
            annotations: annotation.into_iter().collect(),
            owner_references: Vec::new(),
            ..testing::job(name, "")
        }
    }

    fn origin<'j>(job: &'j Job, cron_jobs: &[&str]) -> Option<&'j str> {
        manual_origin(job, |name| cron_jobs.contains(&name))
    }

    #[test]
    fn annotation_and_name_tell_the_origin() {
        let known = ["backup", "backup-db"];
        for (name, expected) in [
            ("backup-manual-x1z", Some("backup")),
            ("backup-manual", Some("backup")),
            ("backup-db-manual-x1z", Some("backup-db")),
            ("backup-db-123", None),
            ("backup-x1z", None),
            ("backup-manual-x1z-2", None),
            ("other-manual-x1z", None),
            ("-manual", None),
            ("manual", None),
        ] {
            assert_eq!(origin(&job(name, true), &known), expected, "{name}");
            assert_eq!(origin(&job(name, false), &known), None, "{name}");
        }
        // Its CronJob was deleted.
        let left = job("backup-db-manual-x1z", true);
        assert_eq!(origin(&left, &["backup"]), None);
    }

    #[test]
    fn name_that_two_cron_jobs_may_have_given_tells_nothing() {
        let job = job("backup-manual-x1z", true);
        assert_eq!(origin(&job, &["backup", "backup-manual"]), None);
        assert_eq!(origin(&job, &["backup-manual"]), None);
    }

    #[test]
    fn job_of_another_owner_is_not_meant() {
        let mut owned = job("backup-manual-x1z", true);
        let owner = |kind: &str, controller| OwnerReference {
            controller,
            ..testing::owner(kind, "backup")
        };
        let cron_job = cron_job("backup");
        assert!(is_unowned(&cron_job, &owned));
        owned.owner_references = vec![owner("Workflow", Some(true))];
        assert_eq!(origin(&owned, &["backup"]), None);
        assert!(!is_unowned(&cron_job, &owned));
        owned.owner_references = vec![owner("CronJob", None)];
        assert!(is_unowned(&cron_job, &owned));
        owned.owner_references.push(owner("Workflow", Some(true)));
        assert!(!is_unowned(&cron_job, &owned));
        owned.owner_references = vec![owner("CronJob", Some(true))];
        assert!(!is_unowned(&cron_job, &owned));
    }
}
