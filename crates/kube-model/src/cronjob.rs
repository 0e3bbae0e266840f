//! The `CronJob`.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use kube_cron::{BundledZones, Dialect, Schedule};

use super::job::{Job, MANUAL_ANNOTATION};
use super::meta::{ManagedField, ObjectKey, ObjectReference, OwnerReference};
use super::texts::Texts;
use super::whole::WholeObject;

/// A `CronJob` of any version of its API.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CronJob {
    /// The API group and version, such as `batch/v1`.
    pub api_version: String,
    pub namespace: String,
    pub name: String,
    /// The identity; empty in a manifest that was never applied.
    pub uid: String,
    /// The version of the stored object, for conditional updates.
    pub resource_version: String,
    /// How often the spec was changed.
    pub generation: Option<i64>,
    /// Whether a recorder has seen that the spec was the same all the time that is asked about.
    pub is_watched: bool,
    /// When the object was created. The controller counts missed runs from here if it never
    /// started one.
    pub creation_timestamp: Option<Timestamp>,
    /// Whether it is a manifest that was never in a cluster, and its creation is assumed.
    pub not_in_cluster: bool,
    /// When its deletion was asked for.
    pub deletion_timestamp: Option<Timestamp>,
    /// What has to be removed before a deletion ends.
    pub finalizers: Vec<String>,
    pub labels: Texts,
    pub annotations: Texts,
    pub managed_fields: Vec<ManagedField>,
    /// The schedule as `kubectl apply` last wrote it, where it is another one now.
    pub last_applied: Option<Box<LastApplied>>,
    /// What the manifest stated that `kubectl apply` last wrote.
    pub applied: Option<AppliedFields>,
    pub spec: CronJobSpec,
    pub status: CronJobStatus,
    /// The object with all its fields, where they are needed.
    pub whole: Option<WholeObject>,
}

impl CronJob {
    /// Assumes that a manifest which was never in a cluster is created now.
    pub fn assume_created(&mut self, now: Timestamp) {
        let stored = self.creation_timestamp.is_some() || !self.uid.is_empty();
        if !stored && self.status.last_schedule_time.is_none() {
            self.creation_timestamp = Some(now);
            self.not_in_cluster = true;
        }
    }

    /// Marks one that is gone: that a run was not started must not follow from its status, or from missing Jobs.
    pub fn set_gone(&mut self, now: Timestamp) {
        self.spec.successful_jobs_history_limit = Some(0);
        self.status.last_schedule_time = Some(now);
    }

    /// Whether its spec is known to have been the same all the time.
    pub fn is_unchanged(&self) -> bool {
        self.is_watched || self.generation == Some(1)
    }

    /// When it was created, if that is known.
    pub fn known_creation(&self) -> Option<Timestamp> {
        self.creation_timestamp.filter(|_| !self.not_in_cluster)
    }

    /// What `@every` counts from: the last scheduled time, or else the creation.
    pub fn anchor(&self) -> Option<Timestamp> {
        let last = self.status.last_schedule_time;
        last.or_else(|| self.known_creation())
    }

    /// `shop/nightly`
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// The namespace and the name.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace.as_str(), self.name.as_str())
    }

    /// Whether its controller created a Job, going by the name of its owner.
    pub fn created(&self, job: &Job) -> bool {
        let mut owners = job.owner_references.iter();
        let owned = owners.any(|owner| owner.controller == Some(true) && owner.name == self.name);
        owned && !job.annotations.contains(MANUAL_ANNOTATION)
    }

    /// What those wrote who set the schedule or its time zone.
    pub fn schedule_owners(&self) -> impl Iterator<Item = &ManagedField> {
        let fields = self.managed_fields.iter();
        fields.filter(|field| field.sets("schedule") || field.sets("timeZone"))
    }

    /// The last change of its Job template; `None` if it is as it was created.
    pub fn template_change(&self) -> Option<&ManagedField> {
        // A client may create an object and set a field of it in the next second.
        let created = self.creation_timestamp?.as_second() + 1;
        let fields = self.managed_fields.iter();
        let last = fields
            .filter(|field| field.sets("jobTemplate"))
            .max_by_key(|field| field.time)?;
        Some(last).filter(|field| field.time.is_some_and(|at| at.as_second() > created))
    }

    /// Whether its Job template may have been changed after a Job was made from it: a client that sets the template has
    /// written since.
    pub fn may_differ_from(&self, job: &Job) -> bool {
        let mut fields = self.managed_fields.iter();
        job.creation_timestamp.is_some_and(|created| {
            fields.any(|field| field.sets("jobTemplate") && field.time > Some(created))
        })
    }

    /// A Job that this controls, with nothing known of it but its name and identity.
    pub fn job_named(&self, name: String, uid: String) -> Job {
        Job {
            namespace: self.namespace.as_str().into(),
            name,
            uid,
            owner_references: Arc::new(vec![OwnerReference {
                api_version: self.api_version.clone(),
                kind: "CronJob".to_owned(),
                name: self.name.clone(),
                uid: self.uid.clone(),
                controller: Some(true),
            }]),
            ..Job::default()
        }
    }

    /// The Jobs in `status.active`, assumed to be running: what the controller assumes until it reads
    /// them, and the only evidence where Jobs could not be read.
    pub fn assumed_jobs(&self) -> Vec<Job> {
        let active = self.status.active.iter();
        active
            .map(|active| Job {
                start_time: self.status.last_schedule_time,
                ..self.job_named(active.name.clone(), active.uid.clone())
            })
            .collect()
    }
}

