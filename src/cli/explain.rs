//! `explain`: what the controller will do with a CronJob, and why.

use anyhow::bail;

use super::args::{
    BasisArgs, Common, FAIL_ON, FAIL_ON_HELP, FailOn, Selection, format_of, one_word, whole,
};
use super::compared_runs::read_compared_runs;
use super::edits;
use super::kinds::{self, NamedSchedule};
use super::query::{Asked, Query, scope};
use super::recorder::{RecorderArg, recent_reliability};
use super::verb::{Group, VerbSpec};
use super::world::document_header;
use super::{CommandOutcome, is_quiet, print_answer, warn, writes};
use crate::evidence::{Live, Needs, World};
use crate::output::Format;
use crate::output::contexts::ContextAnswers;
use crate::output::each::Each;
use crate::output::explain::{ExplainAnswer, ExplainHeader, Explained};
use cronjob_controller::controller::{Controller, Release, edit_effect};
use cronjob_diagnosis::diagnose::{
    Compared, Explanation, LogTail, Severity, WhatIf, diagnose, verdict_on_change,
};
use kube_model::{CronJob, CronJobEvidence};
use kube_objects::query::PodSelection;

/// Explain what the controller will do with a CronJob, and why
///
/// Shows what happens next, what happened to the last run, what is wrong or risky and how to fix it, and the schedule
/// with the next runs. Use -o wide to show the rest: the checks of the controller, the events that it will record and
/// those that were recorded, pods, which runs were missed and why, and the assumptions.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Explain a CronJob
  kubectl cronjob-doctor explain nightly -n shop

  # Explain the CronJobs of a snapshot
  kubectl get cronjobs,jobs,events,pods -A -o yaml > snapshot.yaml
  kubectl cronjob-doctor explain -f snapshot.yaml

  # Show what happens if it is resumed
  kubectl cronjob-doctor explain nightly --what-if suspend=false

  # Compare Kubernetes versions before an upgrade
  kubectl cronjob-doctor explain nightly --compare 1.20,1.27.1,1.36")]
pub(super) struct ExplainArgs {
    /// Predict as if FIELD had another value
    ///
    /// Predict what happens if FIELD has another value, such as suspend=false. This flag can be repeated.
    #[arg(long = "what-if", value_name = "FIELD=VALUE")]
    changes: Vec<String>,
    /// Compare with other Kubernetes versions
    ///
    /// Compare with what other Kubernetes versions do at the next sync, such as 1.20,1.27.1,1.36. For many CronJobs,
    /// use simulate --compare.
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    compare: Vec<Release>,
    /// Show the last lines of the log of the failed or running pod (default: 10)
    ///
    /// Show the last lines of a log: that of the pod that failed in the last run, or else that of a running pod
    /// (default: 10 lines)
    #[arg(
        long,
        value_name = "LINES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "10",
        value_parser = whole::<u64>(1..=1000),
        conflicts_with = "filename"
    )]
    logs: Option<u64>,
    /// Exit with 1 if a finding is at least this severe
    #[arg(long, value_parser = one_word(FAIL_ON), value_name = "SEVERITY", default_value = "never", hide_default_value = true, long_help = FAIL_ON_HELP)]
    fail_on: FailOn,
    /// Output format. One of: {values}
    #[arg(long, short, value_name = "FORMAT", value_parser = format_of::<ExplainAnswer<'_>>())]
    output: Option<Format>,
    #[command(flatten)]
    pub(super) selection: Selection,
    #[command(flatten)]
    basis: BasisArgs,
    #[command(flatten)]
    recorder: RecorderArg,
}

/// The most logs that are read.
const MOST_LOGS: usize = 20;

pub(super) const SPEC: VerbSpec = VerbSpec {
    predicts_changes: true,
    synonyms: &[
        (
            "explain",
            &["describe", "why", "diagnose", "events", "event"],
        ),
        ("explain --what-if", &["what-if", "whatif"]),
    ],
    ..VerbSpec::query::<ExplainArgs>("explain", Group::Look)
};

