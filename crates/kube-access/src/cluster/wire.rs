//! The protobuf messages of the API with the fields that are used; the decoder skips the rest.
//!
//! The numbers are those of `generated.proto` in `k8s.io/api` and `k8s.io/apimachinery`.

use prost::Message as _;
use prost::bytes::Bytes;

use crate::status::StatusDetailsMessage;

pub(super) const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";
/// Protobuf if the server supports it, else JSON: some proxies and all custom resources only support JSON.
pub(super) const ACCEPT: &str = "application/vnd.kubernetes.protobuf, application/json";
const MAGIC: &[u8] = b"k8s\0";

/// Declares messages, each field with its number and its encoding.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $tag:tt ($($encoding:tt)*),)*
    })*) => {$(
        $(#[$doc])*
        #[allow(unreachable_pub, reason = "some messages are parts of an answer")]
        #[derive(Clone, PartialEq, prost::Message)]
        pub struct $name {
            $(
                $(#[$field_doc])*
                #[prost($($encoding)*, tag = $tag)]
                pub $field: $type,
            )*
        }
    )*};
}

messages! {
    /// The envelope of every response.
    UnknownMessage {
        type_meta: Option<TypeMetaMessage> = 1 (message, optional),
        raw: Bytes = 2 (bytes = "bytes"),
    }

    /// The content of an envelope.
    TypeMetaMessage {
        kind: String = 2 (string),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    ListMetaMessage {
        resource_version: String = 2 (string),
        #[serde(rename = "continue")]
        token: String = 3 (string),
    }

    /// A list of any kind. Its objects stay encoded until each is decoded.
    ListMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        items: Vec<Bytes> = 2 (bytes = "bytes", repeated),
    }
}

impl ListMetaMessage {
    /// The token to continue the list, if there is more of it.
    pub(super) fn next(&self) -> Option<&str> {
        Some(self.token.as_str()).filter(|token| !token.is_empty())
    }
}

/// The content of the envelope of a list of these objects.
pub(super) fn open_list(body: &Bytes, kind: &str) -> Result<Bytes, String> {
    let unknown = unknown(body)?;
    let found = unknown.type_meta.unwrap_or_default().kind;
    if !found.is_empty() && found.strip_suffix("List") != Some(kind) {
        return Err(format!("expected a {kind}List, found a {found}"));
    }
    Ok(unknown.raw)
}

pub(super) fn open(body: &Bytes) -> Result<Bytes, String> {
    unknown(body).map(|unknown| unknown.raw)
}

fn unknown(body: &Bytes) -> Result<UnknownMessage, String> {
    if !body.starts_with(MAGIC) {
        return Err("its content type is protobuf, but the content is not".to_owned());
    }
    UnknownMessage::decode(body.slice(MAGIC.len()..)).map_err(|error| error.to_string())
}

// `Status` of `k8s.io/apimachinery/pkg/apis/meta/v1`.

messages! {
    #[derive(serde::Deserialize)]
    #[serde(default)]
    StatusMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        message: String = 3 (string),
        reason: String = 4 (string),
        details: Option<StatusDetailsMessage> = 5 (message, optional),
        code: i32 = 6 (int32),
    }
}
