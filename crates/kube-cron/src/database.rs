//! The tz database: the machine's or the built-in one, whichever is newer.
//!
//! The only module that reads files. Names are looked up as in Go on Linux: a zone is the file of
//! exactly that name.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{BundledZones, Zone, ZoneError, Zones};

/// The folders of zones on Unix systems, in the order in which Go searches them.
const SYSTEM_FOLDERS: [&str; 4] = [
    "/usr/share/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/usr/lib/locale/TZ",
    "/etc/zoneinfo",
];

/// The largest file of a tz database; the largest one in use has about 100 kB.
const LARGEST: u64 = 16 << 20;

/// Which tz database to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DatabaseChoice {
    /// The newer one; the built-in one if the release of the machine's is unknown. A name that the
    /// built-in one does not have is looked up in the machine's, as Kubernetes does the other way round.
    #[default]
    Newest,
    /// The database of the machine.
    System,
    /// The built-in database.
    Bundled,
}

/// A tz database that caches the zones it has read.
#[derive(Debug)]
pub struct ZoneDatabase {
    folder: Option<PathBuf>,
    /// The folder for names that the built-in database does not have, such as `right/UTC`.
    beside: Option<PathBuf>,
    version: Option<String>,
    known: Mutex<HashMap<String, Arc<Zone>>>,
}

/// The machine has no tz database.
#[derive(Debug, thiserror::Error)]
#[error(
    "no tz database on this machine (looked in {})",
    SYSTEM_FOLDERS.join(", ")
)]
pub struct NoSystemDatabase;

impl ZoneDatabase {
    /// Opens a database.
    pub fn open(choice: DatabaseChoice) -> Result<Self, NoSystemDatabase> {
        Self::open_in(choice, SYSTEM_FOLDERS.iter().map(Path::new))
    }

    /// Opens a database, with the folders that may hold that of the machine.
    pub fn open_in<'a>(
        choice: DatabaseChoice,
        mut folders: impl Iterator<Item = &'a Path>,
    ) -> Result<Self, NoSystemDatabase> {
        if choice == DatabaseChoice::Bundled {
            return Ok(Self::bundled());
        }
        let Some(folder) = folders.find(|folder| folder.is_dir()) else {
            return if choice == DatabaseChoice::System {
                Err(NoSystemDatabase)
            } else {
                Ok(Self::bundled())
            };
        };
        let version = release_of(folder);
        let newer = version
            .as_deref()
            .is_some_and(|system| system > BundledZones::version());
        if choice == DatabaseChoice::System || newer {
            return Ok(ZoneDatabase {
                folder: Some(folder.to_owned()),
                version,
                ..Self::bundled()
            });
        }
        Ok(ZoneDatabase {
            beside: Some(folder.to_owned()),
            ..Self::bundled()
        })
    }

    /// The built-in database.
    pub fn bundled() -> Self {
        let version = Some(BundledZones::version().to_owned());
        ZoneDatabase {
            folder: None,
            beside: None,
            version,
            known: Mutex::default(),
        }
    }

    /// The release, such as `2026e`, if it is known.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The folder it is read from; `None` for the built-in one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

impl Zones for ZoneDatabase {
    fn load(&self, name: &str) -> Result<Arc<Zone>, ZoneError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(zone) = known.get(name) {
            return Ok(Arc::clone(zone));
        }
        let zone = match &self.folder {
            Some(folder) => read(folder, name)?,
            None => match (BundledZones.load(name), &self.beside) {
                (Err(ZoneError::Unknown(_)), Some(folder)) => read(folder, name)?,
                (loaded, _) => loaded?,
            },
        };
        known.insert(name.to_owned(), Arc::clone(&zone));
        Ok(zone)
    }
}

fn read(folder: &Path, name: &str) -> Result<Arc<Zone>, ZoneError> {
    let unknown = || ZoneError::Unknown(name.to_owned());
    // Some file systems ignore case, but not that of the cluster.
    let other_case = BundledZones::names().find(|zone| zone.eq_ignore_ascii_case(name));
    if other_case.is_some_and(|zone| zone != name) {
        return Err(unknown());
    }
    let data = content(&folder.join(name)).map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => ZoneError::Directory,
        io::ErrorKind::NotADirectory => ZoneError::NotADirectory,
        io::ErrorKind::InvalidData => ZoneError::Malformed,
        _ => unknown(),
    })?;
    Zone::from_tzif(name, &data)
        .map(Arc::new)
        .ok_or(ZoneError::Malformed)
}

/// The content of a regular file. Reading anything else may never end.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() || about.len() > LARGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    fs::read(path)
}

/// The release of a folder of zones, from the files in which distributions record it.
fn release_of(folder: &Path) -> Option<String> {
    let first_line = |file: &str| {
        let text = content(&folder.join(file)).ok()?;
        let line = text.split(|byte| *byte == b'\n').next()?;
        Some(String::from_utf8_lossy(line).trim().to_owned())
    };
    let release = first_line("tzdata.zi")
        .and_then(|line| line.strip_prefix("# version ").map(str::to_owned))
        .or_else(|| first_line("+VERSION"))?;
    let plausible = release.len() >= 5 && release.bytes().take(4).all(|b| b.is_ascii_digit());
    plausible.then_some(release)
}
