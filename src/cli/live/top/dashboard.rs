//! The dashboard: handles changes, keys and events, and draws.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::change::{self, CronJobAccess};
use super::events::{ChangeEvent, DashboardEvent, read_clock};
use super::explanation::{self, ExplanationReader};
use super::terminal::Terminal;
use crate::cli::CommandOutcome;
use crate::cli::args::Common;
use crate::cli::live::live_survey::apply_change;
use crate::cli::live::unwatched::UnwatchedReader;
use crate::cli::live::watch::{Next, WatchLoop};
use crate::evidence::{Basis, Live};
use crate::output::top::{Capabilities, draw};
use crate::top::{App, Effect};
use cronjob_text::duration::whole_second;
use kube_access::{ServerClock, WatchEvent};

/// The least time between two redraws while changes arrive.
const LEAST_REDRAW_INTERVAL: Duration = Duration::from_millis(100);
/// The delay of a redraw after the start of a second.
const REDRAW_DELAY: Duration = Duration::from_millis(10);
const SECOND: Duration = Duration::from_secs(1);

pub(super) struct Dashboard {
    pub(super) basis: Basis,
    pub(super) live: Live,
    pub(super) common: Common,
    pub(super) terminal: Terminal,
    pub(super) capabilities: Capabilities,
    pub(super) app: App,
    pub(super) sender: UnboundedSender<DashboardEvent>,
    pub(super) explanation: ExplanationReader,
    pub(super) reader: UnwatchedReader,
    /// The number of the last change. Events of others are dropped.
    pub(super) change: usize,
    /// Where to send the answer that the change is waiting for.
    pub(super) reply: Option<Sender<Option<usize>>>,
}

impl Dashboard {
    /// Runs until the user quits, or a signal ends it.
    pub(super) fn run(
        mut self,
        events: UnboundedReceiver<DashboardEvent>,
    ) -> anyhow::Result<CommandOutcome> {
        let session = Arc::clone(&self.live.session);
        let changes = session.changes(&self.live.wanted, &self.live.versions);
        let mut drawn = Instant::now();
        let mut redraw_at = drawn;
        // The dashboard itself shows that a watch is lost.
        let ended =
            WatchLoop::new(changes, false).run_beside(Some(events), |_, updates, events| {
                let is_due = updates.is_empty() || !events.is_empty();
                for update in updates {
                    if let Some(change) = update.change()? {
                        self.apply(change);
                        // Related changes arrive separately, so that more may follow.
                        redraw_at =
                            redraw_at.min(drawn.max(Instant::now()) + LEAST_REDRAW_INTERVAL);
                    }
                }
                for event in events {
                    if let Some(outcome) = self.handle(event)? {
                        return Ok(Next::End(outcome));
                    }
                }
                if is_due || Instant::now() >= redraw_at {
                    self.draw()?;
                    drawn = Instant::now();
                    redraw_at = drawn + self.rest_of_second();
                }
                Ok(Next::Wait(
                    redraw_at.saturating_duration_since(Instant::now()),
                ))
            })?;
        Ok(ended.unwrap_or(CommandOutcome::Fine))
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        // Two resizes may be reported as one, with the size in between.
        let size = self.terminal.size()?;
        if size != self.app.size {
            self.app.resize(size);
        }
        self.compute();
        self.terminal
            .draw(|buffer| draw(buffer, &self.app, self.capabilities))
    }

    /// The time until the clock on the screen shows another second.
    fn rest_of_second(&self) -> Duration {
        let shown = self.live.clock.now().subsec_nanosecond();
        let shown = Duration::from_nanos(u64::try_from(shown).unwrap_or(0));
        SECOND.saturating_sub(shown) + REDRAW_DELAY
    }

