//! The versions of the cron library that Kubernetes has used, as data.

/// A version of `github.com/robfig/cron`, the library that Kubernetes uses for schedules.
///
/// ```
/// use kube_cron::{Dialect, Schedule, BundledZones};
///
/// // Every second day AND a Monday up to 1.21, every second day OR a Monday since 1.22.
/// let old = Schedule::parse("0 0 */2 * 1", Dialect::V1_1, &BundledZones).unwrap();
/// let new = Schedule::parse("0 0 */2 * 1", Dialect::V3_0, &BundledZones).unwrap();
/// assert_ne!(old, new);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// robfig/cron v1.1.0, in Kubernetes up to 1.21.
    V1_1,
    /// robfig/cron v1.2.0, in the kubebuilder tutorial's controller. Its parser and its search are
    /// those of v1.1.0: both tags name the same commit.
    V1_2,
    /// robfig/cron v3.0.1, in Kubernetes from 1.22.
    V3_0,
}

/// The differences between dialects. Code checks these, never the version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// The version, as in its tag.
    pub(crate) version: &'static str,
    /// Whether error texts begin with a capital letter.
    pub(crate) capital_errors: bool,
    /// Whether the error for a wrong number of fields lists the fields as `[a b c]`.
    pub(crate) lists_found_fields: bool,
    /// Whether the prefixes `TZ=zone ` and `CRON_TZ=zone ` set the zone of the expression.
    pub(crate) zone_prefix: bool,
    /// Whether `*/2` counts as an asterisk when the two day fields are combined.
    pub(crate) stepped_star_is_star: bool,
    /// Whether the search detects a step to a midnight that does not exist.
    pub(crate) repairs_midnight: bool,
}

const V1: Traits = Traits {
    version: "v1.1.0",
    capital_errors: true,
    lists_found_fields: false,
    zone_prefix: false,
    stepped_star_is_star: true,
    repairs_midnight: false,
};

const V3: Traits = Traits {
    version: "v3.0.1",
    capital_errors: false,
    lists_found_fields: true,
    zone_prefix: true,
    stepped_star_is_star: false,
    repairs_midnight: true,
};

impl Dialect {
    /// Every dialect, oldest first.
    pub const ALL: [Dialect; 3] = [Dialect::V1_1, Dialect::V1_2, Dialect::V3_0];

    pub(crate) const fn traits(self) -> Traits {
        match self {
            Dialect::V1_1 => V1,
            Dialect::V1_2 => Traits {
                version: "v1.2.0",
                ..V1
            },
            Dialect::V3_0 => V3,
        }
    }

    /// The version of the library, as in its tag: `v3.0.1`.
    pub fn version(self) -> &'static str {
        self.traits().version
    }

    /// Whether the prefix `TZ=zone ` sets the zone of the expression.
    pub fn has_zone_prefix(self) -> bool {
        self.traits().zone_prefix
    }
}
