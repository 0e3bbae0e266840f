//! The one way in which a verb answers about CronJobs: load the World of each context, add what a recorder stored, ask,
//! print, and compute the exit code.
//!
//! A verb says what it needs ([`Query::scope`], [`Query::needs`]), what it finds in a World ([`Query::find`]), and how
//! that is shown ([`Query::answer`]). The exit code follows from what was found and not from what was printed, so that
//! it does not depend on how far a reader reads.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use super::args::{BasisArgs, Common, CronJobArgs, Selection};
use super::recorder::RecorderArg;
use super::verb::{Group, Verb, VerbSpec};
use super::{CommandOutcome, print_answer};
use crate::evidence::{Live, Needs, World};
use crate::output::contexts::ContextAnswers;
use crate::output::{Answer, Format};
use cronjob_diagnosis::history::HistoryWindow;
use kube_objects::query::PodSelection;

/// Which CronJobs an answer is about, as of when, who recorded their runs, and how it is written.
pub(super) struct Scope<'a> {
    pub(super) selection: &'a Selection,
    pub(super) basis: &'a BasisArgs,
    pub(super) recorder: Option<&'a RecorderArg>,
    pub(super) output: Option<Format>,
}

/// Makes [`Query::scope`] of the fields `selection`, `basis`, `output`, and `recorder` where that is one.
macro_rules! scope {
    ($($recorder:ident)?) => {
        fn scope(&self) -> $crate::cli::query::Scope<'_> {
            $crate::cli::query::Scope {
                selection: &self.selection,
                basis: &self.basis,
                recorder: [$(Some(&self.$recorder),)? None][0],
                output: self.output,
            }
        }
    };
}
pub(super) use scope;

/// The World of a context.
pub(super) struct Asked<'a> {
    pub(super) common: &'a Common,
    pub(super) world: World,
    /// The connection to read more of it; `None` with files.
    pub(super) live: Option<Live>,
}

/// A verb that reads CronJobs and answers about them.
pub(super) trait Query: Sync {
    /// What is found in one World.
    type Found: Send;
    type Answer<'a>: Answer
    where
        Self: 'a;

    /// Whether it takes several contexts.
    const SEVERAL_CONTEXTS: bool = true;

    fn scope(&self) -> Scope<'_>;

    /// What is read about each CronJob, by default what its health depends on.
    fn needs(&self) -> anyhow::Result<Needs> {
        Ok(Needs::pods(PodSelection::OfTroubled))
    }

    /// Fails if flags contradict each other, before anything is read. Returns the outcome if the answer is not about
    /// the CronJobs of a World.
    fn begin(&self, _common: &Common) -> anyhow::Result<Option<CommandOutcome>> {
        Ok(None)
    }

    /// Adds what a recorder stored, by default in the last 28 days.
    fn add_records(&self, common: &Common, world: &mut World) -> anyhow::Result<()> {
        match self.scope().recorder {
            Some(recorder) => {
                let since = HistoryWindow::recent(world.basis.now).since;
                common.add_records(world, recorder, since)
            }
            None => Ok(()),
        }
    }

    /// A World that is not read but made of the flags.
    fn world(&self, _common: &Common) -> anyhow::Result<Option<World>> {
        Ok(None)
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<Self::Found>;

    /// How it is shown; `None` if there is nothing to print.
    fn answer<'a>(&'a self, found: &'a ContextAnswers<Self::Found>) -> Option<Self::Answer<'a>>;

    /// What is left to do after printing.
    fn end(&self, _common: &Common, _found: &ContextAnswers<Self::Found>) {}

    /// Whether everything that was asked for could be found in what was read.
    fn is_complete(&self, _found: &Self::Found) -> bool {
        true
    }

    /// Whether nothing is printed if nothing could be read of the one context.
    fn omits_void(&self) -> bool {
        false
    }

    /// Whether something was found at or above `--fail-on`.
    fn fails(&self, _found: &Self::Found) -> bool {
        false
    }

    /// The flags besides `--recorder` with which it takes one context, with whether they are given.
    fn one_context(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }

    /// The flags with which it takes one namespace, with whether they are given.
    fn one_namespace(&self) -> Vec<(&'static str, bool)> {
        Vec::new()
    }
}

impl<Q: Query> Verb for Q {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        if let Some(outcome) = self.begin(common)? {
            return Ok(outcome);
        }
        let needs = self.needs()?;
        let (are_read, is_void) = (AtomicBool::new(true), AtomicBool::new(false));
        let found = common.in_each_context(|common| {
            let scope = self.scope();
            let (mut world, live) = match self.world(common)? {
                Some(world) => (world, None),
                None => common.load(common.basis(scope.basis)?, scope.selection, needs)?,
            };
            self.add_records(common, &mut world)?;
            are_read.fetch_and(world.complete, Ordering::Relaxed);
            is_void.fetch_or(world.is_void(), Ordering::Relaxed);
            self.find(Asked {
                common,
                world,
                live,
            })
        })?;
        let omits_all = is_void.into_inner() && self.omits_void() && found.as_one().is_some();
        let answer = self.answer(&found).filter(|_| !omits_all);
        if let Some(answer) = answer {
            print_answer(self.scope().output, &answer)?;
            self.end(common, &found);
        }
        let complete = are_read.into_inner() && found.all(|one| self.is_complete(one));
        let fails = found.each().any(|(_, one)| self.fails(one));
        Ok(CommandOutcome::of(complete, fails))
    }

    fn cron_jobs(&self) -> Option<&CronJobArgs> {
        Some(&self.scope().selection.cron_jobs)
    }

    fn flags_of_one_namespace(&self) -> Vec<(&'static str, bool)> {
        self.one_namespace()
    }

    fn flags_of_one_context(&self) -> Vec<(&'static str, bool)> {
        let recorder = self.scope().recorder;
        let recorder = recorder.map(RecorderArg::for_one_context);
        self.one_context().into_iter().chain(recorder).collect()
    }
}

impl VerbSpec {
    /// A verb that reads CronJobs, whose flags are `Q`.
    pub(super) const fn query<Q: Query + Args + 'static>(name: &'static str, group: Group) -> Self {
        VerbSpec {
            several_namespaces: true,
            several_contexts: Q::SEVERAL_CONTEXTS,
            ..VerbSpec::of::<Q>(name, group)
        }
    }
}
