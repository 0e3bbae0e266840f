//! The slim `CronJob`, `Job`, `Pod`, `Event` and `ResourceQuota` that everyone passes around.
//!
//! Plain data with the few fields that decide what the controller does, filled in where it is
//! read from a cluster or a file. What the API leaves out stays `None`, since the controller
//! and the API server give the same absence different meanings. A job template passes through as
//! it was received: a typed one would drop the fields that are newer than its types.

#[macro_use]
extern crate cronjob_text;

mod change;
mod config_map;
mod cronjob;
mod event;
mod evidence;
mod grouping;
mod job;
mod meta;
mod node;
mod origin;
mod ownership;
mod phases;
mod pod;
mod pod_names;
mod pods_wanted;
mod quota;
mod record;
mod run;
mod start_delays;
mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod texts;
mod whole;

pub use change::SpecChange;
pub use config_map::ConfigMap;
pub use cronjob::{ConcurrencyPolicy, CronJob, CronJobSpec, CronJobStatus, LastApplied};
pub use cronjob::{DEFAULT_GRACE_PERIOD, LAST_APPLIED};
pub use event::Event;
pub use event::EventSeries;
pub use evidence::{Coverage, CronJobEvidence, RelatedObjects};
pub use evidence::{
    ExpectedDelay, Outage, PastOutage, ResourceKind, UnreadResource, times_of_cron_job,
};
pub use grouping::{add_pods, evidence_by_cron_job};
pub use job::{Job, QUEUE_LABEL};
pub use job::{JobResult, other_controller};
pub use meta::{Condition, ManagedField, ObjectKey, ObjectReference, OwnerReference};
pub use meta::{
    FIELD_MANAGER, LAST_SUSPENSION, SKIPPED_RUNS, SUSPEND_REASON, SUSPENDED_AT, SUSPENDED_BY,
    SUSPENDED_UNTIL, SUSPENSION_ANNOTATIONS, SetFields,
};
pub use node::{Node, NodeState};
pub use origin::{cron_jobs_of, is_unowned, manual_origin};
pub use ownership::{ARGO_IGNORES_HEALTH, ArgoHealth, ManagedBy, Tool};
pub use ownership::{ManualChange, SyncEffect};
pub use phases::RunPhases;
pub use pod::{
    ContainerEnd, ContainerKind, ContainerReason, ContainerRestarts, ContainerStatus, Pod,
};
pub use pod::{ContainerSpec, PodContainers};
pub use pod_names::{prefix_of_job, prefixes_of_pod};
pub use pods_wanted::{MOST_WITH_PODS, has_all_pods, lacks_pods, runs_with_pods};
pub use pods_wanted::{pods_in_question, pods_wanted};
pub use quota::ResourceQuota;
pub use record::{CronJobRecord, JobIdentity, RunKind, RunResult, RunStatus, StoredRun};
pub use run::BACKFILLED;
pub use run::{PastRun, SCHEDULED_TIME_ANNOTATION, past_runs, time_in_name, time_of_named_job};
pub use start_delays::{has_deadline, start_delays};
pub use template::{is_default, template_fingerprint, without_additions};
pub use texts::{SharedText, Texts};
pub use whole::WholeObject;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
