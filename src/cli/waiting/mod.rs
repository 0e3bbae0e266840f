//! Jobs are waited for: what happens to them is told, and what they write is shown.

mod endings;
mod run;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::Value;

use run::Run;

pub(super) use run::update;

use super::changing::ChangeRun;
use super::changing::text_at;
use super::interrupt::Busy;
use super::trigger::CreatedJob;
use super::watch::LossWarning;
use super::{Outcome, complain, say_plainly, stdio, warn};
use crate::change::{Course, Ending, Happening};
use crate::cluster::{Beside, ClusterError, FollowedJob, Following, News, WatchEvent, Writer};
use crate::model::{CronJob, Job};
use crate::output::actions::{happening, observed};

/// An interruption is noticed so soon.
const PATIENCE: Duration = Duration::from_millis(200);
/// The kubelet may be so much behind what the API server says of its containers.
const PAUSE: Duration = Duration::from_secs(1);
/// What a Job wrote may be heard of so much later than its end.
const GRACE: Duration = Duration::from_secs(3);

/// What is wanted while Jobs run.
#[derive(Clone, Copy)]
pub(super) struct WaitOptions<'a> {
    /// How long they are waited for.
    pub(super) timeout: Option<Duration>,
    /// Whether what they write is shown.
    pub(super) logs: bool,
    /// Which container is to be heard.
    pub(super) container: Option<&'a str>,
    /// Whether results are lines on stdout; there is a document otherwise.
    pub(super) to_stdout: bool,
    pub(super) quiet: bool,
    pub(super) beside: Beside,
}

/// What waiting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Waited {
    /// All succeeded.
    Well,
    /// Some failed.
    Failed,
    /// Of some it is not known.
    Unknown,
}

/// Jobs that are waited for.
pub(super) struct Waiting<'a> {
    following: Following<'a>,
    options: WaitOptions<'a>,
    runs: Vec<Run>,
    /// What is to be read, and for which run; the first is being read.
    logs: VecDeque<(usize, Writer)>,
    /// When the last of that came, or was asked for.
    heard_at: Instant,
    losses: LossWarning,
    /// Whether no more news comes.
    is_refused: bool,
    until: Option<Instant>,
}

/// What waiting came to, and what was seen.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) observed: Vec<(CronJob, Value)>,
    /// Whether everything could be told.
    pub(super) written: io::Result<()>,
}

impl<'a> Waiting<'a> {
    /// Begins to follow Jobs from the moment on at which they were made.
    pub(super) fn begin(
        round: &'a ChangeRun<'_>,
        made: Vec<CreatedJob>,
        options: WaitOptions<'a>,
    ) -> Self {
        let mut waiting = Waiting {
            following: round.live.session.following(),
            options,
            runs: Vec::new(),
            logs: VecDeque::new(),
            heard_at: Instant::now(),
            losses: LossWarning::new(options.quiet),
            is_refused: false,
            until: options
                .timeout
                .and_then(|timeout| Instant::now().checked_add(timeout)),
        };
        for (number, made) in made.into_iter().enumerate() {
            let namespace = text_at(&made.object, "/metadata/namespace");
            let name = text_at(&made.object, "/metadata/name");
            let version = text_at(&made.object, "/metadata/resourceVersion");
            let job = FollowedJob {
                namespace: &namespace,
                name: &name,
                version: &version,
            };
            waiting.following.watch(number, &job, options.beside);
            waiting.runs.push(Run::of(&made, options.container));
        }
        waiting
    }

    /// Waits until all are over, nobody wants to wait any longer, it takes too long, or nobody can be told.
    pub(super) fn run(mut self, round: &ChangeRun<'_>, busy: &Busy) -> Ended {
        self.tell_suspended();
        let mut written = Ok(());
        let is_heard = !(self.options.to_stdout && round.report.is_unwritten());
        while is_heard
            && written.is_ok()
            && !self.is_over()
            && !busy.is_interrupted()
            && !self.is_refused
            && !self.is_late()
        {
            written = self
                .following
                .wait(self.patience())
                .into_iter()
                .try_for_each(|news| self.take(news));
            self.ask_again();
            self.leave_open_logs();
            written = written.and_then(|()| self.tell_endings(round));
        }
        let mut waited = Waited::Well;
        let mut seen = Vec::new();
        for run in &self.runs {
            let ending = run.course.ending().filter(|_| run.is_told);
            if ending.is_none() {
                self.give_up(round, run);
            }
            waited = waited.max(match &ending {
                Some(Ending::Complete { .. }) => Waited::Well,
                Some(Ending::Failed { .. }) => Waited::Failed,
                Some(Ending::Gone) | None => Waited::Unknown,
            });
            let job = &run.course.job().name;
            seen.push((run.cron_job.clone(), observed(job, ending.as_ref())));
        }
        Ended {
            outcome: match waited {
                Waited::Well => Outcome::Fine,
                Waited::Failed => Outcome::Found,
                Waited::Unknown => Outcome::Incomplete,
            },
            observed: seen,
            written,
        }
    }

