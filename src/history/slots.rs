//! The slots of a window.

use jiff::Timestamp;

use super::traces::Traces;
use super::window::{DEFAULT_SLOTS, Span};
use super::{Basis, Trouble, run};
use crate::diagnose::Facts;
use crate::schedule::Timetable;

/// Ten years of minutes.
pub const MOST_SLOTS: u64 = 6_000_000;

/// Slots that cannot be counted first are looked for one by one, and that takes time.
const MOST_UNCOUNTED: u64 = 100_000;

/// The slots of a window, one found from the other.
pub(super) struct Chain {
    /// When they were, in order.
    pub(super) seconds: Vec<i64>,
    /// The one after them.
    pub(super) next: Option<i64>,
    /// So many before them were left out; `None` if they were too many to be counted.
    pub(super) omitted: Option<u64>,
    /// The window begins later than it was to, since slots were left out.
    pub(super) since: Option<Timestamp>,
    /// The search does not get past the last one.
    pub(super) stands_still: bool,
}

impl Chain {
    pub(super) fn empty() -> Self {
        Chain {
            seconds: Vec::new(),
            next: None,
            omitted: Some(0),
            since: None,
            stands_still: false,
        }
    }
}

/// The slots of a window; where nobody asked for its beginning, the last hundred.
pub(super) fn chain(facts: &Facts<'_>, traces: &Traces, span: &Span) -> Result<Chain, Trouble> {
    let timetable = match (&facts.schedule, &facts.timetable) {
        (Err(problem), _) => return Err(problem.clone().into()),
        (Ok(_), None) => return Ok(Chain::empty()),
        (Ok(_), Some(timetable)) => timetable,
    };
    if span.since > span.until {
        return Ok(Chain::empty());
    }
    let bounded = span.basis != Basis::Asked;
    if timetable.zone().is_some() {
        by_the_clock(timetable, span, bounded)
    } else {
        let period = period(timetable, span.until);
        every(period, &anchors(facts, traces), span, bounded)
    }
}

fn by_the_clock(timetable: &Timetable, span: &Span, bounded: bool) -> Result<Chain, Trouble> {
    let mut chain = Chain::empty();
    let mut after = second_before(span.since);
    if bounded {
        let hundredth = timetable.before(later(span.until)).nth(DEFAULT_SLOTS - 1);
        if let Some(first) = hundredth.filter(|first| *first > span.since) {
            let before = second_before(first);
            let omitted = timetable.count(after, before).ok();
            chain.omitted = omitted.map(|counted| counted.count);
            chain.since = Some(first).filter(|_| chain.omitted != Some(0));
            after = before;
        }
    }
    let most = match timetable.count(after, span.until) {
        Ok(counted) if counted.count > MOST_SLOTS => return Err(Trouble::TooMany),
        Ok(counted) => counted.count,
        // The search stands still, or is busy with the centuries before there were standard times.
        Err(_) => MOST_UNCOUNTED,
    };
    let begins = span.since.as_second();
    for slot in timetable.after(after) {
        let Ok(slot) = slot else {
            chain.stands_still = true;
            break;
        };
        let second = slot.as_second();
        let behind = chain.seconds.last().is_some_and(|last| second <= *last);
        // Upstream's search may stumble backwards, and then it comes by the same again.
        if behind || second < begins {
            chain.stands_still = true;
            break;
        }
        if slot > span.until {
            chain.next = Some(second);
            break;
        }
        if u64::try_from(chain.seconds.len()).is_ok_and(|found| found >= most) {
            return Err(Trouble::TooMany);
        }
        chain.seconds.push(second);
    }
    Ok(chain)
}

/// A moment to count on from; whether it is a slot itself.
type Anchor = (i64, bool);

/// What `@every` counts on from: each run that is known, and the creation.
fn anchors(facts: &Facts<'_>, traces: &Traces) -> Vec<Anchor> {
    let of_jobs = facts.runs.iter().filter_map(run::slot);
    let of_events = traces.gone().map(|trace| trace.slot);
    let of_status = facts.cron_job.status.last_schedule_time;
    let runs = of_jobs.chain(of_events).chain(of_status);
    let created = facts.cron_job.creation_timestamp;
    let mut anchors: Vec<Anchor> = runs
        .map(|run| (run.as_second(), true))
        .chain(created.map(|created| (created.as_second(), false)))
        .collect();
    // A run at the moment of the creation is a slot.
    anchors.sort_by_key(|(second, is_slot)| (*second, !*is_slot));
    anchors.dedup_by_key(|(second, _)| *second);
    anchors
}

fn every(period: i64, anchors: &[Anchor], span: &Span, bounded: bool) -> Result<Chain, Trouble> {
    let (since, until) = (ceiling(span.since), span.until.as_second());
    let mut chain = Chain::empty();
    let Some((first, _)) = anchors.first() else {
        return Ok(chain);
    };
    // Before the first, as if it had been counted on from there, too.
    let before = (first - since).max(0).div_euclid(period);
    let mut marks = vec![(first - before * period - period, false)];
    marks.extend(anchors);
    let ends = |index: usize| {
        let next: Option<&Anchor> = marks.get(index + 1);
        next.map_or(until + 1, |(next, _)| (*next).min(until + 1))
    };
    let stretch = |index: usize, (mark, is_slot): Anchor| {
        let begins = if is_slot { mark } else { mark + period };
        let skipped = -(begins - since).min(0).div_euclid(period);
        let from = begins + skipped * period;
        let count = (ends(index) - 1 - from).div_euclid(period) + 1;
        (from, count.max(0))
    };
    let counts = marks.iter().enumerate();
    let total = counts.map(|(index, mark)| stretch(index, *mark).1);
    let total = u64::try_from(total.sum::<i64>()).unwrap_or(0);
    if total > MOST_SLOTS && !bounded {
        return Err(Trouble::TooMany);
    }
    let kept = if bounded {
        usize::try_from(total).map_or(DEFAULT_SLOTS, |total| total.min(DEFAULT_SLOTS))
    } else {
        usize::MAX
    };
    for (index, mark) in marks.iter().enumerate().rev() {
        let (from, count) = stretch(index, *mark);
        let slots = (0..count).rev().map(|step| from + step * period);
        let room = kept - chain.seconds.len();
        chain.seconds.extend(slots.take(room));
    }
    chain.seconds.reverse();
    let found = u64::try_from(chain.seconds.len()).unwrap_or(total);
    chain.omitted = Some(total.saturating_sub(found));
    if total > found {
        let first = chain.seconds.first();
        chain.since = first.and_then(|first| Timestamp::from_second(*first).ok());
    }
    chain.next = chain.seconds.last().map(|last| last + period);
    Ok(chain)
}

fn period(timetable: &Timetable, at: Timestamp) -> i64 {
    let next = timetable.next(at).ok().flatten();
    next.map_or(i64::from(u32::MAX), |next| {
        next.as_second() - at.as_second()
    })
    .max(1)
}

fn second_before(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(ceiling(moment).saturating_sub(1)).unwrap_or(Timestamp::MIN)
}

fn later(moment: Timestamp) -> Timestamp {
    Timestamp::from_second(moment.as_second().saturating_add(1)).unwrap_or(Timestamp::MAX)
}

fn ceiling(moment: Timestamp) -> i64 {
    moment.as_second() + i64::from(moment.subsec_nanosecond() > 0)
}
