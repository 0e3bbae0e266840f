//! Creates and changes objects as untyped JSON: types would drop fields that are newer than they
//! are.

use http::Method;
use prost::bytes::Bytes;
use serde_json::{Value, json};

use super::api_request::{ApiRequest, JSON};
use super::error::ClusterError;
use super::resource::{object_path, path_of, with_parameters};
use super::session::Session;
use super::status::beginning;
use super::transport::Response;
use crate::access::check_namespace;
use kube_model::{CronJob, FIELD_MANAGER};
use kube_objects::query::Resource;

const MERGE_PATCH: &str = "application/merge-patch+json";

/// The object of a change.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub resource: &'a Resource,
    pub namespace: &'a str,
    pub name: &'a str,
}

/// How a change is sent.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    /// Whether it is a server-side dry run.
    pub dry_run: bool,
    pub field_manager: &'a str,
}

/// The object after a change, as the API server returned it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub object: Value,
    pub warnings: Vec<String>,
}

impl Session {
    pub fn object(&self, target: Target<'_>) -> Result<Value, ClusterError> {
        self.object_as(target, JSON)
    }

    pub(super) fn object_as(
        &self,
        target: Target<'_>,
        accept: &str,
    ) -> Result<Value, ClusterError> {
        let uri = target.path(None);
        let answer = self.wait(self.transport.get(&uri, accept))?;
        self.read_object(&ApiRequest::read(&uri, accept), &answer, Some(target.name))
    }

    /// Creates an object. It may be stored under another name than the one that was asked for.
    pub fn create(
        &self,
        resource: &Resource,
        namespace: &str,
        object: &Value,
        manner: Manner<'_>,
    ) -> Result<Stored, ClusterError> {
        let uri = manner.with(&path_of(resource, Some(namespace)));
        let api_request = ApiRequest::change(Method::POST, &uri, JSON, written(object));
        self.change(&api_request, None)
    }

    /// Creates an object as a dry run, and returns the warnings. As with kubectl, unknown fields are
    /// rejected. The server checks last whether the name is taken, so that `AlreadyExists` means that
    /// everything else is valid.
    pub fn would_create(
        &self,
        resource: &Resource,
        namespace: &str,
        object: &Value,
    ) -> Result<Vec<String>, ClusterError> {
        let parameters = [
            ("dryRun", Some("All")),
            ("fieldManager", Some(FIELD_MANAGER)),
            ("fieldValidation", Some("Strict")),
        ];
        check_namespace(namespace)?;
        let uri = with_parameters(&path_of(resource, Some(namespace)), &parameters);
        let api_request = ApiRequest::question(&uri, written(object));
        match self.wait(self.transport.send(&api_request)) {
            Ok(answer) => {
                self.read_object(&api_request, &answer, name_of(object))?;
                Ok(answer.warnings)
            }
            Err(ClusterError::Refused { status }) if status.says_it_exists() => Ok(status.warnings),
            Err(error) => Err(error),
        }
    }

    /// Changes an object or its subresource with a merge patch. With a `metadata.resourceVersion` it
    /// fails if the object was changed in the meantime.
    pub fn patch(
        &self,
        target: Target<'_>,
        subresource: Option<&str>,
        patch: &Value,
        manner: Manner<'_>,
    ) -> Result<Stored, ClusterError> {
        let uri = manner.with(&target.path(subresource));
        let api_request = ApiRequest::change(Method::PATCH, &uri, MERGE_PATCH, written(patch));
        self.change(&api_request, Some(target.name))
    }

    /// Deletes the object of that uid; its dependents are deleted in the background, as with kubectl.
    pub fn delete(&self, target: Target<'_>, uid: &str) -> Result<(), ClusterError> {
        let uri = target.path(None);
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid},
        });
        let api_request = ApiRequest::change(Method::DELETE, &uri, JSON, written(&options));
        let answer = self.wait(self.transport.send(&api_request))?;
        let object: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if object.get("kind") == Some(&json!("Status")) {
            return Ok(());
        }
        self.read_object(&api_request, &answer, Some(target.name))?;
        Ok(())
    }

    fn change(
        &self,
        api_request: &ApiRequest<'_>,
        name: Option<&str>,
    ) -> Result<Stored, ClusterError> {
        let answer = self.wait(self.transport.send(api_request))?;
        Ok(Stored {
            object: self.read_object(api_request, &answer, name)?,
            warnings: answer.warnings,
        })
    }

    /// Checks that the response is the object of that name; without a name, the server generated one.
    /// A proxy may have answered instead, for example with a login page.
    fn read_object(
        &self,
        api_request: &ApiRequest<'_>,
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
            self.transport.strange(&api_request.name(), why)
        })
    }
}

impl<'a> Target<'a> {
    pub fn of(resource: &'a Resource, cron_job: &'a CronJob) -> Self {
        Target {
            resource,
            namespace: &cron_job.namespace,
            name: &cron_job.name,
        }
    }

    fn path(&self, subresource: Option<&str>) -> String {
        let path = object_path(self.resource, self.namespace, self.name);
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
