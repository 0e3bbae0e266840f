//! The loop in which verbs watch a cluster: it waits for updates, passes them on, reports a lost watch once,
//! and ends on a verdict, a signal or a deadline.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;

use crate::cli::live::busy::Busy;
use crate::cli::{complain, warn};
use kube_access::{Update, Updates, WatchEvent};

/// How long to wait if only changes can lead to more.
const LONG: Duration = Duration::from_secs(3600);
/// The most warnings about objects that cannot be read. A cluster can change them any number of times.
const MOST_UNREADABLE: usize = 100;

/// What to do after updates were handled.
pub(super) enum Next<V> {
    /// Wait for updates, at most so long.
    Wait(Duration),
    End(V),
}

impl<V> Next<V> {
    /// Wait for updates, at most until something is due.
    pub(super) fn wait_until(due: Option<Instant>) -> Self {
        let left = due.map(|at| at.saturating_duration_since(Instant::now()));
        Next::Wait(left.unwrap_or(LONG))
    }
}

/// Whether the credentials were rejected, so that no more changes come. Reports it.
pub(super) fn is_refused(updates: &[Update]) -> bool {
    let refused = updates.iter().find_map(|update| match update {
        Update::Refused(error) => Some(error),
        _ => None,
    });
    refused.map(complain).is_some()
}

pub(super) struct WatchLoop<'a> {
    updates: Updates<'a>,
    /// Whether to warn while no changes come.
    warns: bool,
    is_lost: bool,
    /// Why objects cannot be read, each reported once.
    unreadable: HashSet<String>,
    busy: Option<&'a Busy>,
    deadline: Option<Instant>,
}

impl<'a> WatchLoop<'a> {
    pub(super) fn new(updates: Updates<'a>, warns: bool) -> Self {
        WatchLoop {
            updates,
            warns,
            is_lost: false,
            unreadable: HashSet::new(),
            busy: None,
            deadline: None,
        }
    }

    /// Ends on a signal, too, and at a deadline if there is one.
    pub(super) fn until(mut self, busy: &'a Busy, deadline: Option<Instant>) -> Self {
        (self.busy, self.deadline) = (Some(busy), deadline);
        self
    }

    /// Calls `step` with all updates, and with none at the beginning and when the time to wait is over.
    /// `None` if a signal or the deadline comes before a verdict.
    pub(super) fn run<V>(
        &mut self,
        mut step: impl FnMut(&mut Updates<'a>, Vec<Update>) -> anyhow::Result<Next<V>>,
    ) -> anyhow::Result<Option<V>> {
        self.run_beside(None::<UnboundedReceiver<Infallible>>, |updates, came, _| {
            step(updates, came)
        })
    }

    /// Calls `step` with all updates, as [`Self::run`] does, and with events that come from elsewhere.
    pub(super) fn run_beside<V, E>(
        &mut self,
        mut events: Option<UnboundedReceiver<E>>,
        mut step: impl FnMut(&mut Updates<'a>, Vec<Update>, Vec<E>) -> anyhow::Result<Next<V>>,
    ) -> anyhow::Result<Option<V>> {
        let mut came = (Vec::new(), Vec::new());
        loop {
            let longest = match step(&mut self.updates, came.0, came.1)? {
                Next::Wait(longest) => longest,
                Next::End(verdict) => return Ok(Some(verdict)),
            };
            let Some(longest) = self.remaining(longest) else {
                return Ok(None);
            };
            let until_signal = self.busy.is_some();
            came = self.updates.wait(longest, until_signal, events.as_mut());
            for update in &came.0 {
                self.report(update);
            }
        }
    }

    /// How long to wait until a limit is checked again; `None` if one is reached.
    fn remaining(&self, longest: Duration) -> Option<Duration> {
        if self.busy.is_some_and(Busy::is_interrupted) {
            return None;
        }
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return None;
        }
        Some(left.map_or(longest, |left| left.min(longest)))
    }

    /// Warns once while no changes come, and once of each object that cannot be read.
    fn report(&mut self, update: &Update) {
        match update {
            Update::Change(_, WatchEvent::Lost { why, .. }) => {
                let was_lost = std::mem::replace(&mut self.is_lost, true);
                if self.warns && !was_lost {
                    warn(&format!("connection to the cluster lost, retrying: {why}"));
                }
            }
            Update::Change(_, WatchEvent::Back { .. }) => self.is_lost = false,
            Update::Change(_, WatchEvent::Unreadable(why))
                if self.unreadable.len() < MOST_UNREADABLE
                    && self.unreadable.insert(why.clone()) =>
            {
                warn(why);
                if self.unreadable.len() == MOST_UNREADABLE {
                    warn("other objects that cannot be read are not reported");
                }
            }
            _ => {}
        }
    }
}
