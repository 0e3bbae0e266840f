//! All that is said of many `CronJob`s, put side by side.
//!
//! Nothing is computed here that another room does not compute: a [`Report`] asks them all about the
//! same evidence at the same moment, and lays the answers in one order, the worst first, so that what
//! stands at a place of one list is about the same `CronJob` as what stands there in the others.

mod bands;
mod figures;
mod timeline;

use jiff::Timestamp;

pub(crate) use bands::Band;
pub(crate) use figures::{BOUNDS, Frequency, Histogram, Past};
pub(crate) use timeline::{Lane, Outlook, Timeline};

use crate::change::Application;
use crate::controller::Controller;
use crate::diagnose::{Coverage, Explanation, Facts};
use crate::history::{CronJobHistory, HistoryWindow};
use crate::load::{ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, load};
use crate::model::CronJobEvidence;
use crate::survey::{self, Row, RowOrder, RowSelection};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// The moment taken for now.
    pub now: Timestamp,
    /// How far the evidence reaches.
    pub coverage: Coverage,
    /// How far the evidence reaches that the past is told from.
    pub reach_of_history: Coverage,
    /// Which starts that are to come.
    pub ahead: LoadWindow,
    /// Which slots that are past.
    pub past: HistoryWindow,
}

/// All that is said of many `CronJob`s.
pub(crate) struct Report<'a> {
    /// Their health, the worst first.
    pub survey: survey::SurveyReport,
    /// What was found how often.
    pub frequencies: Vec<Frequency>,
    /// Their starts to come, in that order.
    pub timeline: Timeline,
    /// What each of them starts, in that order.
    pub members: Vec<LoadMember>,
    /// What they start together.
    pub load: Load,
    /// What it leads to to apply its proposal now.
    pub application: Application,
    /// What the controller does with each, in that order.
    pub explanations: Vec<Explanation<'a>>,
    /// What became of the past slots of each, in that order.
    pub histories: Vec<CronJobHistory<'a>>,
    /// What became of all of them.
    pub past: Past,
}

/// So many peaks are told.
const PEAKS: usize = 5;

impl<'a> Report<'a> {
    /// Asks all rooms.
    pub(crate) fn of(
        controller: &'a Controller<'a>,
        all_evidence: &'a [CronJobEvidence],
        scope: &Scope,
    ) -> Self {
        let facts = |evidence, coverage| Facts::of(controller, evidence, coverage, scope.now);
        let rows = survey::rows(controller, all_evidence, scope.coverage, scope.now);
        let mut pairs: Vec<(Row, &CronJobEvidence)> = rows.into_iter().zip(all_evidence).collect();
        pairs.sort_by(|(one, _), (other, _)| RowOrder::Health.compare_all(one, other));
        let (rows, all_evidence): (Vec<Row>, Vec<&CronJobEvidence>) = pairs.into_iter().unzip();
        let member = |evidence| member(&facts(evidence, scope.coverage));
        let members: Vec<LoadMember> = all_evidence.iter().copied().map(member).collect();
        let question = LoadQuestion {
            window: scope.ahead,
            limits: ClientLimits::of(controller.behavior()),
            include_suspended: false,
            peaks: PEAKS,
            at_most: None,
        };
        let explain = |evidence| Explanation::of(facts(evidence, scope.coverage));
        let look_back =
            |evidence| CronJobHistory::of(facts(evidence, scope.reach_of_history), &scope.past);
        let histories: Vec<CronJobHistory<'a>> =
            all_evidence.iter().copied().map(look_back).collect();
        let load = load(controller, &members, &question);
        let evidence = |member: usize| all_evidence.get(member).copied();
        let suggestions = &load.proposal.suggestions;
        let application = Application::of(controller, evidence, suggestions, scope.now);
        Report {
            frequencies: figures::frequencies(&rows),
            timeline: Timeline::of(controller, &members, &rows, scope.ahead),
            load,
            application,
            explanations: all_evidence.iter().copied().map(explain).collect(),
            past: Past::of(&histories),
            histories,
            members,
            survey: survey::SurveyReport::new(rows, RowSelection::default()),
        }
    }
}

/// A `CronJob` as far as its load goes, with what is to be expected of its next run.
pub(crate) fn member(facts: &Facts<'_>) -> LoadMember {
    let member = LoadMember::from(facts.cron_job);
    if facts.schedule.is_err() {
        return member;
    }
    let next = facts.outlook().next();
    member.expecting(next.map(|(state, _)| state))
}
