//! What many `CronJob`s start at the same time, how late the last of them is, and how to spread them.
//!
//! [`load`] counts the starts of a window and finds its peaks. A client that makes so many requests a
//! second and no more ([`ClientLimits`]) starts them one after the other; the cost of a start is a row of
//! the release's traits. [`spread()`] is the core of the proposal: it knows minutes and nothing else, so
//! that whoever finds a peak can ask it what to do about it.

mod delays;
mod groups;
mod proposal;
mod spread;
mod start_counts;
mod window;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use delays::Throughput;
pub use delays::{ClientLimits, StartBurst, nth_start_delay};
pub(crate) use groups::starts_by_group;
pub use proposal::ScheduleSuggestion;
pub(crate) use proposal::{Proposal, ProposalEffect};
pub(crate) use spread::{Move, spread};
pub(crate) use start_counts::rounded;
pub(crate) use start_counts::{Peak, PeakParticipant};
pub use window::LoadWindow;
pub(crate) use window::LoadWindowError;

use crate::controller::{Controller, Requeue};
use crate::forecast::NextState;
use crate::model::CronJob;
use crate::upcoming::{ScheduleProblem, Subject};
use groups::StartGroups;
use start_counts::StartCounts;

/// A `CronJob` as far as its load goes.
#[derive(Clone, Debug, Default)]
pub struct LoadMember {
    /// Its schedule and its name.
    pub subject: Subject,
    /// What `@every` counts on from: the last start, or else the creation.
    pub anchor: Option<Timestamp>,
    /// Whether nothing of it starts until somebody changes it.
    pub held: bool,
    /// Whether a running Job blocks it that is not likely to finish before the next run.
    pub blocked: bool,
}

impl LoadMember {
    /// Its namespace and its name.
    pub(crate) fn name(&self) -> (&str, &str) {
        let Subject {
            namespace, name, ..
        } = &self.subject;
        (
            namespace.as_deref().unwrap_or_default(),
            name.as_deref().unwrap_or_default(),
        )
    }

    /// As it is to be expected of a `CronJob` whose schedule can be read.
    #[must_use]
    pub fn expecting(mut self, next: Option<NextState>) -> Self {
        self.held |= next.is_none() && !self.subject.suspended;
        self.blocked = next == Some(NextState::Blocked);
        self
    }
}

impl From<&CronJob> for LoadMember {
    fn from(cron_job: &CronJob) -> Self {
        let last = cron_job.status.last_schedule_time;
        LoadMember {
            held: !cron_job.spec.has_time_to_start() || cron_job.deletion_timestamp.is_some(),
            subject: Subject::from(cron_job),
            anchor: last.or(cron_job.known_creation()),
            blocked: false,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct LoadQuestion {
    /// From when until when, in buckets of which length.
    pub window: LoadWindow,
    /// What the controller's client is allowed.
    pub limits: ClientLimits,
    /// Whether those count that are suspended.
    pub include_suspended: bool,
    /// How many peaks are returned at most.
    pub peaks: usize,
    /// Spread until no minute has more starts than that; as far as it goes if nothing is given.
    pub at_most: Option<u32>,
}

/// The load of a window.
#[derive(Clone, Debug)]
pub struct Load {
    /// From when until when, in buckets of which length.
    pub window: LoadWindow,
    /// What it comes to.
    pub summary: LoadSummary,
    /// How fast the controller is.
    pub work: Throughput,
    /// The starts of each bucket, in order.
    pub buckets: Vec<u64>,
    /// How late the last start of each bucket is at worst, in seconds.
    pub delays: Vec<f64>,
    /// The buckets with most starts, those with the same `CronJob`s once.
    pub peaks: Vec<Peak>,
    /// How to spread them.
    pub proposal: Proposal,
    /// Those whose starts cannot be computed, by their place among the members, and why.
    pub problems: Vec<(usize, ScheduleProblem)>,
}

/// What a load comes to.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadSummary {
    /// How many `CronJob`s start something, or could.
    pub cron_jobs: usize,
    /// How many are left out because they are suspended.
    pub suspended: usize,
    /// How many are left out because nothing of them starts until they are changed.
    pub held: usize,
    /// How many of those that count start nothing until a running Job has finished.
    pub blocked: usize,
    /// How many there are whose starts cannot be computed.
    pub unreadable: usize,
    /// How many starts there are.
    pub starts: u64,
    /// How many starts are lost, since the `CronJob` is due again before the controller comes to
    /// it.
    pub lost: u64,
    /// How many start in the fullest bucket.
    pub most_in_a_bucket: u64,
}

/// The first generation rests so many seconds between its passes.
const BETWEEN_PASSES: i64 = 10;

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count of starts
fn whole(number: f64) -> u64 {
    number.max(0.0).round() as u64
}

/// The most starts in one minute of a window.
pub(crate) fn most_in_a_minute(
    controller: &Controller<'_>,
    members: &[LoadMember],
    window: LoadWindow,
) -> u64 {
    let chosen = |member: &LoadMember| !member.subject.suspended && !member.held;
    let mut groups = StartGroups::of(controller, members, window.seconds().0, chosen);
    StartCounts::of(&mut groups, window).most_in_a_minute()
}

/// Adds up what the members start.
pub fn load(controller: &Controller<'_>, members: &[LoadMember], question: &LoadQuestion) -> Load {
    let window = question.window;
    let is_suspended =
        |member: &LoadMember| member.subject.suspended && !question.include_suspended;
    let is_held = |member: &LoadMember| member.held && !is_suspended(member);
    let chosen = |member: &LoadMember| !is_suspended(member) && !member.held;
    let count = |left_out: &dyn Fn(&LoadMember) -> bool| {
        members.iter().filter(|member| left_out(member)).count()
    };
    let mut groups = StartGroups::of(controller, members, window.seconds().0, chosen);
    let counts = StartCounts::of(&mut groups, window);
    let behavior = controller.behavior();
    let capacity = delays::ControllerCapacity {
        requests: behavior.requests,
        polls: (behavior.requeue == Requeue::Poll).then_some(BETWEEN_PASSES),
        limits: question.limits,
        // The first generation looks at all that there are, whether they are suspended or not.
        looked_at: members.len(),
        kinds: groups.kinds(),
    };
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
    let cron_jobs = groups.counted();
    let problems = groups.into_problems();
    Load {
        window,
        summary: LoadSummary {
            cron_jobs,
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
        delays: delays.buckets,
        peaks,
        proposal,
        problems,
    }
}
