//! An object with a schedule, and what its controller does with it at the next sync.

use jiff::{SignedDuration, Timestamp};
use kube_cron::Timetable;
use serde_json::Value;

use super::{KindCatchUp, ScheduledKind, WithoutBase};
use kube_model::Texts;

/// An object of another kind than `CronJob`, with its schedules.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledObject {
    pub kind: &'static ScheduledKind,
    pub namespace: String,
    pub name: String,
    pub labels: Texts,
    /// Empty if something else starts runs.
    pub schedules: Vec<String>,
    /// The path of the trigger that replaces the schedules, if it is set, and whether nothing has ended since then.
    pub manual: Option<(&'static str, bool)>,
    pub time_zone: Option<String>,
    /// The field that prevents starts, with its value.
    pub paused: Option<(&'static str, &'static str)>,
    /// The time that the next run counts from, with its path.
    pub base: Option<(Timestamp, &'static str)>,
    /// `None` for a manifest.
    pub created: Option<Timestamp>,
    pub running_since: Option<Timestamp>,
    starts_at_creation: bool,
    /// Whether the next sync counts from now: none of the missed runs starts.
    pub skips_missed: bool,
    deadline: Option<i64>,
}

impl PartialEq for ScheduledKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What happens at the next sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DueStart {
    /// Nothing starts before the next run.
    Waits(Timestamp),
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

impl ScheduledKind {
    /// The schedules of an object with their paths, for each field that is set. Only those of the first one count.
    pub fn schedules<'v>(
        &self,
        object: &'v Value,
    ) -> impl Iterator<Item = Vec<(String, &'v Value)>> {
        let ignores_empty = self.ignores_empty;
        let paths = self.schedule_paths.iter();
        let lists = paths.filter_map(move |path| match at(object, path)? {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let placed = items.map(|(index, item)| (format!("{path}[{index}]"), item));
                Some(placed.collect::<Vec<_>>())
            }
            Value::String(text) if text.is_empty() && ignores_empty => None,
            value => Some(vec![((*path).to_owned(), value)]),
        });
        lists.filter(|list| !list.is_empty())
    }
}

impl ScheduledObject {
    /// Reads an object. Fields of a wrong type are unset, because the API server rejects them.
    pub fn of(kind: &'static ScheduledKind, object: &Value, namespace: &str) -> Self {
        let text = |path: &str| at(object, path)?.as_str().map(str::to_owned);
        let text_of = |path: &str| text(path).filter(|text| !text.is_empty());
        let time = |path: &str| -> Option<Timestamp> { at(object, path)?.as_str()?.parse().ok() };
        let is_true = |path: &str| at(object, path).and_then(Value::as_bool) == Some(true);
        let schedules = kind.schedules(object).next().unwrap_or_default();
        let schedules = schedules.iter();
        let schedules = schedules.filter_map(|(_, schedule)| schedule.as_str().map(str::to_owned));
        let manual = kind.manual.and_then(|(path, done)| {
            let wanted = text_of(path)?;
            Some((path, text(done) != Some(wanted)))
        });
        let is_stopped = |(path, value): &(&str, &str)| text(path).as_deref() == Some(*value);
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
            schedules: match manual {
                Some(_) => Vec::new(),
                None => schedules.collect(),
            },
            manual,
            time_zone: kind.time_zone.and_then(text_of),
            paused: is_true(kind.paused)
                .then_some((kind.paused, "true"))
                .or(kind.stopped.filter(is_stopped)),
            base: bases.max(),
            created: time("metadata.creationTimestamp"),
            running_since: kind.running.and_then(time),
            starts_at_creation: kind.immediate.is_some_and(is_true),
            skips_missed: kind.skips.is_some_and(is_true),
            deadline: at(object, "spec.startingDeadlineSeconds").and_then(Value::as_i64),
        }
    }

    /// What happens at the next sync by one of the schedules, if the object is not paused and nothing runs; `None` if
    /// nothing ever starts.
    pub fn due(&self, timetable: &Timetable, now: Timestamp) -> Option<DueStart> {
        let (without, catch_up) = (self.kind.without_base, self.kind.catch_up);
        let base = match self.base {
            _ if self.skips_missed => Some(now),
            Some((base, _)) => Some(base),
            None if without == WithoutBase::FromCreation => self.created,
            None if self.starts_at_creation || without == WithoutBase::Starts => {
                return Some(DueStart::First);
            }
            None => None,
        };
        let from_now = timetable.next(now).ok()?;
        if from_now.is_none() && catch_up == KindCatchUp::One {
            return Some(DueStart::AgainAndAgain);
        }
        let Some(base) = base else {
            return from_now.map(DueStart::Waits);
        };
        let next = timetable.next(base).ok()?;
        let missed = next.filter(|next| *next <= now);
        if catch_up != KindCatchUp::LastWithinDeadline {
            return missed.map(DueStart::Missed).or(next.map(DueStart::Waits));
        }
        let deadline = SignedDuration::from_secs(self.deadline.unwrap_or(0));
        let last = missed.and_then(|_| timetable.count(base, now).ok()?.last);
        let last = last.filter(|last| now.duration_since(*last) < deadline);
        last.map(DueStart::Missed).or(from_now.map(DueStart::Waits))
    }
}
