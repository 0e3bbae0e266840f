//! Watches all Jobs of namespaces: one watch per namespace, or one for the cluster.

use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Watch;
use super::changes::BACKLOG;
use super::kinds::WatchEvent;
use crate::cluster::error::ClusterError;
use crate::cluster::list::Lister;
use crate::cluster::resource::{ListQuery, Resource};
use crate::cluster::session::Session;
use crate::model::Job;

/// The Jobs of namespaces: first all of them, then their changes.
pub(crate) struct JobChanges<'s> {
    session: &'s Session,
    receiver: Receiver<JobChange>,
    /// The watches, which end when this is dropped.
    _watches: JoinSet<()>,
}

/// A change of the Jobs of a namespace.
#[derive(Debug)]
pub(crate) struct JobChange {
    pub number: usize,
    /// The change; an error if the watch has ended.
    pub change: Result<WatchEvent, ClusterError>,
}

impl JobChanges<'_> {
    /// Waits up to `longest` for changes, and returns all that have come.
    pub(crate) fn wait(&mut self, longest: Duration) -> Vec<JobChange> {
        let receiver = &mut self.receiver;
        self.session.wait(async {
            let first = timeout(longest, receiver.recv()).await;
            let mut changes: Vec<JobChange> = first.ok().flatten().into_iter().collect();
            // Changes that come in the meantime are returned next time.
            for _ in 0..BACKLOG {
                let Ok(more) = receiver.try_recv() else { break };
                changes.push(more);
            }
            changes
        })
    }
}

impl Session {
    /// Lists and watches the Jobs of namespaces; `None` is the whole cluster. `page` is the number of objects
    /// per page.
    pub(crate) fn job_changes(&self, namespaces: &[Option<String>], page: u32) -> JobChanges<'_> {
        let (sender, receiver) = channel(BACKLOG);
        let mut watches = JoinSet::new();
        self.wait(async {
            for (number, namespace) in namespaces.iter().enumerate() {
                let query = ListQuery {
                    limit: page,
                    ..ListQuery::default()
                };
                let jobs = Resource::jobs();
                let lister = Lister::new(&self.transport, &jobs, namespace.as_deref(), query);
                let (own, mut changes) = channel(BACKLOG);
                watches.spawn(Watch::new(lister, "", &own).run::<Job>());
                let sender = sender.clone();
                watches.spawn(async move {
                    while let Some(change) = changes.recv().await {
                        if sender.send(JobChange { number, change }).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        JobChanges {
            session: self,
            receiver,
            _watches: watches,
        }
    }
}
