//! A change is made once, to the object that it was meant for.

use serde_json::Value;

use crate::change::Request;
use crate::cli::{say_plainly, warn};
use crate::cluster::{ClusterError, Manner, Resource, Session, Stored, Target};
use crate::model::CronJob;

/// Makes changes.
pub(in crate::cli) struct Sender<'a> {
    pub(in crate::cli) session: &'a Session,
    pub(in crate::cli) resource: &'a Resource,
    pub(in crate::cli) manner: Manner<'a>,
    /// Whether an object of ours that is there already can only be one that this call has made.
    pub(in crate::cli) knows_older: bool,
    pub(in crate::cli) quiet: bool,
}

/// Why a change was not made, or not to its end.
pub(in crate::cli) enum Trouble {
    /// The object is another one by now, after so many of the requests.
    Changed(usize),
    /// It failed.
    Failed {
        error: ClusterError,
        /// After so many of the requests.
        done: usize,
        /// Whether the one that failed may have been made all the same, or may still be.
        open: bool,
    },
}

/// Why an object was not made.
pub(in crate::cli) enum Refusal {
    /// There is one of its name.
    Exists(ClusterError),
    /// Something else.
    Failed {
        error: ClusterError,
        /// Whether it may have been made all the same, or may still be.
        open: bool,
    },
}

/// A request whose answer is lost is sent once more: both are for the same version, or the same name,
/// so that one of them at most does something.
const TRIES: usize = 2;

impl Sender<'_> {
    /// Sends the requests, one after the other, for the version of the CronJob that is known.
    pub(in crate::cli) fn make(
        &self,
        cron_job: &CronJob,
        requests: &[Request],
    ) -> Result<Value, Trouble> {
        let mut version = cron_job.resource_version.clone();
        let mut object = Value::Null;
        for (number, request) in requests.iter().enumerate() {
            // What is only tried leaves nothing behind.
            let done = if self.manner.dry_run { 0 } else { number };
            object = match self.send(cron_job, request, &version) {
                Ok(object) => object,
                Err(Trouble::Changed(_)) => return Err(Trouble::Changed(done)),
                Err(Trouble::Failed { error, open, .. }) => {
                    let open = open && !self.manner.dry_run;
                    return Err(Trouble::Failed { error, done, open });
                }
            };
            if !self.manner.dry_run {
                version = version_of(&object);
            }
        }
        Ok(object)
    }

    /// Makes a Job, once: where the answer is lost, or says that there is one of the name, that one is
    /// looked at.
    pub(in crate::cli) fn create(&self, namespace: &str, job: &Value) -> Result<Value, Refusal> {
        let name = job.pointer("/metadata/name").and_then(Value::as_str);
        let target = Target {
            resource: self.resource,
            namespace,
            name: name.unwrap_or_default(),
        };
        let mut open = false;
        let mut tries = 0;
        loop {
            tries += 1;
            let stored = self
                .session
                .create(self.resource, namespace, job, self.manner);
            let error = match stored {
                Ok(stored) => return Ok(self.taken(stored)),
                Err(error) => error,
            };
            let is_taken = error.already_exists();
            if self.manner.dry_run && is_taken {
                return Err(Refusal::Exists(error));
            }
            if self.manner.dry_run || !(is_taken || error.leaves_open()) {
                return Err(Refusal::Failed { error, open });
            }
            match self.session.object(target) {
                Ok(object) if self.is_ours(&object, job) => {
                    if !is_taken {
                        self.say_lost(&error);
                    }
                    return Ok(object);
                }
                Ok(_) => return Err(Refusal::Exists(error)),
                // One that is gone already may have been ours: another would be a second one.
                Err(missing) if missing.is_not_found() && !is_taken && tries < TRIES => open = true,
                Err(_) => return Err(Refusal::Failed { error, open: true }),
            }
        }
    }

    /// Whether an object was made by this call: under our name, and for the same owner.
    fn is_ours(&self, object: &Value, sent: &Value) -> bool {
        const OWNER: &str = "/metadata/ownerReferences/0/uid";
        let managers = object.pointer("/metadata/managedFields");
        let managers = managers.and_then(Value::as_array);
        let name = |entry: &Value| {
            entry.get("manager").and_then(Value::as_str) == Some(self.manner.field_manager)
        };
        self.knows_older
            && object.pointer(OWNER) == sent.pointer(OWNER)
            && managers.is_some_and(|managers| managers.iter().any(name))
    }

    fn say_lost(&self, error: &ClusterError) {
        if !self.quiet {
            say_plainly(&format!(
                "the answer was lost ({error}), and the change was made"
            ));
        }
    }

    fn send(&self, cron_job: &CronJob, request: &Request, version: &str) -> Result<Value, Trouble> {
        let target = Target {
            resource: self.resource,
            namespace: &cron_job.namespace,
            name: &cron_job.name,
        };
        let patch = request.patch(version);
        let mut lost: Option<ClusterError> = None;
        let mut tries = 0;
        loop {
            tries += 1;
            let patched = self
                .session
                .patch(target, request.subresource, &patch, self.manner);
            let error = match patched {
                Ok(stored) => return Ok(self.taken(stored)),
                Err(error) => error,
            };
            let is_conflict = error.is_conflict();
            // Unless it is what the lost request has made, it is somebody else's.
            if is_conflict && lost.is_none() {
                return Err(Trouble::Changed(0));
            }
            if !is_conflict && !error.leaves_open() {
                return Err(failed(error, lost.is_some()));
            }
            let error = lost.take().unwrap_or(error);
            let Ok(object) = self.session.object(target) else {
                return Err(failed(error, true));
            };
            let is_same = version_of(&object) == version;
            if !is_same && request.check.is_made(&object) {
                self.say_lost(&error);
                return Ok(object);
            }
            if !is_same {
                return Err(Trouble::Changed(0));
            }
            if tries == TRIES {
                return Err(failed(error, true));
            }
            lost = Some(error);
        }
    }

    /// The object, once it was told what the server thinks of it.
    fn taken(&self, stored: Stored) -> Value {
        if !self.quiet {
            stored.warnings.iter().for_each(warn);
        }
        stored.object
    }
}

fn failed(error: ClusterError, open: bool) -> Trouble {
    Trouble::Failed {
        error,
        done: 0,
        open,
    }
}

fn version_of(object: &Value) -> String {
    let version = object.pointer("/metadata/resourceVersion");
    let version = version.and_then(Value::as_str);
    version.unwrap_or_default().to_owned()
}
