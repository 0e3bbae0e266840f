//! Databases of time zones.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use kube_cron::{BundledZones, Zone, Zones as _};

/// All zones of the built-in database.
pub(crate) fn bundled() -> Vec<Arc<Zone>> {
    let names = BundledZones::names();
    names
        .filter_map(|name| BundledZones.load(name).ok())
        .collect()
}

/// The names of all files in a folder of zones and below, also of those that are not zones.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                names.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    names.sort();
    names
}

/// A zone file as `zic` writes it.
#[derive(Clone, Copy)]
pub(crate) struct ZoneFile<'a> {
    /// 0, or the digit of a later version.
    pub(crate) version: u8,
    /// Seconds east of UTC, and whether that is summer time.
    pub(crate) types: &'a [(i32, bool)],
    /// When a type begins, and which.
    pub(crate) transitions: &'a [(i64, u8)],
    /// The number of leap seconds; their contents change nothing for Go.
    pub(crate) leap_seconds: u32,
    /// The rule for the years after the last transition.
    pub(crate) footer: &'a str,
}

impl ZoneFile<'_> {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.block(&mut bytes, 4);
        if self.version != 0 {
            self.block(&mut bytes, 8);
            bytes.extend(format!("\n{}\n", self.footer).bytes());
        }
        bytes
    }

    /// One block, with times of `width` bytes; where there are two, the transitions are in the second.
    fn block(&self, bytes: &mut Vec<u8>, width: usize) {
        let is_last = width == 8 || self.version == 0;
        let transitions = if is_last { self.transitions } else { &[] };
        let leap_seconds = if is_last { self.leap_seconds } else { 0 };
        let count = |length: usize| u32::try_from(length).unwrap();
        bytes.extend(b"TZif");
        bytes.push(self.version);
        bytes.extend([0; 15]);
        let counts = [
            0,
            0,
            leap_seconds,
            count(transitions.len()),
            count(self.types.len()),
            4,
        ];
        bytes.extend(counts.into_iter().flat_map(u32::to_be_bytes));
        let time = |second: i64| second.to_be_bytes().into_iter().skip(8 - width);
        bytes.extend(transitions.iter().flat_map(|(second, _)| time(*second)));
        bytes.extend(transitions.iter().map(|(_, kind)| kind));
        for (offset, is_summer) in self.types {
            bytes.extend(offset.to_be_bytes());
            bytes.extend([u8::from(*is_summer), 0]);
        }
        bytes.extend(b"LMT\0");
        for nth in 1..=leap_seconds {
            bytes.extend(time(i64::from(nth) * 40_000_000));
            bytes.extend(nth.to_be_bytes());
        }
    }
}

const HOUR: i32 = 3600;

/// `right/UTC`: no transitions, no rule, and 27 leap seconds.
pub(crate) const RIGHT_UTC: ZoneFile<'_> = ZoneFile {
    version: b'2',
    types: &[(0, false)],
    transitions: &[],
    leap_seconds: 27,
    footer: "",
};

/// Some years of `right/Europe/Berlin`: each change comes 27 seconds late, and none after the last.
pub(crate) const RIGHT_BERLIN: ZoneFile<'_> = ZoneFile {
    version: b'2',
    types: &[(HOUR, false), (2 * HOUR, true)],
    transitions: &[
        (1_774_746_027, 1), // 2026-03-29T01:00:27Z
        (1_792_890_027, 0), // 2026-10-25T01:00:27Z
        (1_806_195_627, 1), // 2027-03-28T01:00:27Z
        (1_824_944_427, 0), // 2027-10-31T01:00:27Z
    ],
    leap_seconds: 27,
    footer: "",
};

/// A zone file with a rule that Go cannot read.
const fn unreadable(name: &'static str, footer: &'static str) -> (&'static str, ZoneFile<'static>) {
    let file = ZoneFile {
        footer,
        ..RIGHT_BERLIN
    };
    (name, file)
}

/// Zone files that the tz database does not have.
pub(crate) const ODD_ZONES: [(&str, ZoneFile<'_>); 19] = [
    ("right/UTC", RIGHT_UTC),
    ("right/Berlin", RIGHT_BERLIN),
    (
        "right/EndsInSummer",
        ZoneFile {
            transitions: &[(1_774_746_027, 1)],
            ..RIGHT_BERLIN
        },
    ),
    (
        "right/Rule",
        ZoneFile {
            footer: "CET-1CEST,M3.5.0,M10.5.0/3",
            transitions: &[],
            ..RIGHT_BERLIN
        },
    ),
    unreadable("ShortName", "ST0SDT,0/0,J365/25"),
    unreadable("NoOffset", "CET"),
    unreadable("FarOffset", "CET169"),
    unreadable("MinuteOfHour", "CET-1:60"),
    unreadable("OneDay", "CET-1CEST,M3.5.0"),
    unreadable("ThirteenthMonth", "CET-1CEST,M13.5.0,M10.5.0"),
    unreadable("DayZero", "CET-1CEST,J0,J300"),
    unreadable("OpenQuote", "<CET-1"),
    unreadable("ShortSummer", "CET-1CE-2,M3.5.0,M10.5.0"),
    unreadable("Semicolon", "CET-1CEST;M3.5.0,M10.5.0/3"),
    unreadable("MoreAfterDays", "CET-1CEST,M3.5.0,M10.5.0/3,M11.1.0"),
    (
        "America/OldVersion",
        ZoneFile {
            version: 0,
            ..RIGHT_BERLIN
        },
    ),
    (
        // Files from before 2018 begin like this.
        "BigBang",
        ZoneFile {
            types: &[(3208, false), (HOUR, false), (2 * HOUR, true)],
            transitions: &[
                (-(1 << 59), 0),
                (-2_422_054_408, 1),
                (1_774_746_000, 2),
                (1_792_890_000, 1),
            ],
            leap_seconds: 0,
            ..RIGHT_BERLIN
        },
    ),
    (
        "America/QuarterHours",
        ZoneFile {
            types: &[(45 * 60, false), (HOUR, true)],
            ..RIGHT_BERLIN
        },
    ),
    (
        // The clock changes every second day.
        "Restless",
        ZoneFile {
            transitions: &[
                (1_774_746_000, 1),
                (1_774_832_400, 0),
                (1_774_832_401, 1),
                (1_774_918_800, 0),
                (1_775_005_200, 1),
            ],
            leap_seconds: 0,
            ..RIGHT_BERLIN
        },
    ),
];
