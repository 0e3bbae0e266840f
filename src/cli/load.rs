//! `load`: what many CronJobs start together, and how to spread it.

mod apply;

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use jiff::{SignedDuration, Timestamp};

use super::args::{Connection, Global, Load as Args, LoadFormat as Format};
use super::gather::gather;
use super::gathered::{Chosen, Gathered, Needs};
use super::notice::Notice;
use super::problem::{LocatedSubject, explain_problem};
use super::settings::{Settings, zone_of_flag};
use super::{Outcome, complain, voice, warn};
use crate::change::Application;
use crate::diagnose::Facts;
use crate::duration::exact;
use crate::load::{Limits, Load, Member, Question, Span, SpanError, load};
use crate::output::load::{Shown, csv, document, patches, svg, text};
use crate::output::{self, yaml};
use crate::report::member;
use crate::schedule::Zone;
use crate::upcoming::ScheduleProblem;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    if args.apply {
        return apply::run(global, connection, args);
    }
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let zone = display_zone(args, &settings)?;
    let needs = Needs::default();
    let found = gather(&mut settings, global, connection, &args.selection, needs)?;
    if found.is_void() && args.output == Some(Format::Svg) {
        return Ok(Outcome::Incomplete);
    }
    let computed = compute(args, global, &settings, (zone, &found))?;
    for problem in &computed.problems {
        complain(problem.clone());
    }
    print(args, &computed.shown(&settings)).context("cannot write the result")?;
    Ok(if found.complete && computed.problems.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Incomplete
    })
}

/// The zone whose days and hours are shown, if a flag names one.
fn display_zone(args: &Args, settings: &Settings) -> anyhow::Result<Option<Arc<Zone>>> {
    let name = args.display_time_zone.as_deref();
    name.map(|name| zone_of_flag("--display-time-zone", name, &settings.zones))
        .transpose()
}

/// A load, and what is told of it.
struct Computed {
    members: Vec<Member>,
    load: Load,
    application: Application,
    /// What cannot be counted, and why.
    problems: Vec<Notice>,
    zone: Arc<Zone>,
}

impl Computed {
    fn shown<'a>(&'a self, settings: &'a Settings) -> Shown<'a> {
        Shown {
            controller: settings.controller_document(),
            members: &self.members,
            load: &self.load,
            application: &self.application,
            zone: Arc::clone(&self.zone),
            kubectl: &settings.kubectl,
        }
    }
}

/// Adds up what was found.
fn compute(
    args: &Args,
    global: &Global,
    settings: &Settings,
    (zone, found): (Option<Arc<Zone>>, &Gathered),
) -> anyhow::Result<Computed> {
    let controller = settings.controller();
    let question = Question {
        span: span(args, settings.now)?,
        limits: limits(args, global, settings),
        include_suspended: args.include_suspended,
        peaks: args.peaks,
        at_most: args.at_most,
    };
    let member = |chosen: &Chosen| {
        let facts = Facts::of(&controller, &chosen.evidence, found.coverage, settings.now);
        member(&facts)
    };
    let members: Vec<Member> = found.chosen.iter().map(member).collect();
    let load = load(&controller, &members, &question);
    let evidence = |member: usize| found.chosen.get(member).map(|chosen| &chosen.evidence);
    let suggestions = &load.proposal.suggestions;
    let application = Application::of(&controller, evidence, suggestions, settings.now);
    let problem = |(member, problem): &(usize, ScheduleProblem)| {
        let located = LocatedSubject::from(found.chosen.get(*member)?);
        Some(explain_problem(&located, problem))
    };
    Ok(Computed {
        problems: load.problems.iter().filter_map(problem).collect(),
        zone: zone.unwrap_or_else(|| Arc::clone(&controller.local)),
        members,
        load,
        application,
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
