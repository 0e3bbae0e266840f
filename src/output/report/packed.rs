//! A document inside a page: packed, since most of it repeats itself, and as letters, among which there
//! is none that could end what it stands in.

use std::io::{self, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

/// The document as JSON, packed by gzip, in base64. The same document is the same text.
pub(super) fn packed(document: &impl Serialize) -> io::Result<String> {
    let mut packer = io::BufWriter::new(GzEncoder::new(Vec::new(), Compression::default()));
    serde_json::to_writer(&mut packer, document)?;
    packer.flush()?;
    let packer = packer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    Ok(BASE64_STANDARD.encode(packer.finish()?))
}
