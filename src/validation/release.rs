//! What tells the API server of one release from that of another.

use crate::controller::Release;

/// What the API server of a release requires, and how it words it.
///
/// [`Behaviour`](crate::controller::Behaviour) has the rest: the dialect of schedules, what `TZ=`
/// in one means, whether there is a `timeZone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "a row of traits, each of which is told by its name"
)]
pub(super) struct ApiServer {
    /// How long the name of a new object may be, so that its Jobs' names stay below 64 bytes.
    pub(super) name_limit: Option<usize>,
    /// Whether a name with dots is warned of.
    pub(super) warns_of_dots: bool,
    /// Whether the name of a time zone is checked by its characters before it is looked up.
    pub(super) checks_zone_characters: bool,
    /// Whether a schedule on which the cron library panics is an error like others.
    pub(super) survives_panics: bool,
    /// Whether the default restart policy, `Always`, is said to be missing rather than wrong.
    pub(super) misses_restart_policy: bool,
    /// What it calls a DNS subdomain.
    pub(super) subdomain: &'static str,
    /// What it measures labels in; it measures names in characters.
    pub(super) length_unit: &'static str,
    /// Whether it shows an object as JSON; as Go would write it otherwise.
    pub(super) shows_json: bool,
}

const OLDEST: ApiServer = ApiServer {
    name_limit: None,
    warns_of_dots: false,
    checks_zone_characters: false,
    survives_panics: true,
    misses_restart_policy: false,
    subdomain: "a DNS-1123 subdomain",
    length_unit: "characters",
    shows_json: false,
};

// kubernetes/kubernetes#52733
const SINCE_1_9: ApiServer = ApiServer {
    name_limit: Some(52),
    ..OLDEST
};

// kubernetes/kubernetes#94182
const SINCE_1_20: ApiServer = ApiServer {
    subdomain: "a lowercase RFC 1123 subdomain",
    ..SINCE_1_9
};

// kubernetes/kubernetes#95747; and the library that panics came with this release.
const SINCE_1_22: ApiServer = ApiServer {
    survives_panics: false,
    misses_restart_policy: true,
    ..SINCE_1_20
};

// kubernetes/kubernetes#114412
const SINCE_1_27: ApiServer = ApiServer {
    warns_of_dots: true,
    checks_zone_characters: true,
    ..SINCE_1_22
};

const SINCE_1_34: ApiServer = ApiServer {
    length_unit: "bytes",
    shows_json: true,
    ..SINCE_1_27
};

// kubernetes/kubernetes#134526
const SINCE_1_35: ApiServer = ApiServer {
    survives_panics: true,
    ..SINCE_1_34
};

/// From which release on, minor and patch, oldest first.
const ROWS: &[((u32, u32), ApiServer)] = &[
    ((9, 0), SINCE_1_9),
    ((20, 0), SINCE_1_20),
    ((22, 0), SINCE_1_22),
    ((27, 0), SINCE_1_27),
    ((34, 0), SINCE_1_34),
    ((35, 0), SINCE_1_35),
];

impl ApiServer {
    /// The row of a release.
    pub(super) fn of(release: Release) -> Self {
        release.row_of(ROWS).unwrap_or(OLDEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order() {
        assert!(ROWS.is_sorted_by_key(|(since, _)| *since));
    }
}
