//! `scan --watch`: a table that follows the cluster.

use std::time::Duration;

use super::screen::Screen;
use crate::cluster::{Change, Object, Objects};
use crate::diagnose::Reach;
use crate::evidence::{Live, World};
use crate::survey::{Board, Report};

/// A countdown in seconds moves every second.
const TICK: Duration = Duration::from_secs(1);

/// Follows the cluster until a signal ends it.
pub(super) fn watch(live: &Live, world: World, mut screen: Screen) -> anyhow::Result<()> {
    let (read_at, reach) = (world.basis.clone(), world.reach);
    let mut board = Board::new(world.into_dossiers());
    // Why no changes come, if none do.
    let mut lost: Option<String> = None;
    let mut changes = live.session.changes(&live.wanted, &live.versions);
    loop {
        let basis = read_at.at(live.clock.now());
        let reach = Reach {
            as_of: basis.now,
            ..reach
        };
        board.refresh(&basis.controller(), reach, basis.now);
        let gone = board.gone();
        if screen.is_terminal() {
            let rows = board.rows().cloned().collect();
            let report = Report::new(rows, screen.view());
            screen.paint(&report, &basis, lost.as_deref())?;
        } else {
            screen.tell_gone(&gone);
            screen.tell_lost(lost.as_deref());
            screen.append(board.news(), &basis)?;
        }
        for change in changes.wait(TICK)? {
            apply(&mut board, &mut lost, change);
        }
    }
}

/// Does to the board what happened in the cluster.
pub(super) fn apply(board: &mut Board, lost: &mut Option<String>, change: Change) {
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
