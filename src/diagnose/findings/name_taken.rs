//! Another Job has the name that the controller would give.

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::controller::{NameTaken, Outcome};

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let decision = &facts.decision;
    if decision.outcome != Outcome::NameTaken {
        return None;
    }
    let (slot, name) = (decision.scheduled_time?, decision.job_name.as_deref()?);
    let job = facts.job_named(name)?;
    let ours = facts
        .runs
        .iter()
        .any(|run| run.controlled && run.job.name == name);
    // It may mean to take a Job of its own for the one that it meant to create, but the API server
    // does not let it look that Job up.
    let looks_up_in_vain = facts.behaviour().name_taken == NameTaken::MeansToAdopt;
    if ours && decision.error.is_none() && !looks_up_in_vain {
        return None;
    }
    let owner = job
        .owner_references
        .iter()
        .find(|owner| owner.controller == Some(true));
    let whose = match owner {
        _ if ours => "belongs to this CronJob".to_owned(),
        Some(owner) => format!(
            "belongs to {} {}",
            one_line(&owner.kind),
            one_line(&owner.name)
        ),
        None => "belongs to nothing".to_owned(),
    };
    let since = job
        .creation_timestamp
        .map_or_else(String::new, |at| format!(", since {at}"));
    let tries = if looks_up_in_vain {
        " It looks that Job up without naming the namespace, which the API server refuses, and tries \
         again, later and later."
    } else if decision.error.is_some() {
        " It tries again, later and later."
    } else {
        ""
    };
    let detail = format!(
        "The run of {slot} would be {name}. There is a Job of that name already{since}; it {whose}. \
         The controller does not start the run.{tries}",
        name = one_line(name)
    );
    let look = facts.kubectl("get job").name(&job.name).with("-o yaml");
    Some(Found::new(detail).remedy(look))
}
