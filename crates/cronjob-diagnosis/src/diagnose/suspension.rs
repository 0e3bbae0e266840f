//! Who suspended a `CronJob`, why, and until when.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Facts, Input, action_time, one_line, utc_or};
use cronjob_text::duration::whole_second;
use cronjob_text::text::Text;
use kube_cron::Zone;
use kube_model::{
    CronJob, FIELD_MANAGER, LAST_SUSPENSION, ManagedField, ManualChange, SKIPPED_RUNS,
    SUSPEND_REASON, SUSPENDED_AT, SUSPENDED_BY, SUSPENDED_UNTIL, SUSPENSION_ANNOTATIONS,
    SyncEffect, Tool,
};

/// What is known about the suspension of a `CronJob`: who, when, why and until when.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuspensionRecord {
    /// The user who suspended it, from the annotation `cronjob-doctor/suspended-by`.
    pub user: Option<String>,
    /// When it was suspended, from the annotation `cronjob-doctor/suspended-at`.
    pub at: Option<Timestamp>,
    /// Why, from the annotation `cronjob-doctor/suspend-reason`.
    pub reason: Option<String>,
    /// The planned end, from the annotation `cronjob-doctor/suspended-until`. Nothing resumes the `CronJob`
    /// automatically.
    pub until: Option<Timestamp>,
    /// The field manager that set `spec.suspend`: a program such as `kubectl-edit`, not a person.
    pub field_manager: Option<String>,
    /// When that field manager last changed the object. It set `spec.suspend` then or earlier.
    pub no_later_than: Option<Timestamp>,
    /// Whether it has been suspended since its creation.
    pub since_creation: bool,
}

impl SuspensionRecord {
    /// What is recorded; `None` if the `CronJob` is not suspended.
    pub fn of(cron_job: &CronJob) -> Option<Self> {
        if cron_job.spec.suspend != Some(true) {
            return None;
        }
        let owner = suspend_owner(cron_job);
        let written_at = owner.and_then(|owner| owner.time);
        let is_by_owner = is_recorded_by_owner(cron_job, owner);
        let is_current = is_by_owner || is_annotated_later(cron_job, owner);
        let text = |name, counts: bool| {
            let text = cron_job.annotations.get(name).filter(|_| counts)?;
            Some(one_line(text)).filter(|text| !text.is_empty())
        };
        let time = |name, counts| text(name, counts)?.parse::<Timestamp>().ok();
        let at = time(SUSPENDED_AT, is_by_owner);
        // Who wrote it after the planned end did not mean that end. If the time is recorded, it is known that
        // the end belongs to this suspension.
        let is_meant = |until: &Timestamp| {
            at.is_some() || written_at.is_none_or(|written_at| written_at <= *until)
        };
        let creation = cron_job.known_creation();
        let written = written_at.zip(creation);
        let before_creation = written.is_some_and(|(written, creation)| written <= creation);
        // A restored object may have the status of an earlier one.
        let has_run = cron_job.status.last_schedule_time.is_some();
        let is_unchanged = cron_job.is_unchanged() || before_creation;
        Some(SuspensionRecord {
            user: text(SUSPENDED_BY, is_by_owner),
            at,
            reason: text(SUSPEND_REASON, is_current),
            until: time(SUSPENDED_UNTIL, is_current).filter(is_meant),
            field_manager: owner.map(|owner| owner.manager.clone()),
            no_later_than: written_at,
            since_creation: (is_unchanged || is_created_so(owner))
                && !has_run
                && creation.is_some(),
        })
    }

    /// Since when it has been suspended at the latest.
    pub(super) fn since(&self, input: &Input<'_>) -> Option<Timestamp> {
        let creation = input.cron_job.known_creation();
        let creation = creation.filter(|_| self.since_creation);
        self.at.or(creation).or(self.no_later_than)
    }

    /// `It was suspended by jane at Sat 2026-11-21 02:00 UTC.`
    pub(crate) fn sentence(&self, input: &Input<'_>) -> Option<Text> {
        let by_whom = self.by_whom(&input.cron_job, input.controller.display.as_deref())?;
        let is_since = self.user.is_none() && self.at.is_none() && self.since_creation;
        let was = if is_since { "has been" } else { "was" };
        Some(text!("It {} suspended {}.", was, by_whom))
    }

    /// `Was suspended by jane at Sat 2026-11-21 02:00 UTC (maintenance; until Sat 2026-11-21 04:00 UTC).`; `None` if
    /// it records neither the user, nor a reason, nor an end.
    pub(crate) fn past(&self, facts: &Facts<'_>) -> Option<Text> {
        let by_whom = self.user.as_ref().and_then(|_| {
            let by_whom = self.by_whom(
                &facts.input.cron_job,
                facts.input.controller.display.as_deref(),
            )?;
            Some(text!(" {}", by_whom))
        });
        let until = self.until;
        let until = until.map(|until| text!("until {}", action_time(&facts.input, until)));
        let reason = self.reason.clone().map(Text::from);
        let notes: Vec<Text> = reason.into_iter().chain(until).collect();
        if by_whom.is_none() && notes.is_empty() {
            return None;
        }
        let notes = match notes.as_slice() {
            [] => Text::default(),
            notes => text!(" ({})", Text::join(notes, "; ")),
        };
        Some(text!(
            "Was suspended{}{}.",
            by_whom.unwrap_or_default(),
            notes
        ))
    }

