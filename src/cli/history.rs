//! `history`: what happened to past runs.

use anyhow::bail;

use super::args::{
    BasisArgs, Common, PAST_TIME, Selection, Side, TimeArg, TimeReference, format_of, kubectl_help,
    resolve,
};
use super::query::{Asked, Query, scope};
use super::recorder::{RecordFile, RecorderArg};
use super::verb::{Group, VerbSpec};
use super::world::{document_header, shown_zone};
use super::{complain, is_quiet};
use crate::evidence::{Needs, World};
use crate::output::contexts::ContextAnswers;
use crate::output::each::Each;
use crate::output::history::{ContextHistory, HistoryAnswer};
use crate::output::{DocumentHeader, Format};
use crate::recorder::StoreError;
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow};
use kube_objects::query::PodSelection;

/// Show past runs: on time, late or missed, and why
///
/// Compares each scheduled time with the Job that ran for it. A run is shown as unknown if the history limits may
/// have removed its Job. Without a name, each CronJob is one line; -o wide shows the runs of all.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Show the runs of the last 24 hours
  kubectl cronjob-doctor history nightly --since 24h

  # Write the runs of a snapshot as CSV
  kubectl cronjob-doctor history nightly -f snapshot.yaml -o csv")]
pub(super) struct HistoryArgs {
    /// Show runs of the last DURATION, or since TIME
    #[arg(
        long,
        value_name = "DURATION|TIME",
        long_help = format!("\
Show runs since this time (default: since the oldest run known, at most 100 runs). {PAST_TIME}")
    )]
    since: Option<TimeArg>,
    /// Show runs until this time (default: now)
    #[arg(long, value_name = "TIME", long_help = format!("\
Show runs until this time (default: now). {PAST_TIME}"))]
    until: Option<TimeArg>,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<HistoryAnswer<'_>>())]
    output: Option<Format>,
    /// Don't print headers
    #[arg(long, long_help = kubectl_help::NO_HEADERS)]
    no_headers: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    basis: BasisArgs,
    #[command(flatten)]
    pub(super) recorder: RecorderArg,
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[("history", &["runs", "past"])],
    ..VerbSpec::query::<HistoryArgs>("history", Group::Look)
};

impl Query for HistoryArgs {
    type Found = PastRuns;
    type Answer<'a> = HistoryAnswer<'a>;

    scope!(recorder);

    fn needs(&self) -> anyhow::Result<Needs> {
        Ok(needs(self))
    }

