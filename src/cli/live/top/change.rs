//! A change from the dashboard: the code of `suspend`, `resume` or `trigger` in its own thread. Its output and questions
//! appear on the dashboard.

use std::iter;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use clap::{Args, Command};
use tokio::sync::mpsc::UnboundedSender;

use super::events::{ChangeEvent, DashboardEvent};
use crate::cli::args::Common;
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::{frontend, resume, suspend, trigger};
use crate::cli::stdio::Frontend;
use crate::cli::{CommandOutcome, complain};
use crate::evidence::{Basis, Live};
use crate::top::Operation;
use kube_model::ObjectKey;

/// What a thread needs to read or change one CronJob.
pub(super) struct CronJobAccess {
    pub(super) basis: Basis,
    pub(super) common: Common,
    pub(super) live: Live,
}

impl CronJobAccess {
    pub(super) fn of(basis: &Basis, common: &Common, live: &Live, object: &ObjectKey) -> Self {
        let ObjectKey { namespace, name } = object.clone();
        let mut live = live.of_names(Some(namespace), vec![name]);
        live.wanted.label_selector = None;
        CronJobAccess {
            basis: basis.clone(),
            common: common.clone(),
            live,
        }
    }
}

/// Begins a change. Its events carry the number.
pub(super) fn begin(
    number: usize,
    operation: Operation,
    access: CronJobAccess,
    sender: &UnboundedSender<DashboardEvent>,
) {
    let dashboard = DashboardFrontend {
        number,
        sender: sender.clone(),
    };
    let frontend = dashboard.clone();
    thread::spawn(move || {
        let succeeded = frontend::with_frontend(frontend, || match change(operation, access) {
            Ok(outcome) => outcome == CommandOutcome::Fine,
            Err(error) => {
                complain(Diagnostic::of(&error));
                false
            }
        });
        dashboard.send(ChangeEvent::Finished(succeeded));
    });
}

/// Reads the CronJob again, and runs the command.
fn change(operation: Operation, access: CronJobAccess) -> anyhow::Result<CommandOutcome> {
    let (common, mut live) = (access.common, access.live);
    live.needs.predicts_change = true;
    let world = common.read_again(&live, access.basis)?;
    // The change uses the defaults of the command line.
    match operation {
        Operation::Suspend => suspend::suspend(&common, &read(operation)?, live, world),
        Operation::Resume => resume::resume(&common, &read(operation)?, live, world),
        Operation::Trigger | Operation::ForcedTrigger => {
            trigger::trigger(&common, &read(operation)?, live, world)
        }
    }
}

fn read<A: Args>(operation: Operation) -> anyhow::Result<A> {
    let verb = operation.verb();
    let words = iter::once(&verb).chain(operation.flags());
    let command = A::augment_args(Command::new(verb));
    Ok(A::from_arg_matches(&command.try_get_matches_from(words)?)?)
}

#[derive(Clone)]
struct DashboardFrontend {
    number: usize,
    sender: UnboundedSender<DashboardEvent>,
}

impl DashboardFrontend {
    fn send(&self, event: ChangeEvent) {
        // The dashboard may have ended.
        let _ = self.sender.send(DashboardEvent::Change(self.number, event));
    }
}

impl Frontend for DashboardFrontend {
    fn show(&self, text: &str) {
        self.send(ChangeEvent::Text(text.to_owned()));
    }

    /// Returns `None` if the dashboard has ended or abandoned the change.
    fn ask(&self, question: &str, answers: &[&str]) -> Option<usize> {
        let (reply, answer): (Sender<Option<usize>>, _) = channel();
        self.send(ChangeEvent::Question {
            question: question.to_owned(),
            answers: answers.iter().map(|&answer| answer.to_owned()).collect(),
            reply,
        });
        answer.recv().ok().flatten()
    }
}
