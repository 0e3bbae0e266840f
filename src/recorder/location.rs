//! Where runs are stored: in a file or in a database.

use std::fmt;
use std::path::PathBuf;

use super::database::Database;
use super::error::StoreError;
use super::postgres::{PostgresSession, PostgresUrl};
use super::sqlite::SqliteFile;
use super::store::RunStore;

/// Where runs are stored.
#[derive(Clone, Debug)]
pub enum StoreLocation {
    File(PathBuf),
    Postgres(Box<PostgresUrl>),
    /// What is judged is printed. What is needed to judge it is in memory.
    Stdout,
}

impl StoreLocation {
    /// Reads a URL of PostgreSQL, the path of a file, or `-` for stdout. `password` is used if the URL contains none. An error never
    /// contains a part of the text, which might be a password.
    pub fn read(text: &str, password: Option<String>) -> Result<Self, StoreError> {
        // A Secret from a file ends with a line break.
        if let Some(url) = PostgresUrl::read(text.trim(), password) {
            return Ok(StoreLocation::Postgres(Box::new(url?)));
        }
        if text == "-" {
            return Ok(StoreLocation::Stdout);
        }
        not_a_path(text).map_or_else(
            || Ok(StoreLocation::File(text.into())),
            |why| Err(StoreError::Url(why)),
        )
    }

    /// Opens it to write as the only one, and creates it if there is none.
    pub fn create(&self) -> Result<RunStore, StoreError> {
        self.connect(true)
    }

    /// Opens it to read.
    pub fn open(&self) -> Result<RunStore, StoreError> {
        self.connect(false)
    }

    /// Whether several recorders may share it, of which one writes.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, StoreLocation::Postgres(_))
    }

    fn connect(&self, writes: bool) -> Result<RunStore, StoreError> {
        let database: Box<dyn Database> = match self {
            StoreLocation::File(path) => Box::new(SqliteFile::open(path, writes)?),
            StoreLocation::Postgres(url) => Box::new(PostgresSession::open(url, writes)?),
            StoreLocation::Stdout => Box::new(SqliteFile::in_memory()?),
        };
        Ok(RunStore::new(self.to_string(), database))
    }
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
            StoreLocation::Postgres(url) => url.fmt(f),
            StoreLocation::Stdout => f.write_str("stdout"),
        }
    }
}
