//! A change that the dashboard makes: by the very code of the verb, in a thread of its own, with the
//! dashboard for a partner.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use anyhow::bail;
use clap::Parser as _;
use tokio::sync::mpsc::UnboundedSender;

use super::message::{Message, Word};
use crate::cli::args::Common;
use crate::cli::diagnostic::Diagnostic;
use crate::cli::stdio::{self, Frontend};
use crate::cli::{Cli, Outcome, Verb, complain, resume, suspend, trigger};
use crate::evidence::{Basis, Live};
use crate::top::{ObjectKey, Operation};

/// What a change needs.
pub(super) struct Means {
    pub(super) basis: Basis,
    pub(super) common: Common,
    pub(super) live: Live,
}

impl Means {
    /// The means to read or change one CronJob.
    pub(super) fn of(basis: &Basis, common: &Common, live: &Live, place: &ObjectKey) -> Self {
        let (namespace, name) = place.clone();
        let mut live = live.of_names(Some(namespace), vec![name]);
        live.wanted.label_selector = None;
        Means {
            basis: basis.clone(),
            common: common.clone(),
            live,
        }
    }
}

/// Begins a change, under a number.
pub(super) fn begin(
    number: usize,
    operation: Operation,
    means: Means,
    sender: &UnboundedSender<Message>,
) {
    let dashboard = Dashboard {
        number,
        sender: sender.clone(),
    };
    let partner = dashboard.clone();
    thread::spawn(move || {
        let well = stdio::with_frontend(partner, || match change(operation, means) {
            Ok(outcome) => outcome == Outcome::Fine,
            Err(error) => {
                complain(Diagnostic::of(&error));
                false
            }
        });
        dashboard.say(Word::Over(well));
    });
}

/// Reads the CronJob as it is now, and does what the verb does.
fn change(operation: Operation, means: Means) -> anyhow::Result<Outcome> {
    let Means {
        basis,
        common,
        live,
    } = means;
    let world = common.read_again(&live, basis)?;
    let reached = (live, world);
    // The defaults of the command line are those of the dashboard.
    let call = Cli::try_parse_from(["kubectl-cronjob_doctor", operation.verb()])?;
    match &call.verb {
        Verb::Suspend(args) => suspend::change(&common, args, reached),
        Verb::Resume(args) => resume::change(&common, args, reached),
        Verb::Trigger(args) => trigger::change(&common, args, reached),
        _ => bail!("{} changes nothing", operation.verb()),
    }
}

/// The dashboard, as those see it who tell and ask.
#[derive(Clone)]
struct Dashboard {
    number: usize,
    sender: UnboundedSender<Message>,
}

impl Dashboard {
    fn say(&self, word: Word) {
        // If the dashboard is gone there is no one to tell.
        let _ = self.sender.send(Message::Change(self.number, word));
    }
}

impl Frontend for Dashboard {
    fn show(&self, text: &str) {
        self.say(Word::Told(text.to_owned()));
    }

    /// Whoever is not listened to any more gets no answer.
    fn ask(&self, question: &str, answers: &[&str]) -> Option<usize> {
        let (reply, answer): (Sender<Option<usize>>, _) = channel();
        self.say(Word::Asked {
            question: question.to_owned(),
            answers: answers.iter().map(|&answer| answer.to_owned()).collect(),
            reply,
        });
        answer.recv().ok().flatten()
    }
}
