//! The cron libraries of controllers, as data.

use crate::field_name::FieldName;

/// A version of `github.com/robfig/cron`, the library that Kubernetes uses for schedules, or of another
/// library that controllers in Kubernetes clusters use.
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
    /// `cron.Parse` of robfig/cron v1.2.0: a field for seconds in front, and the day of week may be missing.
    /// With five fields, the first is still the seconds.
    V1_2Seconds,
    /// robfig/cron v3.0.1, in Kubernetes from 1.22.
    V3_0,
    /// `cron.ParseStandard` of netresearch/go-cron v0.15.0, in kube-state-metrics from 2.19.
    GoCron0_15,
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
    /// Whether the first field is the seconds, and the day of week may be missing.
    pub(crate) seconds_field: bool,
    /// Whether ranges may wrap around, 7 is Sunday, and a step must be smaller than its range.
    pub(crate) wraps_ranges: bool,
    /// Whether a day must match both day fields even if both are restricted.
    pub(crate) both_day_fields: bool,
    /// Whether a run in an hour that a clock change skips comes after the change.
    pub(crate) runs_after_gap: bool,
    /// Whether error texts quote what they cite, and more is rejected: see `parse/go_cron.rs`.
    pub(crate) go_cron_errors: bool,
}

const V1: Traits = Traits {
    version: "v1.1.0",
    capital_errors: true,
    lists_found_fields: false,
    zone_prefix: false,
    stepped_star_is_star: true,
    repairs_midnight: false,
    seconds_field: false,
    wraps_ranges: false,
    both_day_fields: false,
    runs_after_gap: false,
    go_cron_errors: false,
};

const V3: Traits = Traits {
    version: "v3.0.1",
    capital_errors: false,
    lists_found_fields: true,
    zone_prefix: true,
    stepped_star_is_star: false,
    repairs_midnight: true,
    ..V1
};

impl Dialect {
    /// The dialects of CronJob controllers, oldest first.
    pub const ALL: [Dialect; 3] = [Dialect::V1_1, Dialect::V1_2, Dialect::V3_0];

    pub(crate) const fn traits(self) -> Traits {
        match self {
            Dialect::V1_1 => V1,
            Dialect::V1_2 => Traits {
                version: "v1.2.0",
                ..V1
            },
            Dialect::V1_2Seconds => Traits {
                version: "v1.2.0",
                seconds_field: true,
                ..V1
            },
            Dialect::V3_0 => V3,
            Dialect::GoCron0_15 => Traits {
                version: "v0.15.0",
                wraps_ranges: true,
                both_day_fields: true,
                runs_after_gap: true,
                go_cron_errors: true,
                ..V3
            },
        }
    }

    /// The version of the library, as in its tag: `v3.0.1`.
    pub fn version(self) -> &'static str {
        self.traits().version
    }

    /// The fields of an expression, in order.
    pub fn fields(self) -> &'static [FieldName] {
        if self.traits().seconds_field {
            &FieldName::WITH_SECONDS
        } else {
            &FieldName::ALL
        }
    }

    /// Whether the prefix `TZ=zone ` sets the zone of the expression.
    pub fn has_zone_prefix(self) -> bool {
        self.traits().zone_prefix
    }
}
