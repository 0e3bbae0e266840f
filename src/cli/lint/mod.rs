//! `lint`: what is wrong in manifests.

mod cluster;
mod configs;
mod files;
mod fix;
#[cfg(feature = "cluster")]
mod kustomize;
mod read;

/// Nothing is run by the page in the browser.
#[cfg(not(feature = "cluster"))]
mod kustomize {
    pub(super) fn render(_: &std::path::Path) -> anyhow::Result<Vec<u8>> {
        anyhow::bail!("-k runs a program: this program was built without the feature \"cluster\"")
    }
}

use std::io::{BufWriter, Write as _};

use anyhow::{Context as _, bail};

use super::args::{
    Common, FAIL_ON, FUTURE_TIME, FailOn, Side, TimeArg, TimeReference, format_of, one_word,
    resolve, zone_of,
};
use super::diagnostic::Diagnostic;
use super::world::read_clock;
use super::{CommandOutcome, caution, complain, hint, print, print_answer, stdio};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::output::lint::{self as output, LintAnswer};
use crate::output::{DryRun, Format};
use clap::builder::NonEmptyStringValueParser;
use cluster::Cluster;
use configs::Configs;
use cronjob_manifest::lint::{LintReport, Linter, Releases, Severity};
use cronjob_manifest::rules;
use cronjob_text::spelling::nearest;
use cronjob_text::words::counted;
use files::Patches;
use fix::fix;
use kube_cron::Zone;
use kube_objects::snapshot::{Input, Paths, SnapshotError, path_name};
use read::{Source, Task};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Check CronJob manifests for errors and risky settings
///
/// Reads YAML and JSON, and shows each problem with its line, the reason and the remedy. Of other
/// kinds, only those with a schedule are checked.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Check the files in a directory that Git does not ignore
  kubectl cronjob-doctor lint -R manifests/

  # Check the output of helm
  helm template ./chart | kubectl cronjob-doctor lint -

  # Check what a cluster would reject, including by its policies and quotas
  kubectl cronjob-doctor lint -R overlays/prod --dry-run=server

  # Show fixes without writing them
  kubectl cronjob-doctor lint -R . --fix --diff")]
pub(super) struct LintArgs {
    /// Automatically fix problems with an unambiguous fix
    #[arg(long)]
    fix: bool,
    /// With --fix, show the changes instead of writing them, like --dry-run
    #[arg(long, requires = "fix")]
    diff: bool,
    /// List all rules
    #[arg(long, conflicts_with_all = ["paths", "fix", "explain"])]
    list: bool,
    /// Explain a rule, given its code or name
    #[arg(long, value_name = "RULE", conflicts_with_all = ["paths", "fix"])]
    explain: Option<String>,
    /// Write no file: none, client or server; server also asks a cluster
    ///
    /// Must be "none", "server", or "client". With client or server, --fix shows the changes instead of writing them.
    /// With server, also submit server-side requests without persisting the resources, and report what the cluster
    /// would reject. The default of --kubernetes-version is then the version of the cluster.
    #[arg(
        long,
        value_name = "STRATEGY",
        num_args = 0..=1,
        require_equals = true,
        default_value = "none",
        default_missing_value = "client",
        hide_default_value = true
    )]
    dry_run: DryRun,
    /// Kubernetes version or versions: 1.N, 1.N.P or 1.N-1.M
    ///
    /// Check for this Kubernetes version or these versions: 1.N, 1.N.P or 1.N-1.M (default: the newest version
    /// compared with a running controller)
    #[arg(long, value_name = "VERSIONS")]
    kubernetes_version: Option<Releases>,
    /// Configuration file for all manifests
    ///
    /// Use this configuration file for all manifests (default: .cronjob-doctor.yaml in the directory of each
    /// manifest or the nearest one above)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Exit with 1 if a finding is at least this severe
    ///
    /// Exit with 1 if there is a finding of this severity or higher: info, warning, error or never
    #[arg(long, value_parser = one_word(FAIL_ON), value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// Show findings that are at least this severe
    ///
    /// Show findings of this severity or higher: info, warning or error (default: warning, but info
    /// with -o json, yaml and sarif). What --fail-on counts is always shown. The exit code does not depend on it.
    #[arg(long, value_name = "SEVERITY", value_parser = one_word(SEVERITIES))]
    severity: Option<Severity>,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<LintAnswer<'_>>())]
    output: Option<Format>,
    /// Files, directories, or - for standard input
    #[arg(value_name = "FILE|DIR|-", required_unless_present_any = ["filename", "kustomize", "list", "explain"], help_heading = "Selection", display_order = 0)]
    paths: Vec<PathBuf>,
    /// Files, directories, or - for standard input, like the arguments
    #[arg(
        long,
        short,
        value_name = "FILE|DIR|-",
        hide_short_help = true,
        help_heading = "Selection"
    )]
    filename: Vec<PathBuf>,
    /// Process a kustomization directory
    ///
    /// Process a kustomization directory. This flag can't be used together with -f or -R. It runs kubectl kustomize
    /// or, if kubectl is not installed, kustomize build.
    #[arg(
        long,
        short = 'k',
        value_name = "DIR",
        conflicts_with_all = ["paths", "filename", "recursive", "fix", "list", "explain"],
        help_heading = "Selection"
    )]
    kustomize: Option<PathBuf>,
    /// Name of standard input in the output
    ///
    /// Name of standard input in the output. It is also the path that decides which .cronjob-doctor.yaml is used,
    /// which of its paths match, and whether a kustomization lists the file as a patch.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = NonEmptyStringValueParser::new(),
        conflicts_with_all = ["kustomize", "list", "explain"],
        help_heading = "Selection"
    )]
    stdin_name: Option<String>,
    /// Process directories recursively
    ///
    /// Process directories recursively. Hidden files and files that .gitignore names are skipped.
    #[arg(long, short = 'R', help_heading = "Selection")]
    recursive: bool,
    /// Use this time as now
    #[arg(long, value_name = "TIME", hide_short_help = true, long_help = format!("Use this time as now. {FUTURE_TIME}"))]
    now: Option<TimeArg>,
    /// Time zone of the controller manager, for schedules without a time zone (default: UTC)
    #[arg(long, value_name = "ZONE", help_heading = "Time and version")]
    controller_time_zone: Option<String>,
}

