//! `Status`, the API's way of saying no.

use serde_json::{Value, json};

use super::resources::Resource;

/// A refusal on its way to the client.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) code: u16,
    continue_token: Option<String>,
    message: String,
    reason: String,
    details: Option<Box<Value>>,
}

impl Status {
    pub(crate) fn new(code: u16, reason: &str, message: impl Into<String>) -> Status {
        Status {
            code,
            continue_token: None,
            message: message.into(),
            reason: reason.to_owned(),
            details: None,
        }
    }

    fn of(mut self, resource: &Resource, name: &str) -> Status {
        self.details = Some(Box::new(details(name, &resource.group, &resource.plural)));
        self
    }

    fn with_details(mut self, details: Value) -> Status {
        self.details = Some(Box::new(details));
        self
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Status {
        Status::new(400, "BadRequest", message)
    }

    pub(crate) fn unauthorized() -> Status {
        Status::new(401, "Unauthorized", "Unauthorized")
    }

    /// `what` is who may not do what where; group and resource are empty for a plain path.
    pub(crate) fn forbidden(group: &str, resource: &str, name: &str, what: &str) -> Status {
        let full = if group.is_empty() {
            resource.to_owned()
        } else {
            format!("{resource}.{group}")
        };
        let message = match (resource, name) {
            ("", _) => format!("forbidden: {what}"),
            (_, "") => format!("{full} is forbidden: {what}"),
            _ => format!("{full} {name:?} is forbidden: {what}"),
        };
        Status::new(403, "Forbidden", message).with_details(details(name, group, resource))
    }

    pub(crate) fn not_found(resource: &Resource, name: &str) -> Status {
        let message = format!("{} {name:?} not found", resource.full_name());
        Status::new(404, "NotFound", message).of(resource, name)
    }

    pub(crate) fn namespace_not_found(name: &str) -> Status {
        let message = format!("namespaces {name:?} not found");
        Status::new(404, "NotFound", message).with_details(details(name, "", "namespaces"))
    }

    pub(crate) fn unknown_resource() -> Status {
        let message = "the server could not find the requested resource";
        Status::new(404, "NotFound", message).with_details(json!({}))
    }

    pub(crate) fn method_not_allowed() -> Status {
        let message = "the server does not allow this method on the requested resource";
        Status::new(405, "MethodNotAllowed", message).with_details(json!({}))
    }

    pub(crate) fn already_exists(resource: &Resource, name: &str) -> Status {
        let message = format!("{} {name:?} already exists", resource.full_name());
        Status::new(409, "AlreadyExists", message).of(resource, name)
    }

    pub(crate) fn conflict(resource: &Resource, name: &str, why: &str) -> Status {
        let full = resource.full_name();
        let message = format!("Operation cannot be fulfilled on {full} {name:?}: {why}");
        Status::new(409, "Conflict", message).of(resource, name)
    }

    /// The token with which the client may continue, at the price of an inconsistent list.
    pub(crate) fn with_continue(mut self, token: String) -> Status {
        self.continue_token = Some(token);
        self
    }

    pub(crate) fn unsupported_media_type(accepted: &str) -> Status {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Status::new(415, "UnsupportedMediaType", message)
    }

    /// What a policy, a quota or a webhook says; a policy names itself as the cause, without a field.
    pub(crate) fn denied(code: u16, reason: &str, message: &str, cause: Option<&str>) -> Status {
        let status = Status::new(code, reason, message);
        match cause {
            Some(cause) => status.with_details(json!({"causes": [{"message": cause}]})),
            None => status,
        }
    }

    pub(crate) fn internal_error(why: &str) -> Status {
        Status::new(
            500,
            "InternalError",
            format!("Internal error occurred: {why}"),
        )
        .with_details(json!({"causes": [{"message": why}]}))
    }

    /// A refusal with the usual words for its code.
    pub(crate) fn of_code(code: u16) -> Status {
        match code {
            401 => Status::unauthorized(),
            404 => Status::unknown_resource(),
            405 => Status::method_not_allowed(),
            500 => Status::internal_error("the test wanted it so"),
            503 => Status::new(
                503,
                "ServiceUnavailable",
                "the server is currently unable to handle the request",
            ),
            other => Status::new(other, "Unknown", "the test wanted it so"),
        }
    }

    /// The object that the client gets.
    pub(crate) fn value(&self) -> Value {
        let mut metadata = json!({});
        if let Some(token) = &self.continue_token {
            metadata["continue"] = json!(token);
        }
        let mut value = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": metadata,
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        });
        if let Some(details) = &self.details {
            value["details"] = details.as_ref().clone();
        }
        value["code"] = json!(self.code);
        value
    }
}

/// Empty ones are left out.
fn details(name: &str, group: &str, kind: &str) -> Value {
    let pairs = [("name", name), ("group", group), ("kind", kind)];
    let present = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    present.collect()
}
