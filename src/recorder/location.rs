//! Where runs are stored: in a file or in a database.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "cluster")]
use super::databases::{in_memory, open_file};
use super::error::StoreError;
use super::store::RunStore;

/// Where runs are stored.
#[derive(Clone, Debug)]
pub enum StoreLocation {
    File(PathBuf),
    Database(Arc<dyn DatabaseAddress>),
    /// What is judged is printed. What is needed to judge it is in memory.
    #[cfg(feature = "cluster")]
    Stdout,
}

/// The address of a database. It is shown without the user and the password.
pub trait DatabaseAddress: fmt::Display + fmt::Debug + Send + Sync {
    /// Connects to read, or to write as the only one: then the tables are created if there are none.
    fn connect(&self, writes: bool) -> Result<RunStore, StoreError>;
}

impl StoreLocation {
    /// Opens it to read.
    pub fn open(&self) -> Result<RunStore, StoreError> {
        self.connect(false)
    }

    pub(super) fn connect(&self, writes: bool) -> Result<RunStore, StoreError> {
        match self {
            StoreLocation::File(path) => {
                Ok(RunStore::new(self.to_string(), open_file(path, writes)?))
            }
            StoreLocation::Database(address) => address.connect(writes),
            #[cfg(feature = "cluster")]
            StoreLocation::Stdout => Ok(RunStore::new(self.to_string(), in_memory()?)),
        }
    }
}

#[cfg(not(feature = "cluster"))]
fn open_file(
    path: &std::path::Path,
    _: bool,
) -> Result<Box<dyn super::database::Database>, StoreError> {
    const WHY: &str = "not read: this program was built without the feature \"cluster\"";
    Err(StoreError::Unsuitable(path.display().to_string(), WHY))
}

/// Why a text is not treated as the path of a file: it is or may be the address of a database, which could contain a
/// password.
pub(crate) fn not_a_path(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        return Some("must not be empty");
    }
    if text.eq_ignore_ascii_case(":memory:") {
        return Some("what is stored in memory would be lost; name a file");
    }
    let bare = text.trim().trim_matches(['"', '\'', '`']);
    // A drive of Windows has one letter.
    let scheme = bare.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let is_address = bare
        .rsplit_once('@')
        .is_some_and(|(credentials, _)| credentials.contains(':') || credentials.contains("//"));
    if is_scheme || is_address || bare.contains("://") {
        return Some(
            "neither a URL that is supported nor the path of a file; a URL begins with postgres:// or postgresql://, \
             without quotes, and ./ before a path shows that it is one",
        );
    }
    // `host=db password=…`, `Server=db;Password=…`, `PGPASSWORD=…`.
    let is_setting = bare.split_once('=').is_some_and(|(keyword, _)| {
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
        keyword.chars().all(is_of_word)
    });
    is_setting.then_some(
        "keywords and values are not supported; write a URL that begins with postgres://, or ./ before a path",
    )
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::File(path) => path.display().fmt(f),
            StoreLocation::Database(address) => address.fmt(f),
            #[cfg(feature = "cluster")]
            StoreLocation::Stdout => f.write_str("stdout"),
        }
    }
}
