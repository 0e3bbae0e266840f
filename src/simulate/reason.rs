//! Why a slot did not start in time, as a sentence.

use jiff::Timestamp;

use super::run::{Cause, Fate, Run, Status};

impl Run {
    /// Why it did not start in time, or what else is remarkable about it. `shown` writes a moment.
    pub fn reason(&self, shown: &dyn Fn(Timestamp) -> String) -> Option<String> {
        if self.status == Status::Phantom {
            return Some(
                "no time of the schedule: this release reckons as if all gaps were equal"
                    .to_owned(),
            );
        }
        let why = self.why.as_ref()?;
        Some(match self.started_at {
            Some(started) => waited(&why.cause, &shown(started)),
            None => format!("{}{}", kept(&why.cause), then(&why.cause, why.fate, shown)),
        })
    }
}

/// Why it started late.
fn waited(cause: &Cause, started: &str) -> String {
    match cause {
        Cause::Outage => format!("the controller was down until {started}"),
        Cause::Suspended => format!("it was suspended until {started}"),
        Cause::Forbid(job) => format!("it waited until {job} had ended, since the policy is Forbid"),
        Cause::ScheduleChanged => {
            "the schedule was changed after this time, and the new one is measured from the last start".to_owned()
        }
        Cause::Before => "missed before the simulation began".to_owned(),
        Cause::NotAwake => "nothing made the controller look earlier".to_owned(),
        other => kept(other),
    }
}

/// What kept it from starting.
fn kept(cause: &Cause) -> String {
    match cause {
        Cause::Outage => "the controller was down".to_owned(),
        Cause::Suspended => "it was suspended".to_owned(),
        Cause::Forbid(job) => format!("{job} was running, and the policy is Forbid"),
        Cause::Deadline => {
            "it was older than startingDeadlineSeconds when the controller looked".to_owned()
        }
        Cause::Arithmetic => "the estimate of this release found no slot".to_owned(),
        Cause::TooMany => {
            "more than 100 starts were missed, and this release starts nothing then".to_owned()
        }
        Cause::NameTaken => "there was a Job of its name".to_owned(),
        Cause::NotAwake => "nothing made the controller look at its time".to_owned(),
        Cause::ScheduleChanged => "the schedule was changed".to_owned(),
        Cause::Before => "it was before the simulation began".to_owned(),
        Cause::Hangs => "the controller's search for the slot never ends".to_owned(),
        Cause::Panics => "the controller's parser panics".to_owned(),
        Cause::NoSchedule => "the controller cannot use the schedule".to_owned(),
        Cause::StatusRefused => "so many Jobs ran that the status could not list them".to_owned(),
        Cause::Deleted => "the CronJob was being deleted".to_owned(),
    }
}

/// What became of it then.
fn then(cause: &Cause, fate: Fate, shown: &dyn Fn(Timestamp) -> String) -> String {
    match (fate, cause) {
        (Fate::Superseded(slot), _) => {
            format!("; then the run of {} was started instead", shown(slot))
        }
        (Fate::PastDeadline, Cause::Deadline)
        | (Fate::NotFound, Cause::Arithmetic)
        | (Fate::Refused, Cause::TooMany)
        | (Fate::MadeUpFor | Fate::Open, _) => String::new(),
        (Fate::PastDeadline, _) => "; then it was older than startingDeadlineSeconds".to_owned(),
        (Fate::NotFound, _) => "; then the estimate of this release found no slot".to_owned(),
        (Fate::Refused, _) => {
            "; then more than 100 starts were missed, and this release starts nothing".to_owned()
        }
    }
}
