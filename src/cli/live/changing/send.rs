//! A request is sent for the version of the object that the prediction was about. If its answer is lost, the object is
//! read to find out what happened. A patch or a deletion may then be sent once more: both requests are for one version or
//! uid, so that at most one has an effect. The creation of a Job is sent once: a Job that is not there may have run, and
//! another request would run it again. What the server stored is compared with what was asked.

use serde_json::Value;

use crate::cli::{caution, hint};
use cronjob_diagnosis::change::{Request, stored_instead};
use kube_access::{ClusterError, Manner, Session, Stored, Target};
use kube_model::{BACKFILLED, CronJob, Job};
use kube_objects::query::Resource;
use kube_objects::snapshot::{Evidence, Options};

/// Sends changes of one kind of objects.
pub(crate) struct Sender<'a> {
    pub(crate) session: &'a Session,
    pub(crate) resource: &'a Resource,
    pub(crate) manner: Manner<'a>,
    /// Whether an object of the name that already exists can be one that this run created.
    pub(crate) knows_existing: bool,
}

pub(crate) enum Deletion {
    Done,
    /// It was gone already; whether another object has its name now.
    Gone(bool),
    Failed(ClusterError),
    Unknown(ClusterError),
}

/// Why a request was not carried out, or not as it was sent.
pub(crate) enum SendError {
    /// The object was modified in the meantime, or another one has the name already.
    Conflict(ClusterError),
    Failed {
        error: ClusterError,
        /// Whether it may have been carried out, or may still be.
        open: bool,
    },
    /// The server stored something else, such as `spec.suspend false instead of true`.
    StoredInstead(String),
}

/// Why an object was not patched, or not with all requests.
pub(crate) struct PatchError {
    /// How many of the requests were carried out.
    pub(crate) done: usize,
    pub(crate) why: Box<SendError>,
}

/// A patch or deletion whose answer is lost is sent once more.
const TRIES: usize = 2;