/// The values of `--severity`.
const SEVERITIES: &[(&str, Severity)] = &[
    ("info", Severity::Info),
    ("warning", Severity::Warning),
    ("error", Severity::Error),
];

impl LintArgs {
    /// Whether fixes are shown and not written.
    fn shows_fixes(&self) -> bool {
        self.fix && (self.diff || self.dry_run != DryRun::None)
    }
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[("lint", &["validate"]), ("lint --fix", &["fix"])],
    rare: &["stdin-name"],
    ..VerbSpec::of::<LintArgs>("lint", Group::Plan)
};

impl Verb for LintArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        if self.list {
            print(output::list)?;
            return Ok(CommandOutcome::Fine);
        }
        match &self.explain {
            Some(rule) => explain(rule),
            None => lint(common, self),
        }
    }
}

fn explain(called: &str) -> anyhow::Result<CommandOutcome> {
    let Some((rule, lint)) = rules::find_lint_rule(called) else {
        if let Some(rule) = rules::RULES.iter().find(|rule| rule.is_called(called)) {
            bail!(
                "{} is found in clusters, not in manifests ({}); use explain to see it with its remedy",
                rule.name,
                rule.title
            );
        }
        match nearest(called, rules::lint_rules().map(|(rule, _)| rule.name)) {
            Some(name) => bail!("unknown rule {called:?}; did you mean {name}?"),
            None => bail!("unknown rule {called:?}; list all rules with --list"),
        }
    };
    print(|out| output::explain(out, rule, lint))?;
    Ok(CommandOutcome::Fine)
}

fn lint(common: &Common, args: &LintArgs) -> anyhow::Result<CommandOutcome> {
    let zones = common.global.zone_database()?;
    let local = args.controller_time_zone.as_ref();
    let local = zone_of("--controller-time-zone", local, &zones)?.unwrap_or_else(Zone::utc);
    let clock = read_clock();
    let now = {
        let reference = TimeReference {
            now: clock,
            zones: &zones,
            zone: None,
        };
        resolve(args.now.as_ref(), "--now", Side::Future, reference)?
    };
    let linter = Linter {
        now: now.unwrap_or(clock),
        zones: &zones,
        local,
    };
    let asks_cluster = args.dry_run == DryRun::Server;
    let cluster = asks_cluster.then(|| Cluster::open(common)).transpose()?;
    let (tasks, mut errors) = tasks(args, cluster.as_ref())?;
    let (files, unread) = read::all(&linter, &tasks, cluster.as_ref());
    let mut report = linter.finish(files);
    errors.extend(unread);
    for error in &errors {
        complain(&error.to_string());
    }
    let unasked = cluster.as_ref().and_then(Cluster::failure);
    if let Some(why) = &unasked {
        complain(why);
    }
    let complete = errors.is_empty() && unasked.is_none();
    if args.shows_fixes() {
        let mut out = BufWriter::new(stdio::stdout());
        let fixed = fix(&linter, &tasks, &report, Some(&mut out))?;
        stdio::unless_closed(out.flush()).context("cannot write the result")?;
        if fixed.files == 0 {
            hint("Nothing to fix automatically.");
        }
        return Ok(outcome(args, &report, complete));
    }
    if args.fix {
        let fixed = fix(&linter, &tasks, &report, None)?;
        if fixed.files > 0 {
            let (files, _) = read::all(&linter, &tasks, cluster.as_ref());
            report = linter.finish(files);
            let files = counted(fixed.files, "file");
            let problems = counted(fixed.problems, "problem");
            hint(&format!("Fixed {problems} in {files}."));
        }
    }
    let outcome = outcome(args, &report, complete);
    report.hide_below(least_severity(args));
    let is_text = is_text(args);
    if report.manifests.is_empty() && complete {
        hint("No CronJobs found.");
    }
    let answer = LintAnswer {
        report: &report,
        now: linter.now,
        failures_from: args.fail_on,
    };
    print_answer(args.output, &answer)?;
    if is_text && !report.manifests.is_empty() && complete {
        // On stderr, so that stdout consists of the findings.
        hint(&output::summary(&report));
    }
    Ok(outcome)
}

