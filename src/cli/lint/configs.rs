//! The configuration that is meant for each file.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};

use super::files::check;
use crate::cli::diagnostic::Diagnostic;
use cronjob_manifest::lint::{Config, FILE_NAME, LintSettings, Releases};
use kube_objects::snapshot::Input;

/// The patterns of paths need regular expressions, which would make the program of the page in the browser larger by a
/// fifth.
const HAS_CONFIGS: bool = cfg!(feature = "cluster");

/// The configurations that were read so far.
pub(super) struct Configs {
    /// The releases that a flag names.
    releases: Option<Releases>,
    /// Those of manifests for which nothing names any.
    otherwise: Option<Releases>,
    /// The one for all files, with the folder that its paths start from.
    given: Option<Arc<Located>>,
    /// The folders that were named: links may lead from one place in them to another.
    trees: Vec<PathBuf>,
    /// By folder, also where there is none.
    known: HashMap<PathBuf, Option<Arc<Located>>>,
}

struct Located {
    folder: PathBuf,
    config: Config,
}

impl Configs {
    pub(super) fn new(
        given: Option<&Path>,
        named: &[PathBuf],
        releases: Option<Releases>,
        otherwise: Option<Releases>,
    ) -> anyhow::Result<Self> {
        let given = match given {
            Some(file) => {
                let input = Input::File(file.to_owned());
                let source = input.load(&mut io::empty());
                let source = source.map_err(|error| anyhow!("--config: {error}"))?;
                let folder = std::path::absolute(".").unwrap_or_default();
                Some(located(file, &source.text, folder)?)
            }
            None => None,
        };
        Ok(Configs {
            releases,
            otherwise,
            given,
            trees: named.iter().filter(|path| path.is_dir()).cloned().collect(),
            known: HashMap::new(),
        })
    }

    /// What holds for the file at a path; `None` if it is left out.
    pub(super) fn of(&mut self, path: &Path) -> anyhow::Result<Option<Arc<LintSettings>>> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let located = match &self.given {
            Some(given) => Some(Arc::clone(given)),
            None => self.above(path.parent().unwrap_or(Path::new("")))?,
        };
        let Some(located) = located.filter(|_| HAS_CONFIGS) else {
            let releases = self.releases.or(self.otherwise);
            return Ok(Config::default().settings(&path, releases));
        };
        let inside = path.strip_prefix(&located.folder).unwrap_or(&path);
        let otherwise = self.otherwise.filter(|_| !located.config.names_releases());
        Ok(located.config.settings(inside, self.releases.or(otherwise)))
    }

    /// The configuration of a folder or the nearest one above.
    fn above(&mut self, folder: &Path) -> anyhow::Result<Option<Arc<Located>>> {
        if let Some(known) = self.known.get(folder) {
            return Ok(known.clone());
        }
        let file = folder.join(FILE_NAME);
        if let Err(error) = check(&file, Some(folder))
            && self
                .trees
                .iter()
                .all(|tree| check(&file, Some(tree)).is_err())
        {
            bail!(Diagnostic::new(error.to_string()).help("Use --config to read it."));
        }
        let found = match fs::read_to_string(&file) {
            Ok(text) => Some(located(&file, &text, folder.to_owned())?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match folder.parent() {
                Some(parent) => self.above(parent)?,
                None => None,
            },
            // A folder of that name, or one that may not be looked into, is none of ours.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => None,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        self.known.insert(folder.to_owned(), found.clone());
        Ok(found)
    }
}

fn located(file: &Path, text: &str, folder: PathBuf) -> anyhow::Result<Arc<Located>> {
    if !HAS_CONFIGS {
        let file = file.display();
        bail!("{file}: not read: this program was built without the feature \"cluster\"");
    }
    match Config::parse(text) {
        Ok(config) => Ok(Arc::new(Located { folder, config })),
        Err(error) => bail!("{}:{error}", file.display()),
    }
}
