//! The columns of past runs.

use jiff::Timestamp;

use super::text::{View, worded};
use crate::output::columns::{Listing, ListingColumn};
use crate::output::markdown::{code, emphasized, sentence, sentences};
use crate::output::style::Meaning;
use crate::output::table::Cell;
use cronjob_diagnosis::diagnose::local_time;
use cronjob_diagnosis::history::{
    HistoryEntry, OffScheduleRun, RecordedRun, RunReason, RunResult, RunSource, RunStatus,
};
use cronjob_text::duration::human;
use kube_model::RunPhases;

/// A scheduled time with its run, if there is one, or another run.
pub(super) struct HistoryRow<'a> {
    view: &'a View<'a>,
    kind: &'static str,
    scheduled_time: Option<Timestamp>,
    /// The time as text shows it.
    pub(super) shown_time: String,
    status: Option<RunStatus>,
    status_in_words: (&'static str, Meaning),
    run: Option<&'a RecordedRun>,
    reason: Option<&'a RunReason>,
    source: Option<RunSource>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Always,
    /// In the table of scheduled times, where all that follows can be one sentence.
    IfScheduled,
    /// With `-o wide`.
    Wide,
}

impl HistoryRow<'_> {
    pub(super) const SOURCE: &'static str = "source";
}

type Column = ListingColumn<HistoryRow<'static>>;

impl Listing for HistoryRow<'static> {
    type Row<'a> = HistoryRow<'a>;
    type Shown = Shown;
    const COLUMNS: &'static [Column] = &[
        Column::new(|it| (&it.view.item.facts.input.cron_job.namespace).into()).csv(0, "namespace"),
        Column::new(|it| (&it.view.item.facts.input.cron_job.name).into()).csv(1, "name"),
        // `scheduled`, `offSchedule` or `manual`.
        Column::new(|it| it.kind.into()).csv(2, "kind"),
        Column::new(|it| {
            let zone = it.view.item.facts.zone().time_zone();
            it.scheduled_time.map(|at| local_time(at, zone)).into()
        })
        .cell("LOCAL TIME", Shown::Always, |it| (&it.shown_time).into())
        .csv(4, "localTime")
        .markdown("Scheduled", |it| sentence(&it.shown_time)),
        Column::new(|it| it.scheduled_time.into())
            .text("UTC", Shown::Wide)
            .csv(3, "scheduledTime"),
        Column::new(|it| it.status.map(|status| status.as_str()).into())
            .cell("STATUS", Shown::IfScheduled, status_cell)
            .csv(5, "status")
            .markdown("Status", |it| it.status_in_words.0.to_owned()),
        Column::new(|it| it.run.and_then(|run| run.delay_seconds).into())
            .cell("DELAY", Shown::Always, |it| Cell::or_none(it.delay()))
            .csv(10, "delaySeconds")
            .markdown("Delay", |it| it.delay().unwrap_or_default()),
        Column::new(|it| it.run.and_then(|run| run.duration_seconds).into())
            .cell("DURATION", Shown::Always, |it| {
                Cell::or_none(it.run.map(|run| it.view.duration(run)))
            })
            .csv(11, "durationSeconds")
            .markdown("Duration", |it| {
                let started = it.run.filter(|run| run.started_at.is_some());
                started.map_or_else(String::new, |run| sentence(&it.view.duration(run)))
            }),
        Column::new(|it| {
            let result = it.run.and_then(RecordedRun::known_result);
            result.map(|result| result.as_str()).into()
        })
        .cell("RESULT", Shown::Always, |it| {
            it.run.map_or_else(|| "".into(), |run| it.view.result(run))
        })
        .csv(9, "result")
        .markdown("Result", |it| {
            let words = it.run.and_then(|run| it.view.result_in_words(run));
            let result = it.run.and_then(|run| run.result);
            emphasized(result == Some(RunResult::Failed), words.unwrap_or_default())
        }),
        Column::new(|it| it.run.map(|run| &run.job_name).into())
            .text("JOB", Shown::Wide)
            .csv(6, "jobName")
            .markdown("Job", |it| {
                it.run.map_or_else(String::new, |run| code(&run.job_name))
            }),
        Column::new(|it| it.run.and_then(|run| run.started_at).into())
            .text("STARTED", Shown::Wide)
            .csv(7, "startedAt"),
        Column::new(|it| it.run.and_then(|run| run.finished_at).into())
            .text("FINISHED", Shown::Wide)
            .csv(8, "finishedAt"),
        Column::new(|it| {
            let phases = it.run.and_then(|run| run.phases);
            phases.map(RunPhases::in_words).into()
        })
        .text("PHASES", Shown::Wide),
        Column::new(|it| it.reason.map(|reason| &*reason.code).into()).csv(12, "cause"),
        Column::new(|it| it.reason.map(|reason| &*reason.detail).into())
            .cell("REASON", Shown::Always, |it| {
                let why = it.run.map(|run| it.view.why_of_run(run, it.reason));
                Cell::spanning(why.unwrap_or_default(), Meaning::Plain)
            })
            .csv(13, "reason")
            .markdown("Reason", |it| {
                it.reason
                    .map_or_else(String::new, |reason| sentences(&reason.detail))
            }),
        Column::new(|it| it.source.map(|source| source.as_str()).into())
            .csv(14, HistoryRow::SOURCE),
    ];
}