impl Sender<'_> {
    /// Sends the requests, one after another, for the known version of the CronJob.
    pub(crate) fn patch(
        &self,
        cron_job: &CronJob,
        requests: &[Request],
    ) -> Result<Value, PatchError> {
        let mut version = cron_job.resource_version.clone();
        let mut object = Value::Null;
        for (number, request) in requests.iter().enumerate() {
            // A dry run changes nothing.
            let done = if self.manner.dry_run { 0 } else { number };
            let patched = self.patch_once(cron_job, request, &version);
            object = patched.map_err(|why| PatchError {
                done,
                why: Box::new(why),
            })?;
            if !self.manner.dry_run {
                version = version_of(&object);
            }
        }
        Ok(object)
    }

    /// Creates a Job with one request. If the answer is lost, or is that the name exists, that Job is read.
    pub(crate) fn create(&self, namespace: &str, job: &Value) -> Result<Value, SendError> {
        let name = job.pointer("/metadata/name").and_then(Value::as_str);
        let target = Target {
            resource: self.resource,
            namespace,
            name: name.unwrap_or_default(),
        };
        let stored = self
            .session
            .create(self.resource, namespace, job, self.manner);
        let error = match stored {
            Ok(stored) => return as_sent(job, warned(stored)),
            Err(error) => error,
        };
        let is_taken = error.already_exists();
        if self.manner.dry_run || !(is_taken || error.leaves_open()) {
            return Err(if is_taken {
                SendError::Conflict(error)
            } else {
                SendError::Failed { error, open: false }
            });
        }
        match self.session.object(target) {
            Ok(object) if self.is_ours(&object, job) => {
                if !is_taken {
                    say_lost(&error);
                }
                as_sent(job, object)
            }
            // The server did nothing.
            Ok(_) if is_taken => Err(SendError::Conflict(error)),
            // Ours may have been there and be gone, or may still be created.
            Ok(_) | Err(_) => Err(SendError::Failed { error, open: true }),
        }
    }

    /// Whether an object was created by this run: by our field manager, for the same owner, and with the mark
    /// of a backfill, which is another one for each call.
    fn is_ours(&self, object: &Value, sent: &Value) -> bool {
        let is_same = |pointer: &str| object.pointer(pointer) == sent.pointer(pointer);
        let mark = format!("/metadata/annotations/{}", BACKFILLED.replace('/', "~1"));
        let managers = object.pointer("/metadata/managedFields");
        let managers = managers.and_then(Value::as_array);
        let name = |entry: &Value| {
            entry.get("manager").and_then(Value::as_str) == Some(self.manner.field_manager)
        };
        self.knows_existing
            && is_same("/metadata/ownerReferences/0/uid")
            && is_same(&mark)
            && managers.is_some_and(|managers| managers.iter().any(name))
    }

    /// Deletes the object of that uid. If the answer is lost, the object is read.
    pub(crate) fn delete(&self, namespace: &str, name: &str, uid: &str) -> Deletion {
        let target = Target {
            resource: self.resource,
            namespace,
            name,
        };
        let mut tries = 0;
        loop {
            tries += 1;
            let error = match self.session.delete(target, uid) {
                Ok(()) => return Deletion::Done,
                Err(error) if error.is_not_found() => return Deletion::Gone(false),
                Err(error) => error,
            };
            if !error.is_conflict() && !error.leaves_open() {
                return Deletion::Failed(error);
            }
            let object = match self.session.object(target) {
                Ok(object) => object,
                Err(missing) if missing.is_not_found() => return Deletion::Gone(false),
                Err(_) => return Deletion::Unknown(error),
            };
            let is_it = text_at(&object, "/metadata/uid") == uid;
            match (is_it, object.pointer("/metadata/deletionTimestamp")) {
                (false, _) => return Deletion::Gone(true),
                (true, Some(_)) => return Deletion::Done,
                (true, None) if error.is_conflict() => return Deletion::Failed(error),
                (true, None) if tries == TRIES => return Deletion::Unknown(error),
                // With the precondition it has at most one effect.
                (true, None) => {}
            }
        }
    }

    fn patch_once(
        &self,
        cron_job: &CronJob,
        request: &Request,
        version: &str,
    ) -> Result<Value, SendError> {
        let target = Target::of(self.resource, cron_job);
        let patch = request.patch(version);
        let mut lost: Option<ClusterError> = None;
        let mut tries = 0;
        loop {
            tries += 1;
            let subresource = request.expected.subresource();
            let patched = self.session.patch(target, subresource, &patch, self.manner);
            let error = match patched {
                Ok(stored) => {
                    let object = warned(stored);
                    return match request.expected.stored_instead(&object) {
                        None => Ok(object),
                        Some(stored) => Err(SendError::StoredInstead(stored)),
                    };
                }
                Err(error) => error,
            };
            let is_conflict = error.is_conflict();
            // If no response was lost, someone else modified the object.
            if is_conflict && lost.is_none() {
                return Err(SendError::Conflict(error));
            }
            if !is_conflict && !error.leaves_open() {
                return Err(self.failed(error, lost.is_some()));
            }
            let error = lost.take().unwrap_or(error);
            let Ok(object) = self.session.object(target) else {
                return Err(self.failed(error, true));
            };
            let is_same = version_of(&object) == version;
            if !is_same && request.expected.is_applied(&object) {
                say_lost(&error);
                return Ok(object);
            }
            if !is_same {
                return Err(SendError::Conflict(error));
            }
            if tries == TRIES {
                return Err(self.failed(error, true));
            }
            lost = Some(error);
        }
    }

    fn failed(&self, error: ClusterError, open: bool) -> SendError {
        let open = open && !self.manner.dry_run;
        SendError::Failed { error, open }
    }
}

/// The object, after its warnings were printed.
fn warned(stored: Stored) -> Value {
    stored.warnings.iter().for_each(caution);
    stored.object
}

fn say_lost(error: &ClusterError) {
    hint(&format!(
        "the response was lost ({error}), but the change was made"
    ));
}

/// The Job that the server stored, if it is the one that was sent.
fn as_sent(sent: &Value, stored: Value) -> Result<Value, SendError> {
    match stored_instead(sent, &stored) {
        None => Ok(stored),
        Some(stored) => Err(SendError::StoredInstead(stored)),
    }
}

fn version_of(object: &Value) -> String {
    text_at(object, "/metadata/resourceVersion")
}

/// The text at a JSON pointer; empty if there is none.
pub(crate) fn text_at(object: &Value, pointer: &str) -> String {
    let text = object.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The Job in an answer of the server, with its whole status: a Job that was read since the answer was lost
/// may have finished, and a watch from its version on does not report that.
pub(crate) fn job_from_object(object: &Value) -> Job {
    let options = Options::default();
    let (mut evidence, _) = Evidence::of_json("the server", object.to_string(), &options);
    evidence.jobs.pop().unwrap_or_default()
}

/// The end of an error about what was stored.
pub(super) const BY_WEBHOOK: &str = "; an admission webhook may have changed it";
