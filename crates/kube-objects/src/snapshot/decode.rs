//! Decodes objects from documents.

use std::sync::Arc;

use super::error::{SnapshotError, UnreadObject};
use super::{
    Evidence, LocatedObject, Options, SnapshotWarning, SourceText, Written, WrittenFields,
};
use crate::fields::{FieldError, FieldRemedy, Step, TreeSource};
use cronjob_controller::kinds::{self, ScheduledObject};
use kube_model::{ConfigMap, CronJob, Job, WholeObject, template_fingerprint};
use located_yaml::{self, KUSTOMIZATIONS, Node};

impl Evidence {
    /// Adds the objects of a text, and returns the errors.
    pub fn add(&mut self, source: &SourceText, options: &Options) -> Vec<SnapshotError> {
        let parsed = located_yaml::parse(&source.text);
        let file = &source.name;
        // Errors of all stages are in the order of the text.
        let mut errors: Vec<(usize, SnapshotError)> = Vec::new();
        for error in parsed.errors {
            let (file, source) = (Arc::clone(file), error);
            errors.push((source.document, SnapshotError::Document { file, source }));
        }
        for document in parsed.documents {
            let found = self.add_node(source, options, document.index, &document.root);
            errors.extend(found.into_iter().map(|error| (document.index, error)));
            let warnings = document
                .problems
                .into_iter()
                .map(|problem| SnapshotWarning {
                    file: Arc::clone(file),
                    document: document.index,
                    problem,
                });
            self.warnings.extend(warnings);
        }
        errors.sort_by_key(|(document, _)| *document);
        errors.into_iter().map(|(_, error)| error).collect()
    }

    /// Adds an object, or those of a list, of a document of a text.
    pub fn add_node(
        &mut self,
        source: &SourceText,
        options: &Options,
        document: usize,
        node: &Node,
    ) -> Vec<SnapshotError> {
        let mut reader = ObjectReader {
            evidence: self,
            source,
            options,
            document,
            errors: Vec::new(),
        };
        reader.read(&mut TreeSource::new(node, &options.namespace), None);
        reader.errors
    }
}

#[derive(Debug, Clone, Copy)]
struct ObjectType<'t> {
    api_version: &'t str,
    kind: &'t str,
}

struct ObjectReader<'r> {
    evidence: &'r mut Evidence,
    source: &'r SourceText,
    options: &'r Options,
    document: usize,
    errors: Vec<SnapshotError>,
}

