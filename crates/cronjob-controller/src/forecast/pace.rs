//! When the Jobs of a `CronJob` that run one after the other probably end, going by how long earlier runs took.

use jiff::Timestamp;

use super::run::later;
use super::{Situation, seconds};
use kube_model::ConcurrencyPolicy;

/// When a Job probably ends.
#[derive(Clone, Copy)]
enum End {
    Unknown,
    /// It has run longer than earlier runs did, and is not expected to end soon.
    NotSoon,
    At(Timestamp),
}

impl End {
    fn is_before(self, by: Timestamp) -> Option<bool> {
        match self {
            End::Unknown => None,
            End::NotSoon => Some(false),
            End::At(end) => Some(end < by),
        }
    }
}

/// The Job that runs, and whether another run waits for it.
pub(super) struct Pace {
    usual_seconds: Option<i64>,
    /// Whether a run that is due replaces the Job.
    replaces: bool,
    end: Option<End>,
    has_waiting: bool,
}

impl Pace {
    pub(super) fn idle(situation: &Situation<'_>) -> Self {
        Pace {
            usual_seconds: situation.usual_seconds,
            replaces: situation.cron_job.spec.concurrency_policy == ConcurrencyPolicy::Replace,
            end: None,
            has_waiting: false,
        }
    }

    /// A Job runs now, `since` a moment. Without earlier runs, it is expected to run as long again.
    pub(super) fn running(situation: &Situation<'_>, since: Option<Timestamp>) -> Self {
        let now = situation.now;
        let end = match (since, situation.usual_seconds) {
            (Some(since), Some(usual)) => {
                let end = later(since, seconds(usual));
                if end < now {
                    End::NotSoon
                } else {
                    End::At(end)
                }
            }
            (Some(since), None) if since <= now => End::At(later(now, now.duration_since(since))),
            _ => End::Unknown,
        };
        Pace {
            end: Some(end),
            ..Pace::idle(situation)
        }
    }

    /// Another run starts as soon as the Job ends.
    pub(super) fn with_waiting(self) -> Self {
        Pace {
            has_waiting: true,
            ..self
        }
    }

    /// Whether no Job probably runs at a moment, as far as that can be said.
    pub(super) fn is_idle(&mut self, at: Timestamp) -> Option<bool> {
        let Some(mut end) = self.end else {
            return Some(true);
        };
        if self.has_waiting && end.is_before(at) == Some(true) {
            end = match end {
                End::At(started) => self.end_of_run(started),
                other => other,
            };
            self.end = Some(end);
            self.has_waiting = false;
        }
        end.is_before(at)
    }

    /// A run is due: it starts, or waits for the Job that runs.
    pub(super) fn start(&mut self, at: Timestamp) {
        if !self.replaces && self.is_idle(at) == Some(false) {
            self.has_waiting = true;
        } else {
            self.end = Some(self.end_of_run(at));
        }
    }

    fn end_of_run(&self, started: Timestamp) -> End {
        self.usual_seconds.map_or(End::Unknown, |usual| {
            End::At(later(started, seconds(usual)))
        })
    }
}
