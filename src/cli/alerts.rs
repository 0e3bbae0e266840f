//! `alerts`: Prometheus alert rules for `CronJob`s.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Arg;

use super::args::{BasisArgs, Common, Selection, duration, format_of};
use super::diagnostic::Diagnostic;
use super::query::{Asked, Query, scope};
use super::recorder::RecorderArg;
use super::verb::{Group, VerbSpec};
use super::{complain, hint};
use crate::evidence::{Needs, World};
use crate::output::alerts::AlertsAnswer;
use crate::output::contexts::ContextAnswers;
use crate::output::{Answer as _, Format};
use cronjob_diagnosis::alerts::{AlertScope, AlertSettings, AlertThresholds, LeftOut};
use kube_objects::query::PodSelection;

/// Write Prometheus alert rules for CronJobs
///
/// Writes rules that fire when a CronJob has not succeeded in time. The thresholds come from the schedule itself,
/// including weekends and clock changes, and from how long runs usually take. The rules use the metrics of
/// kube-state-metrics. The rules of a suspended CronJob do not fire.
#[derive(Debug, clap::Args)]
#[command(
    mut_args(in_long_help),
    before_long_help = "\
Examples:
  # Write rules for all CronJobs of a cluster
  kubectl cronjob-doctor alerts -A > rules.yaml

  # Write rules for the manifests in a Git repository
  kubectl cronjob-doctor alerts -R -f manifests/ > rules.yaml

  # Fail a pipeline if the rules are out of date
  kubectl cronjob-doctor alerts -R -f manifests/ --check rules.yaml

  # Alert after two failed or missed runs in a row, once, instead of KubeJobFailed
  kubectl cronjob-doctor alerts -A --after 2 > rules.yaml"
)]
pub(super) struct AlertsArgs {
    /// How long a run takes of which nothing is known
    ///
    /// How long a run may take where neither the annotation cronjob-doctor/max-duration nor five finished Jobs nor
    /// a shorter activeDeadlineSeconds show it (default: 1h, or twice the longest time between two runs if that is
    /// shorter)
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    run_duration: Option<i64>,
    /// How late a run may be before an alert fires
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = seconds)]
    grace: i64,
    /// Alert once after N runs in a row without success
    ///
    /// Write one rule for each CronJob, which fires when N runs in a row were due and did not succeed, and ends
    /// with the next success, instead of the rules about the last run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100))]
    after: Option<u8>,
    /// Add a label to the alerts (repeatable)
    ///
    /// Add a label to the alerts, such as team=shop, or replace their severity. Repeat it for several.
    #[arg(long, value_name = "KEY=VALUE", value_parser = label)]
    label: Vec<(String, String)>,
    /// Exit with 1 if this file is not what would be written
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Output format. One of: {values}
    ///
    /// Output format. One of: {values}: objects for the Prometheus Operator, one in each namespace, or a rule file
    /// (default: prometheusrule)
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<AlertsAnswer<'_>>())]
    output: Option<Format>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    basis: BasisArgs,
    #[command(flatten)]
    pub(super) recorder: RecorderArg,
}

fn seconds(text: &str) -> Result<i64, String> {
    duration(text).ok_or_else(|| "must be a duration, such as 90s, 30m or 2h".to_owned())
}

/// The short help has to fit on a screen.
fn in_long_help(arg: Arg) -> Arg {
    let is_long = arg.get_id() == "recorder";
    if is_long {
        arg.hide_short_help(true)
    } else {
        arg
    }
}

/// Labels that each alert has by itself.
const OWN_LABELS: [&str; 3] = ["alertname", "namespace", "cronjob"];

/// A label of an alert, by the rules of Prometheus.
fn label(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        let mut characters = name.chars();
        let first = characters.next();
        first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match text.split_once('=') {
        Some((name, _)) if name.starts_with("__") => {
            Err("names that begin with __ are reserved by Prometheus".to_owned())
        }
        Some((name, _)) if OWN_LABELS.contains(&name) => {
            Err(format!("each alert has its own label {name}"))
        }
        Some((name, value)) if is_name(name) => Ok((name.to_owned(), value.to_owned())),
        _ => Err("must be KEY=VALUE, such as severity=critical".to_owned()),
    }
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[("alerts", &["alert"])],
    rare: &["label"],
    ..VerbSpec::query::<AlertsArgs>("alerts", Group::Plan)
};

impl Query for AlertsArgs {
    type Found = FoundAlerts;
    type Answer<'a> = AlertsAnswer<'a>;

    /// Rules are for the Prometheus of one cluster.
    const SEVERAL_CONTEXTS: bool = false;

    scope!(recorder);

