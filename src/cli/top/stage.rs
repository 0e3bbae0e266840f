//! The dashboard as it goes: what comes in, what is done because of it, what is drawn.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::clock;
use super::explaining::{self, Explaining};
use super::message::{Message, Word};
use super::talking::{self, Means};
use super::terminal::Terminal;
use crate::cli::Outcome;
use crate::cli::args::Common;
use crate::cli::watch::apply;
use crate::cluster::{Came, ServerClock, WatchEvent};
use crate::evidence::{Basis, Live};
use crate::output::top::{Capabilities, draw};
use crate::top::{App, Effect};

/// Where changes come thick and fast the screen does not: so long it stays at least.
const PACE: Duration = Duration::from_millis(100);
/// A clock that shows seconds is looked at a moment after each.
const MOMENT: Duration = Duration::from_millis(10);
const SECOND: Duration = Duration::from_secs(1);

/// The dashboard and all that it works with.
pub(super) struct Stage {
    pub(super) basis: Basis,
    pub(super) live: Live,
    pub(super) common: Common,
    pub(super) terminal: Terminal,
    pub(super) look: Capabilities,
    pub(super) app: App,
    pub(super) sender: UnboundedSender<Message>,
}

/// What is remembered from one turn to the next.
#[derive(Default)]
struct Memory {
    explaining: Explaining,
    /// The change that is listened to, and whoever of it waits for an answer.
    number: usize,
    reply: Option<Sender<Option<usize>>>,
}

impl Stage {
    /// Goes on until the user has seen enough, or a signal ends it.
    pub(super) fn run(
        mut self,
        mut messages: UnboundedReceiver<Message>,
    ) -> anyhow::Result<Outcome> {
        let session = std::sync::Arc::clone(&self.live.session);
        let versions = self.live.versions.clone();
        let mut changes = session.changes(&self.live.wanted, &versions);
        let mut memory = Memory::default();
        loop {
            // Two changes of the size that come together may be told of as one, and that one as it was
            // in between.
            let size = self.terminal.size()?;
            if size != self.app.size() {
                self.app.resize(size);
            }
            self.look(&mut memory);
            self.terminal
                .draw(|buffer| draw(buffer, &self.app, self.look))?;
            let drawn = Instant::now();
            let mut until = drawn + self.rest_of_second();
            loop {
                let left = until.saturating_duration_since(Instant::now());
                match changes.wait_beside(left, &mut messages)? {
                    Came::Nothing => break,
                    Came::Changes(news) => {
                        for change in news {
                            self.take(change);
                        }
                        // What belongs together comes a moment separated, and more may come.
                        until = until.min(drawn.max(Instant::now()) + PACE);
                    }
                    Came::Other(message) => {
                        let mut next = Some(message);
                        while let Some(message) = next {
                            if let Some(outcome) = self.hear(message, &mut memory)? {
                                return Ok(outcome);
                            }
                            next = messages.try_recv().ok();
                        }
                        break;
                    }
                }
            }
        }
    }

    /// Until the clock on the screen shows another second.
    fn rest_of_second(&self) -> Duration {
        let shown = self.live.clock.now().subsec_nanosecond();
        let shown = Duration::from_nanos(u64::try_from(shown).unwrap_or(0));
        SECOND.saturating_sub(shown) + MOMENT
    }

    /// Computes what is to be drawn.
    fn look(&mut self, memory: &mut Memory) {
        // A fraction of a second tells nobody anything.
        let now = self.live.clock.now();
        let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
        self.basis = self.basis.at(now);
        let controller = self.basis.controller();
        self.app.look(&controller, now);
        if self.app.explained().is_none() {
            return;
        }
        let text = Explaining::text(&self.app, &self.basis, &memory.explaining);
        self.app.explain(text.as_deref());
        if let Some(place) = memory.explaining.wants(&self.app) {
            let means = Means::of(&self.basis, &self.common, &self.live, &place);
            explaining::read(place, means, &self.sender);
        }
    }

    fn take(&mut self, change: WatchEvent) {
        match change {
            WatchEvent::Lost(why) => self.app.lose(why),
            WatchEvent::Back => {
                self.app.find_again();
                // The machine may have slept meanwhile, and its stopwatch with it.
                clock::ask(&self.live.session, &self.sender);
            }
            change => apply(self.app.board_mut(), &mut None, change),
        }
    }

    /// Takes a message; says what the call came to if that is the end.
    fn hear(&mut self, message: Message, memory: &mut Memory) -> anyhow::Result<Option<Outcome>> {
        let effect = match message {
            Message::Key(key) => self.app.press(key),
            Message::Hung => Some(Effect::Leave),
            Message::End(code) => return Ok(Some(Outcome::Ended(code))),
            Message::Stop => Some(Effect::Stop),
            Message::Said(text) => {
                self.app.note(text);
                None
            }
            Message::Change(number, word) if number == memory.number => {
                self.hear_change(word, memory)
            }
            Message::Change(..) | Message::Resized => None,
            Message::Date(date) => {
                self.live.clock = ServerClock::showing(date);
                None
            }
            Message::Read(place, evidence) => {
                memory.explaining.take(&self.app, place, *evidence);
                None
            }
        };
        match effect {
            None => {}
            Some(Effect::Leave) => return Ok(Some(Outcome::Fine)),
            Some(Effect::Stop) => {
                self.terminal.stop()?;
            }
            Some(Effect::Repaint) => self.terminal.forget()?,
            Some(Effect::Begin(operation, place)) => {
                let means = Means::of(&self.basis, &self.common, &self.live, &place);
                memory.number += 1;
                talking::begin(memory.number, operation, means, &self.sender);
            }
            Some(Effect::Forget) => memory.number += 1,
            Some(Effect::Answer(answer)) => {
                if let Some(reply) = memory.reply.take() {
                    // If nobody waits any more there is nothing to answer.
                    let _ = reply.send(answer);
                }
            }
        }
        Ok(None)
    }

    fn hear_change(&mut self, word: Word, memory: &mut Memory) -> Option<Effect> {
        match word {
            Word::Told(text) => self.app.told(&text),
            Word::Asked {
                question,
                answers,
                reply,
            } => {
                memory.reply = Some(reply);
                self.app.asked(question, answers);
            }
            Word::Over(well) => return self.app.over(well),
        }
        None
    }
}
