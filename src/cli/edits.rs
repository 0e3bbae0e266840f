//! `--what-if FIELD=VALUE` and `--compare RELEASES`: the same question under other conditions.

use anyhow::{Context as _, bail};

use crate::controller::{Controller, Release};
use crate::model::{ConcurrencyPolicy, CronJob};

/// The fields that can be changed.
const FIELDS: [&str; 7] = [
    "schedule",
    "timeZone",
    "startingDeadlineSeconds",
    "concurrencyPolicy",
    "suspend",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
];

/// The same controller in other releases.
pub(super) fn controllers<'a>(
    releases: &[Release],
    controller: &Controller<'a>,
) -> Vec<Controller<'a>> {
    releases
        .iter()
        .map(|release| Controller {
            release: *release,
            ..controller.clone()
        })
        .collect()
}

/// The CronJob with some fields changed; the value `null` takes a field away.
pub(super) fn apply(cron_job: &CronJob, changes: &[String]) -> anyhow::Result<CronJob> {
    let mut changed = cron_job.clone();
    for change in changes {
        apply_one(&mut changed, change).with_context(|| format!("--what-if {change}"))?;
    }
    Ok(changed)
}

fn apply_one(cron_job: &mut CronJob, change: &str) -> anyhow::Result<()> {
    let Some((field, value)) = change.split_once('=') else {
        bail!("expected FIELD=VALUE, such as suspend=false");
    };
    let value = (value != "null").then_some(value);
    let spec = &mut cron_job.spec;
    match field.strip_prefix("spec.").unwrap_or(field) {
        "schedule" => spec.schedule = value.unwrap_or_default().to_owned(),
        "timeZone" => spec.time_zone = value.map(str::to_owned),
        "startingDeadlineSeconds" => spec.starting_deadline_seconds = number(value)?,
        "concurrencyPolicy" => spec.concurrency_policy = policy(value)?,
        "suspend" => spec.suspend = boolean(value)?,
        "successfulJobsHistoryLimit" => spec.successful_jobs_history_limit = number(value)?,
        "failedJobsHistoryLimit" => spec.failed_jobs_history_limit = number(value)?,
        _ => bail!(
            "{field:?} cannot be changed; these can: {}",
            FIELDS.join(", ")
        ),
    }
    Ok(())
}

fn number<T: std::str::FromStr>(value: Option<&str>) -> anyhow::Result<Option<T>> {
    value
        .map(|value| {
            value
                .parse()
                .map_err(|_| anyhow::anyhow!("expected a whole number, found {value:?}"))
        })
        .transpose()
}

fn boolean(value: Option<&str>) -> anyhow::Result<Option<bool>> {
    value
        .map(|value| match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => bail!("expected true or false, found {value:?}"),
        })
        .transpose()
}

fn policy(value: Option<&str>) -> anyhow::Result<ConcurrencyPolicy> {
    match ConcurrencyPolicy::from(value.unwrap_or("Allow")) {
        ConcurrencyPolicy::Other(word) => {
            bail!("expected Allow, Forbid or Replace, found {word:?}")
        }
        known => Ok(known),
    }
}