impl<'a> HistoryRow<'a> {
    /// A row for each scheduled time and each other Job.
    pub(super) fn all(view: &'a View<'a>) -> impl Iterator<Item = Self> {
        let history = &view.item.history;
        let scheduled = history.runs.iter();
        let scheduled = scheduled.map(|(at, entry)| HistoryRow::of_entry(view, entry, at));
        let off_schedule = history.off_schedule.iter();
        let off_schedule = off_schedule.map(|stray| HistoryRow::of_stray(view, stray));
        let manual = history.manual.iter();
        let manual = manual.map(|run| HistoryRow::of_manual(view, run));
        scheduled.chain(off_schedule).chain(manual)
    }

    /// One of the times of an entry.
    pub(super) fn of_entry(view: &'a View<'a>, entry: &'a HistoryEntry, at: Timestamp) -> Self {
        HistoryRow {
            view,
            kind: "scheduled",
            scheduled_time: Some(at),
            shown_time: String::new(),
            status: Some(entry.known_status()),
            status_in_words: worded(entry),
            run: entry.run.as_ref(),
            reason: entry.known_reason(),
            source: entry.source,
        }
    }

    /// A run outside the schedule.
    pub(super) fn of_stray(view: &'a View<'a>, stray: &'a OffScheduleRun) -> Self {
        HistoryRow {
            kind: "offSchedule",
            scheduled_time: Some(stray.scheduled_time),
            status_in_words: ("not scheduled", Meaning::Plain),
            reason: Some(&stray.reason),
            ..HistoryRow::of_manual(view, &stray.run)
        }
    }

    /// A manually created Job.
    pub(super) fn of_manual(view: &'a View<'a>, run: &'a RecordedRun) -> Self {
        HistoryRow {
            view,
            kind: "manual",
            scheduled_time: None,
            shown_time: String::new(),
            status: None,
            status_in_words: ("manual", Meaning::Plain),
            run: Some(run),
            reason: None,
            source: run.source,
        }
    }

    pub(super) fn shown_at(self, shown_time: String) -> Self {
        HistoryRow { shown_time, ..self }
    }

    fn delay(&self) -> Option<String> {
        self.run?.delay_seconds.map(human)
    }
}

/// What happened to a scheduled time, in a word or two.
pub(super) fn status_cell(it: &HistoryRow<'_>) -> Cell {
    let (word, meaning) = it.status_in_words;
    Cell::new(word, meaning)
}
