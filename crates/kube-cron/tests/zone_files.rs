//! Zone files beyond those that are built in: with leap seconds, without a rule for later years, of the
//! first version, damaged. Go reads the times of their transitions as they are.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::moments::{at, second};
use crate::support::random::Random;
use crate::support::zones::{ODD_ZONES, RIGHT_BERLIN, RIGHT_UTC, ZoneFile, names_in};
use jiff::Timestamp;
use kube_cron::{BundledZones, Dialect, OffsetChange, Schedule, Timetable, Zone, Zones};
use kube_cron::{DatabaseChoice, ZoneDatabase};
use test_requirements::TIME_ZONES;

const HOUR: i32 = 3600;

/// Asks on a thread of its own, so that a question without an answer fails the test.
#[track_caller]
fn soon<T: Send + 'static>(what: &str, ask: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(ask()));
    match receiver.recv_timeout(Duration::from_secs(300)) {
        Ok(answer) => answer,
        Err(error) => panic!("{what}: {error}"),
    }
}

fn zone(name: &'static str, file: ZoneFile<'static>) -> Arc<Zone> {
    soon(name, move || {
        Arc::new(Zone::from_tzif(name, &file.bytes()).unwrap())
    })
}

fn timetable(zone: &Arc<Zone>, text: &str) -> Timetable {
    let schedule = Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
    schedule.in_zone(zone)
}

/// The runs after a moment, in UTC.
fn runs(zone: &Arc<Zone>, text: &str, after: &str, count: usize) -> Vec<String> {
    let timetable = timetable(zone, text);
    let runs = timetable.after(after.parse().unwrap()).take(count);
    runs.map(|run| run.unwrap().to_string()).collect()
}

#[test]
fn zone_with_leap_seconds_and_no_transitions_is_utc() {
    let zone = zone("right/UTC", RIGHT_UTC);
    let expected = ["2026-11-21T09:00:00Z", "2026-11-21T10:00:00Z"];
    assert_eq!(
        runs(&zone, "0 * * * *", "2026-11-21T08:00:00Z", 2),
        expected
    );
    let end = at(second("9999-01-01T00:00:00Z"));
    assert_eq!(zone.changes(at(0), end), []);
}

/// The runs are those of robfig/cron, which is asked live in `upstream_live`.
#[test]
fn zone_with_leap_seconds_changes_when_its_file_says() {
    let zone = zone("right/Berlin", RIGHT_BERLIN);
    let until = at(second("9999-01-01T00:00:00Z"));
    let changes = zone.changes(at(0), until);
    let seconds: Vec<i64> = changes.iter().map(|change| change.at.as_second()).collect();
    let expected = RIGHT_BERLIN.transitions.iter().map(|(second, _)| *second);
    assert!(seconds.into_iter().eq(expected));
    // Local time goes from 02:00:27 to 03:00:27, so that 02:00 is not skipped. From there the search
    // of robfig/cron passes over the next day.
    let nightly = |after, count| runs(&zone, "0 2 * * *", after, count);
    let expected = ["2026-03-29T01:00:00Z", "2026-03-31T00:00:00Z"];
    assert_eq!(nightly("2026-03-28T12:00:00Z", 2), expected);
    // Without a rule for later years the last offset stays.
    assert_eq!(nightly("2050-07-01T12:00:00Z", 1), ["2050-07-02T01:00:00Z"]);
}

/// Go ignores a rule that it cannot read: its first name has two letters, and it needs three. Other rules of that kind
/// are among `ODD_ZONES`.
#[test]
fn rule_that_go_cannot_read_leaves_the_last_offset() {
    let zone = zone(
        "Summer",
        ZoneFile {
            transitions: &[(1_774_746_000, 1)], // 2026-03-29T01:00:00Z
            leap_seconds: 0,
            footer: "ST0SDT,0/0,J365/25",
            ..RIGHT_BERLIN
        },
    );
    let noon = |after, expected| assert_eq!(runs(&zone, "0 12 * * *", after, 1), [expected]);
    noon("2026-03-28T00:00:00Z", "2026-03-28T11:00:00Z");
    noon("2026-03-29T12:00:00Z", "2026-03-30T10:00:00Z");
    noon("2050-12-24T00:00:00Z", "2050-12-24T10:00:00Z");
}

