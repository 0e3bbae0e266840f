//! From what was named on the command line to files, as Git and kustomize see them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kube_objects::snapshot::{
    Paths, SnapshotError, WhyUnread, find_by, is_manifest, path_name, why_unread,
};
use located_yaml::{KUSTOMIZATIONS, Kustomization};

/// The files behind `paths`: `-` is stdin, a file is taken as it is, and of a folder the files that
/// end in `.yaml`, `.yml` or `.json`, in order of their names, without those that are hidden or that a
/// `.gitignore` names.
pub(super) fn find(paths: &[PathBuf], recursive: bool) -> Paths {
    find_by(paths, |folder, found| {
        let before = found.count();
        walk(folder, recursive, found);
        if !recursive && before == found.count() {
            let folder = path_name(folder);
            found
                .errors
                .push(SnapshotError::Empty { folder, recursive });
        }
    })
}

fn walk(folder: &Path, recursive: bool, found: &mut Paths) {
    if !cfg!(feature = "cluster") {
        let why = "this program was built without the feature \"cluster\"";
        found.errors.push(SnapshotError::Io {
            file: Arc::from(folder.to_string_lossy()),
            source: io::Error::other(why),
        });
        return;
    }
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for above in absolute.ancestors() {
        let tree = (above == absolute).then_some(folder);
        let above = if above == absolute { folder } else { above };
        if let Err(error) = check_ignore_files(above, tree) {
            found.errors.push(error);
            return;
        }
    }
    let refused = Arc::new(Mutex::new(Vec::new()));
    let (tree, errors) = (folder.to_owned(), Arc::clone(&refused));
    let walk = ignore::WalkBuilder::new(folder)
        .max_depth((!recursive).then_some(1))
        .git_global(false)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        // Asked of each folder before its ignore files are read.
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let checked = if is_folder {
                check_ignore_files(entry.path(), Some(&tree))
            } else {
                Ok(())
            };
            let is_fine = checked.is_ok();
            let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
            errors.extend(checked.err());
            is_fine
        })
        .build();
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
            Ok(entry) if !is_manifest(entry.path()) || entry.path().is_dir() => {}
            Ok(entry) => found.add(folder, shortened(entry.into_path())),
            Err(error) => {
                let file = path_name(folder);
                // What is left are patterns that cannot be read, which Git passes over, too.
                if let Some(source) = error.into_io_error() {
                    found.errors.push(SnapshotError::Io { file, source });
                }
            }
        }
    }
    let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
    found.errors.append(&mut refused);
}

/// Files that say what is skipped: those of Git, and that of other search programs.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// The most bytes that a file with settings may have.
const LARGEST: u64 = 1 << 20;

/// Whether the ignore files of a folder can be read without danger.
fn check_ignore_files(folder: &Path, tree: Option<&Path>) -> Result<(), SnapshotError> {
    let files = IGNORE_FILES.map(|name| folder.join(name));
    files.iter().try_for_each(|file| check(file, tree))
}

/// Whether a file that was not named explicitly can be read safely: a regular file of a sensible size, and no link
/// that leads out of the tree, where there is one. That it is not there is fine.
pub(super) fn check(file: &Path, tree: Option<&Path>) -> Result<(), SnapshotError> {
    let Ok(metadata) = fs::metadata(file) else {
        return Ok(());
    };
    let why = match tree {
        Some(tree) => why_unread(tree, file),
        None => (!metadata.is_file()).then_some(WhyUnread::NotRegular),
    };
    let source = match why {
        Some(why) => io::Error::other(why),
        None if metadata.len() > LARGEST => io::Error::other("larger than 1 MiB"),
        None => return Ok(()),
    };
    let file = path_name(file);
    Err(SnapshotError::Io { file, source })
}

/// Paths in the current directory are shown without `./`.
fn shortened(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(short) => short.to_owned(),
        Err(_) => path,
    }
}

/// Which of the files are patches, and the names of the kustomizations that list them.
pub(super) struct Patches(HashMap<PathBuf, Arc<str>>);

impl Patches {
    /// Reads the kustomizations in the folders of the files.
    pub(super) fn among(paths: &[PathBuf]) -> Self {
        let files: HashSet<PathBuf> = paths.iter().map(|path| located(path)).collect();
        let folders: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
        let (mut patches, mut resources) = (HashMap::new(), HashSet::new());
        for folder in folders {
            for name in KUSTOMIZATIONS {
                let file = folder.join(name);
                let Some(text) = read_kustomization(&file, folder) else {
                    continue;
                };
                let known = |named: &String| {
                    let named = located(&folder.join(named));
                    files.contains(&named).then_some(named)
                };
                let named = Kustomization::read(&text);
                resources.extend(named.resources.iter().filter_map(known));
                let file: Arc<str> = path_name(&file);
                let of_file = named.patches.iter().filter_map(known);
                patches.extend(of_file.map(|patch| (patch, Arc::clone(&file))));
            }
        }
        patches.retain(|patch, _| !resources.contains(patch));
        Patches(patches)
    }

    /// The kustomization that names a file as a patch.
    pub(super) fn kustomization_of(&self, path: &Path) -> Option<Arc<str>> {
        self.0.get(&located(path)).cloned()
    }
}

/// A kustomization that can be read without danger. What is wrong with one is kustomize's business.
fn read_kustomization(file: &Path, folder: &Path) -> Option<String> {
    let folder = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    check(file, Some(folder)).ok()?;
    fs::read_to_string(file).ok()
}

/// An absolute path without `..`. Links are not followed, because someone else may have chosen their
/// targets.
fn located(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut located = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                located.pop();
            }
            other => located.push(other),
        }
    }
    located
}
