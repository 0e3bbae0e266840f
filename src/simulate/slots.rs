//! The slots of a schedule, one after the other, as they come due.

use jiff::Timestamp;

use crate::controller::Controller;
use crate::model::CronJob;
use crate::schedule::Timetable;
use crate::upcoming::{ScheduleProblem, Subject, read};

/// The schedule of a `CronJob` as a controller reads it, in the zone it runs in.
pub fn timetable(
    controller: &Controller<'_>,
    cron_job: &CronJob,
) -> Result<Timetable, ScheduleProblem> {
    let subject = Subject {
        schedule: cron_job.spec.schedule.clone(),
        time_zone: cron_job.spec.time_zone.clone(),
        ..Subject::default()
    };
    Ok(read(controller, &subject)?.in_zone(&controller.local))
}

/// The slots that have not come due yet.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    timetable: Option<Timetable>,
    next: Option<i64>,
    /// Slots from this second on do not count.
    end: i64,
}

impl Slots {
    /// The slots in `from..to`. What comes every so often is counted from `base` on.
    pub(super) fn new(
        timetable: Option<Timetable>,
        base: Option<Timestamp>,
        from: Timestamp,
        to: Timestamp,
    ) -> Self {
        let mut slots = Slots {
            next: None,
            end: ceiling(to),
            timetable,
        };
        let before = ceiling(from) - 1;
        if let Some(timetable) = &slots.timetable {
            let base = base.map(Timestamp::as_second).filter(|_| slots.is_every());
            let after = match base {
                Some(base) => {
                    let counted = timetable.count_seconds(base, before);
                    counted.ok().and_then(|count| count.last).unwrap_or(base)
                }
                None => before,
            };
            slots.next = timetable.next_after_second(after).ok().flatten();
        }
        slots
    }

    /// The next slot that has not come due.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.next.map(at)
    }

    /// The first slot after a moment, whether it is over or not.
    pub(super) fn after(&self, moment: Timestamp) -> Option<Timestamp> {
        self.timetable.as_ref()?.next(moment).ok()?
    }

    /// The next slot, if it comes before a moment.
    pub(super) fn pop_before(&mut self, moment: Timestamp) -> Option<i64> {
        self.pop(|slot| slot < ceiling(moment))
    }

    /// The next slot, if it comes before a moment or at it.
    pub(super) fn pop_up_to(&mut self, moment: Timestamp) -> Option<i64> {
        self.pop(|slot| slot <= moment.as_second())
    }

    fn pop(&mut self, is_due: impl Fn(i64) -> bool) -> Option<i64> {
        let slot = self.next.filter(|slot| *slot < self.end && is_due(*slot))?;
        let timetable = self.timetable.as_ref()?;
        let following = timetable.next_after_second(slot).ok().flatten();
        // Near some changes of an offset upstream's search comes back to where it was.
        self.next = following.filter(|following| *following > slot);
        Some(slot)
    }

    /// Whether the schedule contains a time, be it over or not.
    pub(super) fn contains(&self, moment: Timestamp) -> bool {
        let timetable = self.timetable.as_ref();
        self.is_every() || timetable.is_some_and(|timetable| timetable.is_slot(moment))
    }

    /// What comes every so often goes on from a start at another second than expected.
    pub(super) fn rebase(&mut self, second: i64) {
        if let (true, Some(timetable)) = (self.is_every(), &self.timetable) {
            self.next = timetable.next_after_second(second).ok().flatten();
        }
    }

    fn is_every(&self) -> bool {
        let timetable = self.timetable.as_ref();
        timetable.is_some_and(|timetable| timetable.zone().is_none())
    }
}

/// The first whole second that is not before a moment.
fn ceiling(moment: Timestamp) -> i64 {
    moment.as_second() + i64::from(moment.subsec_nanosecond() > 0)
}

/// The moment of a second.
pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}
