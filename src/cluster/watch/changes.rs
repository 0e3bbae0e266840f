//! The changes of all that was surveyed, waited for together.

use std::convert::Infallible;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, channel, unbounded_channel};
use tokio::time::{sleep, timeout};

use super::Watch;
use super::kinds::Change;
use crate::cluster::list::Lister;
use crate::cluster::resource::{Query, Resource};
use crate::cluster::session::Session;
use crate::cluster::survey::{Versions, Wanted};
use crate::model::{CronJob, Event, Job};

const TOGETHER: Duration = Duration::from_millis(100);
/// So many changes wait to be looked at; then the server waits.
const BACKLOG: usize = 1024;

/// The changes of a cluster since it was surveyed.
pub struct Changes<'s> {
    session: &'s Session,
    receiver: Receiver<Change>,
}

/// What was waited for.
#[derive(Debug)]
pub enum Came<T> {
    /// Changes.
    Changes(Vec<Change>),
    /// Something else.
    Other(T),
    /// Nothing, in all the time.
    Nothing,
}

impl Changes<'_> {
    /// Waits for changes, or for something else that may come, at most so long.
    pub fn wait_beside<T>(
        &mut self,
        longest: Duration,
        others: &mut UnboundedReceiver<T>,
    ) -> Came<T> {
        let receiver = &mut self.receiver;
        let came = self.session.wait(async {
            let came = poll_fn(|context| {
                if let Poll::Ready(Some(other)) = others.poll_recv(context) {
                    return Poll::Ready(Came::Other(other));
                }
                match receiver.poll_recv(context) {
                    Poll::Ready(Some(change)) => Poll::Ready(Came::Changes(vec![change])),
                    // Nobody watches any more, and that is no news.
                    _ => Poll::Pending,
                }
            });
            timeout(longest, came).await.unwrap_or(Came::Nothing)
        });
        match came {
            Came::Changes(changes) => Came::Changes(self.with_all_that_came(changes)),
            came => came,
        }
    }

    /// Waits for changes, at most so long, and returns all that have come.
    pub fn wait(&mut self, longest: Duration) -> Vec<Change> {
        let (_, mut nobody) = unbounded_channel::<Infallible>();
        let Came::Changes(changes) = self.wait_beside(longest, &mut nobody) else {
            return Vec::new();
        };
        // What belongs together comes over several watches, a moment apart.
        self.session.wait(async { sleep(TOGETHER).await });
        self.with_all_that_came(changes)
    }

    fn with_all_that_came(&mut self, mut changes: Vec<Change>) -> Vec<Change> {
        while let Ok(change) = self.receiver.try_recv() {
            changes.push(change);
        }
        changes
    }
}

impl Session {
    /// Watches what was surveyed. What the rights do not reach is left out silently: the survey
    /// has said so.
    pub fn changes(&self, wanted: &Wanted, since: &Versions) -> Changes<'_> {
        let (sender, receiver) = channel(BACKLOG);
        let watch = |resource: &Resource, query: Query, version: &str| {
            let namespace = wanted.namespace.as_deref();
            let lister = Lister::new(&self.transport, resource, namespace, query);
            Watch {
                names: wanted.names.clone(),
                ..Watch::new(lister, version, &sender)
            }
        };
        let cron_jobs = watch(&wanted.resource, wanted.query(), &since.cron_jobs);
        self.wait(async {
            tokio::spawn(cron_jobs.run::<CronJob>());
            if let Some(version) = &since.jobs {
                let jobs = Resource::jobs();
                tokio::spawn(watch(&jobs, wanted.page(), version).run::<Job>());
            }
            if let Some(version) = &since.events {
                let query = wanted.query_of_events("CronJob");
                let events = Resource::new("events", "v1", "");
                tokio::spawn(watch(&events, query, version).run::<Event>());
            }
        });
        Changes {
            session: self,
            receiver,
        }
    }
}
