//! A board of CronJobs that follows the cluster.

use std::time::Duration;

use super::connect::Live;
use super::screen::Screen;
use super::settings::Settings;
use crate::cluster::{Change, Object, Objects};
use crate::diagnose::Coverage;
use crate::survey::{LiveSurvey, SurveyReport};

/// A countdown in seconds moves every second.
const TICK: Duration = Duration::from_secs(1);

/// A board that follows the cluster.
pub(super) struct Watch<'s> {
    settings: &'s mut Settings,
    live: Live,
    board: LiveSurvey,
    coverage: Coverage,
    /// Why no changes come, if none do.
    lost: Option<String>,
}

impl<'s> Watch<'s> {
    pub(super) fn new(
        settings: &'s mut Settings,
        live: Live,
        board: LiveSurvey,
        coverage: Coverage,
    ) -> Self {
        Watch {
            settings,
            live,
            board,
            coverage,
            lost: None,
        }
    }

    /// Follows the cluster until the user has seen enough.
    pub(super) fn run(mut self, mut screen: Screen) -> anyhow::Result<()> {
        let versions = self.live.versions.clone();
        let session = self.live.session;
        let mut changes = session.changes(&self.live.wanted, &versions);
        loop {
            self.settings.now = self.live.clock.now();
            self.coverage.as_of = self.settings.now;
            let controller = self.settings.controller();
            self.board
                .refresh(&controller, self.coverage, self.settings.now);
            let gone = self.board.gone();
            if screen.is_terminal() {
                let rows = self.board.rows().cloned().collect();
                let report = SurveyReport::new(rows, screen.view());
                screen.paint(&report, self.settings, self.lost.as_deref())?;
            } else {
                screen.tell_gone(&gone);
                screen.tell_lost(self.lost.as_deref());
                screen.append(self.board.news(), self.settings)?;
            }
            for change in changes.wait(TICK)? {
                apply(&mut self.board, &mut self.lost, change);
            }
        }
    }
}

/// Does to the board what happened in the cluster.
pub(super) fn apply(board: &mut LiveSurvey, lost: &mut Option<String>, change: Change) {
    match change {
        Change::Now(Object::CronJob(cron_job)) => board.set_cron_job(*cron_job),
        Change::Now(Object::Job(job)) => board.set_job(&job),
        Change::Now(Object::Event(event)) => board.set_event(*event),
        Change::Gone(Object::CronJob(cron_job)) => board.remove_cron_job(&cron_job),
        Change::Gone(Object::Job(job)) => board.remove_job(&job),
        Change::Gone(Object::Event(event)) => board.remove_event(&event),
        Change::All(Objects::CronJobs(cron_jobs)) => board.replace_cron_jobs(cron_jobs),
        Change::All(Objects::Jobs(jobs)) => board.replace_jobs(&jobs),
        Change::All(Objects::Events(events)) => board.replace_events(events),
        Change::Now(Object::Pod(_))
        | Change::Gone(Object::Pod(_))
        | Change::All(Objects::Pods(_)) => {}
        Change::Unreadable(why) => super::warn(&why),
        Change::Lost(why) => *lost = Some(why),
        Change::Back => *lost = None,
    }
}
