//! Reads a cluster or files into an immutable [`World`].
//!
//! The [`Basis`] comes first: the time, the time zones and the controller. [`read_files`] and
//! [`Live`] consume it and return a [`World`], with [`EvidenceNote`]s to print.
//! At a later time, or if objects are read again, there is a new `Basis` or a new `World`.

mod basis;
mod clock_zone;
mod elsewhere;
mod files;
mod judged;
mod live;
mod log_tail;

use cronjob_controller::kinds::{KindSet, ScheduledObject};
use cronjob_diagnosis::diagnose::Facts;
use cronjob_diagnosis::selector::{FieldSelector, LabelSelector, SelectorError};
use cronjob_diagnosis::survey::{Row, rows};
use kube_access::ClusterError;
use kube_model::{Coverage, CronJob, CronJobEvidence, ResourceKind, Texts, UnreadResource};
use kube_objects::query::{ObjectQuery, PodSelection};

pub(crate) use basis::{Basis, FixedValues};
pub(crate) use elsewhere::{JOB, POD};
pub(crate) use files::{Files, read_files};
pub(crate) use judged::ReadWorld;
pub(crate) use live::Live;

/// Everything that answers are computed from. Whatever reads returns a [`ReadWorld`], which becomes a `World` when its
/// CronJobs have been judged together.
pub(crate) struct World {
    pub(crate) basis: Basis,
    /// The selected CronJobs with their evidence.
    pub(crate) cron_jobs: Vec<SelectedCronJob>,
    /// The selected objects of other kinds with a schedule.
    pub(crate) scheduled: Vec<ScheduledObject>,
    pub(crate) coverage: Coverage,
    /// Whether everything that was requested could be read.
    pub(crate) complete: bool,
    /// The requested names that no CronJob has, with the namespace if one was read.
    pub(crate) not_found: Vec<String>,
    /// What could not be read, and why.
    pub(crate) lacks: Vec<UnreadResource>,
    /// The namespace that was read, if it is one.
    pub(crate) namespace: Option<String>,
}

pub(crate) struct SelectedCronJob {
    pub(crate) evidence: CronJobEvidence,
    /// Its positions, if it is from a file.
    pub(crate) places: Option<FieldPlaces>,
}

/// The positions of fields, as `file:line:column`.
#[derive(Clone)]
pub(crate) struct FieldPlaces {
    pub(crate) schedule: String,
    pub(crate) time_zone: String,
}

impl World {
    /// The facts about a CronJob.
    pub(crate) fn facts<'a>(&'a self, evidence: &'a CronJobEvidence) -> Facts<'a> {
        self.basis.facts(evidence, self.coverage)
    }

    /// One CronJob that is neither in a cluster nor in a file.
    pub(crate) fn of_one(basis: Basis, cron_job: CronJob) -> Self {
        World {
            coverage: Coverage::none(basis.now),
            basis,
            cron_jobs: vec![SelectedCronJob {
                evidence: CronJobEvidence {
                    cron_job,
                    ..CronJobEvidence::default()
                },
                places: None,
            }],
            scheduled: Vec::new(),
            complete: true,
            not_found: Vec::new(),
            lacks: Vec::new(),
            namespace: None,
        }
    }

    /// Whether nothing that was requested could be read.
    pub(crate) fn is_void(&self) -> bool {
        self.cron_jobs.is_empty() && !self.complete
    }

    pub(crate) fn into_evidence(self) -> impl Iterator<Item = CronJobEvidence> {
        self.cron_jobs.into_iter().map(|one| one.evidence)
    }

    /// The rows of its CronJobs, which they are made of.
    pub(crate) fn take_rows(&mut self) -> Vec<Row> {
        let evidence = std::mem::take(&mut self.cron_jobs).into_iter();
        let evidence = evidence.map(|one| one.evidence);
        let Basis {
            controller,
            kubectl,
            now,
            ..
        } = &self.basis;
        rows(controller, kubectl, evidence, self.coverage, *now)
    }

    /// How far the evidence reaches into the past. What happened after `--now` is unknown.
    pub(crate) fn reach_of_history(&self) -> Coverage {
        if self.basis.is_now_fixed() {
            Coverage {
                as_of: self.basis.now,
                ..self.coverage
            }
        } else {
            self.coverage
        }
    }