/// What Go could read and we cannot is rejected, because ignoring it would be a wrong answer.
#[test]
fn rule_that_only_go_can_read_is_malformed() {
    for footer in [
        "<A>-1",
        "EST5EDT",
        "CET-1CEST-2;M3.5.0,M10.5.0/3",
        "AAA-100",
    ] {
        let file = ZoneFile {
            transitions: &[],
            footer,
            ..RIGHT_BERLIN
        };
        let read = Zone::from_tzif("odd", &file.bytes());
        assert!(read.is_none(), "{footer}");
    }
}

/// Go knows versions 1 to 3.
#[test]
fn zone_file_of_a_later_version_is_malformed() {
    for (version, is_read) in [(0, true), (b'2', true), (b'3', true), (b'4', false)] {
        let file = ZoneFile {
            version,
            ..RIGHT_UTC
        };
        let read = Zone::from_tzif("odd", &file.bytes());
        assert_eq!(read.is_some(), is_read, "{version}");
    }
}

/// A search may have to step over each change.
#[test]
fn zone_file_with_too_many_changes_is_malformed() {
    let every_hour = |count: i64| {
        let changes = (0..count).map(|nth| (nth * 3600, u8::from(nth % 2 == 0)));
        let transitions: Vec<(i64, u8)> = changes.collect();
        let file = ZoneFile {
            types: &[(0, false), (HOUR, true)],
            transitions: &transitions,
            leap_seconds: 0,
            ..RIGHT_UTC
        };
        Zone::from_tzif("odd", &file.bytes()).is_some()
    };
    assert!(every_hour(1_000));
    assert!(!every_hour(2_000));
}

/// Fields, steps, lists, names, `@every`, dates that are rare, and dates that do not exist.
const SCHEDULES: [&str; 12] = [
    "* * * * *",
    "*/7 */5 * * *",
    "30 2 * * *",
    "0 0 * * *",
    "17,53 3 1,15,31 * *",
    "0 0 */2 * mon",
    "0 9-17 * jan-mar mon-fri",
    "0 0 29 2 *",
    "0 0 31 2 *",
    ", * * * *",
    "@every 90m",
    "@yearly",
];

/// Asks a timetable every kind of question.
fn ask(zone: &Arc<Zone>, schedules: &[&str]) {
    let times = [
        "1971-01-01T00:00:00Z",
        "2026-03-29T00:59:59Z",
        "9990-01-01T00:00:00Z",
    ];
    for text in schedules {
        let timetable = timetable(zone, text);
        for now in times.map(|time| at(second(time))) {
            let later = at(now.as_second() + 3 * 366 * 86_400);
            let last = timetable.after(now).take(50).last();
            if let Some(Ok(last)) = last {
                timetable.previous(last);
            }
            timetable.before(now).take(5).for_each(drop);
            let _ = timetable.count(now, later);
            timetable.stands_still(now, later);
            timetable.surprises(now, later);
            timetable.why_never(now);
        }
    }
    zone.changes(Timestamp::MIN, Timestamp::MAX);
}

#[test]
fn every_schedule_answers_in_odd_zone_files() {
    for (name, file) in ODD_ZONES {
        let zone = zone(name, file);
        soon(name, move || ask(&zone, &SCHEDULES));
    }
}

#[test]
fn every_schedule_answers_in_bundled_zones() {
    let mut random = Random::new(1972);
    let names: Vec<&'static str> = BundledZones::names().collect();
    for _ in 0..40 {
        let name = *random.pick(&names);
        let zone = soon(name, || BundledZones.load(name).unwrap());
        soon(name, move || ask(&zone, &SCHEDULES));
    }
}

