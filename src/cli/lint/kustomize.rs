//! The files that kustomizations name as patches.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::walk::check;
use crate::lint::{KUSTOMIZATIONS, Kustomization};
use crate::snapshot::Input;

/// Which of the files are patches, and the names of the kustomizations that say so.
pub(super) struct Patches(HashMap<PathBuf, Arc<str>>);

impl Patches {
    /// Reads the kustomizations in the folders of the files.
    pub(super) fn among(inputs: &[Input]) -> Self {
        let paths = || inputs.iter().filter_map(path);
        let files: HashSet<PathBuf> = paths().map(located).collect();
        let folders: BTreeSet<&Path> = paths().filter_map(Path::parent).collect();
        let (mut patches, mut resources) = (HashMap::new(), HashSet::new());
        for folder in folders {
            for name in KUSTOMIZATIONS {
                let file = folder.join(name);
                let Some(text) = read(&file, folder) else {
                    continue;
                };
                let known = |named: &String| {
                    let named = located(&folder.join(named));
                    files.contains(&named).then_some(named)
                };
                let named = Kustomization::read(&text);
                resources.extend(named.resources.iter().filter_map(known));
                let file: Arc<str> = Arc::from(file.to_string_lossy());
                let of_file = named.patches.iter().filter_map(known);
                patches.extend(of_file.map(|patch| (patch, Arc::clone(&file))));
            }
        }
        patches.retain(|patch, _| !resources.contains(patch));
        Patches(patches)
    }

    /// The kustomization that names a file as a patch.
    pub(super) fn kustomization_of(&self, input: &Input) -> Option<Arc<str>> {
        self.0.get(&located(path(input)?)).cloned()
    }
}

fn path(input: &Input) -> Option<&Path> {
    match input {
        Input::Stdin => None,
        Input::File(path) => Some(path),
    }
}

/// A kustomization that can be read without danger. What is wrong with one is kustomize's business.
fn read(file: &Path, folder: &Path) -> Option<String> {
    let folder = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    check(file, Some(folder)).ok()?;
    fs::read_to_string(file).ok()
}

/// An absolute path without `..`. Links are not followed: nothing is asked about paths that somebody
/// else chose.
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
