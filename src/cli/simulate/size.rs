//! How much can be simulated at once.

use anyhow::bail;

use crate::schedule::Timetable;
use crate::simulate::Plan;

/// How much a call asks for. Each run is kept until it is printed.
pub(super) struct Size<'p> {
    plan: &'p Plan,
    releases: u64,
    runs: u64,
}

impl<'p> Size<'p> {
    const MOST: u64 = 20_000_000;

    pub(super) fn new(plan: &'p Plan, releases: usize) -> Self {
        Size {
            plan,
            releases: u64::try_from(releases).unwrap_or(u64::MAX),
            runs: 0,
        }
    }

    /// Counts the runs of one more CronJob, as long as they are not too many.
    pub(super) fn add(&mut self, timetable: &Timetable) -> anyhow::Result<()> {
        // Where they cannot be counted, the simulation says why.
        let counted = timetable.count(self.plan.from, self.plan.to);
        let runs = counted.map_or(0, |counted| counted.count);
        self.runs = self.runs.saturating_add(runs.saturating_mul(self.releases));
        if self.runs > Self::MOST {
            bail!(
                "from {} to {} that is more than 20 million runs, which are too many at once: \
                 choose a shorter time (--for) or fewer CronJobs",
                self.plan.from,
                self.plan.to
            );
        }
        Ok(())
    }
}