/// A file can contain anything: times out of order or repeated, offsets of a day, bytes changed at random.
#[test]
fn damaged_zone_files_are_refused_or_answer() {
    let mut random = Random::new(2016);
    for round in 0..25 {
        let transitions: Vec<(i64, u8)> = (0..random.below(12))
            .map(|_| {
                let second = match random.below(3) {
                    0 => *random.pick(&[i64::MIN, i64::MAX, 0, -(1 << 59)]),
                    _ => random.between(1_700_000_000, 1_800_000_000),
                };
                (second, u8::try_from(random.below(3)).unwrap())
            })
            .collect();
        let mut quarters = |most: i64| i32::try_from(random.between(-most, most)).unwrap() * 900;
        let types = [(quarters(104), false), (HOUR, true), (quarters(50), false)];
        let file = ZoneFile {
            version: b'2',
            types: &types,
            transitions: &transitions,
            leap_seconds: 1,
            footer: random.pick::<&str>(&["", "UTC0", "<+01>-1", "CET-1CEST,M3.5.0,M10.5.0/3"]),
        };
        let mut bytes = file.bytes();
        for _ in 0..random.below(3) {
            let index = random.below(bytes.len());
            bytes[index] = u8::try_from(random.below(256)).unwrap();
        }
        let name = format!("file {round}");
        soon(&name, move || {
            if let Some(zone) = Zone::from_tzif("odd", &bytes) {
                // Runs of each minute would be searched one by one over years.
                ask(&Arc::new(zone), &SCHEDULES[1..]);
            }
        });
    }
}

/// The machine's own files besides the zones of the database: `right/`, `posixrules`, `localtime`, tables.
#[test]
fn every_file_of_the_machine_is_refused_or_answers() {
    let Ok(zones) = ZoneDatabase::open(DatabaseChoice::System) else {
        return TIME_ZONES.skip();
    };
    let folder = zones.folder().unwrap().to_owned();
    let bundled: Vec<&str> = BundledZones::names().collect();
    let mut names = names_in(&folder);
    names.retain(|name| {
        let plain = name.strip_prefix("posix/").unwrap_or(name);
        !bundled.contains(&plain)
    });
    let zones = Arc::new(zones);
    for (nth, name) in names.into_iter().enumerate() {
        let zones = Arc::clone(&zones);
        let what = name.clone();
        soon(&what, move || match zones.load(&name) {
            // There are hundreds of the same kind.
            Ok(zone) if nth % 24 == 0 || !name.contains('/') => ask(&zone, &SCHEDULES),
            _ => {}
        });
    }
}

/// Reading a device may never end.
#[cfg(unix)]
#[test]
fn only_regular_files_of_a_limited_size_are_read() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless-zones");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("Europe")).unwrap();
    for name in ["tzdata.zi", "+VERSION", "Europe/Berlin"] {
        std::os::unix::fs::symlink("/dev/zero", folder.join(name)).unwrap();
    }
    let huge = fs::File::create(folder.join("Europe/Paris")).unwrap();
    huge.set_len(17 << 20).unwrap();
    let folders = [folder.as_path()].into_iter();
    let zones = ZoneDatabase::open_in(DatabaseChoice::System, folders).unwrap();
    assert_eq!(zones.version(), None);
    for name in ["Europe/Berlin", "Europe/Paris"] {
        let error = zones.load(name).unwrap_err().to_string();
        assert_eq!(error, "malformed time zone information", "{name}");
        // Another name would not help.
        assert_eq!(kube_cron::suggest_zone(name), None);
    }
}

/// A zone that the built-in database does not have is looked up in the machine's database.
#[test]
fn zone_that_only_the_machine_has_is_found() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("old-zones");
    for (name, bytes) in [
        ("tzdata.zi", b"# version 2001a\n".to_vec()),
        ("right/UTC", RIGHT_UTC.bytes()),
        // The built-in one of this name is newer.
        ("Europe/Berlin", RIGHT_UTC.bytes()),
    ] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let open = |choice| ZoneDatabase::open_in(choice, [folder.as_path()].into_iter()).unwrap();
    let newest = open(DatabaseChoice::Newest);
    assert_eq!(newest.folder(), None);
    assert_eq!(newest.version(), Some(BundledZones::version()));
    assert_eq!(newest.load("right/UTC").unwrap().name(), "right/UTC");
    let berlin = newest.load("Europe/Berlin").unwrap();
    let until = at(second("2026-01-01T00:00:00Z"));
    assert_ne!(berlin.changes(at(0), until), []);
    let [bundled, system] = [DatabaseChoice::Bundled, DatabaseChoice::System].map(open);
    for (zones, name, error) in [
        (&bundled, "right/UTC", "unknown time zone right/UTC"),
        (&newest, "right/Mars", "unknown time zone right/Mars"),
        (&newest, "right", "is a directory"),
        (&newest, "tzdata.zi", "malformed time zone information"),
        (&newest, "Asia/Tokyo/East", "not a directory"),
        (&system, "right/UTC/East", "not a directory"),
    ] {
        let found = zones.load(name).unwrap_err().to_string();
        assert_eq!(found, error, "{name}");
    }
}

