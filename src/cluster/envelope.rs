//! The envelope around protobuf responses.

use prost::Message;
use prost::bytes::Bytes;

use super::wire::UnknownMessage;

pub(super) const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";
/// Protobuf if the server supports it, else JSON: some proxies and all custom resources only support JSON.
pub(super) const ACCEPT: &str = "application/vnd.kubernetes.protobuf, application/json";
const MAGIC: &[u8] = b"k8s\0";

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
