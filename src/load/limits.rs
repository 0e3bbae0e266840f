//! What the client of the controller is allowed.

use crate::controller::{Behaviour, Generation};

/// What the client of the controller is allowed, and how many workers it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Requests a second: `--kube-api-qps`.
    pub qps: f64,
    /// Requests at once, after a rest: `--kube-api-burst`.
    pub burst: u32,
    /// How many `CronJob`s are looked at side by side: `--concurrent-cron-job-syncs`.
    pub workers: u32,
}

impl Limits {
    /// What a controller has if nobody says otherwise: 20 requests a second, 30 at once.
    pub fn of(behaviour: Behaviour) -> Self {
        Limits {
            qps: 20.0,
            burst: 30,
            workers: Limits::workers_of(behaviour).unwrap_or(1),
        }
    }

    /// How many workers a controller has if nobody says otherwise; `None` where it has one, whatever
    /// anybody says.
    pub fn workers_of(behaviour: Behaviour) -> Option<u32> {
        match behaviour.generation {
            Generation::V1 => None,
            Generation::V2 => Some(5),
            Generation::Tutorial => Some(1),
        }
    }
}