/// The release of a folder is in one of two files; the newer database is used.
#[test]
fn newer_database_of_the_machine_is_used() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("releases-of-zones");
    let bundled = BundledZones::version();
    let next_year = format!("{}a", bundled[..4].parse::<u32>().unwrap() + 1);
    for (file, line, version, is_used) in [
        (
            "tzdata.zi",
            format!("# version {next_year}\n# comment"),
            Some(next_year.as_str()),
            true,
        ),
        (
            "+VERSION",
            next_year.clone(),
            Some(next_year.as_str()),
            true,
        ),
        (
            "tzdata.zi",
            format!("# version {bundled}"),
            Some(bundled),
            false,
        ),
        // Not releases: too short, and without a year.
        ("+VERSION", "2099".to_owned(), None, false),
        ("+VERSION", "later".to_owned(), None, false),
        ("tzdata.zi", "version 2099a".to_owned(), None, false),
    ] {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(file), &line).unwrap();
        let open = |choice| ZoneDatabase::open_in(choice, [folder.as_path()].into_iter()).unwrap();
        let newest = open(DatabaseChoice::Newest);
        assert_eq!(newest.folder().is_some(), is_used, "{file}: {line}");
        let system = open(DatabaseChoice::System);
        assert_eq!(
            (system.version(), system.folder()),
            (version, Some(&*folder)),
            "{file}: {line}"
        );
    }
    let open = |choice| ZoneDatabase::open_in(choice, [Path::new("/no/such/folder")].into_iter());
    assert!(open(DatabaseChoice::System).is_err());
    assert_eq!(open(DatabaseChoice::Newest).unwrap().folder(), None);
}

/// A search never finds the only date within five years, because its midnight does not exist.
#[test]
fn leap_day_without_its_hour_is_reported_as_missed() {
    // 2028-02-29T00:00:00Z
    const LEAP_DAY: i64 = 1_835_395_200;
    let zone = zone(
        "odd",
        ZoneFile {
            version: b'2',
            types: &[(0, false), (HOUR, true)],
            transitions: &[(LEAP_DAY, 1), (LEAP_DAY + 90 * 86_400, 0)],
            leap_seconds: 0,
            footer: "",
        },
    );
    let schedule = timetable(&zone, "30 0 29 2 *");
    let why = |after: &str| {
        let why = schedule.why_never(after.parse().unwrap());
        why.map(|why| why.to_string())
    };
    let lost =
        "2028-02-29 would match, but the search misses it because of a clock change in the zone";
    assert_eq!(why("2026-12-01T00:00:00Z").as_deref(), Some(lost));
    // The leap day of 2032 is within five years.
    assert_eq!(why("2027-01-01T00:00:00Z"), None);
}

/// Years have the calendar of those 400 years before: April 25, 5180 is the last Friday of its month, as in 1980. Cairo
/// then goes from two to three hours at midnight.
#[test]
fn clocks_change_in_every_year() {
    let cairo = BundledZones.load("Africa/Cairo").unwrap();
    let at = |text: &str| -> Timestamp { text.parse().unwrap() };
    let changes = cairo.changes(at("5180-04-01T00:00:00Z"), at("5180-05-01T00:00:00Z"));
    let expected = OffsetChange {
        at: at("5180-04-24T22:00:00Z"),
        before: 7_200,
        after: 10_800,
    };
    assert_eq!(changes, [expected]);
    // From 2101 on there are two in each year, and nothing is lost where the tables begin again.
    let until = at("9001-01-01T00:00:00Z");
    let changes = cairo.changes(at("2101-01-01T00:00:00Z"), until);
    assert_eq!(changes.len(), 2 * 6_900);
    assert!(changes.is_sorted_by(|one, next| one.at < next.at && one.after == next.before));
}
