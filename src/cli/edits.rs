//! `--what-if FIELD=VALUE` and `--compare RELEASES`: the same question with other fields or versions.

use anyhow::{Context as _, bail};

use cronjob_controller::controller::{Controller, Release};
use cronjob_text::spelling::nearest;
use kube_model::{ConcurrencyPolicy, CronJob, SpecChange};

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

/// Arguments of `--what-if` to choose from; a field of which the value is open ends with `=`.
pub(super) fn examples(begun: &str) -> Vec<String> {
    let of_field = |field: &&str| -> Vec<String> {
        let values: &[&str] = match *field {
            "concurrencyPolicy" => &["Allow", "Forbid", "Replace"],
            "suspend" => &["true", "false"],
            "timeZone" | "startingDeadlineSeconds" => &["null"],
            _ => &[],
        };
        values
            .iter()
            .map(|value| format!("{field}={value}"))
            .collect()
    };
    match begun.split_once('=') {
        Some((field, _)) => FIELDS
            .iter()
            .filter(|known| **known == field)
            .flat_map(of_field)
            .collect(),
        None => FIELDS.iter().map(|field| format!("{field}=")).collect(),
    }
}

pub(super) fn controllers(releases: &[Release], controller: &Controller) -> Vec<Controller> {
    releases
        .iter()
        .map(|release| Controller {
            release: *release,
            ..controller.clone()
        })
        .collect()
}

/// The CronJob with some fields changed; the value `null` unsets a field.
pub(super) fn apply(cron_job: &CronJob, changes: &[String]) -> anyhow::Result<CronJob> {
    let mut changed = cron_job.clone();
    for change in changes {
        let parsed = parse(change).with_context(|| format!("--what-if {change}"))?;
        parsed.apply(&mut changed.spec);
    }
    Ok(changed)
}

/// Rejects changes that cannot be made, before any request is sent.
pub(super) fn check(changes: &[String]) -> anyhow::Result<()> {
    apply(&CronJob::default(), changes).map(drop)
}

/// Reads `FIELD=VALUE`.
pub(super) fn parse(change: &str) -> anyhow::Result<SpecChange> {
    let Some((field, value)) = change.split_once('=') else {
        bail!("must be FIELD=VALUE, such as suspend=false");
    };
    let value = (value != "null").then_some(value);
    Ok(match field.strip_prefix("spec.").unwrap_or(field) {
        "schedule" => SpecChange::Schedule(value.unwrap_or_default().to_owned()),
        "timeZone" => SpecChange::TimeZone(value.map(str::to_owned)),
        "startingDeadlineSeconds" => SpecChange::StartingDeadlineSeconds(number(value)?),
        "concurrencyPolicy" => SpecChange::ConcurrencyPolicy(policy(value)?),
        "suspend" => SpecChange::Suspend(boolean(value)?),
        "successfulJobsHistoryLimit" => SpecChange::SuccessfulJobsHistoryLimit(number(value)?),
        "failedJobsHistoryLimit" => SpecChange::FailedJobsHistoryLimit(number(value)?),
        unknown => match nearest(unknown, FIELDS) {
            Some(meant) => bail!("unknown field {field:?}; did you mean {meant}?"),
            None => bail!(
                "unknown field {field:?}: must be one of {}",
                FIELDS.join(", ")
            ),
        },
    })
}

fn number<T: std::str::FromStr>(value: Option<&str>) -> anyhow::Result<Option<T>> {
    value
        .map(|value| {
            value
                .parse()
                .map_err(|_| anyhow::anyhow!("{value:?} is not a whole number"))
        })
        .transpose()
}

fn boolean(value: Option<&str>) -> anyhow::Result<Option<bool>> {
    value
        .map(|value| match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => bail!("{value:?} is not a valid value: must be true or false"),
        })
        .transpose()
}

fn policy(value: Option<&str>) -> anyhow::Result<ConcurrencyPolicy> {
    match ConcurrencyPolicy::from(value.unwrap_or("Allow")) {
        ConcurrencyPolicy::Other(word) => {
            bail!("{word:?} is not a valid value: must be Allow, Forbid or Replace")
        }
        known => Ok(known),
    }
}
