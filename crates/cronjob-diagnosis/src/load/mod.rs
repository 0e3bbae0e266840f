//! How many Jobs start at the same time, how late the last of them starts, and how to spread them.
//!
//! [`load`] counts the starts of a window and finds its peaks. The controller starts Jobs one after the other,
//! limited by its client ([`ClientLimits`]); the number of requests of a start depends on the release.
//! `spread` is the core of the proposal and works with counts per minute only.

mod delays;
mod groups;
mod proposal;
mod spread;
mod start_counts;
mod window;

use schemars::JsonSchema;
use serde::Serialize;

pub use delays::Throughput;
pub use delays::{ClientLimits, nth_start_delay};
pub(crate) use groups::starts_by_group;
pub use proposal::ScheduleSuggestion;
pub use proposal::{Proposal, ProposalEffect};
pub(crate) use spread::{Move, spread};
pub use start_counts::rounded;
pub use start_counts::{Peak, PeakParticipant};
pub use window::LoadWindow;
pub use window::LoadWindowError;

use cronjob_controller::controller::{Controller, Requeue};
use cronjob_controller::forecast::NextState;
use cronjob_controller::kinds::ScheduledObject;
use cronjob_controller::upcoming::{ScheduleProblem, Subject, read};
use groups::StartGroups;
use kube_model::{CronJob, ExpectedDelay};
use start_counts::StartCounts;

/// A `CronJob` whose load is counted.
#[derive(Clone, Debug, Default)]
pub struct LoadMember {
    pub subject: Subject,
    /// Whether it cannot start a run until it is changed.
    pub held: bool,
    /// Whether a running Job blocks it that is unlikely to finish before the next run.
    pub blocked: bool,
}

impl LoadMember {
    pub fn name(&self) -> (&str, &str) {
        let Subject {
            namespace, name, ..
        } = &self.subject;
        (
            namespace.as_deref().unwrap_or_default(),
            name.as_deref().unwrap_or_default(),
        )
    }

    /// A member for each schedule of an object of another kind.
    pub fn of_object(object: &ScheduledObject) -> impl Iterator<Item = LoadMember> + '_ {
        Subject::of_object(object).map(|subject| LoadMember {
            subject,
            ..LoadMember::default()
        })
    }

    #[must_use]
    pub(crate) fn expecting(mut self, next: Option<NextState>) -> Self {
        self.held |= next.is_none() && !self.subject.suspended;
        self.blocked = next == Some(NextState::Blocked);
        self
    }
}

impl From<&CronJob> for LoadMember {
    fn from(cron_job: &CronJob) -> Self {
        LoadMember {
            held: cron_job.spec.starting_deadline_seconds == Some(0)
                || cron_job.deletion_timestamp.is_some(),
            subject: Subject::from(cron_job),
            blocked: false,
        }
    }
}

/// Which starts are counted, and what is asked of them.
#[derive(Clone, Copy, Debug)]
pub struct LoadQuestion {
    pub window: LoadWindow,
    /// The client limits of the controller.
    pub limits: ClientLimits,
    /// Whether suspended `CronJob`s count.
    pub include_suspended: bool,
    pub peaks: usize,
    /// Spread until no minute has more starts than this; as far as possible if not set.
    pub at_most: Option<u32>,
}

impl LoadQuestion {
    fn is_suspended(&self, member: &LoadMember) -> bool {
        member.subject.suspended && !self.include_suspended
    }

    fn counts(&self, member: &LoadMember) -> bool {
        !self.is_suspended(member) && !member.held
    }
}

/// The starts of `CronJob`s over time.
#[derive(Clone, Debug)]
pub struct Load {
    pub window: LoadWindow,
    pub summary: LoadSummary,
    /// How fast the controller starts Jobs.
    pub work: Throughput,
    /// The starts of each bucket, in order.
    pub buckets: Vec<u64>,
    /// A hash for each bucket, equal if the same members start equally often.
    pub crowds: Vec<u64>,
    /// The largest delay of the last start of each bucket, in seconds.
    pub delays: Vec<f64>,
    /// The buckets with the most starts; those with the same `CronJob`s are listed once.
    pub peaks: Vec<Peak>,
    pub proposal: Proposal,
    /// The members whose starts cannot be computed, by index, and why.
    pub problems: Vec<(usize, ScheduleProblem)>,
}

/// The totals of a load.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadSummary {
    /// The number of `CronJob`s that are counted.
    pub cron_jobs: usize,
    /// The number of schedules of other kinds that are counted.
    pub other_schedules: usize,
    /// The number of `CronJob`s that are not counted because they are suspended.
    pub suspended: usize,
    /// The number of `CronJob`s that are not counted because they start nothing until they are changed.
    pub held: usize,
    /// The number of counted `CronJob`s that start nothing until a running Job has finished.
    pub blocked: usize,
    /// The number of `CronJob`s whose starts cannot be computed.
    pub unreadable: usize,
    /// The number of starts.
    pub starts: u64,
    /// The number of runs that are missed because the next one is due before the controller starts them.
    pub lost: u64,
    /// The number of starts in the busiest bucket.
    pub most_in_a_bucket: u64,
}

