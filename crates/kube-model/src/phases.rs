//! Where the time of a run went.

use cronjob_text::duration::human;
use serde::{Deserialize, Serialize};

/// Where the time of a run went, in seconds; null where it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunPhases {
    /// From the creation of the Job until its `status.startTime`: it was suspended, for example in a queue.
    pub queued_seconds: Option<i64>,
    /// From then until the first container of the first pod started.
    pub waiting_seconds: Option<i64>,
    /// The part of the waiting in which that pod had no node.
    pub node_seconds: Option<i64>,
    /// The part of the waiting in which its images were pulled. Known from events, for an hour.
    pub image_seconds: Option<i64>,
    /// The part of the waiting in which its init containers ran.
    pub init_seconds: Option<i64>,
    /// From the start of the first container to the end of the last one.
    pub running_seconds: Option<i64>,
    /// From the end of the last container until the Job finished.
    pub ending_seconds: Option<i64>,
}

impl RunPhases {
    /// `None` if nothing is known.
    pub fn if_known(self) -> Option<Self> {
        (self != RunPhases::default()).then_some(self)
    }

    /// What is known now or was known before.
    #[must_use]
    pub fn or(self, earlier: RunPhases) -> Self {
        RunPhases {
            queued_seconds: self.queued_seconds.or(earlier.queued_seconds),
            waiting_seconds: self.waiting_seconds.or(earlier.waiting_seconds),
            node_seconds: self.node_seconds.or(earlier.node_seconds),
            image_seconds: self.image_seconds.or(earlier.image_seconds),
            init_seconds: self.init_seconds.or(earlier.init_seconds),
            running_seconds: self.running_seconds.or(earlier.running_seconds),
            ending_seconds: self.ending_seconds.or(earlier.ending_seconds),
        }
    }

    /// `queued 5m, waited 3m2s (node 12s, image 2m48s), ran 2m, ended 31s later`
    pub fn in_words(self) -> String {
        let lasting = |seconds: Option<i64>| seconds.filter(|seconds| *seconds > 0).map(human);
        let waiting = [
            ("node", self.node_seconds),
            ("image", self.image_seconds),
            ("init containers", self.init_seconds),
        ];
        let waiting = waiting.into_iter().filter_map(|(what, seconds)| {
            let took = lasting(seconds)?;
            Some(format!("{what} {took}"))
        });
        let waiting = waiting.collect::<Vec<_>>().join(", ");
        let waiting = if waiting.is_empty() {
            waiting
        } else {
            format!(" ({waiting})")
        };
        let parts = [
            lasting(self.queued_seconds).map(|took| format!("queued {took}")),
            lasting(self.waiting_seconds).map(|took| format!("waited {took}{waiting}")),
            self.running_seconds
                .map(|took| format!("ran {}", human(took))),
            lasting(self.ending_seconds).map(|took| format!("ended {took} later")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
