//! Watches everything that was read.

use std::convert::Infallible;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, channel, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::Watch;
use super::kinds::WatchEvent;
use crate::cluster::error::ClusterError;
use crate::cluster::list::Lister;
use crate::cluster::resource::{ListQuery, Resource};
use crate::cluster::session::Session;
use crate::cluster::survey::{ClusterQuery, Versions};
use crate::model::{CronJob, Event, Job};

const TOGETHER: Duration = Duration::from_millis(100);
/// The number of buffered changes. If the buffer is full, reading from the server pauses.
pub(super) const BACKLOG: usize = 1024;

/// The changes of a cluster since it was read.
pub(crate) struct Changes<'s> {
    session: &'s Session,
    receiver: Receiver<Result<WatchEvent, ClusterError>>,
    /// The watches, which end when this is dropped.
    _watches: JoinSet<()>,
}

#[derive(Debug)]
pub(crate) enum Came<T> {
    Changes(Vec<WatchEvent>),
    Other(T),
    Nothing,
}

impl Changes<'_> {
    /// Waits up to `longest` for changes, or for another future. After an error, one of the watches has
    /// ended.
    pub(crate) fn wait_beside<T>(
        &mut self,
        longest: Duration,
        others: &mut UnboundedReceiver<T>,
    ) -> Result<Came<T>, ClusterError> {
        let receiver = &mut self.receiver;
        let came = self.session.wait(async {
            let came = poll_fn(|context| {
                if let Poll::Ready(Some(other)) = others.poll_recv(context) {
                    return Poll::Ready(Ok(Came::Other(other)));
                }
                match receiver.poll_recv(context) {
                    Poll::Ready(Some(change)) => {
                        Poll::Ready(change.map(|change| Came::Changes(vec![change])))
                    }
                    // All watches have ended.
                    _ => Poll::Pending,
                }
            });
            timeout(longest, came).await.unwrap_or(Ok(Came::Nothing))
        });
        Ok(match came? {
            Came::Changes(changes) => Came::Changes(self.with_all_that_came(changes)?),
            came => came,
        })
    }

    /// Waits up to `longest` for changes, and returns all that have come.
    pub(crate) fn wait(&mut self, longest: Duration) -> Result<Vec<WatchEvent>, ClusterError> {
        let (_, mut nobody) = unbounded_channel::<Infallible>();
        let Came::Changes(changes) = self.wait_beside(longest, &mut nobody)? else {
            return Ok(Vec::new());
        };
        // Related changes come from several watches, shortly after each other.
        self.session.wait(async { sleep(TOGETHER).await });
        self.with_all_that_came(changes)
    }

    fn with_all_that_came(
        &mut self,
        mut changes: Vec<WatchEvent>,
    ) -> Result<Vec<WatchEvent>, ClusterError> {
        // Changes that come in the meantime are returned next time.
        for _ in 0..BACKLOG {
            let Ok(change) = self.receiver.try_recv() else {
                break;
            };
            changes.push(change?);
        }
        Ok(changes)
    }
}

impl Session {
    /// Watches what was read. Resources without permission are left out silently: reading them was
    /// reported already.
    pub(crate) fn changes(&self, wanted: &ClusterQuery, since: &Versions) -> Changes<'_> {
        let (sender, receiver) = channel(BACKLOG);
        let watch = |resource: &Resource, query: ListQuery, version: &str| {
            let namespace = wanted.namespace.as_deref();
            let lister = Lister::new(&self.transport, resource, namespace, query);
            Watch {
                names: wanted.names.clone(),
                ..Watch::new(lister, version, &sender)
            }
        };
        let cron_jobs = watch(&wanted.resource, wanted.query(), &since.cron_jobs);
        let mut watches = JoinSet::new();
        self.wait(async {
            watches.spawn(cron_jobs.run::<CronJob>());
            if let Some(version) = &since.jobs {
                let jobs = Resource::jobs();
                watches.spawn(watch(&jobs, wanted.page(), version).run::<Job>());
            }
            if let Some(version) = &since.events {
                let query = wanted.query_of_events("CronJob");
                let events = Resource::new("events", "v1", "");
                watches.spawn(watch(&events, query, version).run::<Event>());
            }
        });
        Changes {
            session: self,
            receiver,
            _watches: watches,
        }
    }
}
