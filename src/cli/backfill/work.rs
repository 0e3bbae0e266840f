//! The Jobs are made, oldest first, and waited for.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

use super::Call;
use super::going_on::{slots_were, span};
use super::told::Told;
use crate::cli::args::DryRun;
use crate::cli::changing::{Hand, Refusal, as_job, unmade};
use crate::cli::interrupt::Busy;
use crate::cli::triggering::text;
use crate::cli::{Outcome, complain, say_plainly, warn};
use crate::cluster::{
    Beside, Change, Error, Followed, Following, Manner, News, Object, Objects, Resource,
};
use crate::controller::SLOT_ANNOTATION;
use crate::diagnose::BACKFILLED;
use crate::hands::backfill::Step;
use crate::hands::{Course, Ending, Making, make};
use crate::output::actions::Effect;

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
    hand: Hand<'a>,
    following: Following<'a>,
    told: Told<'a>,
    pending: VecDeque<(usize, &'a Step)>,
    running: Vec<Running>,
    succeeded: usize,
    failed: usize,
    /// What could not be made, or was deleted before its end.
    lost: usize,
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
    let busy = Busy::begin();
    let jobs = Resource::jobs();
    let mut work = Work {
        call,
        template,
        hand: hand(call, &jobs),
        following: call.live.session.following(),
        told,
        pending: call.plan.steps.iter().enumerate().collect(),
        running: Vec::new(),
        succeeded: 0,
        failed: 0,
        lost: 0,
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
    work.finish(busy.is_interrupted())
}

/// Does as if: nobody is waited for.
pub(super) fn as_if(
    call: &Call<'_>,
    template: &Value,
    told: &mut Told<'_>,
) -> anyhow::Result<Outcome> {
    let jobs = Resource::jobs();
    let hand = hand(call, &jobs);
    let mut outcome = Outcome::Fine;
    for (number, step) in call.plan.steps.iter().enumerate() {
        let job = job_of(template, step)?;
        if call.args.changing.dry_run == DryRun::Client {
            told.made(number, Effect::Shown, job)?;
            continue;
        }
        match hand.create(&call.facts.cron_job.namespace, &job) {
            Ok(object) => told.made(number, Effect::Shown, object)?,
            Err(Refusal::Exists(_)) => told.made(number, Effect::Unchanged, Value::Null)?,
            Err(refusal) => {
                outcome = Outcome::Incomplete;
                let (why, _) = unmade(&refusal);
                told.made(number, Effect::Failed(why), Value::Null)?;
            }
        }
    }
    Ok(outcome)
}

fn hand<'a>(call: &'a Call<'_>, jobs: &'a Resource) -> Hand<'a> {
    Hand {
        session: &call.live.session,
        resource: jobs,
        manner: Manner {
            dry_run: call.args.changing.dry_run == DryRun::Server,
            field_manager: &call.args.changing.field_manager,
        },
        quiet: call.global.quiet,
    }
}

/// The Job that the controller would have made for the slot, but for a mark. It does not say that
/// somebody made it by hand: it is the run of its slot.
fn job_of(template: &Value, step: &Step) -> anyhow::Result<Value> {
    let slot = step.scheduled_timestamp.as_deref();
    let mut annotations = vec![(BACKFILLED, "true")];
    annotations.extend(slot.map(|slot| (SLOT_ANNOTATION, slot)));
    let making = Making {
        name: &step.job_name,
        annotations: &[],
        decisive_annotations: &annotations,
    };
    Ok(make(template, &making)?)
}

impl Work<'_> {
    fn start(&mut self, number: usize, step: &Step) -> anyhow::Result<()> {
        let job = job_of(self.template, step)?;
        self.told.begins(number, step);
        let namespace = &self.call.facts.cron_job.namespace;
        match self.hand.create(namespace, &job) {
            Ok(object) => {
                let version = text(&object, "/metadata/resourceVersion");
                let course = Course::of(as_job(&object));
                self.told.made(number, Effect::Done, object)?;
                let followed = Followed {
                    namespace,
                    name: &step.job_name,
                    version: &version,
                };
                self.following.watch(number, &followed, Beside::default());
                self.running.push(Running { number, course });
                Ok(())
            }
            Err(Refusal::Exists(_)) => self.told.made(number, Effect::Unchanged, Value::Null),
            Err(refusal) => {
                let (why, open) = unmade(&refusal);
                // Where the answer was lost the Job may be there, and another would run beside it.
                self.stopped |= !self.call.args.keep_going || open;
                self.lost += 1;
                self.told.made(number, Effect::Failed(why), Value::Null)
            }
        }
    }

    /// Nothing more is heard of the Jobs: of none it is known how it ends.
    fn give_up(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.is_refused, true) {
            complain(&error.to_string());
            self.lost += 1;
        }
    }

    /// Takes news of a Job.
    fn take(&mut self, number: usize, change: Change) {
        match &change {
            Change::Lost(why) => {
                let first = !std::mem::replace(&mut self.is_deaf, true);
                if first && !self.call.global.quiet {
                    warn(&format!("no news from the cluster, trying again: {why}"));
                }
            }
            _ => self.is_deaf = false,
        }
        let mut running = self.running.iter_mut();
        let Some(running) = running.find(|running| running.number == number) else {
            return;
        };
        let course = &mut running.course;
        match change {
            Change::Now(Object::Job(job)) => {
                course.set_job(&job);
            }
            Change::Gone(Object::Job(job)) => course.remove_job(&job),
            Change::All(Objects::Jobs(jobs)) => {
                let uid = &course.job().uid;
                if let Some(job) = jobs.iter().find(|job| job.uid == *uid) {
                    course.set_job(job);
                } else {
                    let last = course.job().clone();
                    course.remove_job(&last);
                }
            }
            _ => {}
        }
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
                Ending::Complete { .. } => self.succeeded += 1,
                Ending::Failed { .. } => self.failed += 1,
                Ending::Gone => self.lost += 1,
            }
            let well = matches!(ending, Ending::Complete { .. });
            self.stopped |= !well && !self.call.args.keep_going;
        }
        self.running = still;
    }

    /// Says how it went, and how to go on.
    fn finish(mut self, interrupted: bool) -> anyhow::Result<Outcome> {
        for running in std::mem::take(&mut self.running) {
            let job = &running.course.job().name;
            self.told.ended(running.number, None);
            say_plainly(&format!("job.batch/{job} runs on"));
        }
        let left: Vec<&Step> = self.pending.iter().map(|(_, step)| *step).collect();
        if !left.is_empty() {
            let (were, slots) = (slots_were(left.len()), span(&left));
            say_plainly(&format!("{were} not started: {slots}"));
            say_plainly(&format!("to go on: {}", self.call.command(&left)));
        } else if let Some((count, command)) = self.call.command_beyond_max() {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            self.told
                .progress(&format!("{} left out by --max", slots_were(count)));
            self.told.progress(&format!("to go on: {command}"));
        }
        self.told.finish()?;
        Ok(if interrupted {
            Outcome::Interrupted
        } else if self.failed > 0 {
            Outcome::Found
        } else if self.lost > 0 {
            Outcome::Incomplete
        } else {
            Outcome::Fine
        })
    }
}
