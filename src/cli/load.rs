//! `load`: what many CronJobs start together, and how to spread it.

mod apply;

use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use jiff::{SignedDuration, Timestamp};

use super::args::{Common, Load as Args, LoadFormat as Format};
use super::notice::Notice;
use super::problem::{LocatedSubject, explain_problem};
use super::world::{controller_document, zone_of};
use super::{Outcome, complain, print, warn};
use crate::change::Application;
use crate::controller::Controller;
use crate::diagnose::Facts;
use crate::duration::exact;
use crate::evidence::{Basis, Needs, World};
use crate::load::{Limits, Load, Member, Question, Span, SpanError, load};
use crate::output::load::{Shown, csv, document, patches, svg, text};
use crate::output::{self, yaml};
use crate::report::member;
use crate::schedule::Zone;
use crate::upcoming::Problem;

pub(super) fn run(common: &Common, args: &Args) -> anyhow::Result<Outcome> {
    if args.apply {
        return apply::run(common, args);
    }
    let basis = common.basis(&args.what_if)?;
    let zone = display_zone(args, &basis)?;
    let world = common.load(basis, &args.selection, Needs::default())?;
    if world.is_void() && args.output == Some(Format::Svg) {
        return Ok(Outcome::Incomplete);
    }
    let computed = compute(common, args, zone, &world)?;
    for problem in &computed.problems {
        complain(problem.clone());
    }
    let shown = computed.shown(&world.basis);
    print(|out| write(out, args, &shown))?;
    let complete = world.complete && computed.problems.is_empty();
    Ok(Outcome::of(complete, false))
}

/// The zone whose days and hours are shown, if a flag names one.
fn display_zone(args: &Args, basis: &Basis) -> anyhow::Result<Option<Arc<Zone>>> {
    let name = args.display_time_zone.as_ref();
    zone_of("--display-time-zone", name, &basis.zones)
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
    fn shown<'a>(&'a self, basis: &'a Basis) -> Shown<'a> {
        Shown {
            controller: controller_document(basis),
            members: &self.members,
            load: &self.load,
            application: &self.application,
            zone: Arc::clone(&self.zone),
            kubectl: &basis.kubectl,
        }
    }
}

/// Adds up what was found.
fn compute(
    common: &Common,
    args: &Args,
    zone: Option<Arc<Zone>>,
    world: &World,
) -> anyhow::Result<Computed> {
    let controller = world.basis.controller();
    let now = world.basis.now;
    let question = Question {
        span: span(args, now)?,
        limits: limits(args, common.global.quiet, &controller),
        include_suspended: args.include_suspended,
        peaks: args.peaks,
        at_most: args.at_most,
    };
    let members = world.cron_jobs.iter().map(|one| {
        let facts = Facts::of(&controller, &one.dossier, world.reach, now);
        member(&facts)
    });
    let members: Vec<Member> = members.collect();
    let load = load(&controller, &members, &question);
    let dossier = |member: usize| world.cron_jobs.get(member).map(|one| &one.dossier);
    let suggestions = &load.proposal.suggestions;
    let application = Application::of(&controller, dossier, suggestions, now);
    let problem = |(member, problem): &(usize, Problem)| {
        let located = LocatedSubject::from(world.cron_jobs.get(*member)?);
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

fn write(out: &mut dyn Write, args: &Args, shown: &Shown<'_>) -> io::Result<()> {
    match args.output {
        Some(Format::Json) => output::json(out, &document(shown)),
        Some(Format::Yaml) => yaml::write(out, &document(shown)),
        Some(Format::Csv) => csv(out, shown, !args.no_headers),
        Some(Format::Svg) => svg(out, shown),
        Some(Format::Patch) => patches(out, shown),
        None if shown.members.is_empty() => Ok(()),
        None => text(out, shown),
    }
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
fn limits(args: &Args, quiet: bool, controller: &Controller<'_>) -> Limits {
    let usual = Limits::of(controller.behaviour());
    let given = Limits {
        qps: args.qps,
        burst: args.burst,
        ..usual
    };
    match (Limits::workers_of(controller.behaviour()), args.workers) {
        (_, None) => given,
        (Some(_), Some(workers)) => Limits { workers, ..given },
        (None, Some(_)) => {
            if !quiet {
                warn(
                    "--workers: up to Kubernetes 1.20 the controller looks at one CronJob after the other",
                );
            }
            given
        }
    }
}
