//! The tokens with which a list goes on, as the API server makes them.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::status::Status;

/// Takes a last letter of which some bits are lost, as Go does.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

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
        URL_SAFE_NO_PAD.encode(token.to_string())
    }

    pub(crate) fn decode(text: &str) -> Result<Token, Status> {
        let bytes = LENIENT
            .decode(text)
            .map_err(|error| refused(&error.to_string()))?;
        let token: Value = serde_json::from_slice(&bytes).map_err(|_| {
            // As Go's decoder says it of what is recorded.
            let first = bytes.first().copied().unwrap_or_default();
            refused(&format!(
                "invalid character '\\u{first:04x}' looking for beginning of value"
            ))
        })?;
        let start = token["start"].as_str().unwrap_or_default();
        Ok(Token {
            revision: token["rv"].as_u64(),
            start: start.to_owned(),
        })
    }
}

fn refused(why: &str) -> Status {
    Status::bad_request(format!(
        "invalid continue token: continue key is not valid: {why}"
    ))
}
