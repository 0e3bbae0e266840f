//! What many `CronJob`s start together, how late the last of a crowd is, and how to spread them.
//!
//! [`load`] counts the starts of a span of time and finds its peaks. A peak is worked off by a
//! client that makes so many requests a second and no more ([`Limits`]); what a start costs is a row
//! of the release's traits. [`spread()`] is the core of the proposal: it knows minutes and nothing
//! else, so that whoever finds a crowd can ask it what to do about it.

mod delays;
mod groups;
mod limits;
mod order;
mod peaks;
mod plan;
mod proposal;
mod queue;
mod span;
mod spread;
mod tally;
mod together;

use crate::controller::{Controller, Requeue};
use crate::forecast::NextState;
use crate::model::CronJob;
use crate::upcoming::{ScheduleProblem, Subject};

pub use delays::{Herd, Work, herd};
pub use limits::Limits;
pub use peaks::{Participant, Peak};
pub use proposal::{Effect, Proposal, Suggestion};
pub use span::{Span, SpanError};
pub use spread::{Move, Mover, spread};
pub use together::{Together, together};

use groups::Groups;
use jiff::Timestamp;

/// A `CronJob` as far as its load goes.
#[derive(Clone, Debug, Default)]
pub struct Member {
    /// Its schedule and its name.
    pub subject: Subject,
    /// What `@every` counts on from: the last start, or else the creation.
    pub anchor: Option<Timestamp>,
    /// Whether nothing of it starts until somebody changes it.
    pub held: bool,
    /// Whether a running Job blocks it that is not likely to finish before the next run.
    pub blocked: bool,
}

impl Member {
    /// As it is to be expected of a `CronJob` whose schedule can be read.
    #[must_use]
    pub fn expecting(mut self, next: Option<NextState>) -> Self {
        self.held |= next.is_none() && !self.subject.suspended;
        self.blocked = next == Some(NextState::Blocked);
        self
    }
}

impl From<&CronJob> for Member {
    fn from(cron_job: &CronJob) -> Self {
        let last = cron_job.status.last_schedule_time;
        Member {
            held: !cron_job.spec.has_time_to_start() || cron_job.deletion_timestamp.is_some(),
            subject: Subject::from(cron_job),
            anchor: last.or(cron_job.known_creation()),
            blocked: false,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// From when until when, in pieces of which length.
    pub span: Span,
    /// What the controller's client is allowed.
    pub limits: Limits,
    /// Whether those count that are suspended.
    pub include_suspended: bool,
    /// So many peaks are told.
    pub peaks: usize,
    /// Spread until no minute has more starts than that; as far as it goes if nothing is given.
    pub at_most: Option<u32>,
}

/// The load of a span of time.
#[derive(Clone, Debug)]
pub struct Load {
    /// From when until when, in pieces of which length.
    pub span: Span,
    /// What the controller's client is allowed.
    pub limits: Limits,
    /// How many starts there are.
    pub starts: u64,
    /// How many `CronJob`s start something, or could.
    pub counted: usize,
    /// How many are left out because they are suspended.
    pub suspended: usize,
    /// How many are left out because nothing of them starts until they are changed.
    pub held: usize,
    /// How many of those that count start nothing until a running Job has finished.
    pub blocked: usize,
    /// Those whose starts nobody can tell, by their place among the members, and why.
    pub problems: Vec<(usize, ScheduleProblem)>,
    /// The starts of each bucket, in order.
    pub buckets: Vec<u64>,
    /// How late the last start of each bucket is at worst, in seconds.
    pub delays: Vec<f64>,
    /// The buckets with most starts, each crowd once.
    pub peaks: Vec<Peak>,
    /// How many starts are lost, since the `CronJob` is due again before the controller comes to it.
    pub lost: u64,
    /// How starts are worked off.
    pub work: Work,
    /// How to spread them.
    pub proposal: Proposal,
}

/// The first generation rests so many seconds between its passes.
const BETWEEN_PASSES: i64 = 10;

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count of starts
fn whole(number: f64) -> u64 {
    number.max(0.0).round() as u64
}

/// Adds up what the members start.
pub fn load(controller: &Controller<'_>, members: &[Member], question: &Question) -> Load {
    let span = question.span;
    let is_suspended = |member: &Member| member.subject.suspended && !question.include_suspended;
    let is_held = |member: &Member| member.held && !is_suspended(member);
    let chosen = |member: &Member| !is_suspended(member) && !member.held;
    let count = |left_out: &dyn Fn(&Member) -> bool| {
        members.iter().filter(|member| left_out(member)).count()
    };
    let mut groups = Groups::of(controller, members, span.seconds().0, chosen);
    let tally = tally::Tally::of(&mut groups, span);
    let behaviour = controller.behaviour();
    let queue = delays::Worked {
        requests: behaviour.requests,
        polls: (behaviour.requeue == Requeue::Poll).then_some(BETWEEN_PASSES),
        limits: question.limits,
        // The first generation looks at all that there are, whether they are suspended or not.
        looked_at: members.len(),
        kinds: groups.kinds(),
    };
    let delays = delays::of(&queue, &tally);
    let proposal = proposal::propose(&groups, members, &queue, &tally, &delays, question.at_most);
    Load {
        span,
        limits: question.limits,
        starts: tally.buckets.iter().sum(),
        counted: groups.counted(),
        suspended: count(&is_suspended),
        held: count(&is_held),
        blocked: count(&|member| chosen(member) && member.blocked),
        peaks: peaks::find(&groups, &tally, &delays.buckets, question.peaks),
        work: delays::work(&queue),
        delays: delays.buckets,
        lost: whole(delays.lost),
        buckets: tally.buckets,
        proposal,
        problems: groups.into_problems(),
    }
}
