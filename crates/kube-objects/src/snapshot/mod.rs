//! Reads evidence from files and directories.
//!
//! Reads the output of `kubectl get cronjobs,jobs,pods,events,resourcequotas -A -o yaml`, and manifests:
//! single objects, several documents, Lists. [`find`] turns paths into
//! [`Input`]s, [`Input::load`] reads one of them into a [`SourceText`], and [`Evidence::add`] decodes
//! its objects; [`read`] does all three.
//!
//! Errors have a position, and an invalid object does not hide the others. Objects of other kinds
//! are counted and ignored.

mod decode;
mod error;
mod files;

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

pub use error::SnapshotError;
pub use files::{Input, SourceText, find};
pub use files::{
    Paths, Unread, WhyUnread, find_by, is_manifest, path_name, read_to_limit, why_unread,
};

use cronjob_controller::kinds::ScheduledObject;
use kube_model::{ConfigMap, CronJob, Event, Job, Node, Pod, RelatedObjects, ResourceQuota};
use located_yaml::{Place, Problem};

/// How files and folders are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether to read directories recursively, as with kubectl's `-R`.
    pub recursive: bool,
    /// The namespace of objects without one, as with kubectl's `-n`.
    pub namespace: String,
    /// An additional API version whose `CronJob`s are read.
    pub cron_job_version: Option<String>,
    /// Whether the whole objects of `CronJob`s and Jobs are kept, and when `ConfigMap`s were changed.
    pub keep_objects: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            recursive: false,
            namespace: "default".to_owned(),
            cron_job_version: None,
            keep_objects: false,
        }
    }
}

/// What was read, each list in the order in which it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    pub cron_jobs: Vec<LocatedObject<CronJob>>,
    pub jobs: Vec<Job>,
    pub pods: Vec<Pod>,
    pub events: Vec<Event>,
    pub quotas: Vec<ResourceQuota>,
    pub nodes: Vec<Node>,
    /// The `ConfigMap`s, which are also counted as skipped, if whole objects are kept.
    pub config_maps: Vec<ConfigMap>,
    /// The objects of other kinds with a schedule.
    pub scheduled: Vec<ScheduledObject>,
    /// The number of objects of each other kind, such as `apps/v1 Deployment`.
    pub skipped: BTreeMap<String, usize>,
    /// What kubectl accepts, but was probably a mistake.
    pub warnings: Vec<SnapshotWarning>,
    pub unread: Vec<Unread>,
}

impl Evidence {
    /// The objects in JSON text. `name` is its name in errors.
    pub fn of_json(
        name: impl Into<Arc<str>>,
        text: String,
        options: &Options,
    ) -> (Self, Vec<SnapshotError>) {
        let mut evidence = Evidence::default();
        let name = name.into();
        let errors = evidence.add(&SourceText { name, text }, options);
        (evidence, errors)
    }

    /// Takes out what is about `CronJob`s.
    pub fn take_related(&mut self) -> RelatedObjects {
        RelatedObjects {
            jobs: take(&mut self.jobs),
            events: take(&mut self.events),
            pods: take(&mut self.pods),
            quotas: take(&mut self.quotas),
            nodes: take(&mut self.nodes),
            config_maps: take(&mut self.config_maps),
        }
    }

    /// The number of objects of all kinds that were read or skipped.
    pub fn count(&self) -> usize {
        let lists = [
            self.cron_jobs.len(),
            self.jobs.len(),
            self.pods.len(),
            self.events.len(),
            self.quotas.len(),
            self.nodes.len(),
        ];
        lists.iter().chain(self.skipped.values()).sum()
    }

    pub fn append(&mut self, later: Evidence) {
        self.cron_jobs.extend(later.cron_jobs);
        self.jobs.extend(later.jobs);
        self.pods.extend(later.pods);
        self.events.extend(later.events);
        self.quotas.extend(later.quotas);
        self.nodes.extend(later.nodes);
        self.config_maps.extend(later.config_maps);
        self.scheduled.extend(later.scheduled);
        self.warnings.extend(later.warnings);
        self.unread.extend(later.unread);
        for (kind, count) in later.skipped {
            *self.skipped.entry(kind).or_default() += count;
        }
    }
}

/// An object and where it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedObject<T> {
    pub object: T,
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    /// Which document of the file it is in, counted from 0.
    pub document: usize,
    pub place: Place,
    /// The positions of its most important fields.
    pub fields: WrittenFields,
}

/// The positions of the fields that most errors are about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenFields {
    pub schedule: Option<Written>,
    pub time_zone: Option<Written>,
}

/// A value with its original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub place: Place,
    pub raw: String,
}

/// A probable mistake in an object that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotWarning {
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    /// Which document of the file it is in, counted from 0.
    pub document: usize,
    pub problem: Problem,
}

impl fmt::Display for SnapshotWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column, .. } = self.problem.place();
        write!(f, "{}:{line}:{column}: {}", self.file, self.problem)
    }
}

/// Reads a `CronJob` out of a whole object. `file` is the name that errors have.
pub fn cron_job_of(
    object: &serde_json::Value,
    file: Arc<str>,
    options: &Options,
) -> Result<CronJob, String> {
    let (evidence, errors) = Evidence::of_json(file, object.to_string(), options);
    if let Some(error) = errors.into_iter().next() {
        return Err(error.to_string());
    }
    let located = evidence.cron_jobs.into_iter().next();
    let cron_job = located.map(|located| located.object);
    cron_job.ok_or_else(|| "it is not a CronJob".to_owned())
}

/// Reads files, directories, and `-` for `stdin`.
pub fn read(
    paths: &[PathBuf],
    options: &Options,
    stdin: &mut dyn Read,
) -> (Evidence, Vec<SnapshotError>) {
    let mut evidence = Evidence::default();
    let found = find(paths, options.recursive);
    let mut errors = found.errors;
    evidence.unread = found.unread;
    for input in found.inputs {
        match input.load(stdin) {
            Ok(source) => errors.extend(evidence.add(&source, options)),
            Err(error) => errors.push(error),
        }
    }
    (evidence, errors)
}
