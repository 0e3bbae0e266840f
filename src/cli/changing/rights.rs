//! What one may do is asked before anything is begun, so that nothing is half done.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

use crate::cluster::{Resource, Right, Session};
use crate::model::CronJob;

/// What is going to be done to an object or its subresource.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Deed<'a> {
    pub(in crate::cli) verb: &'static str,
    pub(in crate::cli) resource: &'a Resource,
    pub(in crate::cli) subresource: Option<&'static str>,
    /// Whether the right can be given for single objects: that of making some cannot.
    pub(in crate::cli) to_named: bool,
}

impl<'a> Deed<'a> {
    /// A change of CronJobs, or of a subresource of theirs.
    pub(in crate::cli) fn patch(resource: &'a Resource, subresource: Option<&'static str>) -> Self {
        Deed {
            verb: "patch",
            resource,
            subresource,
            to_named: true,
        }
    }
}

/// A deed to all objects of a resource that may come to be, such as to make some.
pub(in crate::cli) fn deed_in_namespace<'a>(
    verb: &'static str,
    resource: &'a Resource,
    subresource: Option<&'static str>,
) -> Deed<'a> {
    Deed {
        verb,
        resource,
        subresource,
        to_named: false,
    }
}

/// A change of the status of CronJobs.
pub(in crate::cli) fn deed_on_status(resource: &Resource) -> Deed<'_> {
    Deed::patch(resource, Some("status"))
}

/// Refuses if something may not be done to all of the CronJobs.
pub(in crate::cli) fn ensure<'c>(
    session: &Session,
    deed: Deed<'_>,
    cron_jobs: impl Iterator<Item = &'c CronJob>,
) -> anyhow::Result<()> {
    let refused = refused(session, deed, cron_jobs)?;
    let Some(first) = refused.first() else {
        return Ok(());
    };
    let more = match refused.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    bail!("you may not {first}{more}: nothing was changed")
}

/// Whether something may be done to all of the CronJobs.
pub(in crate::cli) fn may<'c>(
    session: &Session,
    deed: Deed<'_>,
    cron_jobs: impl Iterator<Item = &'c CronJob>,
) -> anyhow::Result<bool> {
    Ok(refused(session, deed, cron_jobs)?.is_empty())
}

/// What may not be done, in words. It is asked about all namespaces first where there are several,
/// and about single objects only where their namespace is refused.
fn refused<'c>(
    session: &Session,
    deed: Deed<'_>,
    cron_jobs: impl Iterator<Item = &'c CronJob>,
) -> anyhow::Result<Vec<String>> {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for cron_job in cron_jobs {
        let namespace = names.entry(&cron_job.namespace).or_default();
        namespace.insert(&cron_job.name);
    }
    let mut refused = Vec::new();
    if names.len() > 1 && is_allowed(session, deed, None, None)?.is_none() {
        return Ok(refused);
    }
    for (namespace, names) in names {
        let Some(sentence) = is_allowed(session, deed, Some(namespace), None)? else {
            continue;
        };
        if !deed.to_named {
            refused.push(sentence);
            continue;
        }
        let mut allowed = 0;
        for name in &names {
            match is_allowed(session, deed, Some(namespace), Some(name))? {
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

/// Nothing, if it may be done; else what may not be, in words.
fn is_allowed(
    session: &Session,
    deed: Deed<'_>,
    namespace: Option<&str>,
    name: Option<&str>,
) -> anyhow::Result<Option<String>> {
    let right = Right {
        verb: deed.verb,
        resource: deed.resource,
        subresource: deed.subresource,
        namespace,
        name,
    };
    match session.may(&right) {
        Ok(review) if review.allowed => Ok(None),
        Ok(_) => Ok(Some(right.sentence())),
        // Where nobody says, the change itself will tell.
        Err(error) if error.is_forbidden() || error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
