//! From what was named on the command line to text.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Error;

/// Something to read a snapshot from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// What the caller passes for `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// A text with the name that its errors go by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the file, or `stdin`.
    pub name: Arc<str>,
    /// What is in it.
    pub text: String,
}

/// The files behind `paths`, by kubectl's rules: `-` is stdin, a file is taken as it is, and of a
/// folder the files that end in `.yaml`, `.yml` or `.json`, in order of their names. Its own
/// folders are looked into only if `recursive` says so, and links to folders never are.
pub fn find(paths: &[PathBuf], recursive: bool) -> (Vec<Input>, Vec<Error>) {
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
            let before = inputs.len();
            let complaints = errors.len();
            walk(path, recursive, &mut inputs, &mut errors);
            if (before, complaints) == (inputs.len(), errors.len()) {
                let folder = name(path);
                errors.push(Error::Empty { folder, recursive });
            }
        } else if is_url(path) && !path.exists() {
            errors.push(Error::Url { url: name(path) });
        } else {
            inputs.push(Input::File(path.clone()));
        }
    }
    (inputs, errors)
}

impl Input {
    /// Reads the text. `stdin` is what [`Input::Stdin`] stands for.
    pub fn load(&self, stdin: &mut dyn Read) -> Result<Source, Error> {
        let (name, bytes) = match self {
            Self::Stdin => {
                let mut bytes = Vec::new();
                let read = stdin.read_to_end(&mut bytes).map(|_| bytes);
                (Arc::from("stdin"), read)
            }
            Self::File(path) => (name(path), fs::read(path)),
        };
        match bytes {
            Ok(bytes) => Source::new(name, bytes),
            Err(source) => Err(Error::Io { file: name, source }),
        }
    }
}

impl Source {
    /// Makes text of bytes.
    pub fn new(name: Arc<str>, bytes: Vec<u8>) -> Result<Self, Error> {
        if is_utf16(&bytes) {
            return Err(Error::Utf16 { file: name });
        }
        String::from_utf8(bytes)
            .map(|text| Self {
                name: Arc::clone(&name),
                text,
            })
            .map_err(|error| {
                let offset = error.utf8_error().valid_up_to();
                let (before, rest) = error.as_bytes().split_at(offset);
                let line_start = before.iter().rposition(|byte| *byte == b'\n');
                let line_start = line_start.map_or(0, |newline| newline + 1);
                let in_line = before.iter().skip(line_start);
                Error::NotUtf8 {
                    file: name,
                    offset,
                    byte: rest.first().copied().unwrap_or_default(),
                    line: before.split(|byte| *byte == b'\n').count(),
                    column: 1 + in_line.filter(|byte| **byte & 0xC0 != 0x80).count(),
                }
            })
    }
}

/// A byte order mark, or the zero that UTF-16 puts beside an ASCII character.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
        || matches!(
            bytes,
            [0, 1..=0x7F, 0, 1..=0x7F, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..]
        )
}

fn walk(folder: &Path, recursive: bool, inputs: &mut Vec<Input>, errors: &mut Vec<Error>) {
    let mut todo = VecDeque::from([(folder.to_owned(), true)]);
    while let Some((path, is_folder)) = todo.pop_front() {
        if !is_folder {
            inputs.push(Input::File(path));
            continue;
        }
        match entries(&path, recursive) {
            // What is in a folder comes where the folder stands among its neighbours.
            Ok(entries) => entries.into_iter().rev().for_each(|e| todo.push_front(e)),
            Err(source) => {
                let file = name(&path);
                errors.push(Error::Io { file, source });
            }
        }
    }
}

/// The manifests of a folder, and its folders if they are wanted, in order of their names. A link
/// counts as a file, as it does for kubectl, unless it leads to a folder: following those could
/// go round for ever.
fn entries(folder: &Path, recursive: bool) -> io::Result<Vec<(PathBuf, bool)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        let wanted = if kind.is_dir() {
            recursive
        } else {
            is_manifest(&path) && !(kind.is_symlink() && path.is_dir())
        };
        if wanted {
            entries.push((path, kind.is_dir()));
        }
    }
    entries.sort();
    Ok(entries)
}

/// Whether a file in a folder is taken for a manifest, by its name.
pub fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// Whether what was named is no path, but an address.
pub fn is_url(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    text.starts_with("http://") || text.starts_with("https://")
}

fn name(path: &Path) -> Arc<str> {
    Arc::from(path.to_string_lossy())
}