impl Query for ExplainArgs {
    type Found = Question;
    type Answer<'a> = ExplainAnswer<'a>;

    scope!(recorder);

    fn needs(&self) -> anyhow::Result<Needs> {
        Ok(Needs {
            predicts_change: !self.changes.is_empty(),
            ..Needs::pods(PodSelection::OfUnsettled)
        })
    }

    fn begin(&self, common: &Common) -> anyhow::Result<Option<CommandOutcome>> {
        edits::check(&self.changes)?;
        let others = kinds::named_objects(&self.selection.cron_jobs.names)?;
        if others.is_empty() {
            return Ok(None);
        }
        explain_others(common, self, &others).map(Some)
    }

    fn find(&self, mut asked: Asked<'_>) -> anyhow::Result<Question> {
        if let Some(live) = &asked.live {
            read_compared_runs(live, &mut asked.world);
        }
        Question::of(self, asked.world, asked.live.as_ref())
    }

    fn answer<'a>(&'a self, questions: &'a ContextAnswers<Question>) -> Option<ExplainAnswer<'a>> {
        Some(ExplainAnswer {
            explained: questions.map(|_, question| question.answer(&self.changes)),
            hints: !is_quiet(),
        })
    }

    fn fails(&self, question: &Question) -> bool {
        self.fail_on
            .is_some_and(|threshold| question.has_finding(threshold))
    }
}

/// Explains objects of other kinds with a schedule.
fn explain_others(
    common: &Common,
    args: &ExplainArgs,
    others: &[NamedSchedule],
) -> anyhow::Result<CommandOutcome> {
    let is_set = [
        ("--what-if", !args.changes.is_empty()),
        ("--compare", !args.compare.is_empty()),
        ("--logs", args.logs.is_some()),
        ("--recorder", args.recorder.is_given()),
        ("-o wide", args.output == Some(Format::Wide)),
    ];
    if let Some((flag, _)) = is_set.iter().find(|(_, is_set)| *is_set) {
        bail!("{flag} only works with CronJobs");
    }
    let found = common.in_each_context(|common| {
        let basis = common.basis(&args.basis)?;
        kinds::explanations(common, &args.selection, basis, others)
    })?;
    print_answer(args.output, &found.map(|_, (explained, _)| explained))?;
    let complete = found.all(|(_, outcome)| *outcome == CommandOutcome::Fine);
    Ok(CommandOutcome::of(complete, false))
}

/// What is asked about the CronJobs of a World.
pub(super) struct Question {
    world: World,
    compared: Vec<Controller>,
    /// The CronJobs as `--what-if` changes them; none without it.
    changed: Vec<CronJob>,
    /// The logs of the first CronJobs, with `--logs`.
    logs: Vec<Vec<LogTail>>,
}

impl Question {
    fn of(args: &ExplainArgs, world: World, live: Option<&Live>) -> anyhow::Result<Self> {
        let changed = if args.changes.is_empty() {
            Vec::new()
        } else {
            let all = world.cron_jobs.iter();
            all.map(|one| edits::apply(&one.evidence.cron_job, &args.changes))
                .collect::<anyhow::Result<_>>()?
        };
        let logs = live.zip(args.logs);
        Ok(Question {
            compared: edits::controllers(&args.compare, &world.basis.controller),
            changed,
            logs: logs.map_or_else(Vec::new, |(live, lines)| first_logs(live, lines, &world)),
            world,
        })
    }

    /// The explanations. `changes` are those of `--what-if`.
    fn answer<'q>(&'q self, changes: &'q [String]) -> Explained<'q> {
        let world = &self.world;
        let explanations = move || {
            let numbered = world.cron_jobs.iter().enumerate();
            numbered.map(move |(number, one)| self.explain(number, &one.evidence, changes))
        };
        Explained {
            header: self.header(),
            lacks: &world.lacks,
            explanations: Each::of(explanations),
            count: world.cron_jobs.len(),
            is_compared: !self.compared.is_empty(),
        }
    }

