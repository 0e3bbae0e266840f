//! `history`: what happened to past runs.

use std::io::{self, Write};

use anyhow::bail;
use jiff::Timestamp;

use super::args::{Common, History as Args, HistoryFormat as Format};
use super::world::controller_document;
use super::{Outcome, apart, complain, print};
use crate::diagnose::Facts;
use crate::evidence::Needs;
use crate::history::Window;
use crate::output::history::{Header, Item, csv, document, text};
use crate::output::{self, yaml};

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    let basis = common.basis(&args.what_if)?;
    let world = common.load(basis, &args.selection, Needs::JOBS)?;
    let now = world.basis.now;
    let window = window(args, now)?;
    let controller = world.basis.controller();
    let mut complete = world.complete;
    let mut items = Vec::new();
    for one in &world.cron_jobs {
        let facts = Facts::of(&controller, &one.dossier, world.reach_of_history(), now);
        let item = Item::of(facts, &window);
        if let Some(trouble) = &item.history.trouble {
            let name = &item.facts.cron_job.name;
            complain(&format!("cronjob {name}: {trouble}"));
            complete = false;
        }
        items.push(item);
    }
    let header = Header {
        controller: controller_document(&world.basis),
        now,
    };
    print(|out| write(out, args, &header, &items))?;
    Ok(Outcome::of(complete, false))
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

fn write(out: &mut dyn Write, args: &Args, header: &Header, items: &[Item<'_>]) -> io::Result<()> {
    match args.output {
        Some(Format::Json) => output::json(out, &document(header, items)),
        Some(Format::Yaml) => yaml::write(out, &document(header, items)),
        Some(Format::Csv) => csv(out, items, !args.no_headers),
        None | Some(Format::Wide) => apart(out, items, |out, item| {
            text(out, item, args.output.is_some(), !args.no_headers)
        }),
    }
}
