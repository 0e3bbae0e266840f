//! Checks the rights that a change needs before anything is sent, so that no change is left half done.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

use super::ChangeRun;
use kube_access::Right;
use kube_model::CronJob;
use kube_objects::query::Resource;

impl ChangeRun<'_> {
    /// Fails if the user lacks a right to any of the CronJobs.
    pub(crate) fn require<'c>(
        &self,
        cron_jobs: impl IntoIterator<Item = &'c CronJob>,
        right: Right<'_>,
    ) -> anyhow::Result<()> {
        let missing = self.missing_rights(cron_jobs, right)?;
        let Some(first) = missing.first() else {
            return Ok(());
        };
        let more = match missing.len() - 1 {
            0 => String::new(),
            1 => ", and 1 more permission is missing".to_owned(),
            more => format!(", and {more} more permissions are missing"),
        };
        bail!("cannot {first} (forbidden){more}; nothing was changed")
    }

    /// Fails if the user lacks one of some rights to the Jobs of the CronJobs.
    pub(crate) fn require_jobs<'c>(
        &self,
        cron_jobs: &(impl IntoIterator<Item = &'c CronJob> + Clone),
        verbs: &[&'static str],
    ) -> anyhow::Result<()> {
        let jobs = Resource::jobs();
        let mut rights = verbs.iter().map(|verb| Right::to(verb, &jobs));
        rights.try_for_each(|right| self.require(cron_jobs.clone(), right))
    }

    /// Whether the user has a right to all of the CronJobs.
    pub(crate) fn has_right<'c>(
        &self,
        cron_jobs: impl IntoIterator<Item = &'c CronJob>,
        right: Right<'_>,
    ) -> anyhow::Result<bool> {
        Ok(self.missing_rights(cron_jobs, right)?.is_empty())
    }

    /// The rights that are missing, in words. Asks about all namespaces first where there are several, and about
    /// single objects only where the right to their namespace is missing.
    fn missing_rights<'c>(
        &self,
        cron_jobs: impl IntoIterator<Item = &'c CronJob>,
        right: Right<'_>,
    ) -> anyhow::Result<Vec<String>> {
        let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for cron_job in cron_jobs {
            let namespace = names.entry(&cron_job.namespace).or_default();
            namespace.insert(&cron_job.name);
        }
        let mut refused = Vec::new();
        if names.len() > 1 && self.missing_right(right)?.is_none() {
            return Ok(refused);
        }
        // CronJobs are patched; of other objects the names are not known.
        let per_object = right.verb == "patch";
        for (namespace, names) in names {
            let right = Right {
                namespace: Some(namespace),
                ..right
            };
            let Some(sentence) = self.missing_right(right)? else {
                continue;
            };
            let mut refused_names = Vec::new();
            for name in names.iter().copied().filter(|_| per_object) {
                let name = Some(name);
                refused_names.extend(self.missing_right(Right { name, ..right })?);
            }
            if per_object && refused_names.len() < names.len() {
                refused.append(&mut refused_names);
            } else {
                refused.push(sentence);
            }
        }
        Ok(refused)
    }

    /// `None` if it is allowed, else the missing right in words.
    fn missing_right(&self, right: Right<'_>) -> anyhow::Result<Option<String>> {
        match self.live.session.may(&right) {
            Ok(review) if review.allowed => Ok(None),
            Ok(_) => Ok(Some(right.sentence())),
            // Without a review the change itself will be refused.
            Err(error) if error.is_forbidden() || error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
