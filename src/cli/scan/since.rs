//! `scan --since`: reads the document of an earlier scan.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use clap::ValueEnum as _;
use serde::Deserialize;

use super::ScanArgs;
use crate::cli::diagnostic::Diagnostic;
use crate::output::API_VERSION;
use crate::snapshot::SourceText;
use crate::survey::{EarlierScan, ScanSelection};

/// A scan of 10,000 CronJobs takes about 30 MB.
const LARGEST: u64 = 256 << 20;

const WRITE_IT: &str = "Write it with: kubectl cronjob-doctor scan -o json > FILE";

/// What a document says about itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    api_version: Option<String>,
    kind: Option<String>,
}

/// Why a file is not the document of an earlier scan.
fn wrong(path: &Path, what: &str, help: &str) -> anyhow::Error {
    Diagnostic::new(format!("--since {}: {what}", path.display()))
        .help(help)
        .into()
}

/// Reads the document that an earlier scan wrote.
pub(super) fn read(path: &Path) -> anyhow::Result<EarlierScan> {
    let text = text(path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let value = |error: &serde_json::Error| {
        let what = format!("not a JSON document: {error}");
        wrong(path, &what, WRITE_IT)
    };
    let header: Header = match serde_json::from_str(text) {
        Ok(header) => header,
        Err(error) if error.is_data() => {
            return Err(wrong(path, "not the document of a scan", WRITE_IT));
        }
        Err(error) => return Err(value(&error)),
    };
    let (version, kind) = (header.api_version, header.kind);
    match (version.as_deref(), kind.as_deref()) {
        (Some(API_VERSION), Some("ScanReport")) => {}
        (Some(API_VERSION), Some(kind)) => {
            let what = format!("a document of kind {kind}, not a ScanReport");
            return Err(wrong(path, &what, WRITE_IT));
        }
        (Some(version), _) if version.starts_with("cronjob-doctor/") => {
            let what = format!("format {version} is not supported, only {API_VERSION}");
            let help = "Update cronjob-doctor to the release that wrote the file, or write it again with this one.";
            return Err(wrong(path, &what, help));
        }
        (version, kind) => {
            let described = [version, kind].into_iter().flatten();
            let described = described.collect::<Vec<_>>().join(" ");
            let what = match described.as_str() {
                "" => "not the document of a scan".to_owned(),
                described => format!("not the document of a scan, but {described}"),
            };
            return Err(wrong(path, &what, WRITE_IT));
        }
    }
    let scan: EarlierScan = serde_json::from_str(text).map_err(|error| {
        let what = format!("not a complete ScanReport: {error}");
        wrong(path, &what, WRITE_IT)
    })?;
    if !scan.is_whole() {
        let what = "lists only the CronJobs with problems, so that what is new is unknown";
        let help = "Write it without --problems-only: kubectl cronjob-doctor scan -o json > FILE";
        return Err(wrong(path, what, help));
    }
    Ok(scan)
}

/// The text of a regular file; reading anything else may never end.
fn text(path: &Path) -> anyhow::Result<String> {
    let unreadable = |error: io::Error| wrong(path, &format!("cannot read it: {error}"), WRITE_IT);
    let about = fs::metadata(path).map_err(unreadable)?;
    if about.is_dir() {
        return Err(wrong(path, "a directory, not a file", WRITE_IT));
    }
    if !about.is_file() {
        let help = "Save the document to a file, and pass that file.";
        return Err(wrong(path, "not a regular file", help));
    }
    let mut bytes = Vec::new();
    if about.len() <= LARGEST {
        let file = File::open(path).map_err(unreadable)?;
        // The file may grow in the meantime.
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
    }
    if about.len() > LARGEST || bytes.len() as u64 > LARGEST {
        let what = format!("larger than the limit of {} MiB", LARGEST >> 20);
        return Err(wrong(path, &what, WRITE_IT));
    }
    let name: Arc<str> = Arc::from(path.to_string_lossy());
    match SourceText::new(name, bytes) {
        Ok(source) => Ok(source.text),
        Err(error) => bail!("--since {error}"),
    }
}

/// The value of `--managed-by`.
pub(super) fn managed_by(args: &ScanArgs) -> Option<String> {
    let value = args.managed_by?.to_possible_value()?;
    Some(value.get_name().to_owned())
}

/// An error if the earlier scan was about other CronJobs.
pub(super) fn check_selection(
    path: &Path,
    earlier: &EarlierScan,
    now: &ScanSelection,
) -> anyhow::Result<()> {
    match &earlier.selection {
        Some(selection) if selection != now => {
            let what = format!(
                "a scan of {}, but this is a scan of {}",
                in_words(selection),
                in_words(now)
            );
            let help = "Select the same CronJobs as the earlier scan, or write the file again.";
            Err(wrong(path, &what, help))
        }
        _ => Ok(()),
    }
}

/// `namespace shop, -l app=x`
fn in_words(selection: &ScanSelection) -> String {
    let namespace = selection.namespace.as_ref();
    let mut parts = vec![namespace.map_or_else(
        || "all namespaces".to_owned(),
        |namespace| format!("namespace {namespace}"),
    )];
    parts.extend(selection.names.iter().map(|name| format!("cronjob/{name}")));
    let flags = [
        ("-l", &selection.label_selector),
        ("--field-selector", &selection.field_selector),
        ("--managed-by", &selection.managed_by),
    ];
    let set = flags
        .into_iter()
        .filter_map(|(flag, value)| Some((flag, value.as_ref()?)));
    parts.extend(set.map(|(flag, value)| format!("{flag} {value}")));
    parts.join(", ")
}