    /// `by jane at Sat 2026-11-21 02:00 UTC`; `None` if nothing is known about that.
    pub(crate) fn by_whom(&self, cron_job: &CronJob, display: Option<&Zone>) -> Option<Text> {
        let shown = |at| utc_or(display, at);
        let at = self.at.map(|at| text!("at {}", shown(at)));
        if self.user.is_some() || at.is_some() {
            let user = self.user.as_ref().map(|user| text!("by {}", user));
            return Some(Text::join(user.into_iter().chain(at), " "));
        }
        if self.since_creation {
            let creation = shown(cron_job.known_creation()?);
            return Some(text!("since its creation at {}", creation));
        }
        let by = by_manager(self.field_manager.as_ref()?);
        Some(match self.no_later_than {
            Some(at) => text!("{} at {} (or earlier)", by, shown(at)),
            None => by.into(),
        })
    }
}

/// The runs that the last `resume` skipped, and the suspension that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedRuns {
    /// The scheduled time of the first.
    pub(crate) first: Timestamp,
    /// The scheduled time of the last.
    pub(crate) last: Timestamp,
    /// When the suspension began, if that is known.
    pub(crate) suspended_at: Option<Timestamp>,
    pub(crate) resumed_at: Timestamp,
}

impl SkippedRuns {
    pub(crate) fn of(cron_job: &CronJob) -> Option<Self> {
        let interval = |name| cron_job.annotations.get(name)?.split_once('/');
        let (first, last) = interval(SKIPPED_RUNS)?;
        let (suspended_at, resumed_at) = interval(LAST_SUSPENSION)?;
        Some(SkippedRuns {
            first: first.parse().ok()?,
            last: last.parse().ok()?,
            suspended_at: suspended_at.parse().ok(),
            resumed_at: resumed_at.parse().ok()?,
        })
    }

    /// The annotations, with time intervals as in ISO 8601.
    pub(crate) fn annotations(&self) -> [(&'static str, String); 2] {
        let since = self.suspended_at.map(|at| whole_second(at).to_string());
        let since = since.unwrap_or_else(|| "..".to_owned());
        let suspension = format!("{since}/{}", whole_second(self.resumed_at));
        let skipped = format!("{}/{}", self.first, self.last);
        [(SKIPPED_RUNS, skipped), (LAST_SUSPENSION, suspension)]
    }
}

/// The client that set `status.lastScheduleTime` to skip a run; `None` if the controller started that run.
pub fn last_run_skipped_by(cron_job: &CronJob) -> Option<&str> {
    let managed = || cron_job.managed_fields.iter();
    let owner = managed().find(|field| field.of_last_schedule_time)?;
    // The name of the controller differs between distributions, but it neither suspends nor resumes.
    let resumes = |field: &ManagedField| {
        field.manager == owner.manager && (field.of_suspension || field.sets("suspend"))
    };
    let is_ours = owner.manager == FIELD_MANAGER;
    (is_ours || managed().any(resumes)).then_some(owner.manager.as_str())
}

/// The program that a field manager is: `with kubectl edit`, `by field manager argocd-controller`.
pub fn by_manager(manager: &str) -> String {
    let manager = one_line(manager);
    match manager.strip_prefix("kubectl-") {
        Some("client-side-apply") => "with kubectl apply".to_owned(),
        Some(verb) => format!("with kubectl {verb}"),
        None => format!("by field manager {manager}"),
    }
}

/// Whether the annotations are by the client that suspended the `CronJob`. Otherwise they may be about an earlier
/// suspension.
fn is_recorded_by_owner(cron_job: &CronJob, owner: Option<&ManagedField>) -> bool {
    let fields = cron_job.managed_fields.iter();
    let mut annotators = fields.filter(|field| field.of_suspension).peekable();
    match owner {
        None => true,
        Some(owner) if annotators.peek().is_none() => owner.beside_spec,
        Some(_) => annotators.any(|field| field.sets("suspend")),
    }
}

/// Whether a client wrote annotations after the suspension, such as kubectl annotate.
fn is_annotated_later(cron_job: &CronJob, owner: Option<&ManagedField>) -> bool {
    let fields = cron_job.managed_fields.iter();
    let annotators = fields.filter(|field| field.of_suspension);
    annotators.map(|field| field.time).max() >= owner.map(|owner| owner.time)
}

/// The annotations about an earlier suspension of a `CronJob` that is not suspended.
pub(super) fn stale_annotations(cron_job: &CronJob) -> Vec<&'static str> {
    if cron_job.spec.suspend == Some(true) {
        return Vec::new();
    }
    let is_there = |name: &&str| cron_job.annotations.contains(name);
    SUSPENSION_ANNOTATIONS
        .into_iter()
        .filter(is_there)
        .collect()
}

