//! The answers of the other verbs about many `CronJob`s, side by side.
//!
//! Nothing is computed here that another module computes: a [`Report`] asks all of them about the same evidence at
//! the same time. All its lists have one order, most severe first, so that the items at one index are about the same
//! `CronJob`.

mod figures;
mod timeline;
mod week;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

pub use figures::{Figures, Frequency, HistogramClass, PastFigures};
pub use timeline::{Band, Lane, Outlook, ReportTimeline};
pub use week::{ReportedWeek, WeekFigures};

use crate::change::Application;
use crate::diagnose::{Explanation, Facts};
use crate::history::{CronJobHistory, HistoryWindow, Reliability, ReliabilityDay, days};
use crate::kubectl::Kubectl;
use crate::load::{ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, load};
use crate::survey::{self, Row, RowSelection};
use cronjob_controller::controller::Controller;
use kube_model::{Coverage, CronJobEvidence};

/// What a report covers.
#[derive(Clone, Copy, Debug)]
pub struct ReportScope {
    pub now: Timestamp,
    pub coverage: Coverage,
    /// What was read that the history depends on.
    pub history_coverage: Coverage,
    pub ahead: LoadWindow,
    pub past: HistoryWindow,
    /// The window of the reliability; `None` if no recorder was asked.
    pub recorded: Option<HistoryWindow>,
}

/// How many of the due runs of a `CronJob` succeeded in time.
#[derive(JsonSchema, Serialize)]
pub struct ReportedReliability {
    /// The namespace of the `CronJob`.
    pub namespace: String,
    /// The name of the `CronJob`.
    pub name: String,
    #[serde(flatten)]
    pub reliability: Reliability,
    /// The days of the window, at most 366, in the time zone of the report.
    pub days: Vec<ReliabilityDay>,
}

/// Everything about many `CronJob`s.
pub struct Report {
    pub survey: survey::SurveyReport,
    /// The sums of findings and past runs.
    pub figures: Figures,
    /// Their upcoming runs, in the order of the survey.
    pub timeline: ReportTimeline,
    /// The members of the load, in the order of the survey.
    pub members: Vec<LoadMember>,
    /// The Jobs that start at the same time.
    pub load: Load,
    /// What happens if the suggestions of the load are applied now.
    pub application: Application,
    /// Their past, in the order of the survey.
    pub past_figures: Vec<PastFigures>,
    /// Their reliability in the order of the survey, if a recorder was asked. `None` where it cannot be computed.
    pub reliability: Vec<Option<ReportedReliability>>,
    controller: Controller,
    kubectl: Kubectl,
    /// In the order of the survey.
    all_evidence: Vec<Arc<CronJobEvidence>>,
    scope: ReportScope,
}

const PEAKS: usize = 5;
/// The most days in a calendar.
const MOST_DAYS: i64 = 366;

impl Report {
    /// `others` are schedules of other kinds, which are only in the timeline.
    pub fn of(
        controller: Controller,
        kubectl: Kubectl,
        all_evidence: impl IntoIterator<Item = Arc<CronJobEvidence>>,
        others: Vec<LoadMember>,
        scope: &ReportScope,
    ) -> Self {
        let all_evidence: Vec<Arc<CronJobEvidence>> = all_evidence.into_iter().collect();
        let given = all_evidence.iter().map(|one| &**one);
        let rows = survey::rows(&controller, &kubectl, given, scope.coverage, scope.now);
        let (survey, all_evidence) = sorted(rows, all_evidence);
        let rows = &survey.rows;
        let member = |evidence: &Arc<CronJobEvidence>| {
            member(&Facts::of(
                &controller,
                &kubectl,
                evidence,
                scope.coverage,
                scope.now,
            ))
        };
        let mut members: Vec<LoadMember> = all_evidence.iter().map(member).collect();
        let question = LoadQuestion {
            window: scope.ahead,
            limits: ClientLimits::of(controller.behavior()),
            include_suspended: false,
            peaks: PEAKS,
            at_most: None,
        };
        let (load, (figures, past_figures)) = thread::scope(|threads| {
            let load = threads.spawn(|| load(&controller, &members, &question));
            let past = all_evidence.iter();
            let past = past.map(|evidence| {
                past_of(&controller, &kubectl, evidence, scope, &scope.past).history
            });
            let figures = Figures::of(rows, past);
            let load = load.join().unwrap_or_else(|panic| resume_unwind(panic));
            (load, figures)
        });
        let reliability = scope.recorded.iter().flat_map(|window| {
            all_evidence.iter().map(|evidence| {
                let past = past_of(&controller, &kubectl, evidence, scope, window);
                reliability_of(&past, window, scope.now)
            })
        });
        let reliability = reliability.collect();
        let evidence = |member: usize| all_evidence.get(member).map(|one| &**one);
        let suggestions = &load.proposal.suggestions;
        let application = Application::of(&controller, evidence, suggestions, scope.now);
        let of_cron_jobs = members.len();
        members.extend(others);
        let timeline = ReportTimeline::of(&controller, &members, rows, scope.ahead);
        members.truncate(of_cron_jobs);
        Report {
            figures,
            timeline,
            load,
            application,
            past_figures,
            reliability,
            members,
            survey,
            controller,
            kubectl,
            all_evidence,
            scope: *scope,
        }
    }

