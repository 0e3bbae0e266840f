//! `version`: this program, and the data it computes with.

use super::Outcome;
use super::args::{DocumentFormat, Global, Version as Args};
use crate::controller::Release;
use crate::output::version::{TzdbVersion, Version};
use crate::output::{self, yaml};
use crate::tzdb::Database;

pub(super) fn run(global: &Global, args: &Args) -> anyhow::Result<Outcome> {
    let database = Database::open(global.tzdb.into())?;
    let tzdb = tzdb(&database);
    let version = Version::new(Release::NEWEST.to_string(), tzdb);
    let mut out = anstream::stdout().lock();
    match args.output {
        None => version.text(&mut out)?,
        Some(DocumentFormat::Json) => output::json(&mut out, &version)?,
        Some(DocumentFormat::Yaml) => yaml::write(&mut out, &version)?,
    }
    Ok(Outcome::Fine)
}

/// The tz database in use.
pub(super) fn tzdb(database: &Database) -> TzdbVersion {
    TzdbVersion {
        version: database.version().map(str::to_owned),
        source: if database.folder().is_some() {
            "system"
        } else {
            "bundled"
        },
        folder: database.folder().map(|folder| folder.display().to_string()),
    }
}
