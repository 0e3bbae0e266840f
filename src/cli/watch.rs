//! The loop in which verbs watch a cluster: it waits for changes, hands them over, reports a lost watch once,
//! and ends on a verdict, a signal or a deadline.

use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;

use super::interrupt::Busy;
use super::{complain, warn};
use crate::cluster::{Came, Changes, ClusterError, Following, News, WatchEvent};

/// How often to check for a signal.
const SIGNAL_POLL: Duration = Duration::from_millis(200);

/// What came, as items of a source. Events that came at the same time are taken together.
pub(super) fn items<E, I>(
    came: Came<E>,
    events: &mut UnboundedReceiver<E>,
    change: impl Fn(WatchEvent) -> I,
    event: impl Fn(E) -> I,
) -> Vec<I> {
    match came {
        Came::Nothing => Vec::new(),
        Came::Changes(changes) => changes.into_iter().map(change).collect(),
        Came::Other(first) => {
            let mut items = vec![event(first)];
            while let Ok(next) = events.try_recv() {
                items.push(event(next));
            }
            items
        }
    }
}

pub(super) trait ChangeSource {
    type Item;
    /// Whether a watch that has ended for good is opened again later.
    const OPENS_AGAIN: bool = false;
    /// Waits at most so long, and returns everything that has come.
    fn wait(&mut self, longest: Duration) -> Result<Vec<Self::Item>, ClusterError>;
    /// The change in an item, if it is one; an error if a watch has ended for good.
    fn change(item: &Self::Item) -> Option<Result<&WatchEvent, &ClusterError>>;
}

impl ChangeSource for Changes<'_> {
    type Item = WatchEvent;

    fn wait(&mut self, longest: Duration) -> Result<Vec<WatchEvent>, ClusterError> {
        Changes::wait(self, longest)
    }

    fn change(item: &WatchEvent) -> Option<Result<&WatchEvent, &ClusterError>> {
        Some(Ok(item))
    }
}

impl ChangeSource for Following<'_> {
    type Item = News;

    fn wait(&mut self, longest: Duration) -> Result<Vec<News>, ClusterError> {
        Ok(Following::wait(self, longest))
    }

    fn change(item: &News) -> Option<Result<&WatchEvent, &ClusterError>> {
        match item {
            News::Change(_, change) => Some(Ok(change)),
            News::Refused(error) => Some(Err(error)),
            News::Written(..) | News::Ended(..) => None,
        }
    }
}

/// What to do after changes were handled.
pub(super) enum Next<V> {
    /// Wait for changes, at most so long.
    Wait(Duration),
    End(V),
}

pub(super) struct WatchLoop<'b, S> {
    source: S,
    /// Whether to warn while no changes come.
    warns: bool,
    is_lost: bool,
    is_refused: bool,
    busy: Option<&'b Busy>,
    deadline: Option<Instant>,
}

impl<'b, S: ChangeSource> WatchLoop<'b, S> {
    pub(super) fn new(source: S, warns: bool) -> Self {
        WatchLoop {
            source,
            warns,
            is_lost: false,
            is_refused: false,
            busy: None,
            deadline: None,
        }
    }

    /// Ends on a signal, too, and at a deadline if there is one.
    pub(super) fn until(mut self, busy: &'b Busy, deadline: Option<Instant>) -> Self {
        (self.busy, self.deadline) = (Some(busy), deadline);
        self
    }

    /// Calls `step` with all changes, and with none at the beginning and when the time to wait is over.
    /// `None` if a signal or the deadline comes before a verdict.
    pub(super) fn run<V>(
        &mut self,
        mut step: impl FnMut(&mut S, Vec<S::Item>) -> anyhow::Result<Next<V>>,
    ) -> anyhow::Result<Option<V>> {
        let mut items = Vec::new();
        loop {
            let longest = match step(&mut self.source, items)? {
                Next::Wait(longest) => longest,
                Next::End(verdict) => return Ok(Some(verdict)),
            };
            let Some(longest) = self.remaining(longest) else {
                return Ok(None);
            };
            items = self.source.wait(longest)?;
            for item in &items {
                self.report(S::change(item));
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
        let poll = self.busy.map(|_| SIGNAL_POLL);
        let limits = [Some(longest), left, poll];
        limits.into_iter().flatten().min()
    }

    /// Warns once while no changes come, and of each object that cannot be read.
    fn report(&mut self, change: Option<Result<&WatchEvent, &ClusterError>>) {
        match change {
            Some(Ok(WatchEvent::Lost { why, .. })) => {
                if !std::mem::replace(&mut self.is_lost, true) && self.warns {
                    warn(&format!("connection to the cluster lost, retrying: {why}"));
                }
            }
            Some(Ok(WatchEvent::Back { .. })) => self.is_lost = false,
            Some(Ok(WatchEvent::Unreadable(why))) => warn(why),
            Some(Err(error)) => {
                if !std::mem::replace(&mut self.is_refused, true) {
                    if S::OPENS_AGAIN {
                        warn(error);
                    } else {
                        complain(error);
                    }
                }
            }
            Some(Ok(WatchEvent::Now(_) | WatchEvent::Gone(_) | WatchEvent::All(_))) | None => {}
        }
    }
}