    /// They depend on the window, and a file may have millions.
    fn add_records(&self, _common: &Common, _world: &mut World) -> anyhow::Result<()> {
        Ok(())
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<PastRuns> {
        let Asked {
            common,
            mut world,
            live,
        } = asked;
        if let (Some(live), [one]) = (&live, world.cron_jobs.as_mut_slice())
            && needs(self).pods == PodSelection::OfAll
        {
            live.read_templates(&mut one.evidence);
        }
        let window = window(self, &world)?;
        let names = common.query(&self.selection, needs(self))?.wanted.names;
        let existing = common.add_deleted(&mut world, &self.recorder, &names)?;
        let file = common.record_file(&mut world, &self.recorder, window.since)?;
        PastRuns {
            header: document_header(&world.basis),
            complete: true,
            has_unknown: false,
            world,
            window,
            existing,
            file,
        }
        .checked()
    }

    fn answer<'a>(&'a self, worlds: &'a ContextAnswers<PastRuns>) -> Option<HistoryAnswer<'a>> {
        Some(HistoryAnswer {
            past: worlds.map(|_, past| ContextHistory {
                header: &past.header,
                items: Each::of(move || past.items()),
            }),
            is_recorded: self.recorder.is_given(),
            with_headings: !self.no_headers,
            is_overview: self.selection.cron_jobs.names.is_empty()
                && worlds
                    .each()
                    .any(|(_, past)| past.world.cron_jobs.len() > 1),
        })
    }

    fn end(&self, common: &Common, worlds: &ContextAnswers<PastRuns>) {
        let is_text = matches!(self.output, None | Some(Format::Wide));
        let is_live = self.selection.cron_jobs.filename.is_empty() && !self.recorder.is_given();
        if let [(None, past)] = *worlds.each().collect::<Vec<_>>()
            && is_text
            && is_live
            && past.has_unknown
            && !is_quiet()
        {
            common.hint_at_recorder();
        }
    }

    fn is_complete(&self, past: &PastRuns) -> bool {
        past.complete
    }
}

/// Pods show what a Job waits for, and where the time of a run went. Of CronJobs that are not named there may be tens of
/// thousands.
fn needs(args: &HistoryArgs) -> Needs {
    use Format::{Json, Wide, Yaml};
    let shows_phases = matches!(args.output, Some(Wide | Json | Yaml));
    let pods = if shows_phases && !args.selection.cron_jobs.names.is_empty() {
        PodSelection::OfAll
    } else {
        PodSelection::OfWaiting
    };
    Needs::pods(pods).with_runs()
}

/// The past runs of the CronJobs of a World. They are computed while they are written: a recorder may have stored
/// millions.
pub(super) struct PastRuns {
    header: DocumentHeader,
    world: World,
    window: HistoryWindow,
    /// How many CronJobs exist; those after them are deleted.
    existing: usize,
    file: Option<RecordFile>,
    /// Whether all could be computed.
    complete: bool,
    /// Whether it is unknown what happened to a run.
    has_unknown: bool,
}

impl PastRuns {
    /// Computes each once before anything is written, since the exit code does not depend on how far a reader reads.
    /// Fails if the file of a recorder cannot be read.
    fn checked(mut self) -> anyhow::Result<Self> {
        let (mut complete, mut has_unknown) = (self.complete, false);
        for number in 0..self.world.cron_jobs.len() {
            let Some((item, problem)) = self.item(number) else {
                break;
            };
            if let Some(problem) = problem {
                bail!(problem);
            }
            if let Some(error) = &item.history.error {
                complete = false;
                let name = &item.facts.input.cron_job.name;
                complain(&format!("cronjob {name}: {error}"));
            }
            has_unknown |= item.history.summary.unknown > 0;
        }
        (self.complete, self.has_unknown) = (complete, has_unknown);
        Ok(self)
    }

    fn items(&self) -> impl Iterator<Item = CronJobHistory<'_>> {
        (0..).map_while(|number| {
            let (mut item, problem) = self.item(number)?;
            let notes = problem
                .map(|problem| text!("The recorded runs are missing: {}", problem.to_string()));
            item.history.notes.extend(notes);
            Some(item)
        })
    }

    /// The past runs of a CronJob, and why those that were recorded are missing.
    fn item(&self, number: usize) -> Option<(CronJobHistory<'_>, Option<StoreError>)> {
        let one = self.world.cron_jobs.get(number)?;
        let coverage = self.world.reach_of_history();
        let mut facts = self.world.basis.facts(&one.evidence, coverage);
        let record = self
            .file
            .as_ref()
            .map(|file| file.record(&facts.input.cron_job));
        let problem = match record.transpose() {
            Ok(record) => {
                facts.input.record = record.or(facts.input.record);
                None
            }
            Err(problem) => Some(problem),
        };
        let record = facts.input.record.as_ref();
        let record = record.filter(|_| number >= self.existing);
        let last_seen = record.and_then(|record| record.last_seen());
        let until = last_seen.into_iter().chain(self.window.until).min();
        let since = self.window.since;
        let item = CronJobHistory::of(facts, &HistoryWindow { since, until });
        Some((item, problem))
    }
}

fn window(args: &HistoryArgs, world: &World) -> anyhow::Result<HistoryWindow> {
    let now = world.basis.now;
    let shown = shown_zone(world);
    let reference = TimeReference::of(&world.basis, shown.as_deref());
    let since = resolve(args.since.as_ref(), "--since", Side::Past, reference)?;
    let until = resolve(args.until.as_ref(), "--until", Side::Past, reference)?;
    let end = until.unwrap_or(now).min(now);
    if let Some(since) = since
        && since > end
    {
        let what = if end < now { "--until" } else { "now" };
        bail!("--since {since}: must be before {what} ({end})");
    }
    Ok(HistoryWindow { since, until })
}
