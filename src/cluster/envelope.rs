//! The envelope around protobuf answers.

use prost::Message;
use prost::bytes::Bytes;

use super::wire::Unknown;

/// What such answers are called.
pub(super) const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";
/// Protobuf if the server can, else JSON: some proxies and all custom resources know only that.
pub(super) const ACCEPT: &str = "application/vnd.kubernetes.protobuf, application/json";
const MAGIC: &[u8] = b"k8s\0";

/// What is in the envelope.
pub(super) fn open(body: &Bytes) -> Result<Bytes, String> {
    if !body.starts_with(MAGIC) {
        return Err("it is said to be protobuf, but does not begin as that does".to_owned());
    }
    let unknown = Unknown::decode(body.slice(MAGIC.len()..)).map_err(|error| error.to_string())?;
    Ok(unknown.raw)
}