    fn is_over(&self) -> bool {
        self.runs.iter().all(|run| run.is_told)
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn patience(&self) -> Duration {
        let left = self
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(PATIENCE, |left| left.min(PATIENCE))
    }

    /// What a Job says that is suspended from the start.
    fn tell_suspended(&mut self) {
        for number in 0..self.runs.len() {
            let Some(run) = self.runs.get_mut(number) else {
                continue;
            };
            let job = run.course.job().clone();
            let before = Job {
                suspend: None,
                ..job.clone()
            };
            run.course = Course::of(before);
            let news = run.course.set_job(&job);
            self.tell(number, news);
        }
    }

    fn take(&mut self, news: News) -> io::Result<()> {
        match news {
            News::Change(number, change) => self.changed(number, change),
            News::Written(writer, text) if self.is_read(&writer) => {
                self.heard_at = Instant::now();
                return self.write(&text);
            }
            News::Ended(writer, error) if self.is_read(&writer) => self.ended(&writer, error),
            News::Refused(error) => {
                if !std::mem::replace(&mut self.is_refused, true) {
                    complain(&error.to_string());
                }
            }
            // Of one that was left.
            News::Written(..) | News::Ended(..) => {}
        }
        Ok(())
    }

    /// Whether this is what is being read.
    fn is_read(&self, writer: &Writer) -> bool {
        self.logs.front().is_some_and(|(_, front)| front == writer)
    }

    fn changed(&mut self, number: usize, change: WatchEvent) {
        self.losses.note(&change);
        let Some(run) = self.runs.get_mut(number) else {
            return;
        };
        let happenings = update(&mut run.course, change);
        self.tell(number, happenings);
        self.look_for_logs(number);
    }

    fn tell(&self, number: usize, happenings: impl IntoIterator<Item = Happening>) {
        let Some(run) = self.runs.get(number).filter(|_| !self.options.quiet) else {
            return;
        };
        let job = &run.course.job().name;
        for one in happenings {
            // If stderr is gone there is no one to tell.
            let _ = happening(&mut stdio::stderr(), job, &one);
        }
    }

    /// Notes down what there is to read of a run now, and begins with it if nothing else is read.
    fn look_for_logs(&mut self, number: usize) {
        let Some(run) = self.runs.get_mut(number).filter(|_| self.options.logs) else {
            return;
        };
        let Some(container) = run.container.clone() else {
            return;
        };
        let is_idle = self.logs.is_empty();
        for pod in run.course.unread(&container) {
            let writer = Writer {
                namespace: run.course.job().namespace.clone(),
                pod,
                container: container.clone(),
            };
            self.logs.push_back((number, writer));
        }
        if is_idle {
            self.read_next();
        }
    }

    fn read_next(&mut self) {
        self.heard_at = Instant::now();
        let Some((_, writer)) = self.logs.front() else {
            return;
        };
        if !self.options.quiet {
            let Writer { pod, container, .. } = writer;
            say_plainly(&format!("{pod}: log of container {container}"));
        }
        self.following.read_log(writer.clone());
    }

    /// A log is at its end; the next one follows.
    fn ended(&mut self, writer: &Writer, error: Option<ClusterError>) {
        let number = self.logs.pop_front().map(|(number, _)| number);
        if let Some(error) = error {
            let too_soon = error.status().is_some_and(|status| status.code == 400);
            let run = number.and_then(|number| self.runs.get_mut(number));
            match run.filter(|_| too_soon) {
                Some(run) => {
                    run.course.forget_read(&writer.pod);
                    run.again_at = Instant::now().checked_add(PAUSE);
                }
                None => warn(&format!("cannot read the log of {}: {error}", writer.pod)),
            }
        }
        self.read_next();
    }

    /// Some kubelets keep a log open that nothing is written to any more. The Job is over, and nothing has
    /// come for a while: the next one follows.
    fn leave_open_logs(&mut self) {
        let Some((number, writer)) = self.logs.front() else {
            return;
        };
        let run = self.runs.get(*number);
        let is_over = run.is_some_and(|run| run.course.ending().is_some());
        if !is_over || self.heard_at.elapsed() < GRACE {
            return;
        }
        warn(&format!(
            "the log of {} did not end, and is left",
            writer.pod
        ));
        self.logs.pop_front();
        self.read_next();
    }

    /// Asks again for logs that came too soon.
    fn ask_again(&mut self) {
        let now = Instant::now();
        for number in 0..self.runs.len() {
            let run = self.runs.get_mut(number);
            let Some(run) = run.filter(|run| run.again_at.is_some_and(|at| at <= now)) else {
                continue;
            };
            run.again_at = None;
            self.look_for_logs(number);
        }
    }

    /// What a container writes goes where results go, unless a document is to be read there.
    fn write(&self, text: &[u8]) -> io::Result<()> {
        let (mut stdout, mut stderr);
        let out: &mut dyn Write = if self.options.to_stdout {
            stdout = io::stdout().lock();
            &mut stdout
        } else {
            stderr = io::stderr().lock();
            &mut stderr
        };
        out.write_all(text)?;
        out.flush()
    }
}
