//! Who changed the schedule since the creation, when, and what it was before.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::suspension::by_manager;
use super::{Facts, Input, action_time, one_line};
use cronjob_controller::forecast::SyncReason;
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use kube_model::ManagedField;

/// A change is worth knowing for this long, in seconds: over a weekend.
const RECENT: i64 = 3 * 86_400;

/// The last change of the schedule or its time zone, according to `metadata.managedFields`.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleEdit {
    /// The field manager that set it: a program such as `kubectl-edit`, not a person.
    pub field_manager: String,
    /// When that field manager last changed the object. It set the schedule then or earlier.
    pub no_later_than: Timestamp,
    /// Whether it is certain that the schedule or its time zone was changed. If not, that field manager may
    /// have changed only other fields.
    pub is_certain: bool,
    /// The schedule at the last `kubectl apply`; null if it or its time zone is not known to have been another.
    pub applied_schedule: Option<String>,
    /// The time zone at the last `kubectl apply`.
    pub applied_time_zone: Option<String>,
}

impl ScheduleEdit {
    /// A change since the creation that matters now: one of the last three days, or since the last run. If it
    /// is not certain that the schedule was changed, both must be true.
    pub(crate) fn of(input: &Input<'_>) -> Option<Self> {
        let cron_job = &*input.cron_job;
        let creation = cron_job.known_creation()?;
        if cron_job.is_unchanged() {
            return None;
        }
        let before = cron_job.last_applied.as_deref();
        // A client that updates owns what it changed, or what it created: then the template, too.
        let is_change = |owner: &ManagedField| {
            before.is_some() || owner.operation == "Update" && !owner.sets("jobTemplate")
        };
        // kubectl create changes nothing that exists.
        let later = |owner: &&ManagedField| {
            owner.manager != "kubectl-create" && owner.time.is_some_and(|time| time > creation)
        };
        let owners = cron_job.schedule_owners().filter(later);
        let owner = owners.max_by_key(|owner| (is_change(owner), owner.time))?;
        let (at, is_certain) = (owner.time?, is_change(owner));
        let is_recent = input.ago(at) <= RECENT;
        let last_run = cron_job.status.last_schedule_time;
        let has_run = last_run.is_some_and(|last_run| last_run >= at);
        let matters = match (is_recent, is_certain) {
            (true, true) => true,
            (true, false) => !has_run,
            (false, true) => !has_run && !input.is_suspended(),
            (false, false) => false,
        };
        matters.then(|| ScheduleEdit {
            field_manager: owner.manager.clone(),
            no_later_than: at,
            is_certain,
            applied_schedule: before.map(|before| before.schedule.clone()),
            applied_time_zone: before.and_then(|before| before.time_zone.clone()),
        })
    }

    /// In a sentence; `None` if the verdict says so already.
    pub fn sentence(&self, facts: &Facts<'_>) -> Option<Text> {
        let next = facts.outlook().next_start();
        let because = next.and_then(|sync| sync.because.as_ref());
        if matches!(because, Some(SyncReason::Edited(_))) {
            return None;
        }
        let manager = one_line(&self.field_manager);
        let at = self.no_later_than;
        let at = text!(
            "{} ({} ago)",
            action_time(&facts.input, at),
            human(facts.input.ago(at))
        );
        if !self.is_certain {
            return Some(text!(
                "Field manager {} last changed this CronJob at {} and may have changed the schedule.",
                manager,
                at
            ));
        }
        let was = self.applied_schedule.as_ref().map(|schedule| {
            let zone = match &self.applied_time_zone {
                same if *same == facts.input.cron_job.spec.time_zone => Text::default(),
                Some(zone) => text!(" in {}", one_line(zone)),
                None => " without a time zone".into(),
            };
            text!(
                " (was {}{} at the last kubectl apply)",
                one_line(schedule),
                zone
            )
        });
        Some(text!(
            "The schedule was changed {} at {} or earlier{}.",
            by_manager(&self.field_manager),
            at,
            was.unwrap_or_default()
        ))
    }
}
