//! `history`: what became of past slots.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use jiff::Timestamp;

use super::args::{Connection, Global, History as Args, HistoryFormat as Format};
use super::gather::gather;
use super::gathered::Needs;
use super::settings::Settings;
use super::{Outcome, complain, voice};
use crate::diagnose::Facts;
use crate::history::Window;
use crate::output::history::{Header, Item, csv, document, text};
use crate::output::{self, yaml};

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let needs = Needs::JOBS;
    let found = gather(&mut settings, global, connection, &args.selection, needs)?;
    let window = window(args, settings.now)?;
    let mut coverage = found.coverage;
    if args.what_if.now.is_some() {
        // Whoever says what the time was says when the evidence was collected.
        coverage.as_of = settings.now;
    }
    let controller = settings.controller();
    let mut complete = found.complete;
    let mut items = Vec::new();
    for chosen in &found.chosen {
        let facts = Facts::of(&controller, &chosen.evidence, coverage, settings.now);
        let item = Item::of(facts, &window);
        if let Some(trouble) = &item.history.trouble {
            let name = &item.facts.cron_job.name;
            complain(&format!("cronjob {name}: {trouble}"));
            complete = false;
        }
        items.push(item);
    }
    let header = Header {
        controller: settings.controller_document(),
        now: settings.now,
    };
    print(args, &header, &items).context("cannot write the result")?;
    Ok(if complete {
        Outcome::Fine
    } else {
        Outcome::Incomplete
    })
}

fn window(args: &Args, now: Timestamp) -> anyhow::Result<Window> {
    let since = args.since.map(|since| since.before(now)).transpose()?;
    let until = args.until.unwrap_or(now).min(now);
    if let Some(since) = since
        && since > until
    {
        let end = if until < now { "--until" } else { "now" };
        bail!("--since {since} is later than {end}, {until}");
    }
    Ok(Window {
        since,
        until: args.until,
    })
}

fn print(args: &Args, header: &Header, items: &[Item<'_>]) -> io::Result<()> {
    let mut out = io::BufWriter::new(voice::stdout());
    let out = &mut out;
    match args.output {
        Some(Format::Json) => output::json(out, &document(header, items))?,
        Some(Format::Yaml) => yaml::write(out, &document(header, items))?,
        Some(Format::Csv) => csv(out, items, !args.no_headers)?,
        None | Some(Format::Wide) => {
            let wide = args.output.is_some();
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    writeln!(out)?;
                }
                text(out, item, wide, !args.no_headers)?;
            }
        }
    }
    out.flush()
}
