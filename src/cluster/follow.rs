//! Jobs as they go: themselves, their pods, what is recorded about them, and what they write.

use std::time::Duration;

use http::header::CONTENT_TYPE;
use http_body_util::BodyExt as _;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::error::ClusterError;
use super::list::Lister;
use super::resource::{ListQuery, Resource, with_parameters};
use super::session::Session;
use super::transport::Transport;
use super::watch::{Watch, WatchEvent};
use crate::model::{Event, Job, Pod};

/// So much news waits to be looked at; then the server waits.
const BACKLOG: usize = 1024;

/// Something about Jobs that are followed.
#[derive(Debug)]
pub(crate) enum News {
    /// Something changed that is about the Job of this number.
    Change(usize, WatchEvent),
    /// A container has written something.
    Written(Writer, Vec<u8>),
    /// A container writes no more, or what it writes cannot be read.
    Ended(Writer, Option<ClusterError>),
    /// The changes of a Job do not come any more.
    Refused(ClusterError),
}

/// Whoever writes a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writer {
    /// The namespace of the pod.
    pub namespace: String,
    /// The name of the pod.
    pub pod: String,
    /// The name of the container.
    pub container: String,
}

/// A Job that is to be followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FollowedJob<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
}

/// What of a Job is watched beside itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside {
    /// Its pods.
    pub pods: bool,
    /// The events about it.
    pub events: bool,
}

/// Jobs that are followed.
pub(crate) struct Following<'s> {
    session: &'s Session,
    sender: Sender<News>,
    receiver: Receiver<News>,
    /// What brings the news, and ends with this.
    tasks: JoinSet<()>,
}

impl Session {
    /// Begins to follow Jobs; none yet.
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
    /// Follows a Job from the version on that is known. News of it bears the number.
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

    /// Reads what a container writes, from its beginning to its end.
    pub(crate) fn read_log(&mut self, writer: Writer) {
        let (transport, news) = (self.session.transport.clone(), self.sender.clone());
        let tasks = &mut self.tasks;
        self.session.wait(async {
            tasks.spawn(async move {
                let error = read(&transport, &writer, &news).await.err();
                // If nobody listens any more there is no one to tell.
                let _ = news.send(News::Ended(writer, error)).await;
            });
        });
    }

    /// Waits for news, at most so long, and returns all that has come.
    pub(crate) fn wait(&mut self, longest: Duration) -> Vec<News> {
        let receiver = &mut self.receiver;
        self.session.wait(async {
            let first = timeout(longest, receiver.recv()).await;
            let mut news: Vec<News> = first.ok().flatten().into_iter().collect();
            // What comes while this is read is for the next time.
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
    news: &Sender<News>,
) -> Result<(), ClusterError> {
    let pods = Resource::pods();
    let path = pods.object_path(&writer.namespace, &writer.pod);
    let path = format!("{path}/log");
    let parameters = [
        ("container", Some(writer.container.as_str())),
        ("follow", Some("true")),
    ];
    let uri = with_parameters(&path, &parameters);
    let response = transport.stream(&uri, "*/*").await?;
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|found| !found.starts_with("text/plain")) {
        let why = format!(
            "expected text/plain, found {}",
            content_type.unwrap_or_default()
        );
        return Err(transport.not_kubernetes(&path, why));
    }
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| transport.broken_off(&format!("GET {path}"), &error))?;
        if let Ok(data) = frame.into_data() {
            let written = News::Written(writer.clone(), data.to_vec());
            if news.send(written).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}
