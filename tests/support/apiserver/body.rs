//! What a client sends, in whichever language.

use serde_json::Value;

use super::http::Request;
use super::protobuf;
use super::status::Status;

const KINDS: [&str; 3] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
];

/// The object in a request's body.
pub(crate) fn object(request: &Request) -> Result<Value, Status> {
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind == KINDS[2] {
        return protobuf::decode_envelope(&request.body).ok_or_else(|| {
            Status::bad_request("provided data does not appear to be a protobuf message")
        });
    }
    if !kind.is_empty() && !KINDS.contains(&kind) {
        return Err(Status::unsupported_media_type(&KINDS));
    }
    serde_json::from_slice(&request.body).map_err(|error| {
        Status::bad_request(format!(
            "couldn't get version/kind; json parse error: {error}"
        ))
    })
}
