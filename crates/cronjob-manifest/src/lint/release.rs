//! The Kubernetes versions that a manifest is for.

use std::fmt;
use std::str::FromStr;

use cronjob_controller::controller::{Release, VersionError};

/// One version, or a range of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Releases {
    oldest: Release,
    newest: Release,
}

impl Releases {
    pub fn one(release: Release) -> Self {
        Releases {
            oldest: release,
            newest: release,
        }
    }

    pub fn newest(&self) -> Release {
        self.newest
    }

    /// One of each minor release, the newest first: the two that were named, and the last patch
    /// release of those between.
    pub fn each(&self) -> Vec<Release> {
        let mut releases = vec![self.newest];
        let between = self.oldest.minor() + 1..self.newest.minor();
        releases.extend(between.rev().filter_map(Release::of_minor));
        if self.oldest != self.newest {
            releases.push(self.oldest);
        }
        releases
    }
}

impl Default for Releases {
    fn default() -> Self {
        Releases::one(Release::newest_checked())
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.oldest == self.newest {
            return self.newest.fmt(f);
        }
        write!(f, "{}-{}", self.oldest, self.newest)
    }
}

/// A text that is not a version or a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleasesError {
    #[error(transparent)]
    Version(#[from] VersionError),
    #[error("the range {0}-{1} is reversed: did you mean {1}-{0}?")]
    Backwards(Release, Release),
}

impl FromStr for Releases {
    type Err = ReleasesError;

    /// Reads `1.30`, `v1.30.4-eks-a737599`, `1.24-1.36`.
    fn from_str(text: &str) -> Result<Self, ReleasesError> {
        // Vendors' versions have dashes, too, but no second version behind them.
        let range = text
            .split_once('-')
            .map(|(oldest, newest)| (oldest.trim(), newest.trim()))
            .filter(|(_, newest)| newest.trim_start_matches('v').starts_with("1."));
        let Some((oldest, newest)) = range else {
            return Ok(Releases::one(text.parse()?));
        };
        let (oldest, newest): (Release, Release) = (oldest.parse()?, newest.parse()?);
        if oldest.minor() > newest.minor() {
            return Err(ReleasesError::Backwards(oldest, newest));
        }
        Ok(Releases { oldest, newest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match text.parse::<Releases>() {
            Ok(releases) => {
                let each: Vec<_> = releases.each().iter().map(Release::to_string).collect();
                each.join(" ")
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn release_range_is_read_as_its_releases() {
        assert_eq!(read("1.36"), "1.36");
        assert_eq!(read("v1.30.4-eks-a737599"), "1.30.4");
        assert_eq!(read("1.24-1.27"), "1.27 1.26 1.25 1.24");
        assert_eq!(read("v1.25.3 - v1.26.1"), "1.26.1 1.25.3");
        assert_eq!(read("1.25-1.25"), "1.25");
    }

    #[test]
    fn invalid_release_range_is_an_error_with_a_suggestion() {
        assert_eq!(
            read("1.36-1.24"),
            "the range 1.36-1.24 is reversed: did you mean 1.24-1.36?"
        );
        assert_eq!(
            read("1.x-1.24"),
            "'1.x' is not a valid Kubernetes version: must be 1.N or 1.N.P, such as 1.37"
        );
    }
}
