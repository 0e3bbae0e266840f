//! `history`: what happened to past runs.

use std::io::{self, Write};

use anyhow::bail;

use super::args::{BasisArgs, Common, PAST_TIME, Selection, Side, TimeArg, kubectl_help, resolve};
use super::recorder::RecorderArg;
use super::world::document_header;
use super::{CommandOutcome, complain, print, separated, stdio};
use crate::controller::Controller;
use crate::diagnose::Facts;
use crate::evidence::{Basis, Needs, World};
use crate::history::{CronJobHistory, HistoryWindow};
use crate::output::DocumentHeader;
use crate::output::contexts::ContextAnswers;
use crate::output::history::{csv, document, markdown, text};
use crate::output::{self, contexts, yaml};
use clap::ValueEnum;

/// Show past runs: on time, late or missed, and why
///
/// Compares each scheduled time with the Job that ran for it. A run is shown as unknown if the history limits may
/// have removed its Job.
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
    #[arg(long, short, value_name = "FORMAT")]
    output: Option<HistoryFormat>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum HistoryFormat {
    Wide,
    Json,
    Yaml,
    Csv,
    Markdown,
}

pub(super) fn run(common: &Common, args: &HistoryArgs) -> anyhow::Result<CommandOutcome> {
    let worlds = common.in_each_context(|common| {
        let basis = common.basis(&args.basis)?;
        let mut world = common.load(basis, &args.selection, Needs::JOBS)?;
        let window = window(args, &world.basis)?;
        let names = common.query(&args.selection, Needs::JOBS)?.wanted.names;
        let existing = common.add_deleted(&mut world, &args.recorder, &names)?;
        common.add_records(&mut world, &args.recorder, window.since)?;
        Ok((world, window, existing))
    })?;
    let controllers = worlds.map(|_, one| (one, one.0.basis.controller()));
    let answers = controllers.map(|context, ((world, window, existing), controller)| {
        stdio::naming(context, || past(world, window, *existing, controller))
    });
    print(|out| write(out, args, &answers))?;
    Ok(CommandOutcome::of(answers.all(|past| past.complete), false))
}

/// The past runs of the CronJobs of a World.
struct PastRuns<'a> {
    header: DocumentHeader,
    items: Vec<CronJobHistory<'a>>,
    complete: bool,
}

/// The past runs of the CronJobs of a World, of which the first exist, and the others are deleted.
fn past<'a>(
    world: &'a World,
    window: &HistoryWindow,
    existing: usize,
    controller: &'a Controller<'a>,
) -> PastRuns<'a> {
    let mut complete = world.complete;
    let mut items = Vec::new();
    for (number, one) in world.cron_jobs.iter().enumerate() {
        let record = one.evidence.record.as_ref().filter(|_| number >= existing);
        let last_seen = record.and_then(|record| record.last_seen());
        let until = last_seen.into_iter().chain(window.until).min();
        let window = HistoryWindow { until, ..*window };
        let (basis, coverage) = (&world.basis, world.reach_of_history());
        let facts = Facts::of(
            controller,
            &basis.kubectl,
            &one.evidence,
            coverage,
            basis.now,
        );
        let item = CronJobHistory::of(facts, &window);
        if let Some(error) = &item.history.error {
            let name = &item.facts.cron_job.name;
            complain(&format!("cronjob {name}: {error}"));
            complete = false;
        }
        items.push(item);
    }
    PastRuns {
        header: document_header(&world.basis),
        items,
        complete,
    }
}

fn window(args: &HistoryArgs, basis: &Basis) -> anyhow::Result<HistoryWindow> {
    let now = basis.now;
    let reference = (now, &*basis.zones);
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

fn write(
    out: &mut dyn Write,
    args: &HistoryArgs,
    answers: &ContextAnswers<PastRuns<'_>>,
) -> io::Result<()> {
    let documents = || answers.map(|_, past| document(&past.header, &past.items));
    let with_headings = !args.no_headers;
    match args.output {
        Some(HistoryFormat::Json) => output::json(out, &documents()),
        Some(HistoryFormat::Yaml) => yaml::write(out, &documents()),
        Some(HistoryFormat::Csv) => {
            contexts::csv(out, answers, with_headings, |out, past, with_headings| {
                csv(out, &past.items, with_headings)
            })
        }
        Some(HistoryFormat::Markdown) => contexts::markdown_sections(out, answers, |out, past| {
            markdown(out, &past.header, &past.items)
        }),
        None | Some(HistoryFormat::Wide) => contexts::sections(out, answers, |out, past| {
            separated(out, &past.items, |out, item| {
                text(out, item, args.output.is_some(), with_headings)
            })
        }),
    }
}