    /// Whether there is a finding of this severity, or the API server would reject a CronJob.
    fn has_finding(&self, threshold: Severity) -> bool {
        let all = || self.world.cron_jobs.iter().map(|one| &one.evidence);
        all().any(|evidence| writes::is_rejected(&evidence.cron_job, &self.world.basis.controller))
            || all().any(|evidence| {
                let facts = self.world.facts(evidence);
                let findings = diagnose(&facts);
                findings.iter().any(|finding| finding.severity >= threshold)
            })
    }

    fn header(&self) -> ExplainHeader {
        let (world, controller) = (&self.world, &self.world.basis.controller);
        let writes = world.cron_jobs.iter().map(|one| {
            let cron_job = &one.evidence.cron_job;
            let is_from_file = one.places.is_some();
            let changes = writes::changes(cron_job, is_from_file, controller, &self.compared);
            (cron_job.key(), changes)
        });
        let writes = writes.filter(|(_, changes)| !changes.is_empty());
        let rejected = world.cron_jobs.iter().map(|one| &one.evidence.cron_job);
        let rejected = rejected.filter(|cron_job| writes::is_rejected(cron_job, controller));
        let keys = world.cron_jobs.iter();
        let keys = keys.map(|one| one.evidence.cron_job.key());
        let reliability = keys.zip(recent_reliability(world));
        let reliability = reliability.filter_map(|(key, one)| Some((key, one?)));
        ExplainHeader {
            rejected: rejected.map(CronJob::key).collect(),
            writes: writes.collect(),
            reliability: reliability.collect(),
            ..ExplainHeader::new(document_header(&world.basis))
        }
    }

    fn explain<'q>(
        &'q self,
        number: usize,
        evidence: &'q CronJobEvidence,
        changes: &[String],
    ) -> Explanation<'q> {
        let facts = self.world.facts(evidence);
        let (cron_job, now) = (&*facts.input.cron_job, self.world.basis.now);
        let changed = self.changed.get(number);
        let what_if = changed.map(|changed| self.what_if(changed, evidence, changes));
        let jobs = &facts.controller_jobs;
        let others = self.compared.iter();
        let others = others.map(|other| Compared::of(other, cron_job, jobs, now));
        Explanation {
            what_if,
            compared: others.collect(),
            logs: self.logs.get(number).cloned().unwrap_or_default(),
            ..Explanation::of(facts)
        }
    }

    fn what_if(&self, changed: &CronJob, evidence: &CronJobEvidence, changes: &[String]) -> WhatIf {
        let (controller, now) = (&self.world.basis.controller, self.world.basis.now);
        let changed = CronJobEvidence {
            cron_job: changed.clone(),
            ..evidence.clone()
        };
        let facts = self.world.facts(&changed);
        let jobs = &facts.controller_jobs;
        let effect = edit_effect(controller, &evidence.cron_job, &changed.cron_job, jobs, now);
        let facts = match effect.syncs_at {
            Some(at) if at <= now => facts.syncing_now(),
            _ => facts,
        };
        WhatIf {
            changes: changes.to_vec(),
            verdict: verdict_on_change(&evidence.cron_job, &facts, &effect),
            effect,
            decision: facts.decision,
        }
    }
}

/// The last lines of logs, but not of very many.
fn first_logs(live: &Live, lines: u64, world: &World) -> Vec<Vec<LogTail>> {
    let mut left = MOST_LOGS;
    let mut logs = Vec::new();
    for one in &world.cron_jobs {
        let Some(of_one) = live.log_tails(&world.facts(&one.evidence), lines, left) else {
            warn("only the logs of the first CronJobs are shown: select fewer CronJobs");
            break;
        };
        left -= of_one.len();
        logs.push(of_one);
    }
    logs
}
