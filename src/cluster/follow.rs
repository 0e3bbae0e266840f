//! Follows Jobs: their status, pods, events and logs.

use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::error::ClusterError;
use super::list::Lister;
use super::logs::{LogOptions, LogPiece, OpenLog, Places, Writer};
use super::resource::{ListQuery, Resource};
use super::session::Session;
use super::transport::Transport;
use super::watch::{Watch, WatchEvent};
use crate::model::{Event, Job, Pod};

/// The number of buffered changes. If the buffer is full, reading from the server pauses.
const BACKLOG: usize = 1024;

/// A change of a followed Job.
#[derive(Debug)]
pub(crate) enum News {
    /// Something about the Job of this number changed.
    Change(usize, WatchEvent),
    Written(Writer, LogPiece),
    /// A log ended, or cannot be read.
    Ended(Writer, Option<ClusterError>),
    /// No more changes of a Job will come.
    Refused(ClusterError),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FollowedJob<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    pub version: &'a str,
}

/// What is watched in addition to the Job itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside {
    pub pods: bool,
    pub events: bool,
}

pub(crate) struct Following<'s> {
    session: &'s Session,
    sender: Sender<News>,
    receiver: Receiver<News>,
    /// The watches, which end when this is dropped.
    tasks: JoinSet<()>,
}

impl Session {
    pub(crate) fn following(&self) -> Following<'_> {
        let (sender, receiver) = channel(BACKLOG);
        Following {
            session: self,
            sender,
            receiver,
            tasks: JoinSet::new(),
        }
    }
}

impl Following<'_> {
    /// Follows a Job from a resource version on. Its changes have this number.
    pub(crate) fn watch(&mut self, number: usize, job: &FollowedJob<'_>, beside: Beside) {
        let FollowedJob {
            namespace,
            name,
            version,
        } = *job;
        let (sender, mut changes) = channel(BACKLOG);
        let watch = |resource: Resource, query: ListQuery, version: &str| {
            let transport = &self.session.transport;
            let lister = Lister::new(transport, &resource, Some(namespace), query);
            Watch::new(lister, version, &sender)
        };
        let by_field = |selector: String| ListQuery {
            field_selector: Some(selector),
            ..ListQuery::default()
        };
        let own = by_field(format!("metadata.name={name}"));
        let jobs = watch(Resource::jobs(), own, version);
        let of_job = ListQuery {
            label_selector: Some(format!("job-name={name}")),
            ..ListQuery::default()
        };
        let pods = watch(Resource::pods(), of_job, "");
        let about = format!("involvedObject.kind=Job,involvedObject.name={name}");
        let events = watch(Resource::new("events", "v1", ""), by_field(about), "");
        let news = self.sender.clone();
        let tasks = &mut self.tasks;
        self.session.wait(async move {
            tasks.spawn(jobs.run::<Job>());
            if beside.pods {
                tasks.spawn(pods.run::<Pod>());
            }
            if beside.events {
                tasks.spawn(events.run::<Event>());
            }
            tasks.spawn(async move {
                while let Some(change) = changes.recv().await {
                    let change = change.map(|change| News::Change(number, change));
                    if news
                        .send(change.unwrap_or_else(News::Refused))
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
            });
        });
    }

    /// Reads the log of a container.
    pub(crate) fn read_log(&mut self, writer: Writer, options: LogOptions) {
        let (transport, news) = (self.session.transport.clone(), self.sender.clone());
        let tasks = &mut self.tasks;
        self.session.wait(async {
            tasks.spawn(async move {
                let error = read(&transport, &writer, &options, &news).await.err();
                // The receiver may be gone.
                let _ = news.send(News::Ended(writer, error)).await;
            });
        });
    }

    /// Waits up to `longest` for changes, and returns all that have come.
    pub(crate) fn wait(&mut self, longest: Duration) -> Vec<News> {
        let receiver = &mut self.receiver;
        self.session.wait(async {
            let first = timeout(longest, receiver.recv()).await;
            let mut news: Vec<News> = first.ok().flatten().into_iter().collect();
            // Changes that come in the meantime are returned next time.
            for _ in 0..BACKLOG {
                let Ok(more) = receiver.try_recv() else { break };
                news.push(more);
            }
            news
        })
    }
}

async fn read(
    transport: &Transport,
    writer: &Writer,
    options: &LogOptions,
    news: &Sender<News>,
) -> Result<(), ClusterError> {
    let mut log = OpenLog::open(transport, writer, options).await?;
    let places = Places::default();
    while let Some(text) = log.piece().await? {
        let written = News::Written(writer.clone(), places.take(text).await);
        if news.send(written).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}