fn is_text(args: &LintArgs) -> bool {
    matches!(args.output, None | Some(Format::Text))
}

/// The least severity that is shown. Documents contain everything, unless less is asked for, and a finding that sets the
/// exit code is always shown.
fn least_severity(args: &LintArgs) -> Severity {
    let usual = match args.output {
        Some(Format::Json | Format::Yaml | Format::Sarif) => Severity::Info,
        _ => Severity::Warning,
    };
    let least = args.severity.unwrap_or(usual);
    let failing = args.fail_on;
    failing.map_or(least, |failing| failing.min(least))
}

/// The files that were named, each with what holds for it.
fn tasks(
    args: &LintArgs,
    cluster: Option<&Cluster>,
) -> anyhow::Result<(Vec<Task>, Vec<SnapshotError>)> {
    let paths: Vec<_> = args.paths.iter().chain(&args.filename).cloned().collect();
    let Paths {
        inputs,
        unread,
        errors,
    } = files::find(&paths, args.recursive);
    for file in &unread {
        caution(&file.to_string());
    }
    let reads_stdin = inputs.contains(&Input::Stdin);
    if args.fix && reads_stdin {
        bail!("--fix cannot change standard input; name files instead");
    }
    if args.stdin_name.is_some() && !reads_stdin {
        let unused = Diagnostic::new("--stdin-name: standard input is not read");
        bail!(unused.help("Add - to the arguments."));
    }
    // Manifests that a cluster checks are for its version, unless another one is configured.
    let of_cluster = match cluster {
        Some(cluster) => cluster.release()?.map(Releases::one),
        None => None,
    };
    let config = args.config.as_deref();
    let mut configs = Configs::new(config, &paths, args.kubernetes_version, of_cluster)?;
    if let Some(directory) = &args.kustomize {
        let Some(settings) = configs.of(&within(directory))? else {
            return Ok((Vec::new(), errors));
        };
        let task = Task {
            source: Source::Rendered(kustomize::render(directory)?),
            name: path_name(directory),
            settings,
            patch_of: None,
        };
        return Ok((vec![task], errors));
    }
    let stdin_name = args.stdin_name.as_deref();
    let located: Vec<PathBuf> = inputs.iter().map(|input| path(input, stdin_name)).collect();
    let patches = Patches::among(&located);
    let mut tasks = Vec::new();
    for (input, path) in inputs.into_iter().zip(located) {
        if let Some(settings) = configs.of(&path)? {
            let name = match (&input, stdin_name) {
                (Input::Stdin, Some(name)) => Arc::from(name),
                _ => input.name(),
            };
            tasks.push(Task {
                source: Source::Input(input),
                name,
                settings,
                patch_of: patches.kustomization_of(&path),
            });
        }
    }
    Ok((tasks, errors))
}

/// The path that configurations and kustomizations are compared with.
fn path(input: &Input, stdin_name: Option<&str>) -> PathBuf {
    match (input, stdin_name) {
        (Input::File(path), _) => path.clone(),
        (Input::Stdin, None) => PathBuf::from("stdin"),
        (Input::Stdin, Some(name)) => within(Path::new(name)),
    }
}

/// A file in a directory that was rendered, so that its own configuration is found; other paths as they are.
fn within(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("rendered.yaml")
    } else {
        path.to_owned()
    }
}

fn outcome(args: &LintArgs, report: &LintReport, complete: bool) -> CommandOutcome {
    let threshold = args.fail_on;
    let found = threshold.is_some_and(|threshold| report.worst() >= Some(threshold));
    CommandOutcome::of(complete, found)
}
