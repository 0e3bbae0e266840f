//! How a CronJob is resumed, step by step.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::changing::{Round, Step, full_name};
use super::follow::{Expected, check};
use super::interrupt::Busy;
use super::{complain, say_plainly, stdio};
use crate::change::{CatchUp, FirstStart, Request, Resumption, quiet_deadline};
use crate::diagnose::Facts;
use crate::duration::exact;
use crate::model::{CronJob, CronJobEvidence};
use crate::output::{actions, follow};

/// How missed runs are kept from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// The controller is made to believe that they were started.
    Status,
    /// A deadline that they are past.
    Deadline,
}

/// How CronJobs are resumed.
pub(super) struct Resuming {
    /// How missed runs are kept from starting, if they are.
    pub(super) skip: Option<Skip>,
    stagger: Option<Duration>,
    quiet: bool,
    /// Whether a run was started late already.
    started: bool,
    /// What is expected of those that were resumed.
    resumed: Vec<(CronJobEvidence, Resumption)>,
}

impl Resuming {
    pub(super) fn new(stagger: Option<Duration>, quiet: bool) -> Self {
        Resuming {
            skip: None,
            stagger,
            quiet,
            started: false,
            resumed: Vec::new(),
        }
    }

    /// Watches what happens, and compares it with what was predicted. Says whether that was right; `None` if it could not be watched to
    /// its end.
    pub(super) fn watch(&self, round: &mut Round<'_>, aloud: bool, busy: &Busy) -> Option<bool> {
        let expected = self.resumed.iter().map(|(evidence, resumption)| {
            let mut before = evidence.clone();
            if let CatchUp::Status(slot) = resumption.catch_up {
                before.cron_job.status.last_schedule_time = Some(slot);
            }
            Expected {
                before,
                decision: resumption.decision.clone(),
            }
        });
        let verdicts = match check(&round.live, expected.collect(), self.quiet, busy) {
            Ok(verdicts) => verdicts,
            Err(error) => {
                complain(&error.to_string());
                return None;
            }
        };
        let mut all_right = true;
        for ((evidence, _), (respects, right)) in self.resumed.iter().zip(verdicts) {
            all_right &= right;
            let name = full_name(&evidence.cron_job);
            if aloud {
                let written = follow::verdict_of(&mut stdio::stdout(), &name, &respects, right);
                round.report.note_written(written);
            }
            round.observe(&evidence.cron_job, actions::compared(&respects, right));
        }
        Some(all_right)
    }

    /// Waits its turn, unless it is told to stop.
    fn wait(&self, pause: Duration, busy: &Busy) {
        const MOMENT: Duration = Duration::from_millis(50);
        if !self.quiet {
            let seconds = i64::try_from(pause.as_secs()).unwrap_or(i64::MAX);
            say_plainly(&format!("The next one in {}.", exact(seconds)));
        }
        let end = Instant::now() + pause;
        while !busy.is_interrupted() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(MOMENT));
        }
    }
}

impl Step for Resuming {
    type Plan = Resumption;
    const VERB: &'static str = "resume";
    const DONE: &'static str = "resumed";

    fn plan(&self, facts: &Facts<'_>) -> Resumption {
        let as_it_is = Resumption::of(facts, CatchUp::Run);
        let catch_up = match self
            .skip
            .filter(|_| as_it_is.first_start.is_worth_skipping())
        {
            None => None,
            Some(Skip::Status) => {
                let last = as_it_is.last_missed.or(as_it_is.first_start.late_slot());
                last.map(CatchUp::Status)
            }
            Some(Skip::Deadline) => quiet_deadline(facts).map(CatchUp::Deadline),
        };
        catch_up.map_or(as_it_is, |catch_up| Resumption::of(facts, catch_up))
    }

    fn still_holds(&self, agreed: &Resumption, new: &Resumption, reads_the_same: bool) -> bool {
        reads_the_same && (&agreed.first_start, agreed.catch_up) == (&new.first_start, new.catch_up)
    }

    fn sentences(&self, facts: &Facts<'_>, plan: &Resumption) -> String {
        actions::resumption(facts, plan)
    }

    fn afterwards(&self, facts: &Facts<'_>, plan: &Resumption) -> Option<String> {
        actions::afterwards(facts, plan)
    }

    fn document(&self, facts: &Facts<'_>, plan: &Resumption) -> Value {
        actions::resumption_document(facts, plan)
    }

    fn requests(&self, cron_job: &CronJob, plan: &Resumption) -> Vec<Request> {
        Request::resume(cron_job, plan.catch_up)
    }

    fn is_done(&self, cron_job: &CronJob) -> bool {
        cron_job.spec.suspend != Some(true)
    }

    fn begin(&mut self, _: &CronJob, plan: &Resumption, busy: &Busy) -> anyhow::Result<()> {
        if !matches!(plan.first_start, FirstStart::Late { .. }) {
            return Ok(());
        }
        if let Some(pause) = self.stagger.filter(|_| self.started) {
            self.wait(pause, busy);
        }
        self.started = true;
        Ok(())
    }

    fn end(&mut self, evidence: &CronJobEvidence, plan: &Resumption) {
        self.resumed.push((evidence.clone(), plan.clone()));
    }

    fn go_on(&self) -> &'static str {
        "run the same command again; what is resumed stays as it is"
    }
}
