//! Kinds of objects with a schedule that other controllers than that of CronJobs read.
//!
//! A [`ScheduledKind`] is a row of data: where the fields are, how the schedule is read, and what the controller does
//! with it. [`ScheduledObject`] is an object of such a kind, [`ScheduledObject::due`] what happens at the next sync.

mod explanation;
mod object;

use kube_cron::{Dialect, ParseError, Schedule, Zones, go_quote, load_location};

pub use explanation::{KindExplanation, KindSchedule};
pub use object::{DueStart, ScheduledObject};

/// A kind of object with a cron schedule that is not a `CronJob`, and how its controller reads the schedule.
#[derive(Debug)]
pub struct ScheduledKind {
    /// The kind, such as `ScheduledBackup`.
    pub name: &'static str,
    pub group: &'static str,
    pub version: &'static str,
    /// The controller, as people call it.
    pub controller: &'static str,
    pub dialect: Dialect,
    /// The paths of the schedule: a text, or a list of texts.
    schedule_paths: &'static [&'static str],
    /// Whether an empty schedule means that there is none.
    ignores_empty: bool,
    pub time_zone: Option<&'static str>,
    pub paused: &'static str,
    /// A field of the status that prevents starts, with its value.
    stopped: Option<(&'static str, &'static str)>,
    /// A text that replaces the schedule, and the text for which the last run was started.
    manual: Option<(&'static str, &'static str)>,
    /// Starts at creation, whatever the schedule is.
    pub immediate: Option<&'static str>,
    /// Starts none of the missed runs at the next sync, which then counts from now.
    skips: Option<&'static str>,
    /// The start of what is running.
    pub running: Option<&'static str>,
    /// The times that the next run counts from; the latest of them.
    pub base: &'static [&'static str],
    pub(crate) without_base: WithoutBase,
    pub catch_up: KindCatchUp,
    /// What it starts, in the singular.
    pub starts: &'static str,
    /// What happens to runs that were missed.
    pub missed: &'static str,
    /// What resuming and editing do.
    pub changing: &'static str,
    /// What delays a start.
    pub blocked: &'static str,
    /// How the controller words that it rejects a schedule.
    rejection: fn(&str, &ParseError) -> String,
}

/// What the controller does with an object before its first run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithoutBase {
    /// Counts from its creation.
    FromCreation,
    /// Starts at the first sync.
    Starts,
    /// Waits for the next time of the schedule.
    Waits,
}

/// What the controller does with missed runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindCatchUp {
    /// Starts one, for the first of them.
    First,
    /// Starts one, which is not for any of them. If the schedule never matches, the library returns the zero time, which
    /// the controller treats as missed: it starts one at each sync.
    One,
    /// Starts the last of them within `spec.startingDeadlineSeconds`.
    LastWithinDeadline,
}

const VOLSYNC: ScheduledKind = ScheduledKind {
    name: "ReplicationSource",
    group: "volsync.backube",
    version: "v1alpha1",
    controller: "VolSync",
    dialect: Dialect::V3_0,
    schedule_paths: &["spec.trigger.schedule"],
    ignores_empty: true,
    time_zone: None,
    paused: "spec.paused",
    stopped: None,
    manual: Some(("spec.trigger.manual", "status.lastManualSync")),
    immediate: None,
    skips: None,
    running: Some("status.lastSyncStartTime"),
    base: &["status.lastSyncTime"],
    without_base: WithoutBase::Starts,
    catch_up: KindCatchUp::One,
    starts: "sync",
    missed: "Times that pass while a sync runs are skipped. If a time has passed since the end of the last sync, one \
             sync starts immediately.",
    changing: "The first sync starts as soon as the object is created, whatever the schedule is. An edit starts a sync \
               immediately if the new schedule has a time between the end of the last sync and now.",
    blocked: "A sync starts only after the previous one has ended. spec.paused stops the pods of a running sync and \
              does not end it.",
    rejection: |_, error| error.to_string(),
};

