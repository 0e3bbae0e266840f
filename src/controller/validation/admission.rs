//! What tells the API server of one release from that of another.

use crate::controller::Release;

/// What the API server demands of a `CronJob`, and how it says so.
///
/// What follows from [`Behaviour`](crate::controller::Behaviour) is not repeated here: the dialect
/// that a schedule is read in, what is made of `TZ=` in it, whether there is a `timeZone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "a row of traits, each of which is told by its name"
)]
pub struct Admission {
    /// How long the name of a new object may be, so that its Jobs' names stay below 64 bytes.
    pub name_limit: Option<usize>,
    /// Whether a name with dots is warned of.
    pub warns_of_dots: bool,
    /// Whether the name of a time zone is checked by its characters before it is looked up.
    pub checks_zone_characters: bool,
    /// Whether a schedule on which the cron library panics is an error like others.
    pub survives_panics: bool,
    /// Whether the default restart policy, `Always`, is said to be missing rather than wrong.
    pub misses_restart_policy: bool,
    /// What it calls a DNS subdomain.
    pub subdomain: &'static str,
    /// What it measures labels in; it measures names in characters.
    pub length_unit: &'static str,
    /// Whether it shows an object as JSON; as Go would write it otherwise.
    pub shows_json: bool,
}

const OLDEST: Admission = Admission {
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
const SINCE_1_9: Admission = Admission {
    name_limit: Some(52),
    ..OLDEST
};

// kubernetes/kubernetes#94182
const SINCE_1_20: Admission = Admission {
    subdomain: "a lowercase RFC 1123 subdomain",
    ..SINCE_1_9
};

// kubernetes/kubernetes#95747; and the library that panics came with this release.
const SINCE_1_22: Admission = Admission {
    survives_panics: false,
    misses_restart_policy: true,
    ..SINCE_1_20
};

// kubernetes/kubernetes#114412
const SINCE_1_27: Admission = Admission {
    warns_of_dots: true,
    checks_zone_characters: true,
    ..SINCE_1_22
};

const SINCE_1_34: Admission = Admission {
    length_unit: "bytes",
    shows_json: true,
    ..SINCE_1_27
};

// kubernetes/kubernetes#134526
const SINCE_1_35: Admission = Admission {
    survives_panics: true,
    ..SINCE_1_34
};

/// From which release on, minor and patch, oldest first.
const ROWS: &[((u32, u32), Admission)] = &[
    ((9, 0), SINCE_1_9),
    ((20, 0), SINCE_1_20),
    ((22, 0), SINCE_1_22),
    ((27, 0), SINCE_1_27),
    ((34, 0), SINCE_1_34),
    ((35, 0), SINCE_1_35),
];

impl Admission {
    /// The row of a release.
    pub fn of(release: Release) -> Self {
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
