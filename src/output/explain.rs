//! Explanations, as text and as a document.

mod document;
mod events;
pub(super) mod findings;
mod runs;
mod since_success;
mod sync;
mod versions;

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::answer::{Answer, Documented, Format, Formats, separated};
use super::comparison::Comparison;
use super::contexts::{self, ContextAnswers};
use super::each::Each;
use super::explain_fleet::fleet;
use super::lines::{TextPage, wrapped};
use super::reliability;
use super::style::{Meaning, styled};
use cronjob_controller::controller::Outcome;
use cronjob_controller::forecast::NextState;
use cronjob_diagnosis::diagnose::{
    Explanation, Facts, LastRunState, LastSuccess, Severity, last_run_skipped_by, local,
    no_run_yet, when,
};
use cronjob_text::duration::{human, whole_second};
use cronjob_text::printable::{printable, width};
use cronjob_text::text::Text;
pub(crate) use document::ExplainHeader;
pub use document::Explanations;
pub(super) use document::document;
pub(super) use events::expected_events;
use events::recorded_events;
use findings::{MainFindings, findings, logs};
use kube_model::{ARGO_IGNORES_HEALTH, ArgoHealth, RunPhases, Tool, UnreadResource};
pub(super) use runs::{estimate, next_runs_heading};
use runs::{missed, next_runs, next_times};
pub(super) use since_success::since_success_in_words;
use since_success::{since_success, unchanged_in_short};
pub(super) use sync::next_wake_up;
use sync::{next_sync, status};
use versions::{compared, what_if, writes};

/// What `explain` found.
pub(crate) struct ExplainAnswer<'a> {
    pub explained: ContextAnswers<Explained<'a>>,
    /// Whether the text ends with how to show more.
    pub hints: bool,
}

/// The explanations of the `CronJob`s of a context.
pub(crate) struct Explained<'a> {
    pub header: ExplainHeader,
    pub lacks: &'a [UnreadResource],
    /// All together take much memory.
    pub explanations: Each<'a, Explanation<'a>>,
    pub count: usize,
    /// Whether they say what other versions do.
    pub is_compared: bool,
}

impl Answer for ExplainAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::text(|out, answer| answer.text(out))
            .and(Format::Wide, |out, answer| {
                contexts::sections(out, &answer.explained, |out, one| one.each(out, wide))
            })
            .and_documents()
    }
}

impl Documented for ExplainAnswer<'_> {
    fn document(&self) -> impl Serialize {
        self.explained.map(|_, one| {
            let comparison = one.comparison();
            document(&one.header, one.lacks, comparison, move || {
                one.explanations.iter()
            })
        })
    }
}

impl ExplainAnswer<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let shown = self.explained.each().map(|(_, one)| one);
        let shown = shown.filter(|one| !one.is_compared_fleet());
        let shown: usize = shown.map(|one| one.count).sum();
        let has_hint = self.hints && shown == 1;
        contexts::sections(out, &self.explained, |out, one| {
            if one.is_compared_fleet() {
                fleet(out, one)
            } else {
                one.each(out, |out, header, one| text(out, has_hint, header, one))
            }
        })?;
        if self.hints && shown > 1 {
            let text = "Use -o wide to show all details, pods, events, missed runs and checks.";
            let mut page = TextPage::default();
            page.blank().hanging("", 0, &styled(Meaning::Faint, text));
            page.write(out)?;
        }
        Ok(())
    }
}

impl Explained<'_> {
    /// Whether only totals are shown, and the `CronJob`s that differ.
    fn is_compared_fleet(&self) -> bool {
        self.count > 1 && self.is_compared
    }

    /// How many of them behave the same; none if nothing is compared.
    fn comparison(&self) -> Option<Comparison> {
        (self.count > 0 && self.is_compared).then(|| {
            let different = self.explanations.iter().filter(Explanation::differs);
            Comparison::of(self.count, different.count())
        })
    }

    fn each(
        &self,
        out: &mut dyn Write,
        write: impl Fn(&mut dyn Write, &ExplainHeader, &Explanation<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        separated(out, self.explanations.iter(), |out, one| {
            write(out, &self.header, &one)
        })
    }
}

/// An empty page for an explanation.
fn page_of(explanation: &Explanation<'_>) -> TextPage {
    let facts = &explanation.facts;
    TextPage::at(facts.input.now, facts.display_zone())
}

