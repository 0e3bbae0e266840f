//! spec.timeZone is set, and the release ignores it.

use super::super::commands::one_line;
use super::super::{Facts, Found, Rule, Severity};
use crate::controller::Model;

pub(super) const RULE: Rule = Rule {
    code: "time-zone-not-read",
    severity: Severity::Warning,
    title: "this release does not read the time zone",
    reason: "spec.timeZone came with Kubernetes 1.24 and is read by default since 1.25. \
             Older releases run the schedule on the controller manager's own clock, which \
             is mostly UTC.",
    field: Some("spec.timeZone"),
    check,
};

fn check(facts: &Facts<'_>) -> Option<Found> {
    let zone = facts.cron_job.spec.time_zone.as_ref()?;
    let controller = facts.controller;
    if controller.model.reads_time_zone(controller.release) {
        return None;
    }
    let who = match controller.model {
        Model::Kubernetes => format!("Kubernetes {}", controller.release),
        Model::Kubebuilder => "this controller".to_owned(),
    };
    Some(Found::new(format!(
        "spec.timeZone is {}, but {who} does not read it: runs follow the clock of the \
         controller manager, taken to be {}.",
        one_line(zone),
        controller.local.name()
    )))
}
