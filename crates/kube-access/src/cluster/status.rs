//! Reads the `Status` of a rejected request.

use prost::Message as _;
use prost::bytes::Bytes;
use serde_json::Value;

use super::wire;
use super::wire::StatusMessage;
pub(super) use crate::status::Status;

impl Status {
    /// Reads the `Status` in a response. A proxy may respond with a page instead.
    pub(super) fn read(code: u16, body: &Bytes) -> Self {
        let status = wire::open(body)
            .ok()
            .and_then(|raw| StatusMessage::decode(raw).ok())
            .map(Status::from);
        let status = status.or_else(|| of_json(body));
        let mut status = status.unwrap_or_else(|| Status {
            message: first_line(body),
            ..Status::default()
        });
        status.code = code;
        status
    }
}

pub(super) fn of_json(body: &[u8]) -> Option<Status> {
    let object: Value = serde_json::from_slice(body).ok()?;
    let is_status = object.get("kind")?.as_str()? == "Status";
    let status: StatusMessage = is_status.then(|| serde_json::from_value(object).ok())??;
    Some(Status::from(status))
}

impl From<StatusMessage> for Status {
    fn from(status: StatusMessage) -> Self {
        Status {
            code: u16::try_from(status.code).unwrap_or_default(),
            reason: status.reason,
            message: status.message,
            details: status.details.unwrap_or_default(),
            warnings: Vec::new(),
            is_object: true,
            next: status
                .metadata
                .and_then(|list| list.next().map(str::to_owned)),
        }
    }
}

/// The beginning of an unexpected body.
pub(super) fn beginning(body: &[u8]) -> String {
    if std::str::from_utf8(body).is_ok() {
        format!("{:?}", first_line(body))
    } else {
        "binary data".to_owned()
    }
}

/// The title of a page, or else its first line.
fn first_line(body: &[u8]) -> String {
    const ENOUGH: usize = 120;
    let text = String::from_utf8_lossy(body);
    let title = text.split_once("<title>");
    let title = title.and_then(|(_, rest)| Some(rest.split_once("</title>")?.0));
    let mut lines = title.unwrap_or(&text).lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty());
    let plain = line.unwrap_or_default().chars();
    plain.filter(|c| !c.is_control()).take(ENOUGH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_worded_as_by_kubectl() {
        let body = br#"{"kind":"Status","metadata":{"continue":"abc"},"message":"too old","reason":"Expired","code":410}"#;
        let status = Status::read(410, &Bytes::from_static(body));
        assert_eq!(status.next.as_deref(), Some("abc"));
        assert_eq!(status.sentence(), "from server (Expired): too old");
    }

    #[test]
    fn response_without_a_status_is_quoted_by_its_first_line() {
        let status = Status::read(
            503,
            &Bytes::from_static(b"\n<html>\x1b[2J<h1>down</h1>\nmore"),
        );
        assert_eq!(
            status.sentence(),
            "the server responded with 503: <html>[2J<h1>down</h1>"
        );
        assert_eq!(
            Status::read(502, &Bytes::new()).sentence(),
            "the server responded with 502"
        );
    }
}
