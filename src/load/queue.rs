//! A client that makes so many requests a second, and who waits for it.
//!
//! Workers take what is due from a queue, first come, first served, and make its requests one after
//! the other. Events are sent by one more worker, with the same client, whenever there are any. The
//! client lets requests through as from a bucket of tokens, in the order in which they were asked
//! for: so each worker that wants something gets as much as each other one. Quantities flow here:
//! a herd of hundreds is worked off in a few steps of arithmetic.

use std::collections::VecDeque;

use super::groups::{KINDS, Kinds};
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
    /// How many of them each thing takes.
    each: f64,
    /// How many events come of each request.
    events: f64,
    /// What is started, as parts of one; nothing if they are only looked at.
    mix: [f64; KINDS],
}

impl Work {
    /// How many things there are to do.
    fn items(&self) -> f64 {
        self.requests / self.each
    }
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
        let workers = f64::from(self.limits.workers);
        let sender = (workers * f64::from(self.requests.events) / self.cost()).min(1.0);
        let rate = self.limits.qps.min((workers + sender) / ANSWER);
        rate * workers / (workers + sender) / self.cost()
    }

    /// So many are due at a moment, of so many that there are. Those that still wait for a start
    /// that was due before are not due twice: a queue holds each once. Returns how many those are.
    pub(super) fn due(&mut self, at: f64, starts: Kinds, members: Kinds) -> f64 {
        self.run_until(at);
        let mut waiting = [0.0; KINDS];
        for work in &self.work {
            for (sum, mix) in waiting.iter_mut().zip(work.mix) {
                *sum += work.items() * mix;
            }
        }
        let mut added = [0.0; KINDS];
        let numbers = starts.0.into_iter().zip(members.0).zip(waiting);
        for (added, ((starts, members), waiting)) in added.iter_mut().zip(numbers) {
            *added = f64::from(starts).min((f64::from(members) - waiting).max(0.0));
        }
        let sum: f64 = added.iter().sum();
        let again = f64::from(starts.total()) - sum;
        if sum <= NOTHING {
            return again;
        }
        self.work.push_back(Work {
            requests: sum * self.cost(),
            each: self.cost(),
            events: f64::from(self.requests.events) / self.cost(),
            mix: added.map(|kind| kind / sum),
        });
        // What was started changes the CronJob, which is looked at again behind all the others.
        self.look(sum);
        again
    }

    /// So many are looked at, and nothing is started.
    pub(super) fn look(&mut self, looks: f64) {
        let each = f64::from(self.requests.look);
        if looks * each > NOTHING {
            self.work.push_back(Work {
                requests: looks * each,
                each,
                events: 0.0,
                mix: [0.0; KINDS],
            });
        }
    }

    /// When the last Job that waits to be created will have been.
    pub(super) fn last_created(&self) -> Created {
        self.created(f64::INFINITY)
    }

    /// When the `nth` of those that were due last will have been created.
    pub(super) fn created(&self, nth: f64) -> Created {
        let starts = |work: &Work| work.mix.iter().sum::<f64>() > 0.0;
        let last = self.work.iter().rposition(starts).unwrap_or(0);
        let ahead: f64 = self.work.iter().take(last).map(|w| w.requests).sum();
        let due = self.work.get(last).map_or(0.0, Work::items);
        let nth = nth.min(due);
        // The status is updated afterwards, by each worker for its own.
        let workers = f64::from(self.limits.workers).min(nth);
        let afterwards = f64::from(self.requests.start - 1);
        let mut copy = self.clone();
        copy.work_off(ahead + nth * self.cost() - workers * afterwards);
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
        let items: f64 = self.work.iter().map(Work::items).sum();
        let workers = work.map_or(0.0, |_| items.clamp(1.0, f64::from(self.limits.workers)));
        let made = work.map_or(0.0, |work| work.events);
        // Where events do not pile up, they take what they are.
        let sender = if self.events > NOTHING {
            1.0
        } else {
            (workers * made).min(1.0)
        };
        let fastest = (workers + sender) / ANSWER;
        let rate = if self.tokens > NOTHING {
            fastest
        } else {
            fastest.min(self.limits.qps)
        };
        let worker_rate = rate * workers / (workers + sender);
        let event_rate = rate * sender / (workers + sender);
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
