//! An object with a schedule, and what its controller does with it at the next sync.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{KindCatchUp, ScheduledKind, WhenNever, WithoutBase};
use crate::model::Texts;
use crate::schedule::{Endless, Timetable};

/// An object of a [`ScheduledKind`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScheduledObject {
    pub(crate) kind: &'static ScheduledKind,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) labels: Texts,
    pub(crate) trigger: RunTrigger,
    pub(crate) time_zone: Option<String>,
    pub(crate) paused: bool,
    /// The time that the next run counts from, with its path.
    pub(crate) base: Option<(Timestamp, &'static str)>,
    /// `None` for a manifest.
    pub(crate) created: Option<Timestamp>,
    pub(crate) running_since: Option<Timestamp>,
    starts_at_creation: bool,
    deadline: Option<i64>,
}

impl PartialEq for ScheduledKind {
    fn eq(&self, other: &Self) -> bool {
        self.plural == other.plural
    }
}

/// What starts runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunTrigger {
    Schedules(Vec<String>),
    /// A change of this text.
    Manual(String),
    /// Nothing is set.
    Unset,
}

/// What happens at the next sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DueStart {
    /// Nothing starts before the next run.
    Waits(Option<Timestamp>),
    /// A start now, because this run was missed.
    Missed(Timestamp),
    /// The first start, which does not depend on the schedule.
    First,
    /// A start at each sync.
    AgainAndAgain,
}

/// The value of a path such as `spec.schedule`; null means unset.
fn at<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    let found = path
        .split('.')
        .try_fold(object, |value, field| value.get(field))?;
    (!found.is_null()).then_some(found)
}

impl ScheduledObject {
    /// Reads an object. Fields of a wrong type are unset, because the API server rejects them.
    pub(crate) fn of(kind: &'static ScheduledKind, object: &Value, namespace: &str) -> Self {
        let text = |path: &str| at(object, path)?.as_str().map(str::to_owned);
        let text_of = |path: Option<&str>| text(path?).filter(|text| !text.is_empty());
        let time = |path: &str| -> Option<Timestamp> { at(object, path)?.as_str()?.parse().ok() };
        let is_true = |path: &str| at(object, path).and_then(Value::as_bool) == Some(true);
        let listed = |path: &&str| match at(object, path)? {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(all) => {
                let texts = all.iter().filter_map(|one| one.as_str().map(str::to_owned));
                Some(texts.collect())
            }
            _ => None,
        };
        let schedules: Vec<String> = kind
            .schedules
            .iter()
            .find_map(listed)
            .unwrap_or_default()
            .into_iter()
            .collect();
        let labels = at(object, "metadata.labels").and_then(Value::as_object);
        let labels = labels.into_iter().flatten();
        let labels = labels.map(|(name, text)| (name.as_str(), text.as_str().unwrap_or_default()));
        let bases = kind
            .base
            .iter()
            .filter_map(|path| Some((time(path)?, *path)));
        ScheduledObject {
            kind,
            namespace: text("metadata.namespace").unwrap_or_else(|| namespace.to_owned()),
            name: text("metadata.name").unwrap_or_default(),
            labels: labels.collect(),
            trigger: match text_of(kind.manual) {
                Some(manual) => RunTrigger::Manual(manual),
                None if schedules.is_empty() => RunTrigger::Unset,
                None => RunTrigger::Schedules(schedules),
            },
            time_zone: text_of(kind.time_zone),
            paused: is_true(kind.paused),
            base: bases.max(),
            created: time("metadata.creationTimestamp"),
            running_since: kind.running.and_then(time),
            starts_at_creation: kind.immediate.is_some_and(is_true),
            deadline: at(object, "spec.startingDeadlineSeconds").and_then(Value::as_i64),
        }
    }

    /// The schedules; none if something else starts runs.
    pub(crate) fn schedules(&self) -> &[String] {
        match &self.trigger {
            RunTrigger::Schedules(schedules) => schedules,
            RunTrigger::Manual(_) | RunTrigger::Unset => &[],
        }
    }

    /// What happens at the next sync by one of the schedules, if the object is not paused and nothing runs.
    pub(crate) fn due(&self, timetable: &Timetable, now: Timestamp) -> Result<DueStart, Endless> {
        let without = self.kind.without_base;
        let base = match self.base {
            Some((base, _)) => Some(base),
            None if without == WithoutBase::FromCreation => self.created,
            None if self.starts_at_creation || without == WithoutBase::Starts => {
                return Ok(DueStart::First);
            }
            None => None,
        };
        let from_now = timetable.next(now)?;
        if from_now.is_none() && self.kind.never == WhenNever::StartsAgainAndAgain {
            return Ok(DueStart::AgainAndAgain);
        }
        let Some(base) = base.filter(|base| *base < now) else {
            return Ok(DueStart::Waits(from_now));
        };
        let next = timetable.next(base)?;
        let missed = next.filter(|next| *next <= now);
        let missed = match self.kind.catch_up {
            KindCatchUp::First | KindCatchUp::One => missed,
            KindCatchUp::LastWithinDeadline => {
                let deadline = SignedDuration::from_secs(self.deadline.unwrap_or(0));
                let last = || timetable.count(base, now).ok()?.last;
                missed.and_then(|_| last().filter(|last| now.duration_since(*last) < deadline))
            }
        };
        let unmissed = if self.kind.catch_up == KindCatchUp::LastWithinDeadline {
            from_now
        } else {
            next
        };
        Ok(missed.map_or(DueStart::Waits(unmissed), DueStart::Missed))
    }
}
