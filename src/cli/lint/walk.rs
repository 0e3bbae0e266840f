//! From what was named on the command line to files, as Git sees them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use crate::snapshot::{Error, Input, is_manifest, is_url};

/// The files behind `paths`: `-` is stdin, a file is taken as it is, and of a folder the files that
/// end in `.yaml`, `.yml` or `.json`, in order of their names, without those that are hidden or that a
/// `.gitignore` names.
pub(super) fn find(paths: &[PathBuf], recursive: bool) -> (Vec<Input>, Vec<Error>) {
    let mut inputs = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            if inputs.contains(&Input::Stdin) {
                errors.push(Error::StdinTwice);
            } else {
                inputs.push(Input::Stdin);
            }
        } else if path.is_dir() {
            walk(path, recursive, &mut inputs, &mut errors);
        } else if is_url(path) && !path.exists() {
            let url = Arc::from(path.to_string_lossy());
            errors.push(Error::Url { url });
        } else {
            inputs.push(Input::File(path.clone()));
        }
    }
    (inputs, errors)
}

fn walk(folder: &Path, recursive: bool, inputs: &mut Vec<Input>, errors: &mut Vec<Error>) {
    let (before, complaints) = (inputs.len(), errors.len());
    let walk = WalkBuilder::new(folder)
        .max_depth((!recursive).then_some(1))
        .git_global(false)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
            Ok(entry) if !is_manifest(entry.path()) || entry.path().is_dir() => {}
            Ok(entry) => inputs.push(Input::File(shortened(entry.into_path()))),
            Err(error) => {
                let file = Arc::from(folder.to_string_lossy());
                let text = error.to_string();
                let source = error
                    .into_io_error()
                    .unwrap_or_else(|| std::io::Error::other(text));
                errors.push(Error::Io { file, source });
            }
        }
    }
    if !recursive && (before, complaints) == (inputs.len(), errors.len()) {
        let folder = Arc::from(folder.to_string_lossy());
        errors.push(Error::Empty { folder, recursive });
    }
}

/// Nobody writes `./` in front of what is here.
fn shortened(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(short) => short.to_owned(),
        Err(_) => path,
    }
}
