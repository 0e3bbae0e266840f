//! What the API server and the controller's log show while the trial runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::history::{Created, End, History, Sync};
use crate::support::control_plane::Api;
use crate::support::control_plane::{SyncEnd, sync_end};

/// Whether the owner of a Job is one that the controller wrote: the trial's own Jobs leave this field out. Releases
/// before 1.28 do not annotate their Jobs.
pub(crate) fn is_by_controller(owner: &Value) -> bool {
    owner["blockOwnerDeletion"] == true
}

#[allow(
    clippy::disallowed_methods,
    reason = "the trial takes place in real time"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// A `CronJob` by its namespace and name.
pub(crate) type Key = (String, String);

/// What was seen so far, of all CronJobs.
#[derive(Default)]
pub(crate) struct Record {
    histories: Mutex<BTreeMap<Key, History>>,
    /// Jobs that were created and have not been taken by the driver yet.
    fresh: Mutex<Vec<(Key, String)>>,
    events: Mutex<BTreeMap<String, usize>>,
    stopped: AtomicBool,
}

impl Record {
    pub(crate) fn histories(&self) -> MutexGuard<'_, BTreeMap<Key, History>> {
        self.histories.lock().unwrap()
    }

    pub(crate) fn add(&self, key: &Key) {
        let history = History {
            cron_job: key.1.clone(),
            ..History::default()
        };
        self.histories().insert(key.clone(), history);
    }

    pub(crate) fn take_fresh(&self) -> Vec<(Key, String)> {
        std::mem::take(&mut self.fresh.lock().unwrap())
    }

    /// How often each reason was recorded as an event.
    pub(crate) fn events(&self) -> BTreeMap<String, usize> {
        self.events.lock().unwrap().clone()
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// Follows a resource of all namespaces until the trial is stopped.
    pub(crate) fn follow(self: &Arc<Self>, api: Api, path: &'static str, see: See) {
        let record = Arc::clone(self);
        let list = api.get(path);
        let mut version = version_of(&list);
        std::thread::spawn(move || {
            while !record.stopped.load(Ordering::SeqCst) {
                let url =
                    format!("{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}");
                let Some(watch) = api.watch(&url) else {
                    std::thread::sleep(Duration::from_millis(100));
                    continue;
                };
                // A watch that is silent for a minute is opened again.
                for change in watch {
                    let seen = now();
                    version = version_of(&change["object"]);
                    see(&record, seen, &change);
                }
            }
        });
    }

    fn change(&self, key: &Key, change: impl FnOnce(&mut History)) {
        if let Some(history) = self.histories().get_mut(key) {
            change(history);
        }
    }
}

type See = fn(&Record, Timestamp, &Value);

