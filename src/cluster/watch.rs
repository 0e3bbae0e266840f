//! What changes, as it changes: watches that survive whatever ends them.

mod changes;
mod kinds;

use std::time::Duration;

use http_body_util::BodyExt as _;
use kube::client::Body;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use tokio::time::{sleep, timeout};

use super::error::Error;
use super::list::{Lister, read_json};
use super::resource::with_parameters;
use super::status::Status;
use kinds::Watched;

pub use changes::{Came, Changes};
pub use kinds::{Change, Object, Objects};

/// So long the server keeps a watch open.
const WATCH_SECONDS: &str = "240";
/// A watch that says nothing for longer is dead: bookmarks come every minute.
const SILENCE: Duration = Duration::from_secs(260);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A watch of a resource.
pub(super) struct Watch {
    /// Reads everything, where the changes were lost track of.
    lister: Lister,
    /// Of CronJobs only these, if there are any: a selector of fields can name one only.
    names: Vec<String>,
    /// The last version that was seen; empty if the list must be read first.
    version: String,
    sender: Sender<Change>,
    is_lost: bool,
}

/// Why a watch ended.
enum End {
    /// As it should after a while.
    Orderly,
    /// At once, without a word: to ask again at once would go on like that.
    Silent,
    /// The version is too old to go on from.
    Expired,
    /// Something is wrong.
    Broken(String),
    /// Nobody listens any more.
    Unheard,
}

#[derive(Deserialize)]
struct Frame {
    r#type: String,
    object: Value,
}

impl Watch {
    /// A watch of all that a query asks for, from a version on; without one it begins with all
    /// there is.
    pub(super) fn new(lister: Lister, version: &str, sender: &Sender<Change>) -> Self {
        Watch {
            lister,
            names: Vec::new(),
            version: version.to_owned(),
            sender: sender.clone(),
            is_lost: false,
        }
    }

    /// Watches until nobody listens.
    pub(super) async fn run<T: Watched>(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let end = if self.version.is_empty() {
                self.read_all::<T>().await
            } else {
                self.watch::<T>(&mut pause).await
            };
            match end {
                End::Orderly => continue,
                End::Silent => {}
                End::Expired => self.version.clear(),
                End::Broken(why) => {
                    self.is_lost = true;
                    if self.sender.send(Change::Lost(why)).await.is_err() {
                        return;
                    }
                }
                End::Unheard => return,
            }
            // Something said by a watch makes the next pause short again.
            sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Says that changes come again, if it was said that they do not.
    async fn found_again(&mut self) -> Result<(), End> {
        if std::mem::take(&mut self.is_lost) {
            let said = self.sender.send(Change::Back).await;
            return said.map_err(|_| End::Unheard);
        }
        Ok(())
    }

    async fn read_all<T: Watched>(&mut self) -> End {
        let listing = match self.lister.clone().list::<T>().await {
            Ok(listing) => listing,
            Err(error) => return End::Broken(error.to_string()),
        };
        self.version = listing.resource_version;
        if let Err(end) = self.found_again().await {
            return end;
        }
        let mut items = listing.items;
        items.retain(|item| item.is_one_of(&self.names));
        let all = Change::All(T::all(items));
        match self.sender.send(all).await {
            Ok(()) => End::Orderly,
            Err(_) => End::Unheard,
        }
    }

    async fn watch<T: Watched>(&mut self, pause: &mut Duration) -> End {
        let uri = self
            .lister
            .query
            .clone()
            .without_limit()
            .uri(&self.lister.path, None);
        let uri = with_parameters(
            &uri,
            &[
                ("watch", Some("true")),
                ("allowWatchBookmarks", Some("true")),
                ("timeoutSeconds", Some(WATCH_SECONDS)),
                ("resourceVersion", Some(&self.version)),
            ],
        );
        let mut body = match self.lister.transport.stream(&uri, "application/json").await {
            Ok(body) => body,
            Err(error) => return end_of(&error, &self.lister.what),
        };
        if let Err(end) = self.found_again().await {
            return end;
        }
        let mut pending = Vec::new();
        let mut silent = true;
        loop {
            match next_chunk(&mut body).await {
                Ok(Some(chunk)) => pending.extend_from_slice(&chunk),
                Ok(None) if silent => return End::Silent,
                Ok(None) => return End::Orderly,
                Err(why) => return End::Broken(why),
            }
            silent = false;
            *pause = FIRST_PAUSE;
            while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = pending.drain(..=end).collect();
                if let Err(end) = self.take::<T>(&line).await {
                    return end;
                }
            }
        }
    }

    async fn take<T: Watched>(&mut self, line: &[u8]) -> Result<(), End> {
        let frame: Frame = serde_json::from_slice(line)
            .map_err(|error| End::Broken(format!("a watch sent something else: {error}")))?;
        if frame.r#type == "ERROR" {
            let code = frame.object.get("code").and_then(Value::as_u64);
            let code = code.and_then(|code| u16::try_from(code).ok());
            let body = frame.object.to_string().into();
            let status = Status::read(code.unwrap_or_default(), &body);
            return Err(if status.code == 410 {
                End::Expired
            } else {
                End::Broken(status.sentence())
            });
        }
        let version = frame.object.pointer("/metadata/resourceVersion");
        if let Some(version) = version.and_then(Value::as_str) {
            self.version = version.to_owned();
        }
        if frame.r#type == "BOOKMARK" {
            return Ok(());
        }
        for object in self.read::<T>(&frame.object) {
            let change = if frame.r#type == "DELETED" {
                Change::Gone(object.one())
            } else {
                Change::Now(object.one())
            };
            self.sender.send(change).await.map_err(|_| End::Unheard)?;
        }
        Ok(())
    }

    /// Reads an object as files are read. One that cannot be read stays as it was.
    fn read<T: Watched>(&self, object: &Value) -> Vec<T> {
        let text = object.to_string();
        let (mut read, _) = read_json::<T>(&self.lister.path, text, &self.lister.api_version);
        read.retain(|object| object.is_one_of(&self.names));
        read
    }
}

/// Why a watch of something did not begin. Without the right to it, it is asked for again all the same:
/// rights are given, too.
fn end_of(error: &Error, what: &str) -> End {
    match error.status().map(|status| status.code) {
        Some(410) => End::Expired,
        Some(403) => End::Broken(format!("you may not watch {what}: changes are not seen")),
        _ => End::Broken(error.to_string()),
    }
}

/// The next piece of a watch.
async fn next_chunk(body: &mut Body) -> Result<Option<Vec<u8>>, String> {
    loop {
        let frame = timeout(SILENCE, body.frame()).await;
        let frame = frame.map_err(|_| "nothing was heard from the server".to_owned())?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => return Err(super::unreachable::deepest(&error)),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data.to_vec()));
                }
            }
        }
    }
}
