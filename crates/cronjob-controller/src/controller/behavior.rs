//! The differences between versions of the controller, as one row of traits for each.

use kube_cron::Dialect;

/// All that the code asks about a release. It never asks for the version itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each trait is named by its field"
)]
pub struct Behavior {
    pub generation: Generation,
    pub dialect: Dialect,
    /// How the scheduled time to start is found.
    pub arithmetic: Arithmetic,
    /// Whether scheduled times that are older than the deadline are left out from the start.
    pub bounds_by_deadline: bool,
    /// Whether nothing is searched where the last start or the creation lies in the future.
    pub ignores_the_future: bool,
    pub requeue: Requeue,
    /// What it records when more than 100 starts were missed.
    pub too_many: TooMany,
    /// Whether `spec.timeZone` is read.
    pub time_zone_field: bool,
    /// What the API server makes of `TZ=` in a schedule.
    pub zone_prefix: ZonePrefix,
    /// Whether the controller warns of `TZ` in a schedule.
    pub warns_of_zone_prefix: bool,
    pub wording: Wording,
    /// When finished Jobs beyond the limits are deleted.
    pub cleanup: Cleanup,
    pub children: Children,
    /// What makes it note a success.
    pub success: Success,
    /// When a Job ends whose result is decided while a pod of it still runs.
    pub job_ends: JobEnds,
    /// Whether a Job is annotated with its scheduled time.
    pub annotates_scheduled_time: bool,
    /// What it does where a Job of the name exists.
    pub name_taken: NameTaken,
    /// Which finished Jobs beyond the limits are deleted first.
    pub history: HistoryOrder,
    /// What its work costs in requests.
    pub requests: Requests,
}

/// The API requests that a sync and a start cost. The client of the controller is rate-limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// By each sync, whatever its outcome: updates of the status that change nothing.
    pub sync: u32,
    /// By each start beside: the Job, and the update of the status.
    pub start: u32,
    /// The events of each start. They are sent by the side, with the same client.
    pub events: u32,
}

/// Which controller manager code runs the `CronJob`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    V1,
    V2,
    /// The kubebuilder book's: it reads nothing but the Jobs that are there.
    Tutorial,
}

/// How the scheduled time to start is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// All missed scheduled times are listed; above 100 the controller refuses.
    List,
    /// The distance of the first two missed scheduled times is multiplied: the result may be no scheduled time.
    Multiplied,
    /// The last scheduled time is searched around the result of that multiplication, and may not be found.
    Searched,
}

/// When the controller syncs a `CronJob` again after a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// It syncs everything every ten seconds.
    Poll,
    /// At the next scheduled time, to the moment.
    AtNext,
    /// A little after the next scheduled time.
    AfterNow,
    /// At the scheduled time after the most recent one, which may be in the past.
    AfterMostRecent,
    /// At the scheduled time after the most recent one, or at the next one if the most recent one was not found.
    AfterMostRecentOrNow,
}

/// What is recorded when more than 100 starts were missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMany {
    /// That it cannot be determined whether a Job needs to be started, and none is.
    Refuses,
    /// A warning that says 0, whatever the number.
    WarnsWithZero,
    WarnsWithNumber,
    Warns,
}

/// What a release's API server makes of `TZ=` in front of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZonePrefix {
    /// It cannot be parsed: the schedule then has six fields.
    NotParsed,
    Accepted,
    /// No new object may have it.
    Refused,
}

/// The texts of events and errors that differ between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// Between a completed Job's name and its condition; empty if the condition is not part of the message.
    pub completed: &'static str,
    /// Whether an unparseable schedule is quoted.
    pub quotes_unparseable: bool,
    /// Before the schedule that is invalid.
    pub invalid: &'static str,
    pub too_close: &'static str,
    /// Above 100, in the first generation; empty if it is only logged.
    pub too_many_listed: &'static str,
    /// Before an unparseable schedule, in the first generation; empty as above.
    pub unparseable_listed: &'static str,
}

/// When finished Jobs beyond the limits are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleanup {
    After,
    /// After each sync that went well.
    AfterSuccess,
    Before,
}

/// How the controller knows its Jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Children {
    /// By the identity of the owner that controls them.
    Uid,
    /// By the name of the owner that controls them, whatever its kind and identity.
    Name,
    /// By the API version, the kind and the name of the owner that controls them.
    KindAndName,
}

/// What makes the controller note a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// Nothing: this version has no `status.lastSuccessfulTime`.
    Never,
    /// A finished Job that it no longer lists as active.
    FinishedEarlier,
    SucceededEarlier,
    Succeeded,
}

/// When a Job ends whose result is decided while a pod of it still runs, such as by `activeDeadlineSeconds`. Until then
/// it counts as active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnds {
    /// Immediately: its pods may still run.
    WithVerdict,
    /// When its last pod has ended. Until then its condition is `FailureTarget` or `SuccessCriteriaMet`.
    WithLastPod,
}

/// What the controller does where a Job of the name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameTaken {
    /// It records that the Job could not be created, and tries again with each sync.
    RecordsFailure,
    /// It fails and tries again, later and later.
    Retries,
    /// It adopts the Job, if it is; but the request it does that with names no namespace,
    /// which a real API server refuses, so that there it fails and tries again.
    MeansToAdopt,
    /// It adopts the Job, if it is.
    Adopts,
}

/// Which finished Jobs beyond the limits are deleted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryOrder {
    /// The successful ones before the failed ones, and those that never started last.
    SuccessfulFirst,
    /// The failed ones before the successful ones, and those that never started first.
    FailedFirst,
}
