//! Conditions and reasons as sentences.

use jiff::Timestamp;

use super::{Because, Condition, Doubt, Sync};

impl Sync {
    /// What has to hold for it, as a sentence.
    pub fn condition_in_words(&self) -> Option<String> {
        let text = match self.condition.as_ref()? {
            Condition::JobFinishesFirst {
                job,
                before: Some(before),
                ..
            } => format!("if {job} has finished by {}", whole(*before)),
            Condition::JobFinishesFirst { job, .. } => format!("when {job} finishes"),
            Condition::JobStillRuns { job, .. } => format!("if {job} is still running"),
            Condition::CreationSucceeds => {
                "if the API server accepts the Job by then".to_owned()
            }
            Condition::EstimatedTime => "the time is an estimate".to_owned(),
            Condition::Unknown(doubt) => match doubt {
                Doubt::Overdue => {
                    "overdue, and nothing explains it: the controller may not be running".to_owned()
                }
                Doubt::EvidenceEnds(at) => format!("if nothing has changed since {at}"),
                Doubt::EarlierWakeUp => {
                    "if the wake-up of the previous schedule comes first; its time is unknown"
                        .to_owned()
                }
                Doubt::JobsNotRead => {
                    "Jobs were not read: whether the one in status.active is still running is unknown"
                        .to_owned()
                }
            },
        };
        Some(text)
    }

    /// Why it comes when it comes, as a sentence.
    pub fn reason_in_words(&self) -> Option<String> {
        let text = match self.because.as_ref()? {
            Because::Edited(edit) => {
                let was = edit
                    .before
                    .as_ref()
                    .map_or_else(String::new, |before| format!(" (was {})", before.schedule));
                format!(
                    "the schedule was edited at {} by {}{was}: an edit alone does not make the \
                     controller sync, so the wake-up of the previous schedule comes first",
                    edit.at, edit.manager
                )
            }
            Because::BackOff(failures) => format!(
                "{} failed, the last at {}; the controller retries with back-off",
                attempts(failures.count),
                failures.last
            ),
            Because::NameTaken { job } => {
                format!("a Job named {job} already exists; the controller retries with back-off")
            }
            Because::JobFinished { job } => {
                format!("the controller syncs as soon as {job} finishes")
            }
            Because::TooLate { deadline } => {
                format!("too late: startingDeadlineSeconds is {deadline}")
            }
        };
        Some(text)
    }
}

/// `3 attempts`.
pub(crate) fn attempts(count: u32) -> String {
    let noun = if count == 1 { "attempt" } else { "attempts" };
    format!("{count} {noun}")
}

/// Without the fraction of a second after which the controller wakes up.
fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
