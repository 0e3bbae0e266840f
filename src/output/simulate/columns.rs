//! The columns of simulated runs.

use super::{SimulationSubject, status_label};
use crate::output::columns::{Listing, ListingColumn};
use crate::output::style::Meaning;
use crate::output::table::{Cell, NONE};
use cronjob_controller::controller::Release;
use cronjob_controller::simulate::{JobEnding, SimulatedRun, SimulatedStatus, Simulation};
use cronjob_text::duration::human;

pub(super) struct SimulatedRow<'a> {
    subject: &'a SimulationSubject,
    release: Release,
    run: &'a SimulatedRun,
}

type Column = ListingColumn<SimulatedRow<'static>>;

impl Listing for SimulatedRow<'static> {
    type Row<'a> = SimulatedRow<'a>;
    type Shown = ();
    const COLUMNS: &'static [Column] = &[
        Column::new(|it| it.named(&it.subject.cron_job.namespace).into()).csv(0, "namespace"),
        Column::new(|it| it.named(&it.subject.cron_job.name).into()).csv(1, "name"),
        Column::new(|it| it.release.to_string().into()).csv(2, "kubernetesVersion"),
        Column::new(|it| it.run.scheduled_time.into())
            .text("SCHEDULED", ())
            .csv(3, "scheduledTime"),
        Column::new(|it| it.subject.local_time(it.run.scheduled_time).into())
            .cell("LOCAL TIME", (), |it| {
                let format = "%a %Y-%m-%d %H:%M:%S %Z";
                it.subject.local(it.run.scheduled_time, format).into()
            })
            .csv(4, "localTime"),
        Column::new(|it| it.run.status.as_str().into())
            .cell("STATUS", (), |it| {
                Cell::new(status_label(it.run.status), meaning(it.run.status))
            })
            .csv(5, "status"),
        Column::new(|it| it.run.started_at.into()).csv(6, "startedAt"),
        Column::new(|it| it.run.finished_at.into()).csv(7, "finishedAt"),
        Column::new(|it| it.run.delay_seconds().into())
            .cell("DELAY", (), |it| {
                Cell::or_none(it.run.delay_seconds().map(human))
            })
            .csv(11, "delaySeconds"),
        Column::new(|it| it.duration().map(human).into()).text("DURATION", ()),
        Column::new(|it| it.run.result.map(|ending| ending.as_str()).into())
            .cell("RESULT", (), result)
            .csv(8, "result"),
        Column::new(|it| it.run.job_name.as_deref().into())
            .text("JOB", ())
            .csv(9, "jobName"),
        Column::new(|it| it.run.replaced.as_deref().into())
            .text("REPLACED", ())
            .csv(10, "replacedJob"),
        Column::new(|it| {
            let reason = it.run.reason.as_ref();
            reason.and_then(|reason| reason.event).into()
        })
        .text("EVENT", ()),
        Column::new(|it| {
            let reason = it.run.reason.as_ref();
            reason.map(|reason| reason.cause.as_str()).into()
        })
        .csv(12, "cause"),
        Column::new(|it| {
            let reason = SimulationSubject::reason(it.run);
            reason.unwrap_or_default().into()
        })
        .text("REASON", ())
        .csv(13, "reason"),
    ];
}

impl<'a> SimulatedRow<'a> {
    /// A row for each run of a simulation.
    pub(super) fn all(
        subject: &'a SimulationSubject,
        release: Release,
        simulation: &'a Simulation,
    ) -> impl Iterator<Item = Self> {
        let runs = simulation.runs.iter();
        runs.map(move |run| SimulatedRow {
            subject,
            release,
            run,
        })
    }

    /// A name of the `CronJob`, unless only a schedule was simulated.
    fn named<'n>(&self, name: &'n str) -> Option<&'n str> {
        self.subject.is_named.then_some(name)
    }

    fn duration(&self) -> Option<i64> {
        let (from, to) = self.run.started_at.zip(self.run.finished_at)?;
        Some(to.as_second() - from.as_second())
    }
}

fn result(it: &SimulatedRow<'_>) -> Cell {
    let word = match (it.run.started_at, it.run.result) {
        (None, _) => NONE,
        (Some(_), None) => "running",
        (Some(_), Some(ending)) => ending.as_str(),
    };
    match it.run.result {
        Some(JobEnding::Failed) => Cell::new(word, Meaning::Bad),
        _ => word.into(),
    }
}

fn meaning(status: SimulatedStatus) -> Meaning {
    match status {
        SimulatedStatus::Started => Meaning::Plain,
        SimulatedStatus::Late => Meaning::Odd,
        SimulatedStatus::Lost | SimulatedStatus::Blocked | SimulatedStatus::Phantom => Meaning::Bad,
    }
}
