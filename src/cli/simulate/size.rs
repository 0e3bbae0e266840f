//! How much can be simulated at once.

use anyhow::bail;
use jiff::SignedDuration;
use serde_json::Value;

use crate::model::{ConcurrencyPolicy, CronJob};
use crate::schedule::Timetable;
use crate::simulate::{Durations, SimulationPlan};

/// How much a call asks for. Each run is kept until it is printed.
pub(super) struct Size<'p> {
    plan: &'p SimulationPlan,
    releases: u64,
    runs: u64,
}

impl<'p> Size<'p> {
    const MOST: u64 = 20_000_000;
    /// Each sync goes through all Jobs that run.
    const MOST_WORK: u64 = 300_000_000;

    pub(super) fn new(plan: &'p SimulationPlan, releases: usize) -> Self {
        Size {
            plan,
            releases: u64::try_from(releases).unwrap_or(u64::MAX),
            runs: 0,
        }
    }

    /// Counts the runs of one more CronJob, as long as they are not too many.
    pub(super) fn add(
        &mut self,
        cron_job: &CronJob,
        timetable: &Timetable,
        durations: &Durations,
    ) -> anyhow::Result<()> {
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
        let running = self.running(cron_job, runs, durations);
        if runs.saturating_mul(running) > Self::MOST_WORK {
            bail!(
                "from {} to {} about {running} Jobs would run at the same time, which are too many to \
                 simulate: choose a shorter time (--for) or a shorter --job-duration",
                self.plan.from,
                self.plan.to
            );
        }
        Ok(())
    }

    /// About how many Jobs of a CronJob run at the same time.
    fn running(&self, cron_job: &CronJob, runs: u64, durations: &Durations) -> u64 {
        if cron_job.spec.concurrency_policy != ConcurrencyPolicy::Allow {
            return 1;
        }
        let deadline = cron_job
            .spec
            .job_template
            .pointer("/spec/activeDeadlineSeconds");
        let deadline = deadline.and_then(Value::as_u64).unwrap_or(u64::MAX);
        let seconds = |time: SignedDuration| u64::try_from(time.as_secs()).unwrap_or_default();
        let takes = seconds(durations.mean()).min(deadline);
        let span = seconds(self.plan.to.duration_since(self.plan.from)).max(1);
        runs.saturating_mul(takes.min(span)) / span
    }
}
