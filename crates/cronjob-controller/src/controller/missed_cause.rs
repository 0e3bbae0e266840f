//! Why a run was missed, and how late a start may be.

/// A start that is late by no more than this is on time: the controller wakes a little after the
/// scheduled time.
pub const ON_TIME: i64 = 10;

string_enum! {
    /// Why no Job was started for a run. Evidence can show the causes up to `Unknown`; simulations can lead
    /// to all that do not depend on evidence.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum MissedCause {
        /// The `CronJob` was suspended.
        Suspended = "suspended",
        /// A Job was active under `concurrencyPolicy: Forbid`.
        Forbid = "forbid",
        /// The Job could not be created.
        CreationFailed = "creationFailed",
        /// The run is later than `startingDeadlineSeconds` allows, and will not be started.
        Deadline = "deadline",
        /// The estimate of this version does not find the run.
        Arithmetic = "arithmetic",
        /// This version starts nothing after more than 100 missed runs.
        TooMany = "tooMany",
        /// The schedule was edited, and the controller has not synced since.
        ScheduleEdited = "scheduleEdited",
        /// A Job has the name that the controller would give.
        NameTaken = "nameTaken",
        /// The run is due now and about to start.
        Due = "due",
        /// The run was missed and backfilled since.
        Backfilled = "backfilled",
        /// There is no evidence; the controller may have been down.
        Unknown = "unknown",
        /// The controller was down.
        Outage = "outage",
        /// Nothing made the controller sync in time.
        NotAwake = "notAwake",
        /// The schedule did not include the run at that time.
        ScheduleChanged = "scheduleChanged",
        /// The run was scheduled before the start of the simulation.
        BeforeStart = "before",
        /// The controller's search for the next run never ends.
        Hangs = "hangs",
        /// The controller's parser panics.
        Panics = "panics",
        /// The schedule or its time zone cannot be parsed, or never runs.
        NoSchedule = "noSchedule",
        /// The status could not list all active Jobs.
        StatusRefused = "statusRefused",
        /// The `CronJob` was being deleted.
        Deleted = "deleted",
    }
}

impl MissedCause {
    pub fn in_words(self) -> &'static str {
        match self {
            MissedCause::Forbid => "Forbid",
            MissedCause::CreationFailed => "Job creation failed",
            MissedCause::Deadline => "deadline",
            MissedCause::Arithmetic => "uneven schedule",
            MissedCause::Due => "due now",
            MissedCause::Unknown => "reason unknown",
            MissedCause::TooMany => "too many missed",
            MissedCause::ScheduleEdited => "schedule edited",
            MissedCause::NameTaken => "name taken",
            MissedCause::NotAwake => "no sync",
            MissedCause::ScheduleChanged => "schedule changed",
            MissedCause::BeforeStart => "before the start",
            MissedCause::NoSchedule => "no valid schedule",
            MissedCause::StatusRefused => "status rejected",
            other => other.as_str(),
        }
    }

    /// Those that evidence can show.
    pub fn in_evidence() -> Vec<&'static str> {
        let all = Self::STRINGS.iter().copied();
        all.take_while(|cause| *cause != MissedCause::Outage.as_str())
            .collect()
    }

    /// Those that a simulation can lead to, or none.
    pub fn in_simulations() -> Vec<Option<&'static str>> {
        let of_evidence = [
            MissedCause::CreationFailed,
            MissedCause::ScheduleEdited,
            MissedCause::Due,
            MissedCause::Backfilled,
            MissedCause::Unknown,
        ];
        let of_evidence = of_evidence.map(|cause| cause.as_str());
        let all = Self::STRINGS.iter().copied();
        let simulated = all.filter(|cause| !of_evidence.contains(cause));
        simulated.map(Some).chain([None]).collect()
    }
}
