//! How late the last of many simultaneous starts is: workers wait for a rate-limited client.
//!
//! Workers take due `CronJob`s from a queue in order and send their requests one after the other. One more
//! worker sends events with the same client. The client limits requests with a token bucket, in the order
//! in which they are made, so that each worker gets an equal share. Quantities are fractions: hundreds of
//! starts are processed in a few steps of arithmetic.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;

use super::groups::{CountsByKind, KINDS};
use super::start_counts::{StartCounts, number, tenths};
use cronjob_controller::controller::{Behavior, Generation, Requests};

/// The work and the limits of the controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControllerCapacity {
    pub(super) requests: Requests,
    /// The pause between two passes over all CronJobs, in seconds, for releases that work in passes.
    pub(super) polls: Option<i64>,
    pub(super) limits: ClientLimits,
    /// The number of CronJobs in each pass.
    pub(super) cron_jobs_per_pass: usize,
    /// The number of CronJobs of each kind.
    pub(super) kinds: CountsByKind,
}

/// How many seconds after a scheduled time the controller syncs.
const WAKES_AFTER: f64 = 0.1;

pub(super) struct Delays {
    /// The largest delay of the last start of each bucket, in seconds.
    pub(super) buckets: Vec<f64>,
    /// The number of runs that never start because the next one is due first.
    pub(super) lost: f64,
}

pub(super) fn of(capacity: &ControllerCapacity, counts: &StartCounts) -> Delays {
    let mut delays = Delays {
        buckets: vec![0.0; counts.buckets.len()],
        lost: 0.0,
    };
    let origin = counts.span.seconds().0;
    let mut queue = RequestQueue::new(capacity.limits, capacity.requests, 0.0);
    for (at, starts) in counts.moments() {
        #[allow(clippy::cast_precision_loss)] // seconds of two years
        let since = (at - origin) as f64;
        let delay = if let Some(pause) = capacity.polls {
            polled(capacity, pause, starts)
        } else {
            delays.lost += queue.due(since + WAKES_AFTER, starts, capacity.kinds);
            let delay = queue.last_created().at - since;
            // A later start is that of the next scheduled time.
            delay.min(starts.longest_period())
        };
        if let Some(longest) = delays.buckets.get_mut(counts.span.bucket_of(at)) {
            *longest = delay.max(*longest);
        }
    }
    delays
}

/// The delay of the last of simultaneous starts if CronJobs are synced in passes: at worst the previous pass
/// synced it right before it became due.
fn polled(capacity: &ControllerCapacity, pause: i64, starts: CountsByKind) -> f64 {
    let mut queue = RequestQueue::new(capacity.limits, capacity.requests, 0.0);
    let all = u32::try_from(capacity.cron_jobs_per_pass).unwrap_or(u32::MAX);
    queue.sync(f64::from(all.saturating_sub(starts.total())));
    queue.due(0.0, starts, starts);
    #[allow(clippy::cast_precision_loss)] // ten seconds
    let pause = pause as f64;
    pause + queue.last_created().at
}

/// How fast the controller starts Jobs.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "Work")]
#[serde(rename_all = "camelCase")]
pub struct Throughput {
    /// The client limits of the controller.
    #[serde(flatten)]
    pub limits: ClientLimits,
    /// The number of requests of a sync.
    pub requests_per_sync: u32,
    /// The number of additional requests of a start.
    pub requests_per_start: u32,
    /// The number of events of a start.
    pub events_per_start: u32,
    /// The pause between two passes over all `CronJob`s; null for versions that sync them individually.
    pub poll_seconds: Option<i64>,
    /// How many Jobs can start at the same time without delay.
    pub starts_at_once: u32,
    /// How many Jobs start per second if more are due.
    #[serde(serialize_with = "tenths")]
    pub starts_per_second: f64,
    /// The number of `CronJob`s in a pass.
    #[serde(skip)]
    pub cron_jobs_per_pass: usize,
}

pub(super) fn throughput(capacity: &ControllerCapacity) -> Throughput {
    let waits = |starts: u32| {
        let mut queue = RequestQueue::new(capacity.limits, capacity.requests, 0.0);
        queue.due(0.0, of_one_kind(starts), of_one_kind(starts));
        queue.last_created().waited
    };
    let at_once = (1..=capacity.limits.burst).take_while(|starts| !waits(*starts));
    Throughput {
        limits: capacity.limits,
        requests_per_sync: capacity.requests.sync,
        requests_per_start: capacity.requests.start,
        events_per_start: capacity.requests.events,
        poll_seconds: capacity.polls,
        starts_at_once: at_once.last().unwrap_or(1),
        starts_per_second: RequestQueue::new(capacity.limits, capacity.requests, 0.0)
            .starts_a_second(),
        cron_jobs_per_pass: capacity.cron_jobs_per_pass,
    }
}

/// How many seconds late the `nth` of simultaneous starts is, in a controller with a work queue that has nothing else
/// to do.
pub fn nth_start_delay(limits: ClientLimits, requests: Requests, starts: u32, nth: u32) -> f64 {
    let mut queue = RequestQueue::new(limits, requests, 0.0);
    let starts = of_one_kind(starts);
    queue.due(WAKES_AFTER, starts, starts);
    queue.created(f64::from(nth)).at
}

fn of_one_kind(number: u32) -> CountsByKind {
    let mut kinds = CountsByKind::default();
    kinds.change(0, |_| number);
    kinds
}

