//! What comes from a cluster over time: the changes of watched objects, and logs.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, channel};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::error::ClusterError;
use super::list::Lister;
use super::logs::{LogOptions, OpenLog, Places};
use super::resource::ListQuery;
use super::session::Session;
use super::transport::Transport;
use super::watch::{Update, Watch, Watched};
use crate::objects::{LogSource, Versions};
use kube_model::{CronJob, Event, Job, Pod};
use kube_objects::query::PageSize;
use kube_objects::query::{ObjectQuery, Resource};

/// The number of buffered updates. If the buffer is full, reading from the server pauses.
const BACKLOG: usize = 1024;
const TOGETHER: Duration = Duration::from_millis(100);

/// What is watched in addition to a Job itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlsoWatch {
    pub pods: bool,
    pub events: bool,
}

/// The changes of watched objects, and pieces of logs, as they arrive.
pub struct Updates<'s> {
    session: &'s Session,
    sender: Sender<Update>,
    receiver: Receiver<Update>,
    /// The watches and logs, which end when this is dropped.
    tasks: JoinSet<()>,
}

impl Session {
    pub fn updates(&self) -> Updates<'_> {
        let (sender, receiver) = channel(BACKLOG);
        Updates {
            session: self,
            sender,
            receiver,
            tasks: JoinSet::new(),
        }
    }

    /// Watches what was read. Resources without permission are left out silently: reading them was
    /// reported already.
    pub fn changes(&self, wanted: &ObjectQuery, since: &Versions) -> Updates<'_> {
        let mut updates = self.updates();
        let namespace = wanted.namespace.as_deref();
        let resource = &wanted.resource;
        let lister = updates.lister(resource, namespace, ListQuery::of(wanted));
        let watch = Watch::new(lister, &since.cron_jobs, 0, &updates.sender);
        updates.spawn::<CronJob>(watch.of_names(wanted.names.clone()));
        if let Some(version) = &since.jobs {
            let lister =
                updates.lister(&Resource::jobs(), namespace, ListQuery::paged(wanted.page));
            updates.watch::<Job>(lister, version, 0);
        }
        if let Some(version) = &since.events {
            let query = ListQuery::of_events(wanted, "CronJob");
            let lister = updates.lister(&Resource::events(), namespace, query);
            updates.watch::<Event>(lister, version, 0);
        }
        updates
    }
}

impl Updates<'_> {
    fn lister(&self, resource: &Resource, namespace: Option<&str>, query: ListQuery) -> Lister {
        Lister::new(&self.session.transport, resource, namespace, query)
    }

    fn watch<T: Watched>(&mut self, lister: Lister, version: &str, number: usize) {
        self.spawn::<T>(Watch::new(lister, version, number, &self.sender));
    }

    fn spawn<T: Watched>(&mut self, watch: Watch) {
        let tasks = &mut self.tasks;
        self.session.wait(async { tasks.spawn(watch.run::<T>()) });
    }

    pub fn watch_job(&mut self, number: usize, job: &Job, version: &str, also: AlsoWatch) {
        let namespace = Some(&*job.namespace);
        let name = &job.name;
        let own = ListQuery::by_field(format!("metadata.name={name}"));
        let lister = self.lister(&Resource::jobs(), namespace, own);
        self.watch::<Job>(lister, version, number);
        if also.pods {
            let query = ListQuery {
                label_selector: Some(format!("job-name={name}")),
                ..ListQuery::default()
            };
            let lister = self.lister(&Resource::pods(), namespace, query);
            self.watch::<Pod>(lister, "", number);
        }
        if also.events {
            let about = format!("involvedObject.kind=Job,involvedObject.name={name}");
            let lister = self.lister(&Resource::events(), namespace, ListQuery::by_field(about));
            self.watch::<Event>(lister, "", number);
        }
    }

    /// Lists and watches all Jobs of a namespace, or of the cluster. The list is read in pages of this size.
    pub fn watch_jobs(&mut self, number: usize, namespace: Option<&str>, page: PageSize) {
        let query = ListQuery::paged(page);
        let lister = self.lister(&Resource::jobs(), namespace, query);
        self.watch::<Job>(lister, "", number);
    }

    pub fn read_log(&mut self, source: LogSource, options: LogOptions) {
        let (transport, sender) = (self.session.transport.clone(), self.sender.clone());
        let tasks = &mut self.tasks;
        self.session.wait(async {
            tasks.spawn(async move {
                let error = read(&transport, &source, &options, &sender).await.err();
                // The receiver may be gone.
                let _ = sender.send(Update::LogEnded(source, error)).await;
            });
        });
    }

    /// Waits up to `longest` for updates or events, and returns all that have come. A signal ends the wait if
    /// `until_signal`. Without events, it waits a moment longer for changes that are related to the first one.
    pub fn wait<E>(
        &mut self,
        longest: Duration,
        until_signal: bool,
        mut events: Option<&mut UnboundedReceiver<E>>,
    ) -> (Vec<Update>, Vec<E>) {
        let receiver = &mut self.receiver;
        let interruption = self.session.transport.interruption;
        self.session.wait(async {
            let mut signal = pin!(interruption.signal());
            let first = poll_fn(|context| {
                if until_signal && signal.as_mut().poll(context).is_ready() {
                    return Poll::Ready((None, None));
                }
                if let Some(events) = &mut events
                    && let Poll::Ready(Some(event)) = events.poll_recv(context)
                {
                    return Poll::Ready((None, Some(event)));
                }
                receiver.poll_recv(context).map(|update| (update, None))
            });
            let (update, event) = timeout(longest, first).await.unwrap_or_default();
            if events.is_none() && matches!(update, Some(Update::Change(..))) {
                // Related changes come from several watches, shortly after each other.
                sleep(TOGETHER).await;
            }
            let mut updates = Vec::from_iter(update);
            // Updates that come in the meantime are returned next time.
            while updates.len() <= BACKLOG
                && let Ok(more) = receiver.try_recv()
            {
                updates.push(more);
            }
            let mut came = Vec::from_iter(event);
            while let Some(events) = &mut events
                && let Ok(more) = events.try_recv()
            {
                came.push(more);
            }
            (updates, came)
        })
    }
}

async fn read(
    transport: &Transport,
    source: &LogSource,
    options: &LogOptions,
    sender: &Sender<Update>,
) -> Result<(), ClusterError> {
    let mut log = OpenLog::open(transport, source, options).await?;
    let places = Places::default();
    while let Some(text) = log.piece().await? {
        let update = Update::Log(source.clone(), places.take(text).await);
        if sender.send(update).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}
