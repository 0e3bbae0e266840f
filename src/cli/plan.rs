//! `plan`: what a change of manifests will do, before it is applied.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::bail;
use clap::ValueEnum;

use super::args::{BasisArgs, Common};
use super::diagnostic::Diagnostic;
use super::world::{controller_document, explained};
use super::{Outcome, complain, interrupt, say_plainly, stdio, warn};
use crate::cluster::{
    ClusterError, ClusterQuery, Pods, Resource, Session, WholeCronJob, check_namespace,
};
use crate::diagnose::{Coverage, evidence_by_cron_job};
use crate::evidence::{Basis, EvidenceError, EvidenceQuery, Live, World};
use crate::lint::{LintFinding, LintReport, LintSettings, Linter, Releases};
use crate::model::{CronJob, CronJobEvidence, RelatedObjects, ResourceKind};
use crate::output::plan::{PlanHeader, document, github, markdown, text};
use crate::output::{self, yaml};
use crate::plan::{
    ApplyMode, EffectKind, ManifestCronJob, Plan, PlanQuestion, StoredCronJob, assume_history, plan,
};
use crate::rules::{LintSource, Severity};
use crate::selector::LabelSelector;
use crate::snapshot::{
    Evidence, Input, LocatedObject, Options, Paths, SourceText, cron_job_of, find,
};

/// Show what a change of manifests will do before it is applied
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Compares manifests with the CronJobs that are there, and predicts what the controller will do because of \
the change: which run starts immediately, which runs are skipped, which Jobs are deleted.

Examples:
  # What applying manifests would do to the cluster
  kubectl cronjob-doctor plan -f manifests/

  # Compared with the main branch, without a cluster
  git worktree add ../main main
  kubectl cronjob-doctor plan -R -f manifests/ --from ../main/manifests/

  # Compared with what a cluster had
  kubectl get cronjobs,jobs -n shop -o yaml --show-managed-fields > live.yaml
  helm template shop charts/shop | kubectl cronjob-doctor plan -f - --from-live live.yaml

  # As a comment for a pull request
  kubectl cronjob-doctor plan -f new/ --from old/ -o markdown

  # Fail if a run would start because of the change
  kubectl cronjob-doctor plan -f new/ --from old/ --fail-on refused,starts-now")]
pub(super) struct PlanArgs {
    /// The manifests: files, directories, or - for standard input
    #[arg(long, short, value_name = "FILE|DIR|-", required = true)]
    filename: Vec<PathBuf>,
    /// Process the directories used in -f and --from recursively
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Compare with these manifests, which are assumed to be applied, instead of a cluster
    #[arg(
        long,
        value_name = "FILE|DIR|-",
        conflicts_with = "from_live",
        help_heading = "Compared with"
    )]
    from: Vec<PathBuf>,
    /// Compare with the output of kubectl get cronjobs,jobs -o yaml
    #[arg(long, value_name = "FILE|DIR|-", help_heading = "Compared with")]
    from_live: Vec<PathBuf>,
    /// Selector (label query) to filter on, such as app=shop,tier!=test
    #[arg(
        long,
        short = 'l',
        value_name = "SELECTOR",
        help_heading = "Which CronJobs"
    )]
    selector: Option<String>,
    /// Assume server-side apply by this field manager (default: what the objects show)
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "from",
        help_heading = "Compared with"
    )]
    field_manager: Option<String>,
    /// Assume that CronJobs which are not in the manifests are deleted, in the namespaces of the manifests
    #[arg(long, help_heading = "Which CronJobs")]
    prune: bool,
    /// Output format. One of: (text, markdown, json, yaml, github).
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        default_value_t = PlanFormat::Text,
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = "Output"
    )]
    output: PlanFormat,
    /// Exit with 1 if the change does one of: starts-now, skips-runs, removes-running, refused, never.
    /// Separate several with commas.
    #[arg(
        long,
        value_enum,
        value_name = "EFFECTS",
        value_delimiter = ',',
        default_value = "refused",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    fail_on: Vec<FailOnEffect>,
    #[command(flatten)]
    basis: BasisArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PlanFormat {
    Text,
    Markdown,
    Json,
    Yaml,
    Github,
}

