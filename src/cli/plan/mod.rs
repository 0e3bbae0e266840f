//! `plan`: what a change of manifests will do, before it is applied.

mod read;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::ValueEnum;
use serde_json::{Value, json};

use super::args::{BasisArgs, Common, format_of, kubectl_help};
use super::world::{document_header, explained, or_else};
use super::{CommandOutcome, hint, interrupt, print_answer};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::evidence::EvidenceError;
use crate::output::Format;
use crate::output::plan::PlanDocument;
use cronjob_diagnosis::diagnose::with_just_started;
use cronjob_diagnosis::plan::{ApplyMode, EffectKind, Plan, PlanQuestion, assume_history, plan};
use cronjob_diagnosis::selector::LabelSelector;
use kube_access::Session;
use kube_model::CronJobEvidence;
use kube_objects::snapshot::cron_job_of;
use read::{ManifestSet, PlanBaseline, options, read_cluster, read_stored};

/// Show what a change of manifests will do before it is applied
///
/// Compares manifests with the CronJobs of a cluster, or with earlier manifests, and predicts what the controller will
/// do because of the change: which run starts immediately, which runs are skipped, which Jobs are deleted.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Show what applying manifests will do in the cluster
  kubectl cronjob-doctor plan -f manifests/

  # Compare with the main branch, without a cluster
  git worktree add ../main main
  kubectl cronjob-doctor plan -R -f manifests/ --from ../main/manifests/

  # Write a comment for a pull request
  kubectl cronjob-doctor plan -f new/ --from old/ -o markdown

  # Fail if a run starts because of the change
  kubectl cronjob-doctor plan -f new/ --from old/ --fail-on refused,starts-now")]
pub(super) struct PlanArgs {
    /// The manifests: files, directories, or - for standard input
    #[arg(long, short, value_name = "FILE|DIR|-", required = true)]
    filename: Vec<PathBuf>,
    /// Compare with earlier manifests, not with a cluster
    ///
    /// Compare with these manifests, which are assumed to be applied, instead of a cluster
    #[arg(long, value_name = "FILE|DIR|-", conflicts_with = "from_live")]
    from: Vec<PathBuf>,
    /// Compare with the output of kubectl get -o yaml
    ///
    /// Compare with the output of "kubectl get cronjobs,jobs -o yaml --show-managed-fields" instead of a cluster
    #[arg(long, value_name = "FILE|DIR|-")]
    from_live: Vec<PathBuf>,
    /// Assume that CronJobs without a manifest are deleted
    ///
    /// Assume that CronJobs which are not in the manifests are deleted, in the namespaces of the manifests
    #[arg(long)]
    prune: bool,
    /// Exit with 1 if the change has one of these effects
    ///
    /// Exit with 1 if the change has one of these effects: starts-now, skips-runs, removes-running, refused, never.
    /// Separate several with commas. (default: refused)
    #[arg(
        long,
        value_name = "EFFECTS",
        value_delimiter = ',',
        default_value = "refused",
        hide_default_value = true
    )]
    fail_on: Vec<FailOnEffect>,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<PlanDocument<'_>>())]
    output: Option<Format>,
    /// Assume server-side apply by this field manager (default: as the objects show)
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "from",
        hide_short_help = true
    )]
    field_manager: Option<String>,
    /// Process the directories in -f and --from recursively
    #[arg(long, short = 'R', help_heading = "Selection")]
    recursive: bool,
    /// Label query to filter on
    #[arg(
        long,
        short = 'l',
        value_name = "SELECTOR",
        help_heading = "Selection",
        long_help = kubectl_help::SELECTOR
    )]
    selector: Option<String>,
    #[command(flatten)]
    basis: BasisArgs,
}

/// What makes a plan fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOnEffect {
    StartsNow,
    SkipsRuns,
    RemovesRunning,
    Refused,
    Never,
}

pub(super) const SPEC: VerbSpec = VerbSpec {
    predicts_changes: true,
    synonyms: &[("plan", &["diff", "apply"])],
    ..VerbSpec::of::<PlanArgs>("plan", Group::Plan)
};

impl Verb for PlanArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        check_stdin(self)?;
        let selector = selector(self)?;
        let basis = common.basis(&self.basis)?;
        let session = if self.from.is_empty() && self.from_live.is_empty() {
            Some(connect(common)?)
        } else {
            None
        };
        let options = options(common, session.as_ref());
        let mut new = ManifestSet::read(&self.filename, self.recursive, &options);
        new.select(common, &selector);
        new.drop_duplicates();
        let PlanBaseline {
            mut stored,
            report,
            basis,
        } = match session {
            None => PlanBaseline {
                stored: read_stored(self, &options, &basis),
                report: new.lint(&basis),
                basis,
            },
            Some(session) => read_cluster(common, session, basis, &new)?,
        };
        stored.select(common, &selector, &new);
        let evidence: Vec<_> = stored.cron_jobs.iter().map(|one| &one.evidence).collect();
        let basis = basis.with_evidence_of(&evidence);
        let controller = &basis.controller;
        for one in &mut stored.cron_jobs {
            let CronJobEvidence { cron_job, jobs, .. } = &mut one.evidence;
            let started = with_just_started(controller, cron_job, jobs, basis.now);
            *cron_job = started.into_owned();
            one.is_assumed = assume_history(controller, cron_job, basis.now);
        }
        let complete = new.complete && stored.complete;
        let leaves_namespace_open = !self.from_live.is_empty()
            && common.connection.namespace().is_none()
            && new.leaves_namespace_open();
        let unread = std::mem::take(&mut new.unread);
        let manifests = new.manifests(report);
        let read =
            |object: &Value| cron_job_of(&essential(object), Arc::from("manifest"), &options);
        let question = PlanQuestion {
            controller,
            now: basis.now,
            coverage: stored.coverage,
            mode: if self.from.is_empty() {
                ApplyMode::Live
            } else {
                ApplyMode::FromManifests
            },
            field_manager: self.field_manager.as_deref(),
            prune: self.prune,
            unread: &unread,
            unread_before: &stored.unread,
            read: &read,
        };
        let mut plan = plan(&question, &stored.cron_jobs, &manifests);
        if leaves_namespace_open {
            plan.assumptions.push(format!(
                "Manifests without a namespace are applied to the namespace {:?}. -n sets another one.",
                options.namespace
            ));
        }
        if plan.items.is_empty() && complete {
            hint("No CronJobs found.");
        }
        let (header, plan) = (&document_header(&basis), &plan);
        print_answer(self.output, &PlanDocument { header, plan })?;
        Ok(CommandOutcome::of(complete, fails(&self.fail_on, plan)))
    }
}

/// Connects to the cluster. Where there is none, there may be files.
fn connect(common: &Common) -> anyhow::Result<Session> {
    let session = Session::open(&common.access(), &interrupt::SIGNALS);
    session.map_err(|error| {
        let help = "Set --kubeconfig, or compare with files: --from for manifests, --from-live for the output of \
                    kubectl get.";
        or_else(error.into(), help)
    })
}

/// An object without what nothing depends on and makes up most of it.
fn essential(object: &Value) -> Value {
    let part = |pointer: &str| object.pointer(pointer).cloned().unwrap_or_default();
    json!({
        "apiVersion": part("/apiVersion"),
        "kind": part("/kind"),
        "metadata": {
            "name": part("/metadata/name"),
            "namespace": part("/metadata/namespace"),
            "labels": part("/metadata/labels"),
        },
        "spec": part("/spec"),
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
