//! Reads the files that were named, side by side.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::Args;
use crate::lint::{FileReport, Linter, Settings};
use crate::snapshot::{self, Error, Input};

/// Reads all that was named.
pub(super) fn all(linter: &Linter<'_>, args: &Args) -> (Vec<FileReport>, Vec<Error>) {
    let paths: Vec<_> = args.paths.iter().chain(&args.filename).cloned().collect();
    let (inputs, mut errors) = snapshot::find(&paths, args.recursive);
    let mut reports = Vec::new();
    let settings = Arc::new(Settings {
        releases: args.kubernetes_version.unwrap_or_default(),
        ..Settings::default()
    });
    for input in &inputs {
        match bytes(input) {
            Ok(bytes) => reports.push(linter.read(&name(input), &bytes, &settings)),
            Err(source) => errors.push(Error::Io {
                file: name(input),
                source,
            }),
        }
    }
    (reports, errors)
}

fn bytes(input: &Input) -> io::Result<Vec<u8>> {
    match input {
        Input::File(path) => fs::read(path),
        Input::Stdin => {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes)?;
            Ok(bytes)
        }
    }
}

fn name(input: &Input) -> Arc<str> {
    match input {
        Input::File(path) => Arc::from(Path::new(path).to_string_lossy()),
        Input::Stdin => Arc::from("stdin"),
    }
}
