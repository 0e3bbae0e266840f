//! The starts of several clusters together. Each has a controller of its own, which delays only its own Jobs.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::start_counts::{PeakCandidate, participants};
use super::{Load, LoadMember, LoadQuestion, Peak};
use crate::controller::Controller;

/// One of several clusters.
pub(crate) struct JointPart<'a> {
    pub(crate) context: &'a str,
    pub(crate) controller: &'a Controller,
    pub(crate) members: &'a [LoadMember],
    /// Its load in the common window.
    pub(crate) load: &'a Load,
}

/// The starts of several clusters in one window.
pub(crate) struct JointLoad {
    /// The starts of each bucket, in order.
    pub(crate) buckets: Vec<u64>,
    /// The buckets with the most starts, with the context of each `CronJob`.
    pub(crate) peaks: Vec<Peak>,
}

impl JointLoad {
    pub(crate) fn of(parts: &[JointPart<'_>], question: &LoadQuestion) -> Self {
        let window = question.window;
        let length = usize::try_from(window.length()).unwrap_or(0);
        let mut buckets = vec![0; length];
        // Buckets in which the same members start in each of the clusters.
        let mut crowds: HashMap<Vec<(u64, u64)>, PeakCandidate> = HashMap::new();
        for (bucket, sum) in buckets.iter_mut().enumerate() {
            let of_part = |part: &JointPart<'_>| {
                let load = part.load;
                let at = |values: &[u64]| values.get(bucket).copied().unwrap_or(0);
                (at(&load.buckets), at(&load.crowds))
            };
            let crowd: Vec<(u64, u64)> = parts.iter().map(of_part).collect();
            *sum = crowd.iter().map(|(count, _)| count).sum();
            if *sum > 1 {
                let delays = parts.iter().filter_map(|part| part.load.delays.get(bucket));
                let candidate = crowds.entry(crowd).or_insert(PeakCandidate {
                    first: bucket,
                    count: *sum,
                    occurrences: 0,
                    delay: 0.0,
                });
                candidate.occurrences += 1;
                candidate.delay = delays.fold(candidate.delay, |most, delay| most.max(*delay));
            }
        }
        let mut crowds: Vec<PeakCandidate> = crowds.into_values().collect();
        crowds.sort_by_key(|crowd| (Reverse(crowd.count), crowd.first));
        crowds.truncate(question.peaks);
        let peak = |crowd: PeakCandidate| {
            let mut cron_jobs = Vec::new();
            for part in parts {
                let found = participants(part.controller, part.members, question, crowd.first);
                cron_jobs.extend(found.into_iter().map(|mut one| {
                    one.context = Some(part.context.to_owned());
                    one
                }));
            }
            Peak {
                time: window.start_of(crowd.first),
                count: crowd.count,
                occurrences: crowd.occurrences,
                last_start_delay: crowd.delay,
                cron_jobs,
            }
        };
        JointLoad {
            peaks: crowds.into_iter().map(peak).collect(),
            buckets,
        }
    }
}