/// How many objects make a page of a list, as kubectl asks for them.
const PAGE: u32 = 500;

/// What makes a plan fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOnEffect {
    StartsNow,
    SkipsRuns,
    RemovesRunning,
    Refused,
    Never,
}

pub(super) fn run(common: &Common, args: &PlanArgs) -> anyhow::Result<Outcome> {
    check_stdin(args)?;
    let selector = selector(args)?;
    let basis = common.basis(&args.basis)?;
    let session = if args.from.is_empty() && args.from_live.is_empty() {
        Some(connect(common)?)
    } else {
        None
    };
    let options = options(common, session.as_ref());
    let mut new = ManifestSet::read(common, &args.filename, args.recursive, &options);
    new.select(common, &selector);
    new.drop_duplicates(common);
    let (basis, mut stored) = match session {
        None => (basis.clone(), read_stored(common, args, &options, &basis)),
        Some(session) => read_cluster(common, session, basis, &new.namespaces())?,
    };
    stored.select(common, &selector, &new);
    let evidence: Vec<_> = stored.cron_jobs.iter().map(|one| &one.evidence).collect();
    let basis = basis.learning_from(&evidence);
    let controller = basis.controller();
    for one in &mut stored.cron_jobs {
        let cron_job = &mut one.evidence.cron_job;
        one.is_assumed = assume_history(&controller, cron_job, basis.now);
    }
    let complete = new.complete && stored.complete;
    let leaves_namespace_open = !args.from_live.is_empty()
        && common.connection.namespace.is_none()
        && new.leaves_namespace_open();
    let manifests = new.manifests(&basis);
    let read = |object: &serde_json::Value| cron_job_of(object, Arc::from("manifest"), &options);
    let question = PlanQuestion {
        controller: &controller,
        now: basis.now,
        coverage: stored.coverage,
        mode: if args.from.is_empty() {
            ApplyMode::Live
        } else {
            ApplyMode::FromManifests
        },
        field_manager: args.field_manager.as_deref(),
        prune: args.prune,
        read: &read,
    };
    let mut plan = plan(&question, &stored.cron_jobs, &manifests);
    if leaves_namespace_open {
        plan.assumptions.push(format!(
            "Manifests without a namespace are applied to the namespace {:?}. -n sets another one.",
            options.namespace
        ));
    }
    if plan.items.is_empty() && complete && !common.global.quiet {
        say_plainly("No CronJobs found.");
    }
    let header = PlanHeader {
        controller: controller_document(&basis),
        now: basis.now,
    };
    write(args, &header, &plan)?;
    Ok(Outcome::of(complete, fails(&args.fail_on, &plan)))
}

/// Connects to the cluster. Where there is none, there may be files.
fn connect(common: &Common) -> anyhow::Result<Session> {
    let session = Session::open(&common.access(), &interrupt::SIGNALS);
    session.map_err(|error| match &error {
        ClusterError::NoCluster { tried } => Diagnostic::new(error.to_string())
            .listing(tried)
            .help(
                "Set --kubeconfig, or compare with files: --from for manifests, --from-live for the \
                 output of kubectl get.",
            )
            .into(),
        _ => error.into(),
    })
}

fn check_stdin(args: &PlanArgs) -> anyhow::Result<()> {
    let paths = [&args.filename, &args.from, &args.from_live];
    let stdin = paths.into_iter().flatten();
    if stdin.filter(|path| *path == Path::new("-")).count() > 1 {
        bail!("- can be given only once: standard input can be read only once");
    }
    Ok(())
}

fn selector(args: &PlanArgs) -> anyhow::Result<LabelSelector> {
    let text = args.selector.as_deref().unwrap_or_default();
    let selector = text.parse().map_err(|error| EvidenceError::Selector {
        flag: "--selector",
        text: text.to_owned(),
        error,
    });
    selector.map_err(explained)
}

