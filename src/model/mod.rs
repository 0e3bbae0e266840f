//! The slim `CronJob`, `Job`, `Pod`, `Event` and `ResourceQuota` that everyone passes around.
//!
//! Plain data with the few fields that decide what the controller does, filled in where it is
//! read from a cluster or a file. What the API leaves out stays `None`, since the controller
//! and the API server give the same absence different meanings. A job template passes through as
//! it was received: a typed one would drop the fields that are newer than its types.

mod change;
mod cronjob;
mod event;
mod evidence;
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
#[cfg(test)]
pub(crate) mod testing;
mod texts;
mod whole;

pub use change::SpecChange;
pub use cronjob::{ConcurrencyPolicy, CronJob, CronJobSpec, CronJobStatus, LastApplied};
pub(crate) use cronjob::{DEFAULT_GRACE_PERIOD, LAST_APPLIED};
pub use event::Event;
pub(crate) use event::EventSeries;
pub use evidence::{Coverage, CronJobEvidence, RelatedObjects};
pub(crate) use evidence::{ExpectedDelay, ResourceKind, UnreadResource, times_of_cron_job};
pub use job::{Job, QUEUE_LABEL};
pub(crate) use job::{JobResult, other_controller};
pub use meta::{Condition, ManagedField, ObjectReference, OwnerReference};
pub(crate) use meta::{
    FIELD_MANAGER, LAST_SUSPENSION, SKIPPED_RUNS, SUSPEND_REASON, SUSPENDED_AT, SUSPENDED_BY,
    SUSPENDED_UNTIL, SUSPENSION_ANNOTATIONS, SetFields,
};
pub(crate) use node::{Node, NodeState};
pub(crate) use origin::{cron_jobs_of, is_unowned, manual_origin};
pub(crate) use ownership::{ARGO_IGNORES_HEALTH, ArgoHealth, ManagedBy, Tool};
pub(crate) use ownership::{ManualChange, SyncEffect};
pub(crate) use phases::RunPhases;
pub use pod::{
    ContainerEnd, ContainerKind, ContainerReason, ContainerRestarts, ContainerStatus, Pod,
};
pub(crate) use pod::{ContainerSpec, PodContainers};
pub(crate) use pod_names::{prefix_of_job, prefixes_of_pod};
pub(crate) use pods_wanted::{MOST_WITH_PODS, lacks_pods, runs_with_pods};
pub use pods_wanted::{pods_in_question, pods_wanted};
pub(crate) use quota::ResourceQuota;
pub use record::{CronJobRecord, RunKind, RunResult, RunStatus, StoredRun};
pub use run::BACKFILLED;
pub(crate) use run::{PastRun, SCHEDULED_TIME_ANNOTATION, past_runs, time_in_name};
pub(crate) use start_delays::{has_deadline, start_delays};
pub use texts::Texts;
pub(crate) use whole::WholeObject;