fn version_of(object: &Value) -> String {
    let version = object["metadata"]["resourceVersion"].as_str();
    version.unwrap().to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// When something happened whose time is recorded in whole seconds: no later than the end of that second, however late
/// it was seen.
fn within(second: &Value, seen: Timestamp) -> Timestamp {
    let second = second.as_str().and_then(|text| text.parse().ok());
    let end = second.map(|at: Timestamp| at + SignedDuration::from_millis(999));
    end.map_or(seen, |end| seen.min(end))
}

pub(crate) fn see_job(record: &Record, seen: Timestamp, change: &Value) {
    let metadata = &change["object"]["metadata"];
    let owners = metadata["ownerReferences"].as_array();
    let mut owners = owners.map(Vec::as_slice).unwrap_or_default().iter();
    let Some(owner) = owners.find(|owner| owner["controller"] == true) else {
        return;
    };
    let key = (text(&metadata["namespace"]), text(&owner["name"]));
    let job = text(&metadata["name"]);
    let conditions = change["object"]["status"]["conditions"].as_array();
    let conditions = conditions.map(Vec::as_slice).unwrap_or_default();
    let finished = conditions.iter().any(|condition| {
        condition["status"] == "True"
            && ["Complete", "Failed"].contains(&condition["type"].as_str().unwrap_or_default())
    });
    let by_controller = is_by_controller(owner);
    record.change(&key, |history| match change["type"].as_str() {
        Some("ADDED") if by_controller => {
            let at = within(&metadata["creationTimestamp"], seen);
            let job = job.clone();
            record
                .fresh
                .lock()
                .unwrap()
                .push((key.clone(), job.clone()));
            // A name can be used again after its Job was deleted.
            history.ended.remove(&job);
            history.created.push(Created { at, job });
        }
        Some("MODIFIED") if finished => {
            history.ended.entry(job).or_insert(End::Finished(seen));
        }
        Some("DELETED") => {
            history.ended.entry(job).or_insert(End::Deleted(seen));
        }
        _ => {}
    });
}

pub(crate) fn see_cron_job(record: &Record, seen: Timestamp, change: &Value) {
    let object = &change["object"];
    let metadata = &object["metadata"];
    let key = (text(&metadata["namespace"]), text(&metadata["name"]));
    let active = object["status"]["active"].as_array();
    let active = active.map(Vec::as_slice).unwrap_or_default().iter();
    let active: Vec<String> = active.map(|job| text(&job["name"])).collect();
    record.change(&key, |history| {
        if history
            .active
            .last()
            .is_none_or(|(_, last)| *last != active)
        {
            history.active.push((seen, active));
        }
    });
}

pub(crate) fn see_event(record: &Record, seen: Timestamp, change: &Value) {
    let event = &change["object"];
    let involved = &event["involvedObject"];
    if change["type"] == "DELETED"
        || involved["kind"] != "CronJob"
        || event["source"]["component"] != "cronjob-controller"
    {
        return;
    }
    let key = (text(&involved["namespace"]), text(&involved["name"]));
    let reason = text(&event["reason"]);
    let at = within(&event["lastTimestamp"], seen);
    if reason == "JobAlreadyActive" {
        record.change(&key, |history| history.note(at, Sync::Blocked));
    }
    *record.events.lock().unwrap().entry(reason).or_default() += 1;
}

/// The controller's log, which is read as it grows.
pub(crate) struct Log {
    path: PathBuf,
    read: usize,
}

impl Log {
    pub(crate) fn new(path: PathBuf) -> Log {
        Log { path, read: 0 }
    }

    /// Reads the file from its start again, because a restarted controller overwrites it.
    pub(crate) fn begin_again(&mut self) {
        self.read = 0;
    }

    /// Notes the ends of new syncs, and returns how many there are.
    pub(crate) fn read_on(&mut self, record: &Record) -> usize {
        let bytes = std::fs::read(&self.path).unwrap_or_default();
        let new = bytes.get(self.read..).unwrap_or_default();
        let end = new
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&new[..end]).into_owned();
        self.read += end;
        let syncs = text.lines().filter_map(sync);
        let mut count = 0;
        for (at, key, sync) in syncs {
            count += 1;
            record.change(&key, |history| history.note(at, sync));
        }
        count
    }
}

/// The end of a sync in a line such as
/// `I1122 03:05:00.106152    1 cronjob_controllerv2.go:237] "Re-queuing cronjob" cronjob="a/b" …`.
fn sync(line: &str) -> Option<(Timestamp, Key, Sync)> {
    let blocked = "\"Not starting job because prior execution is still running";
    let by_first = |what| Some(line.split_once(what)?.1.split(' ').next()?.to_owned());
    let (key, sync) = if line.contains(blocked) {
        let (_, rest) = line.split_once("cronjob=\"")?;
        (rest.split_once('"')?.0.to_owned(), Sync::Blocked)
    } else if let Some(key) = by_first("] Not starting job for ") {
        (key, Sync::Blocked)
    } else if let Some(key) = by_first("] No unmet start times for ") {
        (key, Sync::Done)
    } else {
        match sync_end(line)? {
            (key, SyncEnd::Again(_)) => (key, Sync::Done),
            (key, SyncEnd::Failed(_)) => (key, Sync::Failed),
        }
    };
    let (namespace, name) = key.split_once('/')?;
    Some((time(line)?, (namespace.to_owned(), name.to_owned()), sync))
}

/// The time of a line, which has no year, in UTC.
fn time(line: &str) -> Option<Timestamp> {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| !word.starts_with(['I', 'E']));
    let (date, clock) = (words.next()?, words.next()?);
    let number = |text: Option<&str>| text?.parse::<i8>().ok();
    let year = now().to_zoned(TimeZone::UTC).year();
    let date = Date::new(year, number(date.get(1..3))?, number(date.get(3..5))?).ok()?;
    format!("{date}T{clock}Z").parse().ok()
}
