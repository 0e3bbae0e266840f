//! Finds and reads files.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

use super::error::{LARGEST, SnapshotError};
use located_yaml::{InvalidByte, KUSTOMIZATIONS, Kustomization, wide_encoding};

/// What a text is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

/// A text and its name in errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// The name of the file, or `stdin`.
    pub name: Arc<str>,
    pub text: String,
}

/// The files behind the paths of a command line.
#[derive(Debug, Default)]
pub struct Paths {
    pub inputs: Vec<Input>,
    pub unread: Vec<Unread>,
    pub errors: Vec<SnapshotError>,
}

/// A skipped file in a directory: reading it may never end, or it is outside the directory. A file that
/// is named on the command line is never skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} skipped: {why}")]
pub struct Unread {
    pub file: Arc<str>,
    pub why: WhyUnread,
}

/// Why a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WhyUnread {
    /// A device, a pipe, a socket, or a link to one.
    #[error("not a regular file")]
    NotRegular,
    #[error("the link points outside the directory")]
    LeadsOut,
    #[error("the link points to a file that does not exist")]
    Dangling,
    #[error("a kustomize patch is not a complete manifest")]
    Patch,
}

/// The files behind `paths`, by kubectl's rules: `-` is stdin, a file is read as it is, and in a
/// directory the files that end in `.yaml`, `.yml` or `.json` are read, in order of their names.
/// Subdirectories are only included if `recursive` is set, and links to directories never are.
pub fn find(paths: &[PathBuf], recursive: bool) -> Paths {
    find_by(paths, |folder, found| {
        let before = found.count();
        let inputs = found.inputs.len();
        walk(folder, recursive, found);
        leave_out_patches(found, inputs);
        if before == found.count() {
            let folder = path_name(folder);
            found
                .errors
                .push(SnapshotError::Empty { folder, recursive });
        }
    })
}

/// Skips the patches of kustomizations among the inputs from `first` on.
fn leave_out_patches(found: &mut Paths, first: usize) {
    let mut patches = BTreeSet::new();
    for input in found.inputs.iter().skip(first) {
        let Input::File(path) = input else { continue };
        let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else {
            continue;
        };
        if !KUSTOMIZATIONS.iter().any(|known| name == *known) {
            continue;
        }
        // An error is reported when it is read.
        let Ok(source) = input.load(&mut io::empty()) else {
            continue;
        };
        let named = Kustomization::read(&source.text);
        let own = named.patches.iter();
        let own = own.filter(|patch| !named.resources.contains(patch));
        patches.extend(own.map(|patch| folder.join(patch)));
    }
    let all = found.inputs.split_off(first);
    for input in all {
        match input {
            Input::File(path) if patches.contains(&path) => found.unread.push(Unread {
                file: path_name(&path),
                why: WhyUnread::Patch,
            }),
            input => found.inputs.push(input),
        }
    }
}

/// Finds the files of paths, with `walk` to list directories.
pub fn find_by(paths: &[PathBuf], mut walk: impl FnMut(&Path, &mut Paths)) -> Paths {
    let mut found = Paths::default();
    for path in paths {
        if path == Path::new("-") {
            if found.inputs.contains(&Input::Stdin) {
                found.errors.push(SnapshotError::StdinTwice);
            } else {
                found.inputs.push(Input::Stdin);
            }
        } else if path.is_dir() {
            walk(path, &mut found);
        } else if is_url(path) && !path.exists() {
            found.errors.push(SnapshotError::Url {
                url: path_name(path),
            });
        } else {
            found.inputs.push(Input::File(path.clone()));
        }
    }
    found
}

impl Paths {
    pub fn add(&mut self, folder: &Path, path: PathBuf) {
        match why_unread(folder, &path) {
            Some(why) => self.unread.push(Unread {
                file: path_name(&path),
                why,
            }),
            None => self.inputs.push(Input::File(path)),
        }
    }

    /// The number of files found so far, including skipped ones and errors.
    pub fn count(&self) -> usize {
        self.inputs.len() + self.unread.len() + self.errors.len()
    }
}

/// Why a file below a directory is skipped. A missing file is reported when it is read.
pub fn why_unread(folder: &Path, path: &Path) -> Option<WhyUnread> {
    let is_link = || fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => {
            let is_dangling = error.kind() == io::ErrorKind::NotFound && is_link();
            return is_dangling.then_some(WhyUnread::Dangling);
        }
    };
    if !metadata.is_file() {
        return Some(WhyUnread::NotRegular);
    }
    let is_inside = || {
        let folder = fs::canonicalize(folder).ok()?;
        Some(fs::canonicalize(path).ok()?.starts_with(folder))
    };
    let leads_out = is_link() && is_inside() != Some(true);
    leads_out.then_some(WhyUnread::LeadsOut)
}

