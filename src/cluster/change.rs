//! Objects are made and changed: as JSON, untouched, since a typed form would drop the fields that
//! are newer than its types.

use http::Method;
use prost::bytes::Bytes;
use serde_json::Value;

use super::ask::{Ask, JSON};
use super::error::ClusterError;
use super::resource::{Resource, check_namespace, with_parameters};
use super::session::Session;
use super::status::beginning;
use super::transport::Response;

const MERGE_PATCH: &str = "application/merge-patch+json";

/// An object of the cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    /// Of which resource.
    pub resource: &'a Resource,
    /// In which namespace.
    pub namespace: &'a str,
    /// Of which name.
    pub name: &'a str,
}

/// How a change is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner<'a> {
    /// Whether the server only does as if.
    pub dry_run: bool,
    /// Who is noted down as the owner of the fields.
    pub field_manager: &'a str,
}

/// What the server has stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stored {
    /// The object, as it is now.
    pub object: Value,
    /// What the server warns of.
    pub warnings: Vec<String>,
}

impl Session {
    /// An object as the server has it.
    pub(crate) fn object(&self, target: Target<'_>) -> Result<Value, ClusterError> {
        let uri = target.path(None);
        let answer = self.wait(self.transport.get(&uri, JSON))?;
        self.read_object(&Ask::read(&uri, JSON), &answer, Some(target.name))
    }

    /// Makes an object.
    pub(crate) fn create(
        &self,
        resource: &Resource,
        namespace: &str,
        object: &Value,
        manner: Manner<'_>,
    ) -> Result<Stored, ClusterError> {
        let uri = manner.with(&resource.path(Some(namespace)));
        let ask = Ask::change(Method::POST, &uri, JSON, written(object));
        self.change(&ask, name_of(object))
    }

    /// Asks whether the server would make an object, and what it would warn of. It is as strict as
    /// kubectl asks it to be: fields that it does not know are refused. That there is one of the
    /// name already is found out when all else is well, and so means a yes.
    pub(crate) fn would_create(
        &self,
        resource: &Resource,
        namespace: &str,
        object: &Value,
    ) -> Result<Vec<String>, ClusterError> {
        let parameters = [
            ("dryRun", Some("All")),
            ("fieldManager", Some("kubectl-cronjob-doctor")),
            ("fieldValidation", Some("Strict")),
        ];
        check_namespace(namespace)?;
        let uri = with_parameters(&resource.path(Some(namespace)), &parameters);
        let ask = Ask::question(&uri, written(object));
        match self.wait(self.transport.change(&ask)) {
            Ok(answer) => {
                self.read_object(&ask, &answer, name_of(object))?;
                Ok(answer.warnings)
            }
            Err(ClusterError::Refused { status }) if status.says_it_exists() => Ok(status.warnings),
            Err(error) => Err(error),
        }
    }

    /// Changes an object, or its subresource, by a merge patch. A `metadata.resourceVersion` in it
    /// lets it fail where the object is another one by now.
    pub(crate) fn patch(
        &self,
        target: Target<'_>,
        subresource: Option<&str>,
        patch: &Value,
        manner: Manner<'_>,
    ) -> Result<Stored, ClusterError> {
        let uri = manner.with(&target.path(subresource));
        let ask = Ask::change(Method::PATCH, &uri, MERGE_PATCH, written(patch));
        self.change(&ask, Some(target.name))
    }

    fn change(&self, ask: &Ask<'_>, name: Option<&str>) -> Result<Stored, ClusterError> {
        let answer = self.wait(self.transport.change(ask))?;
        Ok(Stored {
            object: self.read_object(ask, &answer, name)?,
            warnings: answer.warnings,
        })
    }

    /// Reads the object of that name; the server chooses one if there is none. Something else on the
    /// way may have answered, with a page to log in for example.
    fn read_object(
        &self,
        ask: &Ask<'_>,
        answer: &Response,
        name: Option<&str>,
    ) -> Result<Value, ClusterError> {
        let object: Option<Value> = serde_json::from_slice(&answer.body).ok();
        let is_it = |object: &Value| {
            let found = name_of(object);
            found.is_some() && name.is_none_or(|name| found == Some(name))
        };
        object.filter(is_it).ok_or_else(|| {
            let what = name.map_or_else(String::new, |name| format!(" {name:?}"));
            let found = beginning(&answer.body);
            let why = format!("expected the object{what}, found {found}");
            self.transport.strange(&ask.name(), why)
        })
    }
}

impl Target<'_> {
    fn path(&self, subresource: Option<&str>) -> String {
        let path = self.resource.object_path(self.namespace, self.name);
        match subresource {
            Some(subresource) => format!("{path}/{subresource}"),
            None => path,
        }
    }
}

impl Manner<'_> {
    fn with(&self, path: &str) -> String {
        let parameters = [
            ("dryRun", self.dry_run.then_some("All")),
            ("fieldManager", Some(self.field_manager)),
        ];
        with_parameters(path, &parameters)
    }
}

fn name_of(object: &Value) -> Option<&str> {
    object.pointer("/metadata/name").and_then(Value::as_str)
}

fn written(object: &Value) -> Bytes {
    Bytes::from(object.to_string())
}
