//! `load`: CronJobs that start at the same time, and how to spread them.

use std::sync::Arc;

use anyhow::anyhow;

use super::args::{
    BasisArgs, FUTURE_TIME, Selection, Side, TimeArg, TimeReference, begun, format_of,
    kubectl_help, later, positive_seconds, resolve, whole,
};
use super::diagnostic::Diagnostic;
use super::diagnostic::{LocatedSubject, explain_problem};
use super::kinds::KindsArg;
use super::query::{Asked, Query, scope};
use super::verb::{Group, VerbSpec};
use super::world::controller_document;
use super::{caution, complain, hint};
use crate::evidence::{Basis, Needs, World};
use crate::output::Format;
use crate::output::contexts::ContextAnswers;
use crate::output::load::{LoadAnswer, ShownLoad};
use cronjob_controller::controller::Controller;
use cronjob_controller::upcoming::ScheduleProblem;
use cronjob_diagnosis::change::Application;
use cronjob_diagnosis::load::{
    ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, LoadWindowError, load,
};
use cronjob_diagnosis::report::member;
use kube_cron::Zone;

/// Find CronJobs that start at the same time, and spread them
///
/// Adds up the starts of CronJobs, each in its own time zone. Shows the peaks, the CronJobs in each of them, how late
/// the last one starts because of the controller's client rate limit, and schedules that spread them.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Show the next week of a whole cluster
  kubectl cronjob-doctor load -A

  # Suggest schedules so that at most 4 CronJobs of a namespace start in the same minute
  kubectl cronjob-doctor load -n shop --at-most 4

  # Print the suggested schedules of manifests
  kubectl cronjob-doctor load -f manifests/ -o json | jq '.suggestions'")]
pub(super) struct LoadArgs {
    /// Count starts from this time (default: now)
    #[arg(long, value_name = "TIME", long_help = format!("\
Count starts from this time (default: start of the current bucket). {FUTURE_TIME}"))]
    from: Option<TimeArg>,
    /// Count starts before this time
    #[arg(long, value_name = "TIME", conflicts_with = "length", long_help = format!("\
Count starts before this time. {FUTURE_TIME}"))]
    to: Option<TimeArg>,
    /// Count starts for this long
    ///
    /// Count starts for this long, such as 1d or 4w
    #[arg(id = "length", long = "for", value_name = "DURATION", default_value = "7d", value_parser = positive_seconds)]
    length: i64,
    /// Count starts per bucket
    ///
    /// Count starts per bucket of this length, such as 1m, 15m or 1h
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = positive_seconds)]
    bucket: i64,
    /// Show at most N peaks
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole::<usize>(0..=u64::MAX), allow_negative_numbers = true)]
    peaks: usize,
    /// Target maximum of starts per minute
    ///
    /// Target maximum of starts per minute after spreading (default: as low as possible)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::MAX), allow_negative_numbers = true)]
    at_most: Option<u32>,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<LoadAnswer<'_>>())]
    output: Option<Format>,
    /// Don't print headers
    #[arg(long, hide_short_help = true, long_help = kubectl_help::NO_CSV_HEADERS)]
    no_headers: bool,
    /// API requests per second of the controller manager, its --kube-api-qps
    #[arg(long, value_name = "N", default_value_t = 20.0, value_parser = rate, allow_negative_numbers = true, hide_short_help = true)]
    qps: f64,
    /// Burst of API requests of the controller manager, its --kube-api-burst
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<u32>(1..=100_000), allow_negative_numbers = true, hide_short_help = true)]
    burst: u32,
    /// CronJobs that the controller syncs at the same time, its --concurrent-cron-job-syncs (default: 5)
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000), allow_negative_numbers = true, hide_short_help = true)]
    workers: Option<u32>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    kinds: KindsArg,
    /// Count suspended CronJobs, too
    #[arg(long, help_heading = "Selection")]
    include_suspended: bool,
    #[command(flatten)]
    basis: BasisArgs,
}

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    number
        .filter(|rate| (0.001..=1_000_000.0).contains(rate))
        .ok_or_else(|| "must be a number of requests per second, such as 20 or 0.5".to_owned())
}

impl LoadArgs {
    /// Whether the cluster has more CronJobs than are counted.
    fn is_part(&self) -> bool {
        let selection = &self.selection;
        let of = &selection.cron_jobs;
        let is_all = of.all_namespaces
            && of.names.is_empty()
            && of.selector.is_none()
            && selection.field_selector.is_none();
        selection.cron_jobs.filename.is_empty() && !is_all
    }
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    rare: &["bucket", "peaks"],
    ..VerbSpec::query::<LoadArgs>("load", Group::Plan)
};

impl Query for LoadArgs {
    type Found = FoundLoad;
    type Answer<'a> = LoadAnswer<'a>;

    /// Jobs of several controllers do not delay each other.
    const SEVERAL_CONTEXTS: bool = false;

    scope!();