/// What the annotation of `kubectl apply` states, which Argo CD writes, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct AppliedFields {
    /// `spec.suspend`, if the manifest states it.
    pub suspend: Option<bool>,
    /// `spec.startingDeadlineSeconds`, if the manifest states it.
    pub starting_deadline_seconds: Option<i64>,
}

/// The annotation in which `kubectl apply` keeps the manifest that it applied.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The schedule of the manifest that was last applied, and whether it was suspended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LastApplied {
    pub schedule: String,
    /// The zone it is read in.
    pub time_zone: Option<String>,
    pub suspend: Option<bool>,
}

impl LastApplied {
    /// What the annotation says: the fields that it states, and the schedule if it or its time zone is
    /// another one now.
    pub fn read(
        annotation: Option<&str>,
        spec: &CronJobSpec,
    ) -> (Option<Box<Self>>, Option<AppliedFields>) {
        #[derive(serde::Deserialize)]
        struct Manifest {
            spec: Spec,
        }
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Spec {
            schedule: String,
            time_zone: Option<String>,
            suspend: Option<bool>,
            starting_deadline_seconds: Option<i64>,
        }
        let manifest = annotation.map(serde_json::from_str::<Manifest>);
        let Some(Ok(Manifest { spec: applied })) = manifest else {
            return (None, None);
        };
        let fields = AppliedFields {
            suspend: applied.suspend,
            starting_deadline_seconds: applied.starting_deadline_seconds,
        };
        let applied = LastApplied {
            schedule: applied.schedule,
            time_zone: applied.time_zone,
            suspend: applied.suspend,
        };
        let is_other = (&applied.schedule, &applied.time_zone) != (&spec.schedule, &spec.time_zone);
        (is_other.then(|| Box::new(applied)), Some(fields))
    }
}

/// What is asked of a `CronJob`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CronJobSpec {
    pub schedule: String,
    /// The zone it is read in; that of the controller manager if absent.
    pub time_zone: Option<String>,
    /// How late a run may start.
    pub starting_deadline_seconds: Option<i64>,
    /// What happens if the previous run is still going.
    pub concurrency_policy: ConcurrencyPolicy,
    pub suspend: Option<bool>,
    /// How many finished Jobs that succeeded are kept.
    pub successful_jobs_history_limit: Option<i32>,
    /// How many finished Jobs that failed are kept.
    pub failed_jobs_history_limit: Option<i32>,
    /// The Job to be made, untouched. Lists of a cluster have many equal ones, which share one.
    pub job_template: Arc<serde_json::Value>,
}

/// The default of `terminationGracePeriodSeconds`.
pub const DEFAULT_GRACE_PERIOD: i64 = 30;

impl CronJobSpec {
    /// How long a pod that is deleted may take to end, in seconds (`terminationGracePeriodSeconds`).
    pub fn grace_period_seconds(&self) -> i64 {
        let path = "/spec/template/spec/terminationGracePeriodSeconds";
        let written = self.job_template.pointer(path);
        let seconds = written.and_then(serde_json::Value::as_i64);
        seconds.unwrap_or(DEFAULT_GRACE_PERIOD).max(0)
    }

    /// A number in the spec of its Jobs, such as `activeDeadlineSeconds`.
    pub fn job_setting(&self, field: &str) -> Option<i64> {
        self.job_template.get("spec")?.get(field)?.as_i64()
    }

    /// The `restartPolicy` of the pods of its Jobs.
    pub fn restart_policy(&self) -> Option<&str> {
        let policy = self
            .job_template
            .pointer("/spec/template/spec/restartPolicy");
        policy?.as_str()
    }

    /// The interval of an `@every` schedule, in seconds. Other descriptors have whole minutes.
    pub fn every(&self) -> Option<i64> {
        self.schedule.strip_prefix("@every ")?;
        let schedule = Schedule::parse(&self.schedule, Dialect::V3_0, &BundledZones).ok()?;
        Some(schedule.period()?.shortest.max(1))
    }
}

/// What the controller noted down about a `CronJob`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CronJobStatus {
    /// The Jobs that it believes to be running.
    pub active: Vec<ObjectReference>,
    /// The scheduled time of the last run that it started.
    pub last_schedule_time: Option<Timestamp>,
    pub last_successful_time: Option<Timestamp>,
    /// The scheduled time of the next run, where the API has such a field.
    pub next_schedule_time: Option<Timestamp>,
}

/// What happens if the previous run is still going when the next one is due.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum ConcurrencyPolicy {
    /// Both run. The API server fills this in where none is given.
    #[default]
    Allow,
    /// The new run does not start.
    Forbid,
    Replace,
    /// A word that the API server would refuse.
    Other(String),
}

impl ConcurrencyPolicy {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Allow => "Allow",
            Self::Forbid => "Forbid",
            Self::Replace => "Replace",
            Self::Other(word) => word,
        }
    }
}

impl From<&str> for ConcurrencyPolicy {
    fn from(word: &str) -> Self {
        match word {
            "Allow" => Self::Allow,
            "Forbid" => Self::Forbid,
            "Replace" => Self::Replace,
            _ => Self::Other(word.to_owned()),
        }
    }
}

impl fmt::Display for ConcurrencyPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

plain_in_text!(ConcurrencyPolicy);