/// All kinds, in the order of their names.
pub static KINDS: [ScheduledKind; 5] = [
    ScheduledKind {
        name: "CronWorkflow",
        group: "argoproj.io",
        version: "v1alpha1",
        controller: "Argo Workflows",
        schedule_paths: &["spec.schedules", "spec.schedule"],
        time_zone: Some("spec.timezone"),
        paused: "spec.suspend",
        stopped: Some(("status.phase", "Stopped")),
        manual: None,
        running: None,
        base: &["status.lastScheduledTime"],
        without_base: WithoutBase::Waits,
        catch_up: KindCatchUp::LastWithinDeadline,
        starts: "Workflow",
        missed: "Missed runs are only considered with spec.startingDeadlineSeconds: the last one starts if it was \
                 scheduled less than that time ago.",
        changing: "An edit of the schedule or the time zone starts nothing immediately.",
        blocked: "concurrencyPolicy: Forbid skips a run while a Workflow is active.",
        rejection: |schedule, error| format!("cron schedule {schedule} is malformed: {error}"),
        ..VOLSYNC
    },
    ScheduledKind {
        name: "ReplicationDestination",
        ..VOLSYNC
    },
    VOLSYNC,
    ScheduledKind {
        name: "Schedule",
        group: "velero.io",
        version: "v1",
        controller: "Velero",
        schedule_paths: &["spec.schedule"],
        ignores_empty: false,
        manual: None,
        skips: Some("spec.skipImmediately"),
        running: None,
        base: &["status.lastBackup", "status.lastSkipped"],
        without_base: WithoutBase::FromCreation,
        starts: "Backup",
        missed: "If any time has passed since the last backup, one Backup starts immediately; the others are skipped.",
        changing: "Resuming and editing start a Backup within a minute if the schedule has a time between the last \
                   backup and now, unless spec.skipImmediately is true.",
        blocked: "No Backup starts while an earlier one of this Schedule is New or InProgress.",
        rejection: |schedule, error| match schedule {
            "" => "Schedule must be a non-empty valid Cron expression".to_owned(),
            _ => format!("invalid schedule: {error}"),
        },
        ..VOLSYNC
    },
    ScheduledKind {
        name: "ScheduledBackup",
        group: "postgresql.cnpg.io",
        version: "v1",
        controller: "CloudNativePG",
        dialect: Dialect::V1_2Seconds,
        schedule_paths: &["spec.schedule"],
        ignores_empty: false,
        paused: "spec.suspend",
        manual: None,
        immediate: Some("spec.immediate"),
        running: None,
        base: &["status.lastCheckTime"],
        without_base: WithoutBase::Waits,
        catch_up: KindCatchUp::First,
        starts: "Backup",
        missed: "If times have passed since the last check, one Backup starts immediately, for the first of them; the \
                 others are skipped.",
        changing: "Resuming and editing start a Backup immediately if the schedule has a time between the last check \
                   and now.",
        blocked: "While an earlier Backup of this ScheduledBackup is not done, the operator checks again every minute.",
        rejection: |schedule, error| {
            let schedule = go_quote(schedule);
            format!("spec.schedule: Invalid value: {schedule}: {error}")
        },
        ..VOLSYNC
    },
];

/// The kind of an object with this `apiVersion` and `kind`.
pub fn find(api_version: &str, kind: &str) -> Option<&'static ScheduledKind> {
    let (group, _) = api_version.split_once('/')?;
    let mut kinds = KINDS.iter();
    kinds.find(|one| one.name == kind && one.group == group)
}

/// The kind that kubectl would find under a name: the kind, its plural, or the plural with the group.
pub fn named(name: &str) -> Option<&'static ScheduledKind> {
    let lower = name.to_ascii_lowercase();
    let (word, group) = match lower.split_once('.') {
        Some((word, group)) => (word, Some(group)),
        None => (lower.as_str(), None),
    };
    let is_it = |kind: &&ScheduledKind| {
        (word == kind.plural() || kind.name.eq_ignore_ascii_case(word))
            && group.is_none_or(|group| group == kind.group)
    };
    KINDS.iter().find(is_it)
}

impl ScheduledKind {
    pub fn plural(&self) -> String {
        format!("{}s", self.name.to_ascii_lowercase())
    }

    pub fn library(&self) -> String {
        format!("robfig/cron {}", self.dialect.version())
    }

    /// As kubectl names it in messages, such as `scheduledbackups.postgresql.cnpg.io`.
    pub fn qualified(&self) -> String {
        format!("{}.{}", self.plural(), self.group)
    }

    /// Reads a schedule as the controller does.
    pub fn read(
        &self,
        schedule: &str,
        time_zone: Option<&str>,
        zones: &dyn Zones,
    ) -> Result<Schedule, Rejection> {
        if let Some(zone) = time_zone
            && let Err(error) = load_location(zone, zones)
        {
            return Err(Rejection {
                message: format!("invalid timezone {}: {error}", go_quote(zone)),
                hint: None,
                of_time_zone: true,
            });
        }
        Schedule::parse_in(schedule, time_zone, self.dialect, zones).map_err(|error| Rejection {
            message: (self.rejection)(schedule, &error),
            hint: hint(&error),
            of_time_zone: false,
        })
    }
}

/// What to write instead of a schedule of one of these kinds. Hints about CronJobs are left out.
pub fn hint(error: &ParseError) -> Option<String> {
    let is_for_cron_jobs =
        |hint: &String| hint.contains("Kubernetes") || hint.contains("spec.timeZone");
    error.hint().filter(|hint| !is_for_cron_jobs(hint))
}

/// Why the controller of a kind does not accept a schedule.
pub struct Rejection {
    /// The controller's message.
    pub message: String,
    pub hint: Option<String>,
    /// Whether the field with the time zone is wrong.
    pub of_time_zone: bool,
}

/// A set of the other kinds with a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindSet([bool; KINDS.len()]);

impl KindSet {
    pub const NONE: KindSet = KindSet([false; KINDS.len()]);
    pub const ALL: KindSet = KindSet([true; KINDS.len()]);

    pub fn of(kinds: &[&ScheduledKind]) -> Self {
        KindSet(KINDS.each_ref().map(|kind| kinds.contains(&kind)))
    }

    pub fn kinds(self) -> impl Iterator<Item = &'static ScheduledKind> {
        let pairs = KINDS.iter().zip(self.0);
        pairs.filter_map(|(kind, is_in)| is_in.then_some(kind))
    }

    pub fn contains(self, kind: &ScheduledKind) -> bool {
        self.kinds().any(|one| one == kind)
    }
}