/// Writes one explanation: what will happen, what is wrong and how to fix it, the schedule and the next runs.
/// What was asked for with flags is last, where a terminal shows it. `has_hint` is whether the first line says how to show
/// more.
fn text(
    out: &mut dyn Write,
    has_hint: bool,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
) -> io::Result<()> {
    let mut page = page_of(explanation);
    let findings = MainFindings::of(explanation);
    headline(&mut page, has_hint, header, explanation, Some(&findings));
    findings.add_to(&mut page, explanation);
    // The line of the last success says that nothing has changed.
    let is_unchanged = unchanged_in_short(explanation).is_some();
    if !is_unchanged || success_beside_last_run(explanation).is_none() {
        since_success(&mut page, explanation, false);
    }
    if is_edit_beside_the_point(explanation) {
        edited(&mut page, explanation);
    }
    timetable(&mut page, explanation);
    reliability_of(&mut page, header, explanation);
    what_if(&mut page, explanation);
    compared(&mut page, explanation, false);
    writes(&mut page, header, explanation);
    logs(&mut page, explanation);
    page.write(out)
}

/// Writes one explanation with all details: every step of the sync, the status afterwards, pods, events, missed
/// runs, and UTC times.
pub(crate) fn wide(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
) -> io::Result<()> {
    let mut page = page_of(explanation);
    headline(&mut page, false, header, explanation, None);
    findings(&mut page, explanation);
    since_success(&mut page, explanation, true);
    page.blank();
    basis(&mut page, header, explanation);
    next_sync(&mut page, explanation);
    status(&mut page, &explanation.decision);
    pods(&mut page, &explanation.facts);
    recorded_events(&mut page, &explanation.facts);
    missed(&mut page, explanation);
    next_runs(&mut page, explanation);
    what_if(&mut page, explanation);
    compared(&mut page, explanation, true);
    writes(&mut page, header, explanation);
    logs(&mut page, explanation);
    page.write(out)
}

const REJECTED: &str = "Never runs: the API server rejects this manifest. Run lint to see why.";

/// Adds the name, the verdict and the last run, with all details unless these findings are below it.
fn headline(
    page: &mut TextPage,
    has_hint: bool,
    header: &ExplainHeader,
    explanation: &Explanation<'_>,
    findings: Option<&MainFindings<'_>>,
) {
    let facts = &explanation.facts;
    let mut first = styled(
        Meaning::Strong,
        printable(&facts.input.cron_job.full_name()),
    );
    if has_hint {
        first += "  ";
        first += &styled(Meaning::Faint, "-o wide: all details");
    }
    page.hanging("", 0, &first);
    let meaning = meaning(explanation);
    let mut verdict = as_sentence(&explanation.verdict);
    if header.rejected.contains(&facts.input.cron_job.key()) {
        verdict = text!("If it were accepted: {}", verdict);
        for line in wrapped(2, REJECTED) {
            page.line(format_args!("  {}", styled(Meaning::Bad, line)));
        }
    }
    for line in wrapped(2, &printable(&page.shortened(&verdict))) {
        page.line(format_args!("  {}", styled(meaning, line)));
    }
    last_run(page, explanation, findings);
    if findings.is_none() || !is_edit_beside_the_point(explanation) {
        edited(page, explanation);
    }
}

/// Adds who changed the schedule, and when.
fn edited(page: &mut TextPage, explanation: &Explanation<'_>) {
    let edit = explanation.schedule_edit.as_ref();
    if let Some(sentence) = edit.and_then(|edit| edit.sentence(&explanation.facts)) {
        page.paragraph(2, sentence);
    }
}

/// Whether something is wrong, and the schedule only may have been changed.
fn is_edit_beside_the_point(explanation: &Explanation<'_>) -> bool {
    let edit = explanation.schedule_edit.as_ref();
    let mut findings = explanation.findings.iter();
    edit.is_some_and(|edit| !edit.is_certain)
        && findings.any(|finding| finding.severity >= Severity::Warning)
}

/// Adds what happened to the last run, and when one succeeded last if that was another.
fn last_run(
    page: &mut TextPage,
    explanation: &Explanation<'_>,
    findings: Option<&MainFindings<'_>>,
) {
    let facts = &explanation.facts;
    if facts.input.cron_job.not_in_cluster {
        return;
    }
    let shown = |run| match findings {
        Some(findings) => findings.rest_of(run, explanation),
        None => Cow::Borrowed(run),
    };
    let is_short = findings.is_some_and(|findings| !findings.is_empty());
    let run = explanation.last_scheduled_run.as_ref().map(shown);
    let run = run.map(|run| {
        if is_short {
            run.text.without_asides()
        } else {
            run.text.clone()
        }
    });
    let run = run.or_else(|| no_run_yet(facts));
    let success = success_beside_last_run(explanation).map(|success| {
        let ago = human(facts.input.ago(success.finished_at));
        if findings.is_none() {
            let at = local(facts, success.finished_at);
            return text!("Last success: {} ({} ago).", at, ago);
        }
        let same = unchanged_in_short(explanation);
        let same = same.map(|parts| text!(", same {}", parts));
        text!("Last success: {} ago{}.", ago, same)
    });
    let run = run.map(|run| text!("Last run: {}.", run));
    let sentences: Vec<Text> = run.into_iter().chain(success).collect();
    if !sentences.is_empty() {
        page.paragraph(2, Text::join(sentences, " "));
    }
    let manual = explanation.last_run.as_ref().filter(|run| run.manual);
    if let Some(run) = manual.map(shown) {
        let job = printable(&run.job_name);
        page.paragraph(2, text!("Manual run: {}: {}.", job, run.outcome));
    }
}

