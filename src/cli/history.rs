//! `history`: what happened to past runs.

use std::io::{self, Write};

use anyhow::bail;

use super::args::{BasisArgs, Common, PAST_TIME, Selection, Side, TimeArg, kubectl_help, resolve};
use super::recorder::RecorderArg;
use super::world::document_header;
use super::{CommandOutcome, complain, print, separated};
use crate::diagnose::Facts;
use crate::evidence::{Basis, Needs};
use crate::history::{CronJobHistory, HistoryWindow};
use crate::output::DocumentHeader;
use crate::output::history::{csv, document, markdown, text};
use crate::output::{self, yaml};
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
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true)]
    output: Option<HistoryFormat>,
    /// Don't print headers
    #[arg(long, long_help = kubectl_help::NO_HEADERS)]
    no_headers: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    basis: BasisArgs,
    #[command(flatten)]
    recorder: RecorderArg,
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
    let basis = common.basis(&args.basis)?;
    let mut world = common.load(basis, &args.selection, Needs::JOBS)?;
    let now = world.basis.now;
    let window = window(args, &world.basis)?;
    let names = common.query(&args.selection, Needs::JOBS)?.wanted.names;
    let existing = common.add_deleted(&mut world, &args.recorder, &names)?;
    common.add_records(&mut world, &args.recorder, window.since)?;
    let controller = world.basis.controller();
    let (kubectl, reach) = (&world.basis.kubectl, world.reach_of_history());
    let mut complete = world.complete;
    let mut items = Vec::new();
    for (number, one) in world.cron_jobs.iter().enumerate() {
        let record = one.evidence.record.as_ref().filter(|_| number >= existing);
        let last_seen = record.and_then(|record| Some(record.watched.last()?.end));
        let until = last_seen.into_iter().chain(window.until).min();
        let window = HistoryWindow { until, ..window };
        let facts = Facts::of(&controller, kubectl, &one.evidence, reach, now);
        let item = CronJobHistory::of(facts, &window);
        if let Some(error) = &item.history.error {
            let name = &item.facts.cron_job.name;
            complain(&format!("cronjob {name}: {error}"));
            complete = false;
        }
        items.push(item);
    }
    let header = document_header(&world.basis);
    print(|out| write(out, args, &header, &items))?;
    Ok(CommandOutcome::of(complete, false))
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
    header: &DocumentHeader,
    items: &[CronJobHistory<'_>],
) -> io::Result<()> {
    match args.output {
        Some(HistoryFormat::Json) => output::json(out, &document(header, items)),
        Some(HistoryFormat::Yaml) => yaml::write(out, &document(header, items)),
        Some(HistoryFormat::Csv) => csv(out, items, !args.no_headers),
        Some(HistoryFormat::Markdown) => markdown(out, header, items),
        None | Some(HistoryFormat::Wide) => separated(out, items, |out, item| {
            text(out, item, args.output.is_some(), !args.no_headers)
        }),
    }
}
