//! The tokens with which a list goes on, as the API server makes them.

use serde_json::{Value, json};

use super::base64;
use super::status::Status;

/// Where a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The revision of the list; `None` to go on with whatever there is by now.
    pub(crate) revision: Option<u64>,
    /// The first key that may follow, without the prefix that all keys of the list have.
    pub(crate) start: String,
}

impl Token {
    /// The token for what follows after `key`.
    pub(crate) fn after(key: &str, revision: u64) -> Token {
        Token {
            revision: Some(revision),
            start: format!("{key}\0"),
        }
    }

    pub(crate) fn encode(&self) -> String {
        let revision = match self.revision {
            Some(revision) => json!(revision),
            None => json!(-1),
        };
        let token = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": self.start});
        base64::encode_for_url(token.to_string().as_bytes())
    }

    pub(crate) fn decode(text: &str) -> Result<Token, Status> {
        let bytes = base64::decode_from_url(text)
            .map_err(|place| refused(&format!("illegal base64 data at input byte {place}")))?;
        let token = parse(&bytes)?;
        if token["v"] != "meta.k8s.io/v1" {
            let version = token["v"].as_str().unwrap_or_default();
            return Err(invalid(&format!(
                "continue key is not valid: server does not recognize this encoded version {version}"
            )));
        }
        let start = token["start"].as_str().unwrap_or_default();
        if token["rv"].as_i64().unwrap_or(0) == 0 {
            return Err(refused(
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ));
        }
        if start.is_empty() {
            return Err(refused("encoded start key empty (version meta.k8s.io/v1)"));
        }
        if start.split('/').any(|part| matches!(part, "." | ".." | "")) {
            return Err(refused(start));
        }
        Ok(Token {
            revision: token["rv"].as_u64(),
            start: start.to_owned(),
        })
    }
}

/// The complaints are those of Go's decoder, as far as tokens that people make up meet them.
fn parse(bytes: &[u8]) -> Result<Value, Status> {
    let Some(first) = bytes.first() else {
        return Err(refused("unexpected end of JSON input"));
    };
    serde_json::from_slice(bytes).map_err(|_| {
        let shown = match char::from(*first) {
            letter if letter.is_ascii_graphic() => format!("'{letter}'"),
            letter => format!("'\\u{:04x}'", u32::from(letter)),
        };
        if b"{[\"0123456789-tfn".contains(first) {
            refused("unexpected end of JSON input")
        } else {
            refused(&format!(
                "invalid character {shown} looking for beginning of value"
            ))
        }
    })
}

fn refused(why: &str) -> Status {
    invalid(&format!("continue key is not valid: {why}"))
}

fn invalid(why: &str) -> Status {
    Status::bad_request(format!("invalid continue token: {why}"))
}