    /// With the CronJobs of another namespace, which were read later.
    fn with(mut self, other: World) -> Self {
        self.basis = other.basis;
        self.cron_jobs.extend(other.cron_jobs);
        self.scheduled.extend(other.scheduled);
        self.complete &= other.complete;
        self.not_found.extend(other.not_found);
        self.lacks.extend(other.lacks);
        self.namespace = None;
        self
    }

    /// Notes what is missing. The selector and `hint` are appended if there are no CronJobs.
    fn note_lacks(
        &self,
        selector: Option<&str>,
        hint: Option<&str>,
        notes: &mut Vec<EvidenceNote>,
    ) {
        notes.extend(self.lacks.iter().map(without));
        if self.cron_jobs.is_empty() && self.scheduled.is_empty() && self.complete {
            let place = self.namespace.as_ref();
            let place = place.map(|namespace| format!(" in namespace {namespace:?}"));
            let selector = selector.map(|selector| format!(" with -l {selector}"));
            let hint = hint.map(|hint| format!("; {hint}"));
            notes.push(EvidenceNote::Info(format!(
                "No CronJobs found{}{}{}.",
                place.unwrap_or_default(),
                selector.unwrap_or_default(),
                hint.unwrap_or_default()
            )));
        }
    }
}

/// What the answers do not show because it could not be read.
fn without(lack: &UnreadResource) -> EvidenceNote {
    let consequence = match lack.what {
        ResourceKind::Jobs => "running, failed and late runs are not shown",
        ResourceKind::Events => "events recorded by the controller are not shown",
        ResourceKind::Pods => "the causes of stuck and failed Jobs are not shown",
    };
    EvidenceNote::Warning(format!("{consequence}: {}", lack.short_reason()))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EvidenceNote {
    /// Something that was requested is missing.
    Error(String),
    Warning(String),
    Info(String),
}

/// Which CronJobs are wanted, and what is read about each.
pub(crate) struct EvidenceQuery {
    /// Its namespace is that of the flag, even if all are selected: files have objects without a
    /// namespace.
    pub(crate) wanted: ObjectQuery,
    pub(crate) all_namespaces: bool,
    pub(crate) needs: Needs,
}

/// What to read about the CronJobs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    /// Jobs, and the events about CronJobs and Jobs.
    pub(crate) jobs: bool,
    /// Pods of Jobs, with the events about them, and quotas.
    pub(crate) pods: PodSelection,
    /// Other kinds with a schedule.
    pub(crate) kinds: KindSet,
    /// Whether a change is predicted, so that it must be known whether the controller is down.
    pub(crate) predicts_change: bool,
    /// Whether past runs are shown, so that it must be known whether the controller was down.
    pub(crate) shows_runs: bool,
}

impl Needs {
    pub(crate) const JOBS: Needs = Needs {
        jobs: true,
        pods: PodSelection::None,
        kinds: KindSet::NONE,
        predicts_change: false,
        shows_runs: false,
    };
    pub(crate) fn with_kinds(self, kinds: KindSet) -> Self {
        Needs { kinds, ..self }
    }

    pub(crate) fn with_runs(self) -> Self {
        Needs {
            shows_runs: true,
            ..self
        }
    }

    /// Jobs with some of their pods.
    pub(crate) fn pods(pods: PodSelection) -> Self {
        Needs {
            pods,
            ..Needs::JOBS
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum EvidenceError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error("cannot get the version of the API server")]
    Version(#[source] ClusterError),
    #[error("{flag}: {error}")]
    Selector {
        flag: &'static str,
        text: String,
        error: SelectorError,
    },
}

struct Selectors {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selectors {
    /// Parses both. A missing selector selects everything.
    fn of(wanted: &ObjectQuery) -> Result<Self, EvidenceError> {
        let labels = wanted.label_selector.as_deref().unwrap_or_default();
        let fields = wanted.field_selector.as_deref().unwrap_or_default();
        let wrong = |flag, text: &str, error| EvidenceError::Selector {
            flag,
            text: text.to_owned(),
            error,
        };
        Ok(Selectors {
            labels: labels
                .parse()
                .map_err(|error| wrong("--selector", labels, error))?,
            fields: fields
                .parse()
                .map_err(|error| wrong("--field-selector", fields, error))?,
        })
    }

    fn choose(&self, cron_job: &CronJob) -> bool {
        self.choose_named(&cron_job.labels, &cron_job.namespace, &cron_job.name)
    }

    fn choose_named(&self, labels: &Texts, namespace: &str, name: &str) -> bool {
        self.labels.matches(labels) && self.fields.matches(namespace, name)
    }
}