/// What the next sync of the tool that manages a CronJob does to its suspension, or to its end, by the field
/// manager `writer`; `None` if no tool syncs it. `then` is the effect of an undone change.
pub(crate) fn undone_by_sync(
    cron_job: &CronJob,
    suspend: bool,
    then: &str,
    writer: &str,
) -> Option<String> {
    let effect = cron_job.sync_effect(ManualChange::Suspend(suspend), writer)?;
    let managed = cron_job.managed_by()?;
    let (who, sync) = (one_line(&managed.text()), managed.tool.next_sync());
    Some(match effect {
        SyncEffect::SetsBack => {
            let healed = match managed.tool {
                Tool::ArgoCd => ". With self-heal, Argo CD syncs within seconds",
                // Since version 4 it applies on the server side, without taking over the fields of others.
                Tool::Helm if cron_job.is_applied_by(Tool::Helm, "suspend") => {
                    let fails = "fails because of a conflict, or with --force-conflicts";
                    return Some(format!(
                        "{who} manages spec.suspend: {sync} {fails} {then}."
                    ));
                }
                _ => "",
            };
            format!("{who} manages spec.suspend: {sync} {then}{healed}.")
        }
        SyncEffect::Keeps => format!("{who} manages this CronJob, but {sync} will not undo this."),
        SyncEffect::Unknown => {
            let is_stated = suspend && cron_job.is_taken_over(writer);
            let (when, stated) = if is_stated {
                ("unless", true)
            } else {
                ("if", !suspend)
            };
            format!(
                "{who} manages this CronJob: {when} its manifest states spec.suspend: {stated}, {sync} {then}."
            )
        }
    })
}

/// Whether the command set `spec.suspend` that creates an object, and changes none.
fn is_created_so(owner: Option<&ManagedField>) -> bool {
    owner.is_some_and(|owner| owner.manager == "kubectl-create")
}

/// The last owner of `spec.suspend`. The time is that of its last change, which can be of another field.
pub(super) fn suspend_owner(cron_job: &CronJob) -> Option<&ManagedField> {
    let fields = cron_job.managed_fields.iter();
    fields
        .filter(|field| field.sets("suspend"))
        .max_by_key(|field| field.time)
}

/// Since when no other schedule, suspension or deadline can have been the reason that a run was not
/// started; `None` if that may be since the creation. The owner of such a field last wrote then.
pub(super) fn unchanged_since(cron_job: &CronJob) -> Option<Timestamp> {
    const DECIDING: [&str; 4] = ["schedule", "timeZone", "suspend", "startingDeadlineSeconds"];
    if cron_job.is_unchanged() {
        return None;
    }
    let owns = |field: &&ManagedField| DECIDING.iter().any(|name| field.sets(name));
    let owners = cron_job.managed_fields.iter().filter(owns);
    let written = owners.filter_map(|field| field.time).max()?;
    Some(written).filter(|written| Some(*written) > cron_job.creation_timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_model::testing::at_second as at;
    use serde_json::{Value, json};

    #[test]
    fn annotations_of_a_running_cron_job_are_stale() {
        let until = (SUSPENDED_UNTIL, "1970-01-01T00:05:00Z");
        let mut cron_job = CronJob {
            annotations: [(SUSPENDED_BY, "jane"), until].into_iter().collect(),
            ..CronJob::default()
        };
        cron_job.spec.suspend = Some(true);
        assert!(stale_annotations(&cron_job).is_empty());
        for suspend in [None, Some(false)] {
            cron_job.spec.suspend = suspend;
            let stale = stale_annotations(&cron_job);
            assert_eq!(stale, [SUSPENDED_BY, SUSPENDED_UNTIL]);
        }
    }

    #[test]
    fn fields_written_after_creation_may_have_been_others() {
        let since = |generation, time, fields: &Value| {
            let mut entry = ManagedField {
                time: at(time),
                ..ManagedField::default()
            };
            entry.note_fields(&serde_json::from_value(fields.clone()).unwrap());
            let cron_job = CronJob {
                creation_timestamp: at(100),
                generation,
                managed_fields: vec![entry],
                ..CronJob::default()
            };
            unchanged_since(&cron_job)
        };
        let schedule = json!({"f:spec": {"f:schedule": {}, "f:jobTemplate": {}}});
        assert_eq!(since(Some(2), 100, &schedule), None);
        assert_eq!(since(Some(1), 500, &schedule), None);
        assert_eq!(since(Some(2), 500, &schedule), at(500));
        let resumed = json!({"f:spec": {"f:suspend": {}, "f:startingDeadlineSeconds": {}}});
        assert_eq!(since(None, 500, &resumed), at(500));
        let template = json!({"f:spec": {"f:jobTemplate": {}}});
        assert_eq!(since(Some(2), 500, &template), None);
    }
}