impl Input {
    /// Reads the text. `stdin` is used for [`Input::Stdin`].
    pub fn load(&self, stdin: &mut dyn Read) -> Result<SourceText, SnapshotError> {
        let mut bytes = Vec::new();
        self.read_into(&mut bytes, stdin)?;
        SourceText::new(self.name(), bytes)
    }

    /// Reads the bytes into an empty buffer.
    pub fn read_into(
        &self,
        bytes: &mut Vec<u8>,
        stdin: &mut dyn Read,
    ) -> Result<(), SnapshotError> {
        let read = match self {
            Self::Stdin => fits(stdin, bytes, LARGEST),
            Self::File(path) => file_fits(path, bytes, LARGEST),
        };
        let file = self.name();
        match read {
            Ok(true) => Ok(()),
            Ok(false) => Err(SnapshotError::TooLarge { file }),
            Err(source) => Err(SnapshotError::Io { file, source }),
        }
    }

    /// The name of the file, or `stdin`.
    pub fn name(&self) -> Arc<str> {
        match self {
            Self::Stdin => Arc::from("stdin"),
            Self::File(path) => path_name(path),
        }
    }
}

/// The content of a file that is at most `largest` bytes long, which are whole MiB. Otherwise it may never
/// end, as a device does.
pub fn read_to_limit(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file_fits(path, &mut bytes, largest)? {
        return Ok(bytes);
    }
    let why = format!("larger than the limit of {} MiB", largest >> 20);
    Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
}

fn file_fits(path: &Path, bytes: &mut Vec<u8>, largest: u64) -> io::Result<bool> {
    File::open(path).and_then(|mut file| fits(&mut file, bytes, largest))
}

/// Reads everything, and returns whether it is at most `largest` bytes.
fn fits(reader: &mut dyn Read, bytes: &mut Vec<u8>, largest: u64) -> io::Result<bool> {
    let read = reader.take(largest + 1).read_to_end(bytes)?;
    Ok(read as u64 <= largest)
}

impl SourceText {
    pub fn new(name: Arc<str>, bytes: Vec<u8>) -> Result<Self, SnapshotError> {
        if let Some(encoding) = wide_encoding(&bytes) {
            return Err(SnapshotError::Encoding {
                file: name,
                encoding,
            });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let invalid = InvalidByte::at(error.as_bytes(), offset);
                Err(SnapshotError::NotUtf8 {
                    file: name,
                    invalid,
                })
            }
        }
    }
}

fn walk(folder: &Path, recursive: bool, found: &mut Paths) {
    let mut todo = VecDeque::from([(folder.to_owned(), true)]);
    while let Some((path, is_folder)) = todo.pop_front() {
        if !is_folder {
            found.add(folder, path);
            continue;
        }
        match entries(&path, recursive) {
            // The files of a directory are in the place of the directory.
            Ok(entries) => entries.into_iter().rev().for_each(|e| todo.push_front(e)),
            Err(source) => {
                let file = path_name(&path);
                found.errors.push(SnapshotError::Io { file, source });
            }
        }
    }
}

/// The manifests of a directory, and its subdirectories if requested, in order of their names. As in
/// kubectl, a link is a file, unless it points to a directory: following links to directories could
/// loop.
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

/// Whether a file in a directory is a manifest, by its name.
pub fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    matches!(extension, Some("yaml" | "yml" | "json"))
}

fn is_url(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    text.starts_with("http://") || text.starts_with("https://")
}

/// The name of a file in documents, annotations and messages, which has slashes on Windows, too.
pub fn path_name(path: &Path) -> Arc<str> {
    with_slashes(path, MAIN_SEPARATOR)
}

fn with_slashes(path: &Path, separator: char) -> Arc<str> {
    Arc::from(path.to_string_lossy().replace(separator, "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_input_is_read_up_to_the_limit() {
        let mut bytes = Vec::new();
        assert!(!fits(&mut io::repeat(0), &mut bytes, 10).unwrap());
        assert_eq!(bytes.len(), 11);
        assert!(fits(&mut &[0; 10][..], &mut Vec::new(), 10).unwrap());
    }

    /// GitHub attaches an annotation only to a path with slashes.
    #[test]
    fn path_of_windows_is_named_with_slashes() {
        for (path, expected) in [
            (r"examples\shop\x.yaml", "examples/shop/x.yaml"),
            (r"C:\shop/x.yaml", "C:/shop/x.yaml"),
            (r"\\server\share\x.yaml", "//server/share/x.yaml"),
        ] {
            assert_eq!(&*with_slashes(Path::new(path), '\\'), expected);
        }
        // Elsewhere it is a character of the name.
        let odd = r"shop/a\b.yaml";
        assert_eq!(&*with_slashes(Path::new(odd), '/'), odd);
    }
}
