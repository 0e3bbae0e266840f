//! Decodes objects from documents.

mod objects;

use std::sync::Arc;

use super::error::{FieldError, FieldRemedy, SnapshotError, UnreadObject};
use super::field::{ApiObject, Path};
use super::{
    Evidence, LocatedObject, Options, SnapshotWarning, SourceText, Written, WrittenFields,
};
use crate::document::{self, KUSTOMIZATIONS, Node};
use crate::kinds::{self, ScheduledObject};
use crate::model::WholeObject;

impl Evidence {
    /// Adds the objects of a text, and returns the errors.
    pub fn add(&mut self, source: &SourceText, options: &Options) -> Vec<SnapshotError> {
        let parsed = document::parse(&source.text);
        let file = &source.name;
        // Errors of all stages are in the order of the text.
        let mut errors: Vec<(usize, SnapshotError)> = Vec::new();
        for error in parsed.errors {
            let (file, source) = (Arc::clone(file), error);
            errors.push((source.document, SnapshotError::Document { file, source }));
        }
        for document in parsed.documents {
            let mut reader = ObjectReader {
                evidence: self,
                source,
                options,
                document: document.index,
                errors: Vec::new(),
            };
            reader.read(&document.root, Path::Top, None);
            let found = reader.errors.into_iter();
            errors.extend(found.map(|error| (document.index, error)));
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
    fn read(&mut self, node: &Node, path: Path<'_>, inherited: Option<ObjectType<'_>>) {
        if let Err(error) = self.try_read(node, path, inherited) {
            let (file, object) = (Arc::clone(&self.source.name), describe(node, inherited));
            self.errors.push(SnapshotError::Field {
                file,
                document: self.document,
                object,
                source: Box::new(self.as_written(error)),
            });
        }
    }

    fn try_read(
        &mut self,
        node: &Node,
        path: Path<'_>,
        inherited: Option<ObjectType<'_>>,
    ) -> Result<(), FieldError> {
        let object = ApiObject::new(node, path)?;
        if object.node("kind").is_none() && inherited.is_none() && self.is_kustomization() {
            self.skip("Kustomization".to_owned());
            return Ok(());
        }
        let kind = object
            .rendered("kind")?
            .or(inherited.map(|inherited| inherited.kind))
            .ok_or_else(|| object.missing("kind", "a kind such as CronJob"))?;
        let api_version = object
            .rendered("apiVersion")?
            .or(inherited.map(|inherited| inherited.api_version))
            .ok_or_else(|| object.missing("apiVersion", "an API version such as batch/v1"))?;
        let found = ObjectType { api_version, kind };
        if let Some(kind) = kind.strip_suffix("List")
            && (kind.is_empty() || object.node("items").is_some())
        {
            let items = (!kind.is_empty()).then_some(ObjectType { api_version, kind });
            let path = Path::Field(&path, "items");
            for (index, item) in object.nodes("items")?.iter().enumerate() {
                self.read(item, Path::Index(&path, index), items);
            }
            return Ok(());
        }
        self.keep(&object, found)
    }

    /// Whether the file is one of those in which kustomize expects no kind.
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

    fn keep(&mut self, object: &ApiObject<'_>, found: ObjectType<'_>) -> Result<(), FieldError> {
        let namespace = &self.options.namespace;
        match (found.api_version, found.kind) {
            (version, "CronJob") if self.counts(version) => {
                let cron_job = objects::cron_job(object, version, namespace)?;
                let located = LocatedObject {
                    object: cron_job,
                    file: Arc::clone(&self.source.name),
                    document: self.document,
                    place: object.place(),
                    fields: self.fields(object)?,
                    whole: if self.options.keep_objects {
                        Some(WholeObject::of(&object.whole_json()?))
                    } else {
                        None
                    },
                };
                self.evidence.cron_jobs.push(located);
            }
            ("batch/v1", "Job") => self.evidence.jobs.push(objects::job(object, namespace)?),
            ("v1", "Pod") => self.evidence.pods.push(objects::pod(object, namespace)?),
            ("v1", "ResourceQuota") => {
                let quota = objects::quota(object, namespace)?;
                self.evidence.quotas.push(quota);
            }
            ("v1" | "events.k8s.io/v1" | "events.k8s.io/v1beta1", "Event") => {
                let is_core = found.api_version == "v1";
                let event = objects::event(object, namespace, is_core)?;
                self.evidence.events.push(event);
            }
            (version, kind) => {
                if let Some(known) = kinds::find(version, kind) {
                    let whole = object.whole_json()?;
                    let read = ScheduledObject::of(known, &whole, namespace);
                    self.evidence.scheduled.push(read);
                }
                self.skip(format!("{version} {kind}"));
            }
        }
        Ok(())
    }

    fn skip(&mut self, kind: String) {
        *self.evidence.skipped.entry(kind).or_default() += 1;
    }

    fn counts(&self, api_version: &str) -> bool {
        is_cron_job(api_version) || self.options.cron_job_version.as_deref() == Some(api_version)
    }

    fn fields(&self, object: &ApiObject<'_>) -> Result<WrittenFields, FieldError> {
        let written = |node: &Node| Written {
            place: node.place,
            raw: node.raw(&self.source.text).unwrap_or_default().to_owned(),
        };
        let fields = object.object("spec", |spec| {
            Ok(WrittenFields {
                schedule: spec.node("schedule").map(written),
                time_zone: spec.node("timeZone").map(written),
            })
        })?;
        Ok(fields.unwrap_or_default())
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
