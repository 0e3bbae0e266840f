//! Which `CronJob` a Job was created from, and Jobs that do not belong to theirs.
//!
//! The controller counts a Job if an owner reference with `controller: true` names the `CronJob`. Argo CD's
//! action "Create Job" and kubectl write a reference, but not all of their versions set `controller`. Older
//! versions of the Kubernetes Dashboard, Lens and others write no reference: their Jobs have kubectl's
//! annotation, and are named `CRONJOB-manual-x1z`. A Job without reference and annotation may be anything.

use super::cronjob::CronJob;
use super::job::{Job, MANUAL_ANNOTATION};
use super::run::{reference_to, time_in_name};

/// The names of the `CronJob`s that a Job is about: its owners, and those that would give it its name. Of what controls
/// it, most releases compare the name and not the kind.
pub fn cron_jobs_of(job: &Job) -> impl Iterator<Item = &str> {
    let owners = job.owner_references.iter();
    let owners = owners.filter(|owner| owner.kind == "CronJob" || owner.controller == Some(true));
    owners
        .map(|owner| owner.name.as_str())
        .chain(name_giver(&job.name))
}

/// The `CronJob` that would give a Job this name.
fn name_giver(job: &str) -> Option<&str> {
    let (giver, _) = job.rsplit_once('-')?;
    time_in_name(giver, job).map(|_| giver)
}

/// The `CronJob` that a Job without owners was created from, by its annotation and its name. `exists` says
/// which names `CronJob`s of its namespace have.
pub fn manual_origin(job: &Job, exists: impl Fn(&str) -> bool) -> Option<&str> {
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
pub fn is_unowned(cron_job: &CronJob, job: &Job) -> bool {
    let is_made_from =
        || is_ownerless(job) && manual_name_giver(&job.name) == Some(cron_job.name.as_str());
    job.namespace == cron_job.namespace
        && job.controller().is_none()
        && (reference_to(cron_job, job).is_some() || is_made_from())
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
    use std::sync::Arc;

    use super::*;
    use crate::OwnerReference;
    use crate::testing::{self, cron_job};

    fn job(name: &str, annotated: bool) -> Job {
        let annotation = annotated.then_some((MANUAL_ANNOTATION, "manual"));
        Job {
            annotations: annotation.into_iter().collect(),
            owner_references: Arc::default(),
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
    fn name_that_two_cron_jobs_may_have_given_identifies_neither() {
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
        owned.owner_references = Arc::new(vec![owner("Workflow", Some(true))]);
        assert_eq!(origin(&owned, &["backup"]), None);
        assert!(!is_unowned(&cron_job, &owned));
        owned.owner_references = Arc::new(vec![owner("CronJob", None)]);
        assert!(is_unowned(&cron_job, &owned));
        Arc::make_mut(&mut owned.owner_references).push(owner("Workflow", Some(true)));
        assert!(!is_unowned(&cron_job, &owned));
        owned.owner_references = Arc::new(vec![owner("CronJob", Some(true))]);
        assert!(!is_unowned(&cron_job, &owned));
    }
}
