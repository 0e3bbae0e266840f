//! Checks the rights that a change needs before anything is sent, so that no change is left half done.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

use crate::cluster::{Resource, Right, Session};
use crate::model::CronJob;

/// A right to an object or its subresource that a change needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequiredRight<'a> {
    pub(crate) verb: &'static str,
    pub(crate) resource: &'a Resource,
    pub(crate) subresource: Option<&'static str>,
    /// Whether a Role can grant it for single objects; not so for `create`.
    pub(crate) per_object: bool,
}

impl<'a> RequiredRight<'a> {
    /// To patch CronJobs, or a subresource of them.
    pub(crate) fn patch(resource: &'a Resource, subresource: Option<&'static str>) -> Self {
        RequiredRight {
            verb: "patch",
            resource,
            subresource,
            per_object: true,
        }
    }

    /// To all objects of a resource in a namespace.
    pub(crate) fn in_namespace(
        verb: &'static str,
        resource: &'a Resource,
        subresource: Option<&'static str>,
    ) -> Self {
        RequiredRight {
            verb,
            resource,
            subresource,
            per_object: false,
        }
    }
}

/// Fails if the user lacks a right to any of the CronJobs.
pub(crate) fn require_right<'c>(
    session: &Session,
    right: RequiredRight<'_>,
    cron_jobs: impl Iterator<Item = &'c CronJob>,
) -> anyhow::Result<()> {
    let missing = missing_rights(session, right, cron_jobs)?;
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

/// Whether the user has a right to all of the CronJobs.
pub(crate) fn has_right<'c>(
    session: &Session,
    right: RequiredRight<'_>,
    cron_jobs: impl Iterator<Item = &'c CronJob>,
) -> anyhow::Result<bool> {
    Ok(missing_rights(session, right, cron_jobs)?.is_empty())
}

/// The rights that are missing, in words. Asks about all namespaces first where there are several,
/// and about single objects only where the right to their namespace is missing.
fn missing_rights<'c>(
    session: &Session,
    right: RequiredRight<'_>,
    cron_jobs: impl Iterator<Item = &'c CronJob>,
) -> anyhow::Result<Vec<String>> {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for cron_job in cron_jobs {
        let namespace = names.entry(&cron_job.namespace).or_default();
        namespace.insert(&cron_job.name);
    }
    let mut refused = Vec::new();
    if names.len() > 1 && missing_right(session, right, None, None)?.is_none() {
        return Ok(refused);
    }
    for (namespace, names) in names {
        let Some(sentence) = missing_right(session, right, Some(namespace), None)? else {
            continue;
        };
        if !right.per_object {
            refused.push(sentence);
            continue;
        }
        let mut allowed = 0;
        for name in &names {
            match missing_right(session, right, Some(namespace), Some(name))? {
                None => allowed += 1,
                Some(sentence) => refused.push(sentence),
            }
        }
        if allowed == 0 {
            refused.truncate(refused.len() - names.len());
            refused.push(sentence);
        }
    }
    Ok(refused)
}

/// `None` if it is allowed, else the missing right in words.
fn missing_right(
    session: &Session,
    required: RequiredRight<'_>,
    namespace: Option<&str>,
    name: Option<&str>,
) -> anyhow::Result<Option<String>> {
    let right = Right {
        verb: required.verb,
        resource: required.resource,
        subresource: required.subresource,
        namespace,
        name,
    };
    match session.may(&right) {
        Ok(review) if review.allowed => Ok(None),
        Ok(_) => Ok(Some(right.sentence())),
        // Without a review the change itself will be refused.
        Err(error) if error.is_forbidden() || error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