fn options(common: &Common, session: Option<&Session>) -> Options {
    let namespace = common.connection.namespace.clone();
    let namespace = namespace.or_else(|| session.map(|session| session.namespace().to_owned()));
    Options {
        namespace: namespace.unwrap_or_else(|| Options::default().namespace),
        keep_objects: true,
        ..Options::default()
    }
}

/// Objects that were read from files.
struct ManifestSet {
    cron_jobs: Vec<LocatedObject<CronJob>>,
    related: RelatedObjects,
    texts: Vec<SourceText>,
    complete: bool,
}

impl ManifestSet {
    fn read(common: &Common, paths: &[PathBuf], recursive: bool, options: &Options) -> Self {
        let Paths {
            inputs,
            unread,
            mut errors,
        } = find(paths, recursive);
        let mut evidence = Evidence::default();
        let mut texts = Vec::new();
        for input in inputs {
            match load(&input) {
                Ok(text) => {
                    errors.extend(evidence.add(&text, options));
                    texts.push(text);
                }
                Err(error) => errors.push(error),
            }
        }
        for error in &errors {
            complain(&error.to_string());
        }
        if !common.global.quiet {
            let unread = unread.iter().map(ToString::to_string);
            let warnings = evidence.warnings.iter().map(ToString::to_string);
            unread.chain(warnings).for_each(|warning| warn(&warning));
        }
        ManifestSet {
            cron_jobs: evidence.cron_jobs,
            related: RelatedObjects {
                jobs: evidence.jobs,
                events: evidence.events,
                pods: evidence.pods,
                quotas: evidence.quotas,
            },
            texts,
            complete: errors.is_empty(),
        }
    }

    /// Leaves those in the namespace that a flag names and with the labels of the selector.
    fn select(&mut self, common: &Common, selector: &LabelSelector) {
        self.cron_jobs.retain(|located| {
            let cron_job = &located.object;
            is_in_namespace(common, cron_job) && selector.matches(&cron_job.labels)
        });
    }

    fn namespaces(&self) -> BTreeSet<String> {
        let cron_jobs = self.cron_jobs.iter();
        cron_jobs
            .map(|located| located.object.namespace.clone())
            .collect()
    }

    /// Whether a manifest leaves open which namespace it is for.
    fn leaves_namespace_open(&self) -> bool {
        self.cron_jobs.iter().any(|located| {
            let whole = located.whole.as_ref();
            whole.is_some_and(|whole| whole.pointer("/metadata/namespace").is_none())
        })
    }

    /// Of two manifests with one name the later one is applied last.
    fn drop_duplicates(&mut self, common: &Common) {
        let mut last = BTreeMap::new();
        for (index, located) in self.cron_jobs.iter().enumerate() {
            let named = (
                located.object.namespace.clone(),
                located.object.name.clone(),
            );
            let Some(earlier) = last.insert(named, index) else {
                continue;
            };
            if let Some(earlier) = self.cron_jobs.get(earlier)
                && !common.global.quiet
            {
                warn(&format!(
                    "{}:{}: cronjob {} is also in {}:{}, which is ignored",
                    located.file,
                    located.place.line,
                    located.object.name,
                    earlier.file,
                    earlier.place.line
                ));
            }
        }
        let kept: BTreeSet<usize> = last.into_values().collect();
        let mut index = 0..;
        self.cron_jobs
            .retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
    }

    /// The CronJobs as they are stored, with what is known about them.
    fn stored(self, basis: &Basis) -> Stored {
        let all = self.cron_jobs.iter().map(|located| &located.object);
        let coverage = Coverage::of_files(all, &self.related, basis.now);
        let (cron_jobs, objects): (Vec<CronJob>, Vec<_>) = self
            .cron_jobs
            .into_iter()
            .map(|located| (located.object, located.whole.unwrap_or_default()))
            .unzip();
        let evidence = evidence_by_cron_job(cron_jobs, self.related).into_iter();
        let cron_jobs = evidence
            .zip(objects)
            .map(|(evidence, object)| StoredCronJob {
                evidence,
                object,
                is_assumed: false,
            });
        Stored {
            cron_jobs: cron_jobs.collect(),
            coverage,
            complete: self.complete,
        }
    }

