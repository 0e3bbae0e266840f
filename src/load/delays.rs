//! How late the last start of each crowd is.

use super::groups::Kinds;
use super::limits::Limits;
use super::queue::Queue;
use super::tally::Tally;
use crate::controller::Requests;

/// By whom the starts are worked off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worked {
    pub(super) requests: Requests,
    /// Where everything is looked at in passes: so many seconds after the end of the last one.
    pub(super) polls: Option<i64>,
    pub(super) limits: Limits,
    /// How many are looked at in each pass.
    pub(super) looked_at: usize,
    /// How many there are to be started.
    pub(super) kinds: Kinds,
}

/// The controller wakes so many seconds after a slot.
const WAKES_AFTER: f64 = 0.1;

/// What becomes of the starts.
pub(super) struct Delays {
    /// How late the last start of each bucket is at worst, in seconds.
    pub(super) buckets: Vec<f64>,
    /// How many are due again before they were started, so that they never are.
    pub(super) lost: f64,
}

/// What becomes of the starts.
pub(super) fn of(worked: &Worked, tally: &Tally) -> Delays {
    let mut delays = Delays {
        buckets: vec![0.0; tally.buckets.len()],
        lost: 0.0,
    };
    let origin = tally.span.seconds().0;
    let mut queue = Queue::new(worked.limits, worked.requests, 0.0);
    for (at, starts) in tally.moments() {
        #[allow(clippy::cast_precision_loss)] // seconds of two years
        let since = (at - origin) as f64;
        let delay = if let Some(pause) = worked.polls {
            polled(worked, pause, starts)
        } else {
            delays.lost += queue.due(since + WAKES_AFTER, starts, worked.kinds);
            let delay = queue.last_created().at - since;
            // What is later belongs to the next time already.
            delay.min(starts.longest_period())
        };
        if let Some(longest) = delays.buckets.get_mut(tally.span.bucket_of(at)) {
            *longest = delay.max(*longest);
        }
    }
    delays
}

/// The delay of the last of a crowd where everything is looked at one after the other: at worst the pass
/// before had just looked at it when it became due.
fn polled(worked: &Worked, pause: i64, starts: Kinds) -> f64 {
    let mut queue = Queue::new(worked.limits, worked.requests, 0.0);
    let all = u32::try_from(worked.looked_at).unwrap_or(u32::MAX);
    queue.look(f64::from(all.saturating_sub(starts.total())));
    queue.due(0.0, starts, starts);
    #[allow(clippy::cast_precision_loss)] // ten seconds
    let pause = pause as f64;
    pause + queue.last_created().at
}

/// How starts are worked off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// What it costs.
    pub requests: Requests,
    /// Where everything is looked at in passes: so many seconds after the end of the last one.
    pub polls: Option<i64>,
    /// How many `CronJob`s a pass looks at.
    pub looked_at: usize,
    /// The largest number that can start in one moment, after a rest, without a wait for the client.
    pub at_once: u32,
    /// How many start in a second, where more than that are due.
    pub a_second: f64,
}

/// How starts are worked off.
pub(super) fn work(worked: &Worked) -> Work {
    let waits = |starts: u32| {
        let mut queue = Queue::new(worked.limits, worked.requests, 0.0);
        queue.due(0.0, of_one_kind(starts), of_one_kind(starts));
        queue.last_created().waited
    };
    let at_once = (1..=worked.limits.burst).take_while(|starts| !waits(*starts));
    Work {
        requests: worked.requests,
        polls: worked.polls,
        looked_at: worked.looked_at,
        at_once: at_once.last().unwrap_or(1),
        a_second: Queue::new(worked.limits, worked.requests, 0.0).starts_a_second(),
    }
}

/// A crowd that is due at one moment, with nothing else going on.
#[derive(Clone, Copy, Debug)]
pub struct Herd {
    /// How many there are.
    pub starts: u32,
    /// What the controller's work costs.
    pub requests: Requests,
    /// What its client is allowed.
    pub limits: Limits,
}

/// How many seconds late the `nth` start of a crowd is, in a controller that is woken by a queue.
pub fn herd(herd: &Herd, nth: u32) -> f64 {
    let mut queue = Queue::new(herd.limits, herd.requests, 0.0);
    let starts = of_one_kind(herd.starts);
    queue.due(WAKES_AFTER, starts, starts);
    queue.created(f64::from(nth)).at
}

fn of_one_kind(number: u32) -> Kinds {
    let mut kinds = Kinds::default();
    kinds.change(0, |_| number);
    kinds
}
