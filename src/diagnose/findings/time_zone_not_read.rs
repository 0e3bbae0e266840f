//! spec.timeZone is set, and the release ignores it.

use super::super::commands::one_line;
use super::super::{Facts, Found};
use crate::controller::Model;

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
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
