//! Jobs are waited for: what happens to them is told, and what they write is shown.

mod endings;
mod run;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::Value;

use run::Run;

use super::changing::Round;
use super::interrupt::Busy;
use super::triggering::{Made, text};
use super::{say_plainly, voice, warn};
use crate::cluster::{Beside, Change, Error, Followed, Following, News, Writer};
use crate::hands::{Course, Ending, Happening};
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
pub(super) struct Wishes<'a> {
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
pub(super) enum Waited {
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
    wishes: Wishes<'a>,
    runs: Vec<Run>,
    /// What is to be read, and for which run; the first is being read.
    logs: VecDeque<(usize, Writer)>,
    is_lost: bool,
    until: Option<Instant>,
}

impl<'a> Waiting<'a> {
    /// Begins to follow Jobs from the moment on at which they were made.
    pub(super) fn begin(round: &'a Round<'_>, made: Vec<Made>, wishes: Wishes<'a>) -> Self {
        let mut waiting = Waiting {
            following: round.live.session.following(),
            wishes,
            runs: Vec::new(),
            logs: VecDeque::new(),
            is_lost: false,
            until: wishes
                .timeout
                .and_then(|timeout| Instant::now().checked_add(timeout)),
        };
        for (number, made) in made.into_iter().enumerate() {
            let namespace = text(&made.object, "/metadata/namespace");
            let name = text(&made.object, "/metadata/name");
            let version = text(&made.object, "/metadata/resourceVersion");
            let job = Followed {
                namespace: &namespace,
                name: &name,
                version: &version,
            };
            waiting.following.watch(number, &job, wishes.beside);
            waiting.runs.push(Run::of(&made, wishes.container));
        }
        waiting
    }

    /// Waits until all are over, nobody wants to wait any longer, or it takes too long.
    pub(super) fn run(
        mut self,
        round: &Round<'_>,
        busy: &Busy,
    ) -> anyhow::Result<(Waited, Vec<(CronJob, Value)>)> {
        self.tell_suspended()?;
        while !self.is_over() && !busy.is_interrupted() && !self.is_late() {
            for news in self.following.wait(self.patience()) {
                self.take(news)?;
            }
            self.ask_again();
            self.tell_endings(round)?;
        }
        let mut waited = Waited::Well;
        let mut seen = Vec::new();
        for run in &self.runs {
            let ending = run.course.ending().filter(|_| run.is_told);
            if ending.is_none() {
                self.give_up(round, run, busy);
            }
            waited = waited.max(match &ending {
                Some(Ending::Complete { .. }) => Waited::Well,
                Some(Ending::Failed { .. }) => Waited::Failed,
                Some(Ending::Gone) | None => Waited::Unknown,
            });
            let job = &run.course.job().name;
            seen.push((run.cron_job.clone(), observed(job, ending.as_ref())));
        }
        Ok((waited, seen))
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
    fn tell_suspended(&mut self) -> anyhow::Result<()> {
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
            self.tell(number, news)?;
        }
        Ok(())
    }

    fn take(&mut self, news: News) -> anyhow::Result<()> {
        match news {
            News::Change(number, change) => self.changed(number, change),
            News::Written(_, text) => self.write(&text).context("cannot write the log"),
            News::Ended(writer, error) => {
                self.ended(&writer, error);
                Ok(())
            }
        }
    }

    fn changed(&mut self, number: usize, change: Change) -> anyhow::Result<()> {
        match &change {
            Change::Lost(why) if !self.is_lost => {
                self.is_lost = true;
                if !self.wishes.quiet {
                    warn(&format!("no news from the cluster, trying again: {why}"));
                }
            }
            Change::Back => self.is_lost = false,
            _ => {}
        }
        let Some(run) = self.runs.get_mut(number) else {
            return Ok(());
        };
        let happenings = run.take(change);
        self.tell(number, happenings)?;
        self.look_for_logs(number);
        Ok(())
    }

    fn tell(
        &self,
        number: usize,
        happenings: impl IntoIterator<Item = Happening>,
    ) -> anyhow::Result<()> {
        let Some(run) = self.runs.get(number).filter(|_| !self.wishes.quiet) else {
            return Ok(());
        };
        let job = &run.course.job().name;
        for one in happenings {
            happening(&mut voice::stderr(), job, &one).context("cannot write")?;
        }
        Ok(())
    }

    /// Notes down what there is to read of a run now, and begins with it if nothing else is read.
    fn look_for_logs(&mut self, number: usize) {
        let Some(run) = self.runs.get_mut(number).filter(|_| self.wishes.logs) else {
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

    fn read_next(&self) {
        let Some((_, writer)) = self.logs.front() else {
            return;
        };
        if !self.wishes.quiet {
            let Writer { pod, container, .. } = writer;
            say_plainly(&format!("{pod}: log of container {container}"));
        }
        self.following.read_log(writer.clone());
    }

    /// A log is at its end; the next one follows.
    fn ended(&mut self, writer: &Writer, error: Option<Error>) {
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
        let out: &mut dyn Write = if self.wishes.to_stdout {
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
