//! A release is data: a row of traits that a version selects.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::behavior::{Behavior, Generation};
use super::rows::{KUBEBUILDER, OLDEST, ROWS};

/// A Kubernetes release, as far as it has been modeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    minor: u32,
    /// `None` stands for the latest patch release.
    patch: Option<u32>,
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Which controller is simulated, whatever the release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    #[default]
    Kubernetes,
    // The one that the kubebuilder book builds.
    Kubebuilder,
}

impl Model {
    /// The row of traits of this controller in a cluster of a release.
    pub fn behavior(self, release: Release) -> Behavior {
        match self {
            Model::Kubernetes => release.behavior(),
            // The Jobs are those of the cluster.
            Model::Kubebuilder => Behavior {
                job_ends: release.behavior().job_ends,
                ..KUBEBUILDER
            },
        }
    }

    /// The name of this controller in documents: the one inside Kubernetes was rewritten for 1.21.
    pub fn name(self, release: Release) -> &'static str {
        match self.behavior(release).generation {
            Generation::V1 => "v1",
            Generation::V2 => "v2",
            Generation::Tutorial => "kubebuilder",
        }
    }
}

impl Release {
    /// The newest release that is modeled.
    pub const NEWEST: Release = Release {
        minor: 37,
        patch: None,
    };
    const OLDEST_MINOR: u32 = 4;

    /// The latest patch release of a minor release, if that had CronJobs.
    pub fn of_minor(minor: u32) -> Option<Self> {
        (minor >= Self::OLDEST_MINOR).then_some(Release { minor, patch: None })
    }

    /// The number behind `1.`.
    pub fn minor(self) -> u32 {
        self.minor
    }

    /// The row of traits of this release.
    pub fn behavior(self) -> Behavior {
        self.row_of(ROWS).unwrap_or(OLDEST)
    }

    /// The row of a table that begins each row with the first release it is for, minor and patch.
    pub fn row_of<T: Copy>(self, rows: &[((u32, u32), T)]) -> Option<T> {
        let version = (self.minor, self.patch.unwrap_or(u32::MAX));
        let row = rows.iter().rfind(|(since, _)| *since <= version);
        row.map(|(_, row)| *row)
    }

    /// Whether this release is newer than what is modeled.
    pub fn is_beyond_newest(self) -> bool {
        self.minor > Self::NEWEST.minor
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)?;
        self.patch.map_or(Ok(()), |patch| write!(f, ".{patch}"))
    }
}

plain_in_text!(Release);

/// A text that names no release which had CronJobs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    #[error("'{0}' is not a valid Kubernetes version: must be 1.N or 1.N.P, such as 1.{newest}", newest = Release::NEWEST.minor)]
    Malformed(String),
    #[error("Kubernetes {0} does not have CronJobs: they were added in 1.4")]
    TooOld(Release),
}

impl FromStr for Release {
    type Err = VersionError;

    /// Reads `1.30`, `v1.30.4`, and what vendors make of it: `v1.30.4-eks-a737599`, `1.31+`.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let malformed = || VersionError::Malformed(text.to_owned());
        let trimmed = text.trim();
        let plain = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let end = plain.find(['-', '+']).unwrap_or(plain.len());
        let mut parts = plain.get(..end).unwrap_or_default().split('.');
        // No sign is left in front of a number.
        let number = |part: &str| part.parse::<u32>().map_err(|_| malformed());
        if parts.next() != Some("1") {
            return Err(malformed());
        }
        let minor = number(parts.next().unwrap_or_default())?;
        let patch = parts.next().map(number).transpose()?;
        if parts.next().is_some() {
            return Err(malformed());
        }
        let release = Release { minor, patch };
        if minor < Self::OLDEST_MINOR {
            Err(VersionError::TooOld(release))
        } else {
            Ok(release)
        }
    }
}
