//! A client that makes so many requests a second, and who waits for it.
//!
//! Workers take what is due from a queue, first come, first served, and make its requests one after
//! the other. Events are sent by one more hand, with the same client, whenever there are any. The
//! client lets requests through as from a bucket of tokens, in the order in which they were asked
//! for: so each hand that wants something gets as much as each other one. Quantities flow here:
//! a herd of hundreds is worked off in a few steps of arithmetic.

use std::collections::VecDeque;

use super::limits::Limits;
use crate::controller::Requests;

/// A request takes so long until it is answered, in seconds, on a control plane that is not busy.
const ANSWER: f64 = 0.01;

/// Less than this is nothing: quantities are sums of fractions.
const NOTHING: f64 = 1e-9;

/// What waits, and what is allowed.
#[derive(Clone)]
pub(super) struct Queue {
    limits: Limits,
    requests: Requests,
    now: f64,
    tokens: f64,
    work: VecDeque<Work>,
    /// Events that are to be sent.
    events: f64,
}

/// When a Job is created.
pub(super) struct Created {
    pub(super) at: f64,
    /// Whether the client makes it wait.
    pub(super) waited: bool,
}

/// Requests of workers, of one kind.
#[derive(Clone, Copy)]
struct Work {
    requests: f64,
    /// How many events come of each request.
    events: f64,
    /// Not more hands than this have something to do: one for each thing to look at.
    hands: f64,
}

impl Queue {
    pub(super) fn new(limits: Limits, requests: Requests, now: f64) -> Self {
        Queue {
            limits,
            requests,
            now,
            tokens: f64::from(limits.burst),
            work: VecDeque::new(),
            events: 0.0,
        }
    }

    /// What one start costs a worker.
    fn cost(&self) -> f64 {
        f64::from(self.requests.look + self.requests.start)
    }

    /// How many are started in a second where there is always something to do.
    pub(super) fn starts_a_second(&self) -> f64 {
        let hands = f64::from(self.limits.workers);
        let sender = (hands * f64::from(self.requests.events) / self.cost()).min(1.0);
        let rate = self.limits.qps.min((hands + sender) / ANSWER);
        rate * hands / (hands + sender) / self.cost()
    }

    /// So many are due at a moment.
    pub(super) fn due(&mut self, at: f64, starts: u32) {
        self.run_until(at);
        let (starts, hands) = (f64::from(starts), f64::from(starts));
        self.work.push_back(Work {
            requests: starts * self.cost(),
            events: f64::from(self.requests.events) / self.cost(),
            hands,
        });
        // What was started changes the CronJob, which is looked at again behind all the others.
        if self.requests.look > 0 {
            self.work.push_back(Work {
                requests: starts * f64::from(self.requests.look),
                events: 0.0,
                hands,
            });
        }
    }

    /// So much is asked for, by as many hands as there are, that starts nothing.
    pub(super) fn look(&mut self, looks: u32) {
        if looks == 0 || self.requests.look == 0 {
            return;
        }
        let hands = f64::from(looks);
        self.work.push_back(Work {
            requests: hands * f64::from(self.requests.look),
            events: 0.0,
            hands,
        });
    }

    /// When the Job of the `nth` of the starts that were due last will have been created.
    pub(super) fn created(&self, nth: u32, starts: u32) -> Created {
        let again = usize::from(self.requests.look > 0);
        let before = self.work.len().saturating_sub(1 + again);
        let ahead: f64 = self.work.iter().take(before).map(|w| w.requests).sum();
        // The status is updated afterwards, by each worker for its own.
        let (nth, starts) = (f64::from(nth), f64::from(starts));
        let hands = f64::from(self.limits.workers).min(starts);
        let afterwards = f64::from(self.requests.start - 1);
        let own = nth * self.cost() - hands.min(nth) * afterwards;
        let mut copy = self.clone();
        copy.work_off(ahead + own);
        Created {
            at: copy.now + ANSWER,
            waited: copy.tokens <= NOTHING,
        }
    }

    /// Goes on until a moment.
    fn run_until(&mut self, until: f64) {
        while self.now < until && !self.is_idle() {
            self.step(until - self.now, f64::INFINITY);
        }
        if self.now < until {
            let rested = (until - self.now) * self.limits.qps;
            self.tokens = (self.tokens + rested).min(f64::from(self.limits.burst));
            self.now = until;
        }
    }

    /// Goes on until the workers have made so many requests.
    fn work_off(&mut self, mut requests: f64) {
        while requests > NOTHING && !self.work.is_empty() {
            requests -= self.step(f64::INFINITY, requests);
        }
    }

    fn is_idle(&self) -> bool {
        self.work.is_empty() && self.events <= NOTHING
    }

    /// Goes on for as long as nothing changes, but no longer than `time`, and no more requests of
    /// workers than `most`; returns how many those were.
    fn step(&mut self, time: f64, most: f64) -> f64 {
        let work = self.work.front().copied();
        let hands = work.map_or(0.0, |work| work.hands.min(f64::from(self.limits.workers)));
        let made = work.map_or(0.0, |work| work.events);
        // Where events do not pile up, they take what they are.
        let sender = if self.events > NOTHING {
            1.0
        } else {
            (hands * made).min(1.0)
        };
        let fastest = (hands + sender) / ANSWER;
        let rate = if self.tokens > NOTHING {
            fastest
        } else {
            fastest.min(self.limits.qps)
        };
        let worker_rate = rate * hands / (hands + sender);
        let event_rate = rate * sender / (hands + sender);
        let piling = worker_rate * made - event_rate;
        let refill = self.limits.qps - rate;

        let mut length = time;
        let mut shorten = |amount: f64, rate: f64| {
            if rate > 0.0 && amount / rate < length {
                length = amount / rate;
            }
        };
        if let Some(work) = work {
            shorten(work.requests.min(most), worker_rate);
        }
        if self.events > NOTHING {
            shorten(self.events, -piling);
        }
        if self.tokens > NOTHING {
            shorten(self.tokens, -refill);
        }
        self.now += length;
        self.events = (self.events + piling * length).max(0.0);
        let filled = refill.mul_add(length, self.tokens);
        self.tokens = filled.clamp(0.0, f64::from(self.limits.burst));
        let done = worker_rate * length;
        if let Some(front) = self.work.front_mut() {
            front.requests -= done;
            if front.requests <= NOTHING {
                self.work.pop_front();
            }
        }
        done
    }
}