    fn needs(&self) -> anyhow::Result<Needs> {
        Ok(Needs {
            // That manifests come without Jobs is not worth a warning.
            jobs: self.selection.cron_jobs.filename.is_empty(),
            pods: PodSelection::None,
            ..Needs::default()
        })
    }

    fn find(&self, asked: Asked<'_>) -> anyhow::Result<FoundAlerts> {
        let Asked { common, world, .. } = asked;
        let mut found = FoundAlerts::of(common, self, &world);
        if let Some(file) = self.check.as_ref().filter(|_| !world.is_void()) {
            let mut rules = Vec::new();
            self.rules(&found).write(&mut rules, self.output)?;
            found.is_out_of_date = is_out_of_date(file, &rules)?;
        }
        Ok(found)
    }

    fn answer<'a>(&'a self, found: &'a ContextAnswers<FoundAlerts>) -> Option<AlertsAnswer<'a>> {
        let found = found.as_one()?;
        self.check.is_none().then(|| self.rules(found))
    }

    fn omits_void(&self) -> bool {
        true
    }

    fn fails(&self, found: &FoundAlerts) -> bool {
        found.is_out_of_date
    }
}

impl AlertsArgs {
    fn rules<'a>(&'a self, found: &'a FoundAlerts) -> AlertsAnswer<'a> {
        AlertsAnswer {
            thresholds: &found.thresholds,
            scope: found.scope.as_ref(),
            labels: self.label.iter().cloned().collect(),
        }
    }
}

/// The alerts of a World.
pub(super) struct FoundAlerts {
    thresholds: Vec<AlertThresholds>,
    /// `None` if only some `CronJob`s of a namespace were selected.
    scope: Option<AlertScope>,
    /// Whether the file of `--check` is not what would be written.
    is_out_of_date: bool,
}

impl FoundAlerts {
    fn of(common: &Common, args: &AlertsArgs, world: &World) -> Self {
        let settings = AlertSettings {
            run_duration: args.run_duration,
            grace: args.grace,
            after: args.after,
        };
        let mut thresholds = Vec::new();
        let mut left_out: BTreeMap<LeftOut, usize> = BTreeMap::new();
        let mut scope = scope(common, args, world);
        for one in &world.cron_jobs {
            if let Some(scope) = &mut scope {
                let cron_job = &one.evidence.cron_job;
                scope.add(&cron_job.namespace, &cron_job.name);
            }
            let facts = world.facts(&one.evidence);
            match AlertThresholds::of(&facts, settings) {
                Ok(one) => thresholds.push(one),
                Err(why) => *left_out.entry(why).or_default() += 1,
            }
        }
        if !left_out.is_empty() {
            let parts = left_out.iter();
            let parts: Vec<String> = parts
                .map(|(why, count)| format!("{count} {}", why.as_str()))
                .collect();
            hint(&format!("CronJobs without alerts: {}.", parts.join(", ")));
        }
        FoundAlerts {
            thresholds,
            scope,
            is_out_of_date: false,
        }
    }
}

/// An empty scope, if all `CronJob`s of a namespace or of all of them are read from a cluster. Manifests may be a part.
fn scope(common: &Common, args: &AlertsArgs, world: &World) -> Option<AlertScope> {
    let selected = common.selection(world, &args.selection, None);
    let is_whole = args.selection.cron_jobs.filename.is_empty() && selected.is_whole();
    (is_whole && world.complete).then(|| AlertScope {
        is_everywhere: selected.namespace.is_none(),
        ..AlertScope::default()
    })
}

/// The format of a file of alerts.
fn form_of(text: &[u8]) -> Option<&'static str> {
    let has_line = |begin: &[u8]| {
        text.split(|byte| *byte == b'\n')
            .any(|it| it.starts_with(begin))
    };
    if has_line(b"kind: PrometheusRule") {
        Some("prometheusrule")
    } else {
        has_line(b"groups:").then_some("rules")
    }
}

/// Whether a file is not what would be written.
fn is_out_of_date(file: &Path, rules: &[u8]) -> anyhow::Result<bool> {
    let shown = file.display();
    let mut written = Vec::new();
    // A longer file differs.
    let read = File::open(file).and_then(|file| {
        let most = rules.len() as u64 + 1;
        file.take(most).read_to_end(&mut written)
    });
    read.map_err(|error| anyhow::Error::new(error).context(format!("cannot read {shown}")))?;
    let differs = written != rules;
    if differs {
        complain(match (form_of(&written), form_of(rules)) {
            (Some(form), Some(other)) if form != other => {
                let text = format!("{shown} has the format {form}, not {other}");
                Diagnostic::new(text).help(&format!("Use --check with -o {form}."))
            }
            _ => Diagnostic::new(format!("{shown} is out of date"))
                .help("Write it again with the same command without --check."),
        });
    }
    Ok(differs)
}