impl ObjectReader<'_> {
    /// Decodes an object or a List. The items of a typed List need no kind.
    fn read<'n>(&mut self, tree: &mut TreeSource<'n>, inherited: Option<ObjectType<'n>>) {
        self.try_read(tree, inherited);
        for error in tree.take_errors() {
            let source = Box::new(self.as_written(error));
            self.errors.push(SnapshotError::Field {
                file: Arc::clone(&self.source.name),
                document: self.document,
                object: describe(tree.node(), inherited),
                source,
            });
        }
    }

    /// Decodes an object or a List, without its errors. There is nothing more to read if the type is unknown.
    fn try_read<'n>(
        &mut self,
        tree: &mut TreeSource<'n>,
        inherited: Option<ObjectType<'n>>,
    ) -> Option<()> {
        if tree.node().as_mapping().is_none() {
            tree.wrong("an object");
            return None;
        }
        let has_type = tree.get("kind").is_some() && tree.get("apiVersion").is_some();
        if !has_type && inherited.is_none() && self.is_kustomization() {
            self.skip("Kustomization".to_owned());
            return None;
        }
        let (kind, api_version) = inherited.map(|one| (one.kind, one.api_version)).unzip();
        let kind = tree.type_text("kind", "a kind such as CronJob", kind)?;
        let expected = "an API version such as batch/v1";
        let api_version = tree.type_text("apiVersion", expected, api_version)?;
        if let Some(kind) = kind.strip_suffix("List")
            && (kind.is_empty() || tree.get("items").is_some())
        {
            let item = (!kind.is_empty()).then_some(ObjectType { api_version, kind });
            let items = tree.get("items")?;
            tree.within(Step::Field("items"), items, |items| {
                items.each(|tree| self.read(tree, item));
            });
            return None;
        }
        self.keep(tree, ObjectType { api_version, kind })
    }

    /// Whether the file is one of those in which kustomize expects neither a kind nor an API version.
    fn is_kustomization(&self) -> bool {
        let name = self.source.name.rsplit(['/', '\\']).next();
        name.is_some_and(|name| KUSTOMIZATIONS.contains(&name))
    }

    /// Adds the original text: `found false` does not explain `n`.
    fn as_written(&self, mut error: FieldError) -> FieldError {
        let raw = error.place.span.slice(&self.source.text);
        if let Some(raw) =
            raw.filter(|raw| error.remedy == FieldRemedy::Quote && *raw != error.found)
        {
            error.found = format!("{} (written `{raw}`)", error.found);
        }
        error
    }

    fn keep(&mut self, tree: &mut TreeSource<'_>, found: ObjectType<'_>) -> Option<()> {
        let version = found.api_version;
        match (version, found.kind) {
            (_, "CronJob") if self.counts(version) => {
                let mut object: CronJob = tree.read(version)?;
                if self.options.keep_objects {
                    object.whole = Some(WholeObject::of(&tree.whole_json()?));
                }
                self.evidence.cron_jobs.push(LocatedObject {
                    object,
                    file: Arc::clone(&self.source.name),
                    document: self.document,
                    place: tree.node().place,
                    fields: self.fields(tree.node()),
                });
            }
            ("batch/v1", "Job") => {
                let mut job: Job = tree.read(version)?;
                let spec = tree.node().get("spec").and_then(|spec| spec.to_json().ok());
                job.template = spec.as_ref().and_then(template_fingerprint);
                if self.options.keep_objects {
                    job.whole = Some(WholeObject::of(&tree.whole_json()?));
                }
                self.evidence.jobs.push(job);
            }
            ("v1", "Pod") => self.evidence.pods.push(tree.read(version)?),
            ("v1", "Node") => self.evidence.nodes.push(tree.read(version)?),
            ("v1", "ResourceQuota") => self.evidence.quotas.push(tree.read(version)?),
            ("v1" | "events.k8s.io/v1" | "events.k8s.io/v1beta1", "Event") => {
                self.evidence.events.push(tree.read(version)?);
            }
            ("v1", "ConfigMap") => {
                if self.options.keep_objects {
                    let metadata = tree.node().get("metadata");
                    let metadata = metadata.and_then(|metadata| metadata.to_json().ok());
                    let namespace = &self.options.namespace;
                    let read = |metadata| ConfigMap::of_metadata(&metadata, namespace);
                    self.evidence.config_maps.extend(metadata.and_then(read));
                }
                self.skip(format!("{version} ConfigMap"));
            }
            (_, kind) => {
                if let Some(known) = kinds::find(version, kind) {
                    let whole = tree.whole_json()?;
                    let read = ScheduledObject::of(known, &whole, &self.options.namespace);
                    self.evidence.scheduled.push(read);
                }
                self.skip(format!("{version} {kind}"));
            }
        }
        Some(())
    }

    fn skip(&mut self, kind: String) {
        *self.evidence.skipped.entry(kind).or_default() += 1;
    }

    fn counts(&self, api_version: &str) -> bool {
        is_cron_job(api_version) || self.options.cron_job_version.as_deref() == Some(api_version)
    }

    fn fields(&self, object: &Node) -> WrittenFields {
        let written = |name| {
            let node = object.get("spec")?.get(name)?;
            (!node.is_null()).then(|| Written {
                place: node.place,
                raw: node.raw(&self.source.text).unwrap_or_default().to_owned(),
            })
        };
        WrittenFields {
            schedule: written("schedule"),
            time_zone: written("timeZone"),
        }
    }
}

/// The API versions with `CronJob`s, and that of the Kubebuilder Book.
fn is_cron_job(api_version: &str) -> bool {
    matches!(api_version, "batch/v1" | "batch/v1beta1" | "batch/v2alpha1")
        || api_version.starts_with("batch.tutorial.kubebuilder.io/")
}

/// The name of an object for an error, if it can be read.
fn describe(node: &Node, inherited: Option<ObjectType<'_>>) -> Option<Box<UnreadObject>> {
    let kind = node.get("kind").and_then(Node::as_str);
    let kind = kind.or(inherited.map(|inherited| inherited.kind))?;
    let metadata = node.get("metadata")?;
    let text = |field: &str| metadata.get(field)?.as_str().map(str::to_owned);
    Some(Box::new(UnreadObject {
        kind: kind.to_owned(),
        namespace: text("namespace"),
        name: text("name")?,
    }))
}