    fn manifests(self, basis: &Basis) -> Vec<ManifestCronJob> {
        let mut report = lint(basis, &self.texts);
        report.findings.retain(is_rejection);
        let manifests = self.cron_jobs.into_iter().map(|located| ManifestCronJob {
            refused: rejections(&report, &located),
            file: located.file.to_string(),
            line: located.place.line,
            cron_job: located.object,
            object: located.whole.unwrap_or_default(),
        });
        manifests.collect()
    }
}

fn load(input: &Input) -> Result<SourceText, crate::snapshot::SnapshotError> {
    input.load(&mut io::stdin().lock())
}

fn key(cron_job: &CronJob) -> (&str, &str) {
    (&cron_job.namespace, &cron_job.name)
}

fn is_in_namespace(common: &Common, cron_job: &CronJob) -> bool {
    let namespace = common.connection.namespace.as_ref();
    namespace.is_none_or(|namespace| cron_job.namespace == *namespace)
}

/// What is there before the change.
struct Stored {
    cron_jobs: Vec<StoredCronJob>,
    coverage: Coverage,
    /// Whether all of it could be read.
    complete: bool,
}

impl Stored {
    /// Leaves those in the namespace that a flag names and with the labels of the selector, and those that
    /// a manifest names.
    fn select(&mut self, common: &Common, selector: &LabelSelector, new: &ManifestSet) {
        let named = new.cron_jobs.iter().map(|located| key(&located.object));
        let named: BTreeSet<_> = named.collect();
        self.cron_jobs.retain(|stored| {
            let cron_job = &stored.evidence.cron_job;
            is_in_namespace(common, cron_job)
                && (selector.matches(&cron_job.labels) || named.contains(&key(cron_job)))
        });
    }
}

/// What files have before the change.
fn read_stored(common: &Common, args: &PlanArgs, options: &Options, basis: &Basis) -> Stored {
    let paths = if args.from_live.is_empty() {
        &args.from
    } else {
        &args.from_live
    };
    ManifestSet::read(common, paths, args.recursive, options).stored(basis)
}

/// The CronJobs of the namespaces as the cluster has them, with their Jobs.
fn read_cluster(
    common: &Common,
    session: Session,
    basis: Basis,
    namespaces: &BTreeSet<String>,
) -> anyhow::Result<(Basis, Stored)> {
    let mut stored = Stored {
        cron_jobs: Vec::new(),
        coverage: Coverage {
            jobs_read: true,
            events_read: true,
            as_of: basis.now,
        },
        complete: true,
    };
    let mut namespaces = namespaces.iter();
    let Some(first) = namespaces.next() else {
        return Ok((basis, stored));
    };
    let query = EvidenceQuery {
        wanted: ClusterQuery {
            resource: Resource::cron_jobs(),
            namespace: Some(first.clone()),
            names: Vec::new(),
            label_selector: None,
            field_selector: None,
            jobs: true,
            pods: Pods::None,
            page: PAGE,
        },
        all_namespaces: false,
    };
    let opened = common.noting(|notes| Live::open(basis, || Ok(session), query, notes));
    let (mut live, mut basis) = opened?;
    loop {
        let (session, wanted) = (Arc::clone(&live.session), live.wanted.clone());
        let (world, whole) = thread::scope(|scope| {
            let whole = scope.spawn(|| session.whole_cron_jobs(&wanted));
            let world = common.read(&mut live, basis);
            (
                world,
                whole.join().unwrap_or_else(|panic| resume_unwind(panic)),
            )
        });
        let (world, (whole, problems)) = (world?, whole?);
        for problem in &problems {
            complain(problem);
        }
        stored.complete &= world.complete && problems.is_empty();
        stored.add(common, &world, whole);
        basis = world.basis;
        let Some(next) = namespaces.next() else {
            return Ok((basis, stored));
        };
        check_namespace(next)?;
        live = live.of_names(Some(next.clone()), Vec::new());
    }
}

