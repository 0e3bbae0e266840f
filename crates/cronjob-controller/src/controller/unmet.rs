//! Which missed scheduled time a release finds, and how many it believes were missed.

use super::gotime::{GoTime, rounded_seconds, seconds};
use jiff::Timestamp;
use kube_cron::{Endless, Timetable};

use super::behavior::{Arithmetic, Behavior};

/// The controller treats more missed runs than this as too many.
pub const LIMIT: i64 = 100;

string_enum! {
    /// How many starts a release believes were missed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum MissedClass {
        /// None, or just the one that is due.
        #[default]
        None = "none",
        /// Up to 100.
        Few = "few",
        /// More than 100.
        Many = "many",
    }
}

/// Where the search of a release begins, and what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unmet {
    /// Scheduled times at or before this moment do not count.
    pub(super) earliest: GoTime,
    /// The first scheduled time after that, be it over or not, where the search came across it.
    pub(super) first: Option<GoTime>,
    /// The scheduled time that it would start.
    pub(super) scheduled_time: Option<GoTime>,
    /// How many it believes were missed, where it computes a number.
    pub(super) estimate: Option<i64>,
    pub(super) class: MissedClass,
    pub(super) failure: Option<SearchFailure>,
}

/// Why a release finds nothing at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchFailure {
    /// The first two scheduled times are less than a second apart: the schedule never runs.
    TooClose,
    /// The list of missed scheduled times grew beyond the limit.
    TooMany,
}

/// What the search needs to know of a CronJob.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchStart {
    /// The last scheduled time that was started, or the creation.
    pub(super) last: GoTime,
    pub(super) deadline_seconds: Option<i64>,
}

impl SearchStart {
    /// The moment after which scheduled times count at `now`.
    pub(super) fn earliest(self, now: GoTime) -> GoTime {
        match self.deadline_seconds {
            Some(deadline) => self.last.max(now.add(seconds(deadline.wrapping_neg()))),
            None => self.last,
        }
    }
}

/// Finds the scheduled time to start as a release does.
pub(super) fn find(
    arithmetic: Arithmetic,
    timetable: &Timetable,
    since: SearchStart,
    now: GoTime,
) -> Result<Unmet, Endless> {
    let earliest = since.earliest(now);
    match arithmetic {
        Arithmetic::List => listed(timetable, earliest, now),
        Arithmetic::Multiplied | Arithmetic::Searched => {
            estimated(arithmetic, timetable, earliest, now)
        }
    }
}

pub(super) fn nothing(earliest: GoTime) -> Unmet {
    Unmet {
        earliest,
        first: None,
        scheduled_time: None,
        estimate: Some(0),
        class: MissedClass::None,
        failure: None,
    }
}

/// Every scheduled time is listed, one by one, and above 100 the release gives up.
///
/// Counting them has the same result. If upstream finds no next scheduled time, it continues with the year 1,
/// which is in the past, and where it finds one again and again it lists that: both soon make more
/// than 100.
fn listed(timetable: &Timetable, earliest: GoTime, now: GoTime) -> Result<Unmet, Endless> {
    let unmet = nothing(earliest);
    let too_many = Unmet {
        estimate: None,
        class: MissedClass::Many,
        failure: Some(SearchFailure::TooMany),
        ..unmet
    };
    let Ok(counted) = timetable.count_seconds(earliest.second(), now.second()) else {
        // Only a search that really never ends is one here, too.
        return earliest.next(timetable).map(|_| too_many);
    };
    let count = i64::try_from(counted.count).unwrap_or(i64::MAX);
    if count > LIMIT || counted.gave_up {
        return Ok(too_many);
    }
    Ok(Unmet {
        scheduled_time: counted.last.map(GoTime::of_seconds),
        estimate: Some(count),
        class: if count > 1 {
            MissedClass::Few
        } else {
            MissedClass::None
        },
        ..unmet
    })
}

/// The number of missed scheduled times is estimated from the distance between the first two of them.
fn estimated(
    arithmetic: Arithmetic,
    timetable: &Timetable,
    earliest: GoTime,
    now: GoTime,
) -> Result<Unmet, Endless> {
    let first = earliest.next(timetable)?;
    let unmet = Unmet {
        first: Some(first),
        ..nothing(earliest)
    };
    let second = first.next(timetable)?;
    if now < first {
        return Ok(unmet);
    }
    if now < second {
        return Ok(Unmet {
            scheduled_time: Some(first),
            estimate: Some(1),
            ..unmet
        });
    }
    let distance = rounded_seconds(second.since(first));
    if distance < 1 {
        return Ok(Unmet {
            estimate: None,
            failure: Some(SearchFailure::TooClose),
            ..unmet
        });
    }
    let estimate = now.since(first) / 1_000_000_000 / distance + 1;
    let class = if estimate > LIMIT {
        MissedClass::Many
    } else {
        MissedClass::Few
    };
    let scheduled_time = if arithmetic == Arithmetic::Multiplied {
        // Not a scheduled time at all unless the schedule is even.
        let elapsed = (estimate - 1).wrapping_mul(distance);
        Some(GoTime::of_seconds(first.second().wrapping_add(elapsed)))
    } else {
        let begin = first.add(seconds((estimate - 2).wrapping_mul(distance)));
        last_scheduled_time(timetable, begin, now)?
    };
    Ok(Unmet {
        scheduled_time,
        estimate: Some(estimate),
        class,
        ..unmet
    })
}

/// The last scheduled time after a moment and up to `now`.
///
/// Upstream steps from one scheduled time to the next. If there is none within five years, it continues from
/// the year 1 and never arrives.
fn last_scheduled_time(
    timetable: &Timetable,
    begin: GoTime,
    now: GoTime,
) -> Result<Option<GoTime>, Endless> {
    let count = timetable.count_seconds(begin.second(), now.second())?;
    if count.gave_up {
        Err(Endless)
    } else {
        Ok(count.last.map(GoTime::of_seconds))
    }
}

/// When a release will believe that more than 100 starts were missed, if nothing is started.
///
/// `None` where it never will: scheduled times older than the deadline do not count.
pub fn crosses_limit_at(
    behavior: Behavior,
    timetable: &Timetable,
    last: Timestamp,
    deadline_seconds: Option<i64>,
) -> Option<Timestamp> {
    let first = timetable.next(last).ok()??;
    let crossing = match behavior.arithmetic {
        Arithmetic::List => {
            let hundred = usize::try_from(LIMIT).ok()?;
            timetable.after(last).nth(hundred)?.ok()?
        }
        Arithmetic::Multiplied | Arithmetic::Searched => {
            let second = timetable.next(first).ok()??;
            let distance = second.as_second() - first.as_second();
            Timestamp::from_second(first.as_second() + LIMIT * distance).ok()?
        }
    };
    let window = crossing.as_second() - first.as_second();
    deadline_seconds
        .is_none_or(|deadline| deadline > window)
        .then_some(crossing)
}
