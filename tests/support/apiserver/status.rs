//! `Status`, the response of the API to a request that it rejects.

use serde_json::{Value, json};

use super::resources::Resource;

/// The object that the client receives.
#[derive(Clone, Debug)]
pub(crate) struct Status(Value);

impl Status {
    pub(crate) fn new(code: u16, reason: &str, message: impl Into<String>) -> Status {
        Status(json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message.into(),
            "reason": reason,
            "code": code,
        }))
    }

    /// Names an object in the details. What is empty is left out.
    pub(crate) fn about(self, resource: &Resource, name: &str) -> Status {
        let kind = resource.plural.as_str();
        let pairs = [("name", name), ("group", &resource.group), ("kind", kind)];
        let present = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        self.with_details(present.collect())
    }

    pub(crate) fn with_details(mut self, details: Value) -> Status {
        self.0["details"] = details;
        self
    }

    /// The token with which the client can continue, at the price of an inconsistent list.
    pub(crate) fn with_continue(mut self, token: &str) -> Status {
        self.0["metadata"]["continue"] = json!(token);
        self
    }

    pub(crate) fn code(&self) -> u16 {
        self.0["code"].as_u64().unwrap().try_into().unwrap()
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Status {
        Status::new(400, "BadRequest", message)
    }

    pub(crate) fn not_found(resource: &Resource, name: &str) -> Status {
        let message = format!("{} {name:?} not found", resource.full_name());
        Status::new(404, "NotFound", message).about(resource, name)
    }

    pub(crate) fn already_exists(resource: &Resource, name: &str) -> Status {
        let message = format!("{} {name:?} already exists", resource.full_name());
        Status::new(409, "AlreadyExists", message).about(resource, name)
    }

    pub(crate) fn conflict(resource: &Resource, name: &str, why: &str) -> Status {
        let full = resource.full_name();
        let message = format!("Operation cannot be fulfilled on {full} {name:?}: {why}");
        Status::new(409, "Conflict", message).about(resource, name)
    }

    /// The rejection by a policy, a quota or a webhook; a policy names itself as the cause, without a field.
    pub(crate) fn denied(code: u16, reason: &str, message: &str, cause: Option<&str>) -> Status {
        let status = Status::new(code, reason, message);
        match cause {
            Some(cause) => status.with_details(json!({"causes": [{"message": cause}]})),
            None => status,
        }
    }

    /// The usual rejection with a code.
    pub(crate) fn of_code(code: u16) -> Status {
        const TEST: &str = "the test wanted it so";
        let (reason, message) = match code {
            401 => ("Unauthorized", "Unauthorized"),
            404 => (
                "NotFound",
                "the server could not find the requested resource",
            ),
            405 => (
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource",
            ),
            415 => (
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: application/merge-patch+json",
            ),
            500 => {
                let message = format!("Internal error occurred: {TEST}");
                return Status::denied(code, "InternalError", &message, Some(TEST));
            }
            503 => (
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            _ => ("Unknown", TEST),
        };
        let status = Status::new(code, reason, message);
        match code {
            404 | 405 => status.with_details(json!({})),
            _ => status,
        }
    }
}