/// How long a request takes on an idle control plane, in seconds.
const ANSWER: f64 = 0.01;

/// Smaller quantities count as zero, since they are sums of fractions.
const NOTHING: f64 = 1e-9;

/// The queued work of the controller, and its rate limiter.
#[derive(Clone)]
pub(super) struct RequestQueue {
    limits: ClientLimits,
    requests: Requests,
    now: f64,
    tokens: f64,
    work: VecDeque<QueuedWork>,
    /// Events that wait to be sent.
    events: f64,
}

pub(super) struct JobCreation {
    pub(super) at: f64,
    /// Whether the client makes it wait.
    pub(super) waited: bool,
}

/// Requests of workers, of one kind.
#[derive(Clone, Copy)]
struct QueuedWork {
    requests: f64,
    /// The number of requests of each item.
    each: f64,
    /// The number of events per request.
    events: f64,
    /// The proportion of each kind; all zero for syncs that start nothing.
    mix: [f64; KINDS],
}

impl QueuedWork {
    fn items(&self) -> f64 {
        self.requests / self.each
    }
}

impl RequestQueue {
    pub(super) fn new(limits: ClientLimits, requests: Requests, now: f64) -> Self {
        RequestQueue {
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
        f64::from(self.requests.sync + self.requests.start)
    }

    /// How many starts per second are possible if more are always due.
    pub(super) fn starts_a_second(&self) -> f64 {
        let workers = f64::from(self.limits.workers);
        let sender = (workers * f64::from(self.requests.events) / self.cost()).min(1.0);
        let rate = self.limits.qps.min((workers + sender) / ANSWER);
        rate * workers / (workers + sender) / self.cost()
    }

    /// Adds starts that are due at a time. CronJobs that still wait for an earlier start are not added again,
    /// since a work queue holds each key once. Returns how many those are.
    pub(super) fn due(&mut self, at: f64, starts: CountsByKind, members: CountsByKind) -> f64 {
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
        self.work.push_back(QueuedWork {
            requests: sum * self.cost(),
            each: self.cost(),
            events: f64::from(self.requests.events) / self.cost(),
            mix: added.map(|kind| kind / sum),
        });
        // A start changes the CronJob, which is then synced again after all others.
        self.sync(sum);
        again
    }

    pub(super) fn sync(&mut self, syncs: f64) {
        let each = f64::from(self.requests.sync);
        if syncs * each > NOTHING {
            self.work.push_back(QueuedWork {
                requests: syncs * each,
                each,
                events: 0.0,
                mix: [0.0; KINDS],
            });
        }
    }

    /// When the last waiting Job is created.
    pub(super) fn last_created(&self) -> JobCreation {
        self.created(f64::INFINITY)
    }

    /// When the `nth` Job of the last added starts is created.
    pub(super) fn created(&self, nth: f64) -> JobCreation {
        let starts = |work: &QueuedWork| work.mix.iter().sum::<f64>() > 0.0;
        let last = self.work.iter().rposition(starts).unwrap_or(0);
        let ahead: f64 = self.work.iter().take(last).map(|w| w.requests).sum();
        let due = self.work.get(last).map_or(0.0, QueuedWork::items);
        let nth = nth.min(due);
        // Each worker updates the status after it has created the Job.
        let workers = f64::from(self.limits.workers).min(nth);
        let afterwards = f64::from(self.requests.start - 1);
        let mut copy = self.clone();
        copy.work_off(ahead + nth * self.cost() - workers * afterwards);
        JobCreation {
            at: copy.now + ANSWER,
            waited: copy.tokens <= NOTHING,
        }
    }

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

    /// Runs until the workers have sent this number of requests.
    fn work_off(&mut self, mut requests: f64) {
        while requests > NOTHING && !self.work.is_empty() {
            requests -= self.step(f64::INFINITY, requests);
        }
    }

    fn is_idle(&self) -> bool {
        self.work.is_empty() && self.events <= NOTHING
    }

    /// Runs until something changes, for at most `time` seconds and `most` requests of workers. Returns how
    /// many requests they sent.
    fn step(&mut self, time: f64, most: f64) -> f64 {
        let work = self.work.front().copied();
        let items: f64 = self.work.iter().map(QueuedWork::items).sum();
        let workers = work.map_or(0.0, |_| items.clamp(1.0, f64::from(self.limits.workers)));
        let made = work.map_or(0.0, |work| work.events);
        // As long as events do not pile up, each is sent when it occurs.
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

/// The client limits and the workers of the controller.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ClientLimits {
    /// How many requests per second the controller may send: `--kube-api-qps`.
    #[serde(serialize_with = "number")]
    pub qps: f64,
    /// How many requests it may send in a burst: `--kube-api-burst`.
    pub burst: u32,
    /// How many `CronJob`s it syncs concurrently: `--concurrent-cron-job-syncs`.
    pub workers: u32,
}

impl ClientLimits {
    /// The defaults of a controller: 20 requests per second, bursts of 30.
    pub fn of(behavior: Behavior) -> Self {
        ClientLimits {
            qps: 20.0,
            burst: 30,
            workers: ClientLimits::workers_of(behavior).unwrap_or(1),
        }
    }

    /// The default number of workers; `None` if it is always one.
    pub fn workers_of(behavior: Behavior) -> Option<u32> {
        match behavior.generation {
            Generation::V1 => None,
            Generation::V2 => Some(5),
            Generation::Tutorial => Some(1),
        }
    }
}
