//! What stands around a message: the magic number, its kind, and how long it is.

use super::wire;

const MAGIC: &[u8] = b"k8s\0";

/// A whole answer: `runtime.Unknown` with the message in it.
pub(crate) fn envelope(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let mut bytes = envelope_opening(api_version, kind, message.len());
    bytes.extend_from_slice(message);
    bytes.extend(envelope_end());
    bytes
}

/// The beginning of a list whose items have these lengths, up to its first item, and its end.
///
/// Each item follows its own beginning, so that the whole never has to lie in memory.
pub(crate) fn list_opening(
    api_version: &str,
    kind: &str,
    metadata: &[u8],
    item_lengths: &[usize],
) -> (Vec<u8>, Vec<u8>) {
    let mut head = Vec::new();
    wire::bytes(1, metadata, &mut head);
    let mut length = head.len();
    for item in item_lengths {
        length += item_opening(*item).len() + item;
    }
    let mut opening = envelope_opening(api_version, kind, length);
    opening.extend(head);
    (opening, envelope_end())
}

/// What stands before an item in a list.
pub(crate) fn item_opening(length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::opening(2, length, &mut bytes);
    bytes
}

/// One event of a watch, with its length in front.
pub(crate) fn watch_event(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    wire::bytes(1, object, &mut raw);
    let mut event = Vec::new();
    wire::bytes(1, kind.as_bytes(), &mut event);
    wire::bytes(2, &raw, &mut event);
    let mut frame = u32::try_from(event.len()).unwrap().to_be_bytes().to_vec();
    frame.extend(event);
    frame
}

fn envelope_opening(api_version: &str, kind: &str, length: usize) -> Vec<u8> {
    let mut type_meta = Vec::new();
    wire::bytes(1, api_version.as_bytes(), &mut type_meta);
    wire::bytes(2, kind.as_bytes(), &mut type_meta);
    let mut bytes = MAGIC.to_vec();
    wire::bytes(1, &type_meta, &mut bytes);
    wire::opening(2, length, &mut bytes);
    bytes
}

/// Neither content encoding nor content type, and both written.
fn envelope_end() -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::bytes(3, b"", &mut bytes);
    wire::bytes(4, b"", &mut bytes);
    bytes
}