/// The last success, unless the last run is that one or its reason names it.
fn success_beside_last_run<'e>(explanation: &'e Explanation<'_>) -> Option<&'e LastSuccess> {
    let run = explanation.last_scheduled_run.as_ref();
    let is_said = run.is_some_and(|run| match run.state {
        LastRunState::Succeeded => true,
        LastRunState::Deleted => run.reason.is_some(),
        _ => false,
    });
    explanation.last_success.as_ref().filter(|_| !is_said)
}

/// How good or bad the verdict is: as bad as the most severe finding, or as what the controller does.
fn meaning(explanation: &Explanation<'_>) -> Meaning {
    let worst = explanation.findings.iter().map(|one| one.severity).max();
    let outcome = match explanation.decision.outcome {
        Outcome::Start | Outcome::Replace | Outcome::Wait | Outcome::AlreadyProcessed => {
            Meaning::Good
        }
        Outcome::Suspended
        | Outcome::Deleted
        | Outcome::Blocked
        | Outcome::DeadlineExceeded
        | Outcome::NoRunFound => Meaning::Odd,
        Outcome::UnknownTimeZone
        | Outcome::UnparseableSchedule
        | Outcome::InvalidSchedule
        | Outcome::TooManyMissed
        | Outcome::NameTaken
        | Outcome::Hangs
        | Outcome::Panics => Meaning::Bad,
    };
    match (worst, outcome) {
        (Some(Severity::Error), _) => Meaning::Bad,
        (Some(Severity::Warning), Meaning::Good) => Meaning::Odd,
        (_, outcome) => outcome,
    }
}

/// A verdict as a sentence by itself.
fn as_sentence(verdict: &Text) -> Text {
    let end = if verdict.ends_with('.') { "" } else { "." };
    text!("{}{}", verdict, end)
}

/// Adds the health that Argo CD shows, if that is not the health of the last run.
fn argo_health(page: &mut TextPage, facts: &Facts<'_>) {
    let cron_job = &*facts.input.cron_job;
    if cron_job.annotations.get(ARGO_IGNORES_HEALTH) == Some("true") {
        return;
    }
    match (ArgoHealth::of(cron_job), cron_job.status.last_schedule_time) {
        (ArgoHealth::Degraded, Some(since)) => {
            let (since, why) = match last_run_skipped_by(cron_job) {
                Some(_) => (Text::default(), "was skipped"),
                None => (text!(" since {}", local(facts, since)), "has not succeeded"),
            };
            page.entry(
                "Argo CD",
                text!("Degraded{} (Argo CD 3.2 or later), because the last run {}. The next success ends that, also \
                     the success of a Job that trigger starts.", since, why),
            );
        }
        (ArgoHealth::HealthyWithoutSuccess, _) if cron_job.status.active.is_empty() => {
            page.entry(
                "Argo CD",
                "Healthy, although no success is recorded: it shows Degraded only after a first success.",
            );
        }
        _ => {}
    }
}

/// What the explanation is based on: the schedule, the controller and the time.
fn basis(page: &mut TextPage, header: &ExplainHeader, explanation: &Explanation<'_>) {
    let cron_job = &*explanation.facts.input.cron_job;
    let description = explanation.schedule.description.as_ref();
    let description = description.map_or_else(String::new, |text| format!(" ({text})"));
    let schedule = schedule_in_zone(&explanation.facts);
    page.entry("Schedule", format!("{schedule}{description}"));
    // That kubectl applied it is usual.
    let managed = explanation.managed_by.as_ref();
    if let Some(managed) = managed.filter(|managed| managed.tool != Tool::Kubectl) {
        page.entry("Managed by", managed.text());
        if managed.tool == Tool::ArgoCd {
            argo_health(page, &explanation.facts);
        }
    }
    expected(page, explanation);
    reliability_of(page, header, explanation);
    page.entry("Controller", header.common.controller.in_words());
    page.entry("Now", whole_second(header.common.now).to_string());
    if cron_job.not_in_cluster {
        page.entry("Created", "not in a cluster: treated as created now");
    }
}