impl Stored {
    /// Adds the CronJobs of a namespace.
    fn add(&mut self, common: &Common, world: &World, whole: Vec<WholeCronJob>) {
        for lack in &world.lacks {
            if lack.what == ResourceKind::Jobs && !common.global.quiet {
                warn(&format!(
                    "cannot list jobs: running and finished Jobs are not shown: {}",
                    lack.reason
                ));
            }
        }
        self.coverage = Coverage {
            jobs_read: self.coverage.jobs_read && world.coverage.jobs_read,
            ..world.coverage
        };
        let known: BTreeMap<_, _> = world
            .cron_jobs
            .iter()
            .map(|one| (key(&one.evidence.cron_job), &one.evidence))
            .collect();
        for WholeCronJob { cron_job, object } in whole {
            let evidence = known.get(&key(&cron_job)).copied();
            let evidence = CronJobEvidence {
                cron_job,
                ..evidence.cloned().unwrap_or_default()
            };
            self.cron_jobs.push(StoredCronJob {
                evidence,
                object,
                is_assumed: false,
            });
        }
    }
}

/// What the API server of the controller's version says about the manifests.
fn lint(basis: &Basis, texts: &[SourceText]) -> LintReport {
    let controller = basis.controller();
    let linter = Linter {
        now: basis.now,
        zones: &*basis.zones,
        local: Arc::clone(&controller.local),
    };
    let settings = Arc::new(LintSettings {
        releases: Releases::one(controller.release),
        ..LintSettings::default()
    });
    let files = texts.iter();
    let files = files.map(|text| linter.read(&text.name, text.text.as_bytes(), &settings));
    linter.finish(files.collect())
}

fn is_rejection(finding: &LintFinding) -> bool {
    finding.lint.source == LintSource::ApiServer && finding.severity == Severity::Error
}

/// Why the API server would reject a manifest.
fn rejections(report: &LintReport, manifest: &LocatedObject<CronJob>) -> Vec<String> {
    let cron_job = &manifest.object;
    let findings = report.findings.iter().filter(|finding| {
        let is_of_it = finding.object.as_ref().is_some_and(|object| {
            object.name.as_deref() == Some(cron_job.name.as_str())
                && object
                    .namespace
                    .as_ref()
                    .is_none_or(|namespace| *namespace == cron_job.namespace)
        });
        is_of_it && finding.file == manifest.file
    });
    findings
        .map(|finding| finding.headline().into_owned())
        .collect()
}

fn write(args: &PlanArgs, header: &PlanHeader, plan: &Plan) -> anyhow::Result<()> {
    let print = |out: &mut dyn Write| match args.output {
        PlanFormat::Text => text(out, header, plan),
        PlanFormat::Markdown => markdown(out, header, plan),
        PlanFormat::Json => output::json(out, &document(header, plan)),
        PlanFormat::Yaml => yaml::write(out, &document(header, plan)),
        PlanFormat::Github => github(out, plan),
    };
    if args.output == PlanFormat::Github {
        let mut out = io::BufWriter::new(stdio::unfiltered_stdout());
        return Ok(print(&mut out).and_then(|()| out.flush())?);
    }
    super::print(print)
}

fn fails(fail_on: &[FailOnEffect], plan: &Plan) -> bool {
    let has = |kind: EffectKind| plan.items.iter().any(|item| item.has(kind));
    !fail_on.contains(&FailOnEffect::Never)
        && fail_on.iter().any(|effect| match effect {
            FailOnEffect::StartsNow => has(EffectKind::StartsNow),
            FailOnEffect::SkipsRuns => has(EffectKind::SkipsRuns),
            FailOnEffect::RemovesRunning => has(EffectKind::RemovesRunning),
            FailOnEffect::Refused => plan.summary.refused > 0,
            FailOnEffect::Never => false,
        })
}