    fn needs(&self) -> anyhow::Result<Needs> {
        let kinds = self.kinds.set(&self.selection.cron_jobs)?;
        Ok(Needs::default().with_kinds(kinds))
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<FoundLoad> {
        let found = FoundLoad::of(self, asked.world)?;
        if self.output.is_none() && self.is_part() && !found.members.is_empty() {
            hint(
                "Only the selected CronJobs are counted: others that start at the same time delay them \
                 further. Use -A to count all.",
            );
        }
        for problem in &found.problems {
            complain(problem.clone());
        }
        Ok(found)
    }

    fn answer<'a>(&'a self, found: &'a ContextAnswers<FoundLoad>) -> Option<LoadAnswer<'a>> {
        let found = found.as_one()?;
        Some(LoadAnswer {
            shown: found.shown(),
            with_headings: !self.no_headers,
        })
    }

    fn omits_void(&self) -> bool {
        self.output == Some(Format::Svg)
    }

    fn is_complete(&self, found: &FoundLoad) -> bool {
        found.problems.is_empty()
    }
}

/// A load, and how to show it.
pub(super) struct FoundLoad {
    basis: Basis,
    members: Vec<LoadMember>,
    load: Load,
    application: Application,
    /// The CronJobs that cannot be counted, and why.
    problems: Vec<Diagnostic>,
    zone: Arc<Zone>,
}

impl FoundLoad {
    fn of(args: &LoadArgs, world: World) -> anyhow::Result<Self> {
        let controller = &world.basis.controller;
        let now = world.basis.now;
        let question = LoadQuestion {
            window: span(args, &world.basis)?,
            limits: limits(args, controller),
            include_suspended: args.include_suspended,
            peaks: args.peaks,
            at_most: args.at_most,
        };
        let members = world.cron_jobs.iter().map(|one| {
            let facts = world.facts(&one.evidence);
            member(&facts)
        });
        let others = world.scheduled.iter().flat_map(LoadMember::of_object);
        let members: Vec<LoadMember> = members.chain(others).collect();
        let load = load(controller, &members, &question);
        let evidence = |member: usize| world.cron_jobs.get(member).map(|one| &one.evidence);
        let suggestions = &load.proposal.suggestions;
        let application = Application::of(controller, evidence, suggestions, now);
        let problem = |(member, problem): &(usize, ScheduleProblem)| {
            let cron_job = world.cron_jobs.get(*member);
            let located = LocatedSubject {
                subject: members.get(*member)?.subject.clone(),
                places: cron_job.and_then(|one| one.places.clone()),
            };
            Some(explain_problem(&located, problem))
        };
        Ok(FoundLoad {
            problems: load.problems.iter().filter_map(problem).collect(),
            zone: (controller.display.clone()).unwrap_or_else(|| Arc::clone(&controller.local)),
            members,
            load,
            application,
            basis: world.basis,
        })
    }

    fn shown(&self) -> ShownLoad<'_> {
        ShownLoad {
            controller: controller_document(&self.basis),
            members: &self.members,
            load: &self.load,
            application: &self.application,
            zone: Arc::clone(&self.zone),
            kubectl: &self.basis.kubectl,
        }
    }
}

fn span(args: &LoadArgs, basis: &Basis) -> anyhow::Result<LoadWindow> {
    let now = basis.now;
    // Totals are shown in the zone of the controller manager.
    let controller = &basis.controller;
    let local = controller.display.as_ref().unwrap_or(&controller.local);
    let reference = TimeReference::of(basis, Some(local));
    let given = resolve(args.from.as_ref(), "--from", Side::Future, reference)?;
    let to = resolve(args.to.as_ref(), "--to", Side::Future, reference)?;
    let (beginning, from) = match given {
        Some(from) => ("--from", from),
        None => ("now", begun(now, args.bucket)?),
    };
    let to = match to {
        Some(to) => to,
        None => later("--for", from, args.length)?,
    };
    LoadWindow::new(from, to, args.bucket).map_err(|error| match error {
        LoadWindowError::Empty { from, to } => {
            anyhow!("--to {to}: must be after {beginning} ({from})")
        }
        LoadWindowError::TooLong if args.to.is_none() => anyhow!("--for: {error}"),
        LoadWindowError::TooLong => anyhow!("--to: {error}"),
        LoadWindowError::TooMany(_) | LoadWindowError::NoBucket => anyhow!("--bucket: {error}"),
    })
}

/// The rate limits of the controller's client.
fn limits(args: &LoadArgs, controller: &Controller) -> ClientLimits {
    let usual = ClientLimits::of(controller.behavior());
    let given = ClientLimits {
        qps: args.qps,
        burst: args.burst,
        ..usual
    };
    match (
        ClientLimits::workers_of(controller.behavior()),
        args.workers,
    ) {
        (_, None) => given,
        (Some(_), Some(workers)) => ClientLimits { workers, ..given },
        (None, Some(_)) => {
            caution(
                "--workers is ignored: up to Kubernetes 1.20, the controller syncs one CronJob at a time",
            );
            given
        }
    }
}
