//! Explanations as a document.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::output::comparison::Comparison;
use crate::output::each::Each;
use crate::output::envelope::{DocumentBody, DocumentHeader, Envelope};
use cronjob_diagnosis::diagnose::Explanation;
use cronjob_diagnosis::history::Reliability;
use cronjob_manifest::validation::WriteChange;
use kube_model::{CronJob, ObjectKey, UnreadResource};

/// What all explanations of one call have in common.
pub(crate) struct ExplainHeader {
    pub common: DocumentHeader,
    /// The manifests that the API server rejects, by namespace and name.
    pub rejected: BTreeSet<ObjectKey>,
    /// What the API servers of the compared versions answer differently for `CronJob`s, by namespace and name.
    pub writes: BTreeMap<ObjectKey, Vec<WriteChange>>,
    /// The reliability of `CronJob`s if a recorder was asked, by namespace and name.
    pub reliability: BTreeMap<ObjectKey, Reliability>,
}

impl ExplainHeader {
    pub(crate) fn new(common: DocumentHeader) -> Self {
        ExplainHeader {
            common,
            rejected: BTreeSet::new(),
            writes: BTreeMap::new(),
            reliability: BTreeMap::new(),
        }
    }

    /// What the API servers of the compared versions answer differently.
    pub(crate) fn writes_of(&self, cron_job: &CronJob) -> &[WriteChange] {
        if self.writes.is_empty() {
            return &[];
        }
        self.writes.get(&cron_job.key()).map_or(&[], Vec::as_slice)
    }
}

/// What the controller will do with each `CronJob`, and why: `explain -o json`.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanations")]
pub struct Explanations<'a> {
    /// The data that could not be read. Whatever depends on it is conditional or unknown.
    lacks: &'a [UnreadResource],
    /// How many `CronJob`s behave the same in all versions; null without `--compare`.
    comparison: Option<Comparison>,
    /// An explanation for each `CronJob`.
    items: Each<'a, ExplanationOf<'a>>,
}

impl DocumentBody for Explanations<'_> {}

/// An explanation, its `CronJob` and its assumptions.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "Explanation")]
#[serde(rename_all = "camelCase")]
struct ExplanationOf<'a> {
    /// The namespace of the `CronJob`.
    namespace: String,
    /// The name of the `CronJob`.
    name: String,
    /// Whether it is in a cluster. A manifest that is not is treated as created now.
    in_cluster: bool,
    #[serde(flatten)]
    header: &'a DocumentHeader,
    /// Whether another version would do something else now, or has other next runs; null without `--compare`.
    differs: Option<bool>,
    /// What the API servers of the newer versions answer differently when the `CronJob` is written. The Job template
    /// is only checked if it is from a file.
    writes: &'a [WriteChange],
    /// How many of the runs of the last 28 days succeeded in time; only with --recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    reliability: Option<&'a Reliability>,
    #[serde(flatten)]
    explanation: Explanation<'a>,
}

impl<'a> ExplanationOf<'a> {
    fn new(header: &'a ExplainHeader, explanation: Explanation<'a>) -> Self {
        let cron_job = &*explanation.facts.input.cron_job;
        ExplanationOf {
            namespace: cron_job.namespace.clone(),
            name: cron_job.name.clone(),
            in_cluster: !cron_job.not_in_cluster,
            header: &header.common,
            differs: (!explanation.compared.is_empty()).then(|| explanation.differs()),
            writes: header.writes_of(cron_job),
            reliability: header.reliability.get(&cron_job.key()),
            explanation,
        }
    }
}

/// The document for all explanations of a call, which are made while they are written.
pub(crate) fn document<'a, 'e: 'a, I: Iterator<Item = Explanation<'e>> + 'a>(
    header: &'a ExplainHeader,
    lacks: &'a [UnreadResource],
    comparison: Option<Comparison>,
    explanations: impl Fn() -> I + 'a,
) -> Envelope<Explanations<'a>> {
    Explanations {
        lacks,
        comparison,
        items: Each::of(move || explanations().map(move |one| ExplanationOf::new(header, one))),
    }
    .into()
}