    /// The explanation of each, in the order of the survey. All together take much memory.
    pub fn explanations(&self) -> impl Iterator<Item = Explanation<'_>> {
        let ReportScope { coverage, now, .. } = self.scope;
        let all_evidence = self.all_evidence.iter();
        all_evidence.map(move |evidence| {
            Explanation::of(Facts::of(
                &self.controller,
                &self.kubectl,
                evidence,
                coverage,
                now,
            ))
        })
    }

    /// The past of each with its runs, in the order of the survey. All together take much memory.
    pub fn past(&self) -> impl Iterator<Item = CronJobHistory<'_>> {
        let all_evidence = self.all_evidence.iter();
        let scope = &self.scope;
        all_evidence.map(|evidence| {
            past_of(
                &self.controller,
                &self.kubectl,
                evidence,
                scope,
                &scope.past,
            )
        })
    }
}

/// Rows in the order of the report, and the evidence in the same order.
fn sorted(
    rows: Vec<Row>,
    all_evidence: Vec<Arc<CronJobEvidence>>,
) -> (survey::SurveyReport, Vec<Arc<CronJobEvidence>>) {
    let mut order: Vec<(&Row, Arc<CronJobEvidence>)> = rows.iter().zip(all_evidence).collect();
    let selection = RowSelection::default();
    order.sort_by(|(one, _), (other, _)| selection.order.compare_all(one, other));
    let all_evidence = order.into_iter().map(|(_, evidence)| evidence).collect();
    (survey::SurveyReport::new(rows, selection), all_evidence)
}

fn past_of<'a>(
    controller: &'a Controller,
    kubectl: &'a Kubectl,
    evidence: &'a CronJobEvidence,
    scope: &ReportScope,
    window: &HistoryWindow,
) -> CronJobHistory<'a> {
    let facts = Facts::of(
        controller,
        kubectl,
        evidence,
        scope.history_coverage,
        scope.now,
    );
    CronJobHistory::of(facts, window)
}

fn reliability_of(
    past: &CronJobHistory<'_>,
    window: &HistoryWindow,
    now: Timestamp,
) -> Option<ReportedReliability> {
    let controller = past.facts.input.controller;
    let zone = controller.display.as_ref().unwrap_or(&controller.local);
    let longest = SignedDuration::from_hours(24 * (MOST_DAYS - 1));
    let earliest = now.checked_sub(longest).unwrap_or(Timestamp::MIN);
    let since = window.since.map_or(earliest, |since| since.max(earliest));
    Some(ReportedReliability {
        namespace: past.facts.input.cron_job.namespace.clone(),
        name: past.facts.input.cron_job.name.clone(),
        reliability: Reliability::of(past)?,
        days: days(past, since, now, zone.time_zone()),
    })
}

/// The load of a `CronJob`, with the state of its next run.
pub fn member(facts: &Facts<'_>) -> LoadMember {
    let member = LoadMember::from(&*facts.input.cron_job);
    if facts.schedule.is_err() {
        return member;
    }
    let next = facts.outlook().next();
    member.expecting(next.map(|(state, _)| state))
}
