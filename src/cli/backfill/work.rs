//! The Jobs are made, oldest first, and waited for.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use super::Call;
use super::going_on::{slots_were, span};
use super::told::Told;
use crate::change::backfill::BackfillRun;
use crate::change::{Course, Ending, Making, make};
use crate::cli::args::DryRun;
use crate::cli::changing::{Refusal, Sender, as_job, unmade};
use crate::cli::interrupt::Busy;
use crate::cli::triggering::text;
use crate::cli::waiting::update;
use crate::cli::{Outcome, complain, say_plainly, warn};
use crate::cluster::{
    Beside, ClusterError, FollowedJob, Following, Manner, News, Resource, WatchEvent,
};
use crate::controller::SCHEDULED_TIME_ANNOTATION;
use crate::diagnose::{BACKFILLED, counted};
use crate::output::actions::ActionEffect;

/// Whoever interrupts does not wait longer than that.
const PERIOD: Duration = Duration::from_millis(200);

/// A Job that is waited for.
struct Running {
    number: usize,
    course: Course,
}

/// How far it has come.
struct Work<'a> {
    call: &'a Call<'a>,
    template: &'a Value,
    sender: Sender<'a>,
    following: Following<'a>,
    told: Told<'a>,
    pending: VecDeque<(usize, &'a BackfillRun)>,
    /// Those whose Job was not made.
    unmade: Vec<(usize, &'a BackfillRun)>,
    /// Those whose Job may have been made, or may still be.
    unknown: Vec<(usize, &'a BackfillRun)>,
    running: Vec<Running>,
    failed: usize,
    /// What was deleted before its end.
    gone: usize,
    stopped: bool,
    /// Whether no news comes for now.
    is_deaf: bool,
    /// Whether no more news comes.
    is_refused: bool,
}

/// Makes the Jobs and waits for them.
pub(super) fn run<'a>(
    call: &'a Call<'a>,
    template: &'a Value,
    told: Told<'a>,
) -> anyhow::Result<Outcome> {
    let busy = Busy::begin(&call.live.session);
    let jobs = Resource::jobs();
    let mut work = Work {
        call,
        template,
        sender: sender(call, &jobs),
        following: call.live.session.following(),
        told,
        pending: call.plan.steps.iter().enumerate().collect(),
        unmade: Vec::new(),
        unknown: Vec::new(),
        running: Vec::new(),
        failed: 0,
        gone: 0,
        stopped: false,
        is_deaf: false,
        is_refused: false,
    };
    let most = usize::from(call.args.parallel);
    while !busy.is_interrupted() {
        while !work.stopped && work.running.len() < most && !busy.is_interrupted() {
            let Some((number, step)) = work.pending.pop_front() else {
                break;
            };
            work.start(number, step)?;
        }
        if work.running.is_empty() {
            break;
        }
        for news in work.following.wait(PERIOD) {
            match news {
                News::Change(number, change) => work.take(number, change),
                News::Refused(error) => work.give_up(&error),
                News::Written(..) | News::Ended(..) => {}
            }
        }
        work.settle();
        if work.is_refused {
            break;
        }
    }
    work.finish(busy.ended_by())
}

/// Does as if: nobody is waited for.
pub(super) fn as_if(
    call: &Call<'_>,
    template: &Value,
    told: &mut Told<'_>,
) -> anyhow::Result<Outcome> {
    let jobs = Resource::jobs();
    let sender = sender(call, &jobs);
    let mut outcome = Outcome::Fine;
    for (number, step) in call.plan.steps.iter().enumerate() {
        let job = job_of(template, step)?;
        if call.args.changing.dry_run == DryRun::Client {
            told.made(number, ActionEffect::Shown, job);
            continue;
        }
        match sender.create(&call.facts.cron_job.namespace, &job) {
            Ok(object) => told.made(number, ActionEffect::Shown, object),
            Err(Refusal::Exists(_)) => told.made(number, ActionEffect::Unchanged, Value::Null),
            Err(refusal) => {
                outcome = Outcome::Incomplete;
                let (effect, _) = unmade(&refusal, &step.job_name);
                told.made(number, effect, Value::Null);
            }
        }
    }
    Ok(outcome)
}

fn sender<'a>(call: &'a Call<'_>, jobs: &'a Resource) -> Sender<'a> {
    Sender {
        session: &call.live.session,
        resource: jobs,
        manner: Manner {
            dry_run: call.args.changing.dry_run == DryRun::Server,
            field_manager: &call.args.changing.field_manager,
        },
        // Without them there is no plan.
        knows_older: true,
        quiet: call.common.global.quiet,
    }
}

/// The Job that the controller would have made for the slot, but for a mark. It does not say that
/// somebody made it by hand: it is the run of its slot.
fn job_of(template: &Value, step: &BackfillRun) -> anyhow::Result<Value> {
    let slot = step.scheduled_timestamp.as_deref();
    let mut annotations = vec![(BACKFILLED, "true")];
    annotations.extend(slot.map(|slot| (SCHEDULED_TIME_ANNOTATION, slot)));
    let making = Making {
        name: &step.job_name,
        annotations: &[],
        decisive_annotations: &annotations,
    };
    Ok(make(template, &making)?)
}

