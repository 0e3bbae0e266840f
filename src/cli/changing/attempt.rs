//! A change is made once, to the object that it was meant for.

use serde_json::Value;

use crate::cli::{say_plainly, warn};
use crate::cluster::{Error, Manner, Resource, Session, Stored, Target};
use crate::hands::Request;
use crate::model::CronJob;

/// Makes changes.
pub(in crate::cli) struct Hand<'a> {
    pub(in crate::cli) session: &'a Session,
    pub(in crate::cli) resource: &'a Resource,
    pub(in crate::cli) manner: Manner<'a>,
    pub(in crate::cli) quiet: bool,
}

/// Why a change was not made, or not to its end.
pub(in crate::cli) enum Trouble {
    /// The object is another one by now.
    Changed,
    /// It failed.
    Failed {
        error: Error,
        /// After so many of the requests.
        done: usize,
        /// Whether the one that failed may have been made all the same.
        open: bool,
    },
}

/// Why an object was not made.
pub(in crate::cli) enum Refusal {
    /// There is one of its name.
    Exists(Error),
    /// It failed time and again, and nothing of the name is there.
    Absent(Error),
    /// Something else; [`Error::leaves_open`] tells whether it may have been made all the same.
    Failed(Error),
}

impl Hand<'_> {
    /// Sends the requests, one after the other, for the version of the CronJob that is known.
    pub(in crate::cli) fn make(
        &self,
        cron_job: &CronJob,
        requests: &[Request],
    ) -> Result<Value, Trouble> {
        let mut version = cron_job.resource_version.clone();
        let mut object = Value::Null;
        for (done, request) in requests.iter().enumerate() {
            object = self
                .send(cron_job, request, &version)
                .map_err(|trouble| match trouble {
                    Trouble::Failed { error, open, .. } => Trouble::Failed { error, done, open },
                    changed @ Trouble::Changed => changed,
                })?;
            if !self.manner.dry_run {
                version = version_of(&object);
            }
        }
        Ok(object)
    }

    /// Makes a Job, once: where the answer is lost, it is looked for, and where it is not there it is
    /// tried again, since no two can have one name.
    pub(in crate::cli) fn create(&self, namespace: &str, job: &Value) -> Result<Value, Refusal> {
        let create = || {
            self.session
                .create(self.resource, namespace, job, self.manner)
        };
        let mut lost: Option<Error> = None;
        loop {
            let error = match create() {
                Ok(stored) => return Ok(self.taken(stored)),
                Err(error) => error,
            };
            let is_taken = error.already_exists();
            if is_taken && lost.is_none() {
                return Err(Refusal::Exists(error));
            }
            if !is_taken && (!error.leaves_open() || self.manner.dry_run) {
                return Err(Refusal::Failed(error));
            }
            let name = job.pointer("/metadata/name").and_then(Value::as_str);
            let target = Target {
                resource: self.resource,
                namespace,
                name: name.unwrap_or_default(),
            };
            match self.session.object(target) {
                Ok(object) if self.is_ours(&object) => {
                    self.say_lost(lost.as_ref().unwrap_or(&error));
                    return Ok(object);
                }
                Err(missing) if missing.is_not_found() => match lost {
                    None => lost = Some(error),
                    Some(_) => return Err(Refusal::Absent(error)),
                },
                Ok(_) if is_taken => return Err(Refusal::Exists(error)),
                _ => return Err(Refusal::Failed(error)),
            }
        }
    }

    /// Whether an object was made under our name.
    fn is_ours(&self, object: &Value) -> bool {
        let managers = object.pointer("/metadata/managedFields");
        let managers = managers.and_then(Value::as_array);
        let name = |entry: &Value| {
            entry.get("manager").and_then(Value::as_str) == Some(self.manner.field_manager)
        };
        managers.is_some_and(|managers| managers.iter().any(name))
    }

    fn say_lost(&self, error: &Error) {
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
        let send = || {
            self.session
                .patch(target, request.subresource, &patch, self.manner)
        };
        let mut again = false;
        loop {
            let error = match send() {
                Ok(stored) => return Ok(self.taken(stored)),
                Err(error) => error,
            };
            if error.is_conflict() {
                return Err(Trouble::Changed);
            }
            if !error.leaves_open() {
                return Err(failed(error, false));
            }
            // The answer was lost, and perhaps the request was not.
            let Ok(object) = self.session.object(target) else {
                return Err(failed(error, true));
            };
            let is_same = version_of(&object) == version;
            if !is_same && request.check.is_made(&object) {
                self.say_lost(&error);
                return Ok(object);
            }
            if !is_same {
                return Err(Trouble::Changed);
            }
            if again {
                return Err(failed(error, false));
            }
            again = true;
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

fn failed(error: Error, open: bool) -> Trouble {
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