/// Adds how reliable the `CronJob` is, if a recorder was asked.
fn reliability_of(page: &mut TextPage, header: &ExplainHeader, explanation: &Explanation<'_>) {
    let cron_job = &*explanation.facts.input.cron_job;
    if let Some(reliability) = header.reliability.get(&cron_job.key()) {
        let text = format!("last 28 days: {}", reliability::in_words(reliability));
        page.entry("Reliability", text);
    }
}

/// Adds a line about the schedule and one about the next runs, below findings only what they and the verdict do not say.
fn timetable(page: &mut TextPage, explanation: &Explanation<'_>) {
    let worst = explanation.findings.iter().map(|one| one.severity).max();
    let is_zone_known = page.shows_zone() || in_zone(&explanation.facts) == " in UTC";
    let is_suspended = explanation.decision.outcome == Outcome::Suspended;
    let is_beside_the_point = worst >= Some(Severity::Error) || worst.is_some() && is_suspended;
    if !is_beside_the_point || !is_zone_known {
        schedule(page, explanation);
    }
    // The verdict says when the next one starts, or what prevents it.
    let next = explanation.facts.outlook().next();
    let is_known = next.is_some_and(|(state, _)| state != NextState::Overdue);
    let is_known = worst >= Some(Severity::Error) || worst.is_some() && is_known;
    next_times(page, explanation, is_known);
}

fn schedule(page: &mut TextPage, explanation: &Explanation<'_>) {
    /// The columns that a label leaves on a usual line.
    const ONE_LINE: usize = 66;
    let facts = &explanation.facts;
    let mut text = schedule_in_zone(facts);
    if let Some(words) = &explanation.schedule.description {
        let in_words = format!("{words}{}", in_zone(facts));
        text.push_str(&format!(" ({words})"));
        if width(&text) > ONE_LINE && width(&in_words) <= ONE_LINE {
            text = in_words;
        }
    }
    page.entry("Schedule", text);
}

/// `0 2 * * * in Europe/Berlin`
pub(super) fn schedule_in_zone(facts: &Facts<'_>) -> String {
    format!("{}{}", facts.input.cron_job.spec.schedule, in_zone(facts))
}

/// ` in Europe/Berlin`, if the time zone is known.
fn in_zone(facts: &Facts<'_>) -> String {
    let timetable = facts.timetable.as_ref();
    let zone = timetable.and_then(|timetable| timetable.zone());
    zone.map_or_else(String::new, |zone| format!(" in {}", zone.name()))
}

/// How long runs take, where the time of the last one went, and what is expected of them.
fn expected(page: &mut TextPage, explanation: &Explanation<'_>) {
    let facts = &explanation.facts;
    if let Some(due) = explanation.success_due {
        page.entry("Success due", when(facts, due));
    }
    if let Some(usual) = explanation.usual_duration {
        page.entry("Duration", format!("usually {}", usual.in_words()));
    }
    let phases = explanation.last_run.as_ref().and_then(|run| run.phases);
    // Those of a Job that waits have no words yet.
    let phases = phases.map(RunPhases::in_words);
    if let Some(phases) = phases.filter(|phases| !phases.is_empty()) {
        page.entry("Last run", phases);
    }
    let Some(expectations) = &explanation.expectations else {
        return;
    };
    if let Some(mut text) = expectations.in_words() {
        if facts.input.is_suspended() && expectations.success_within_seconds.is_some() {
            text += " (not checked while suspended)";
        }
        page.entry("Expected", text);
    }
    // Below findings it is easier to see.
    if let (Some(runbook), []) = (&expectations.runbook, explanation.findings.as_slice()) {
        page.entry("Runbook", findings::runbook(runbook));
    }
}

/// No more pods than these are shown; findings and documents have the rest.
const PODS_SHOWN: usize = 5;

/// Adds the state of each pod.
fn pods(page: &mut TextPage, facts: &Facts<'_>) {
    let pods = facts.pods_of_interest();
    if pods.is_empty() {
        return;
    }
    page.heading("Pods");
    for state in pods.iter().take(PODS_SHOWN) {
        let reason = state.reason.map(|reason| format!(", {reason}"));
        let reason = reason.unwrap_or_default();
        let phase = match state.terminating_since {
            Some(since) if since <= facts.input.now => {
                let node = state.node.map(|node| format!(" on {node}"));
                let since = local(facts, since);
                text!("terminating since {}{}", since, node.unwrap_or_default())
            }
            Some(_) => text!("{}, terminating", state.phase),
            None => state.phase.into(),
        };
        page.paragraph(2, text!("{}: {}{}", state.name, phase, reason));
    }
    page.more(2, pods.len(), PODS_SHOWN, "");
}
