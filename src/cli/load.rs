//! `load`: what many CronJobs start together, and how to spread it.

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use jiff::{SignedDuration, Timestamp};

use super::args::{Connection, Global, Load as Args, LoadFormat as Format};
use super::gather::gather;
use super::gathered::{Chosen, Needs};
use super::problem::{LocatedSubject, explain_problem};
use super::settings::{Settings, zone_of_flag};
use super::{Outcome, complain, voice, warn};
use crate::duration::exact;
use crate::load::{Limits, Member, Question, Span, SpanError, load};
use crate::output::load::{Shown, csv, document, patches, svg, text};
use crate::output::{self, yaml};

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let display_zone = args
        .display_time_zone
        .as_deref()
        .map(|name| zone_of_flag("--display-time-zone", name, &settings.zones))
        .transpose()?;
    let needs = Needs::default();
    let found = gather(&mut settings, global, connection, &args.selection, needs)?;
    let mut complete = found.complete;
    let span = span(args, settings.now)?;
    if found.is_void() && args.output == Some(Format::Svg) {
        return Ok(Outcome::Incomplete);
    }
    let (located, members): (Vec<LocatedSubject>, Vec<Member>) =
        found.chosen.into_iter().map(member).unzip();

    let controller = settings.controller();
    let question = Question {
        span,
        limits: limits(args, global, &settings),
        include_suspended: args.include_suspended,
        peaks: args.peaks,
        at_most: args.at_most,
    };
    let load = load(&controller, &members, &question);
    for (member, problem) in &load.problems {
        if let Some(located) = located.get(*member) {
            complain(explain_problem(located, problem));
        }
        complete = false;
    }
    let shown = Shown {
        controller: settings.controller_document(),
        members: &members,
        load: &load,
        zone: display_zone.unwrap_or_else(|| Arc::clone(&controller.local)),
        kubectl: &settings.kubectl,
    };
    print(args, &shown).context("cannot write the result")?;
    Ok(if complete {
        Outcome::Fine
    } else {
        Outcome::Incomplete
    })
}

fn print(args: &Args, shown: &Shown<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::new(voice::stdout());
    let out = &mut out;
    match args.output {
        Some(Format::Json) => output::json(out, &document(shown))?,
        Some(Format::Yaml) => yaml::write(out, &document(shown))?,
        Some(Format::Csv) => csv(out, shown, !args.no_headers)?,
        Some(Format::Svg) => svg(out, shown)?,
        Some(Format::Patch) => patches(out, shown)?,
        None if shown.members.is_empty() => {}
        None => text(out, shown)?,
    }
    out.flush()
}

fn member(chosen: Chosen) -> (LocatedSubject, Member) {
    let member = Member::from(&chosen.dossier.cron_job);
    (LocatedSubject::from(chosen), member)
}

/// The window that the flags name.
fn span(args: &Args, now: Timestamp) -> anyhow::Result<Span> {
    let (beginning, from) = match args.from {
        Some(from) => ("--from", from),
        None => ("now", begun(now, args.bucket)?),
    };
    let to = match args.to {
        Some(to) => to,
        None => later("--for", from, args.length)?,
    };
    Span::new(from, to, args.bucket).map_err(|error| match error {
        SpanError::Empty { from, to } => anyhow!("--to {to} is not later than {beginning}, {from}"),
        SpanError::TooLong if args.to.is_none() => anyhow!("--for: {error}"),
        SpanError::TooLong => anyhow!("--to: {error}"),
        SpanError::TooMany(_) | SpanError::NoBucket => anyhow!("--bucket: {error}"),
    })
}

/// Where the bucket of a moment begins.
pub(super) fn begun(now: Timestamp, bucket: i64) -> anyhow::Result<Timestamp> {
    let second = now.as_second();
    let begun = second - second.rem_euclid(bucket);
    Timestamp::from_second(begun).context("now lies at the beginning of all times")
}

/// The moment so many seconds later, which a flag asks for.
pub(super) fn later(flag: &str, from: Timestamp, seconds: i64) -> anyhow::Result<Timestamp> {
    from.checked_add(SignedDuration::from_secs(seconds))
        .map_err(|_| {
            let length = exact(seconds);
            anyhow!("{flag} {length} from {from} on ends after the year 9999")
        })
}

/// What the controller's client is allowed, as far as flags mean anything to it.
fn limits(args: &Args, global: &Global, settings: &Settings) -> Limits {
    let usual = Limits::of(settings.controller().behaviour());
    let given = Limits {
        qps: args.qps,
        burst: args.burst,
        ..usual
    };
    match (
        Limits::workers_of(settings.controller().behaviour()),
        args.workers,
    ) {
        (_, None) => given,
        (Some(_), Some(workers)) => Limits { workers, ..given },
        (None, Some(_)) => {
            if !global.quiet {
                warn(
                    "--workers: up to Kubernetes 1.20 the controller looks at one CronJob after the other",
                );
            }
            given
        }
    }
}