impl<'a> Work<'a> {
    fn start(&mut self, number: usize, step: &'a BackfillRun) -> anyhow::Result<()> {
        let job = job_of(self.template, step)?;
        self.told.begins(number, step);
        let namespace = &self.call.facts.cron_job.namespace;
        match self.sender.create(namespace, &job) {
            Ok(object) => {
                let version = text(&object, "/metadata/resourceVersion");
                let course = Course::of(as_job(&object));
                self.told.made(number, ActionEffect::Done, object);
                let followed = FollowedJob {
                    namespace,
                    name: &step.job_name,
                    version: &version,
                };
                self.following.watch(number, &followed, Beside::default());
                self.running.push(Running { number, course });
            }
            Err(Refusal::Exists(_)) => self.told.made(number, ActionEffect::Unchanged, Value::Null),
            Err(refusal) => {
                let (effect, is_of_all) = unmade(&refusal, &step.job_name);
                // Where the answer was lost the Job may be there, and another would run beside it.
                self.stopped |= !self.call.args.keep_going || is_of_all;
                match effect {
                    ActionEffect::Unknown(_) => self.unknown.push((number, step)),
                    _ => self.unmade.push((number, step)),
                }
                self.told.made(number, effect, Value::Null);
            }
        }
        Ok(())
    }

    /// Nothing more is heard of the Jobs: of none it is known how it ends.
    fn give_up(&mut self, error: &ClusterError) {
        if !std::mem::replace(&mut self.is_refused, true) {
            complain(&error.to_string());
            self.gone += 1;
        }
    }

    /// Takes news of a Job.
    fn take(&mut self, number: usize, change: WatchEvent) {
        match &change {
            WatchEvent::Lost(why) => {
                let first = !std::mem::replace(&mut self.is_deaf, true);
                if first && !self.call.common.global.quiet {
                    warn(&format!("no news from the cluster, trying again: {why}"));
                }
            }
            _ => self.is_deaf = false,
        }
        let mut running = self.running.iter_mut();
        let Some(running) = running.find(|running| running.number == number) else {
            return;
        };
        update(&mut running.course, change);
    }

    /// Takes down which Jobs are over.
    fn settle(&mut self) {
        let mut still = Vec::new();
        for running in std::mem::take(&mut self.running) {
            let Some(ending) = running.course.ending() else {
                still.push(running);
                continue;
            };
            self.told.ended(running.number, Some(&ending));
            match ending {
                Ending::Complete { .. } => {}
                Ending::Failed { .. } => self.failed += 1,
                Ending::Gone => self.gone += 1,
            }
            let well = matches!(ending, Ending::Complete { .. });
            self.stopped |= !well && !self.call.args.keep_going;
        }
        self.running = still;
    }

    /// Says how it went, and how to go on.
    fn finish(mut self, ended_by: Option<u8>) -> anyhow::Result<Outcome> {
        for running in std::mem::take(&mut self.running) {
            let job = &running.course.job().name;
            self.told.ended(running.number, None);
            say_plainly(&format!("job.batch/{job} runs on"));
        }
        let is_unmade = !self.unmade.is_empty() || !self.unknown.is_empty();
        let mut left = self.unmade;
        left.extend(self.pending);
        let unknown = steps_of(&mut self.unknown);
        if !unknown.is_empty() {
            let (count, slots) = (counted(unknown.len(), "slot"), span(&unknown));
            say_plainly(&format!(
                "{count} may have been started, or may still be: {slots}"
            ));
        }
        let not = steps_of(&mut left);
        if !not.is_empty() {
            let (were, slots) = (slots_were(not.len()), span(&not));
            say_plainly(&format!("{were} not started: {slots}"));
        }
        left.extend(self.unknown);
        let left = steps_of(&mut left);
        if !left.is_empty() {
            say_plainly(&format!("to go on: {}", self.call.command(&left)));
        } else if let Some((count, command)) = self.call.command_beyond_max() {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            self.told
                .progress(&format!("{} left out by --max", slots_were(count)));
            self.told.progress(&format!("to go on: {command}"));
        }
        let told = self.told.finish();
        if let Some(code) = ended_by {
            if let Err(error) = told {
                complain(&format!("{error:#}"));
            }
            return Ok(Outcome::Ended(code));
        }
        told?;
        Ok(if self.failed > 0 {
            Outcome::Found
        } else if self.gone > 0 || is_unmade {
            Outcome::Incomplete
        } else {
            Outcome::Fine
        })
    }
}

/// The steps in their order.
fn steps_of<'a>(numbered: &mut [(usize, &'a BackfillRun)]) -> Vec<&'a BackfillRun> {
    numbered.sort_by_key(|(number, _)| *number);
    numbered.iter().map(|(_, step)| *step).collect()
}
