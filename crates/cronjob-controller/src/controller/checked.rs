//! The releases whose forecasts were compared with what their controller did.

use std::sync::LazyLock;

use super::release::Release;

const TABLE: &str = include_str!("checked.txt");

/// A comparison of forecasts with a running controller.
pub struct CheckedRelease {
    pub release: Release,
    /// The cells of the row, the first of them with the release.
    pub cells: Vec<&'static str>,
}

/// All comparisons, in the order of the table.
pub fn checked_releases() -> impl Iterator<Item = CheckedRelease> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let release = cells.first()?.split(',').next()?.parse().ok()?;
        Some(CheckedRelease { release, cells })
    })
}

impl Release {
    /// The newest minor release that was compared with a running controller. It is assumed where nothing names a
    /// version.
    pub fn newest_checked() -> Self {
        // Answers about many CronJobs ask for it once for each.
        static NEWEST: LazyLock<Release> = LazyLock::new(|| {
            let minors = checked_releases().map(|checked| checked.release.minor());
            minors
                .max()
                .and_then(Release::of_minor)
                .unwrap_or(Release::NEWEST)
        });
        *NEWEST
    }

    /// Whether this release is newer than what was compared with a running controller.
    pub fn is_beyond_checked(self) -> bool {
        self.minor() > Self::newest_checked().minor()
    }
}