/// The pause of the first generation between its passes, in seconds.
const BETWEEN_PASSES: i64 = 10;

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count of starts
fn whole(number: f64) -> u64 {
    number.max(0.0).round() as u64
}

/// The most starts in one minute of a window.
pub(crate) fn most_in_a_minute(
    controller: &Controller,
    members: &[LoadMember],
    window: LoadWindow,
) -> u64 {
    let mut groups = StartGroups::of(controller, members, window.seconds().0, may_start);
    StartCounts::of(&mut groups, window).most_in_a_minute()
}

fn may_start(member: &LoadMember) -> bool {
    !member.subject.suspended && !member.held
}

/// The first run of each member in a window that may start later than its deadline allows, in the order of the
/// members.
pub(crate) fn runs_past_deadline(
    controller: &Controller,
    members: &[LoadMember],
    deadlines: &[Option<i64>],
    window: LoadWindow,
) -> Vec<Option<ExpectedDelay>> {
    let mut groups = StartGroups::of(controller, members, window.seconds().0, may_start);
    let counts = StartCounts::of(&mut groups, window);
    let limits = ClientLimits::of(controller.behavior());
    let delays = delays::of(&capacity(controller, members, &groups, limits), &counts);
    let first = |(member, deadline): (&LoadMember, &Option<i64>)| {
        let deadline = deadline.filter(|_| may_start(member))?;
        let schedule = read(controller, &member.subject).ok()?;
        let timetable = schedule.in_zone(&controller.local);
        // The runs of `@every` are rarely due with others.
        if timetable.is_every() {
            return None;
        }
        let runs = timetable.after(window.from()).map_while(Result::ok);
        let mut runs = runs.take_while(|run| *run < window.to());
        runs.find_map(|scheduled_time| {
            let bucket = window.bucket_of(scheduled_time.as_second());
            let (delay, starts) = (*delays.buckets.get(bucket)?, *counts.buckets.get(bucket)?);
            #[allow(clippy::cast_possible_truncation)] // at most the time between two runs
            let seconds = delay.ceil() as i64;
            (starts > 1 && seconds > deadline).then_some(ExpectedDelay {
                scheduled_time,
                starts,
                seconds,
            })
        })
    };
    members.iter().zip(deadlines).map(first).collect()
}

fn capacity(
    controller: &Controller,
    members: &[LoadMember],
    groups: &StartGroups,
    limits: ClientLimits,
) -> delays::ControllerCapacity {
    let behavior = controller.behavior();
    delays::ControllerCapacity {
        requests: behavior.requests,
        polls: (behavior.requeue == Requeue::Poll).then_some(BETWEEN_PASSES),
        limits,
        // The first generation syncs all CronJobs, including suspended ones.
        cron_jobs_per_pass: members.len(),
        kinds: groups.kinds(),
    }
}

/// Counts the starts of the members, and proposes how to spread them.
pub fn load(controller: &Controller, members: &[LoadMember], question: &LoadQuestion) -> Load {
    let window = question.window;
    let is_suspended = |member: &LoadMember| question.is_suspended(member);
    let is_held = |member: &LoadMember| member.held && !is_suspended(member);
    let chosen = |member: &LoadMember| question.counts(member);
    let count = |left_out: &dyn Fn(&LoadMember) -> bool| {
        members.iter().filter(|member| left_out(member)).count()
    };
    let mut groups = StartGroups::of(controller, members, window.seconds().0, chosen);
    let counts = StartCounts::of(&mut groups, window);
    let capacity = capacity(controller, members, &groups, question.limits);
    let delays = delays::of(&capacity, &counts);
    let proposal = proposal::propose(
        &groups,
        members,
        &capacity,
        &counts,
        &delays,
        question.at_most,
    );
    let peaks = start_counts::peaks(&groups, members, &counts, &delays.buckets, question.peaks);
    let (cron_jobs, others) = (groups.counted(false), groups.counted(true));
    let problems = groups.into_problems();
    Load {
        window,
        summary: LoadSummary {
            cron_jobs,
            other_schedules: others,
            suspended: count(&is_suspended),
            held: count(&is_held),
            blocked: count(&|member| chosen(member) && member.blocked),
            unreadable: problems.len(),
            starts: counts.buckets.iter().sum(),
            lost: whole(delays.lost),
            most_in_a_bucket: counts.buckets.iter().copied().max().unwrap_or(0),
        },
        work: delays::throughput(&capacity),
        buckets: counts.buckets,
        crowds: counts.crowds,
        delays: delays.buckets,
        peaks,
        proposal,
        problems,
    }
}