    fn compute(&mut self) {
        // The screen shows full seconds.
        let now = whole_second(self.live.clock.now());
        self.basis = self.basis.at(now);
        self.read_unwatched();
        let survey = &mut self.app.survey;
        self.live
            .judge_together(survey, &self.basis, self.app.coverage);
        let controller = &self.basis.controller;
        self.app.refresh(controller, &self.basis.kubectl, now);
        if self.app.explained_cron_job().is_none() {
            return;
        }
        let text = self.explanation.text(&self.app, &self.basis);
        self.app.explain(text.as_deref());
        if let Some(object) = self.explanation.next_read(&self.app) {
            let access = CronJobAccess::of(&self.basis, &self.common, &self.live, &object);
            explanation::read_cron_job(object, access, &self.sender);
        }
    }

    fn read_unwatched(&mut self) {
        let sender = self.sender.clone();
        let then = move |_: &Live, unwatched| {
            // The dashboard may have ended.
            let _ = sender.send(DashboardEvent::Unwatched(Box::new(unwatched)));
        };
        let survey = &mut self.app.survey;
        self.reader.read_if_due(&self.live, survey, then);
    }

    fn apply(&mut self, change: WatchEvent) {
        match change {
            WatchEvent::Lost { why, .. } => self.app.set_disconnected(why),
            WatchEvent::Back { .. } => {
                self.app.set_connected();
                // The machine may have been suspended.
                read_clock(&self.live.session, &self.sender);
            }
            change => apply_change(&mut self.app.survey, change),
        }
    }

    /// Handles an event. Returns the outcome if it ends the dashboard.
    fn handle(&mut self, event: DashboardEvent) -> anyhow::Result<Option<CommandOutcome>> {
        let effect = match event {
            DashboardEvent::Key(key) => self.app.press(key),
            DashboardEvent::TerminalClosed => Some(Effect::Quit),
            DashboardEvent::End(code) => return Ok(Some(CommandOutcome::Ended(code))),
            DashboardEvent::Stop => Some(Effect::Stop),
            DashboardEvent::Stderr(text) => {
                self.app.show_note(text);
                None
            }
            DashboardEvent::Change(number, event) if number == self.change => {
                self.handle_change(event)
            }
            DashboardEvent::Change(..) | DashboardEvent::Resized => None,
            DashboardEvent::Date(date) => {
                self.live.clock = ServerClock::showing(date);
                None
            }
            DashboardEvent::Logs(object, text) => {
                self.app.show_logs(&object, &text);
                None
            }
            DashboardEvent::Unwatched(unwatched) => {
                let is_lost = self.app.disconnected.is_some();
                let survey = &mut self.app.survey;
                self.reader.store(*unwatched, survey, is_lost);
                None
            }
            DashboardEvent::Read(object, evidence) => {
                self.explanation.store(&self.app, object, *evidence);
                None
            }
        };
        match effect {
            None => {}
            Some(Effect::Quit) => return Ok(Some(CommandOutcome::Fine)),
            Some(Effect::Stop) => {
                self.terminal.stop()?;
            }
            Some(Effect::Redraw) => self.terminal.redraw_all()?,
            Some(Effect::BeginChange(operation, object)) => {
                let access = CronJobAccess::of(&self.basis, &self.common, &self.live, &object);
                self.change += 1;
                change::begin(self.change, operation, access, &self.sender);
            }
            Some(Effect::ReadLogs(object)) => {
                let access = CronJobAccess::of(&self.basis, &self.common, &self.live, &object);
                explanation::read_logs(object, access, &self.sender);
            }
            Some(Effect::AbandonChange) => self.change += 1,
            Some(Effect::Answer(answer)) => {
                if let Some(reply) = self.reply.take() {
                    // The change may have ended.
                    let _ = reply.send(answer);
                }
            }
        }
        Ok(None)
    }

    fn handle_change(&mut self, event: ChangeEvent) -> Option<Effect> {
        match event {
            ChangeEvent::Text(text) => self.app.show_change_text(&text),
            ChangeEvent::Question {
                question,
                answers,
                reply,
            } => {
                self.reply = Some(reply);
                self.app.ask_about_change(question, answers);
            }
            ChangeEvent::Finished(succeeded) => return self.app.finish_change(succeeded),
        }
        None
    }
}
