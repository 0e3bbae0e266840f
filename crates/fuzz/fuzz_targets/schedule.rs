//! Reads bytes as a dialect, an expression, a zone and a moment, and checks the guarantees of kube-cron.

#![no_main]

use std::sync::{Arc, LazyLock};

use kube_cron::{BundledZones, Dialect, Endless, Schedule, Timetable, Zone, Zones};
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;

static ZONES: LazyLock<Vec<Arc<Zone>>> = LazyLock::new(|| {
    BundledZones::names().filter_map(|name| BundledZones.load(name).ok()).collect()
});

/// From 1970 to 2110, and sometimes beyond.
const MOMENTS: u64 = 4_417_977_600;
const DAY: i64 = 86_400;

fuzz_target!(|data: &[u8]| {
    let Some((head, text)) = data.split_first_chunk::<12>() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let [dialect, far, z0, z1, m @ ..] = *head;
    let dialect = Dialect::ALL[usize::from(dialect) % Dialect::ALL.len()];
    let zone = &ZONES[usize::from(u16::from_le_bytes([z0, z1])) % ZONES.len()];
    let moments = if far == 255 { 240_000_000_000 } else { MOMENTS };
    let from = (u64::from_le_bytes(m) % moments) as i64;
    let Ok(schedule) = Schedule::parse(text, dialect, &BundledZones) else { return };
    check(&schedule.in_zone(zone), from);
});

fn check(timetable: &Timetable, from: i64) {
    let at = |second: i64| Timestamp::from_second(second).unwrap();
    let calm = timetable.zone().is_none_or(|zone| is_calm(zone, from));
    let mut bound = at(from);
    for run in timetable.after(bound).take(8) {
        let Ok(run) = run else { break };
        let span = run.as_second() - from;
        // Upstream itself may go back near an irregular change.
        assert!(run > bound || !calm || span > DAY, "{run} is not after {bound}");
        if calm && span < DAY && timetable.zone().is_some() {
            assert!(timetable.is_scheduled(run), "{run} is not scheduled");
        }
        bound = run;
    }
    let mut bound = at(from);
    for run in timetable.before(bound).take(4) {
        assert!(run < bound, "{run} is not before {bound}");
        bound = run;
    }
    // A count equals the enumeration.
    for until in [from + 2 * DAY, from + 500 * DAY] {
        let until = at(until);
        let mut enumerated = (0, None, None);
        let mut end = Some(Ok(()));
        for run in timetable.after(at(from)) {
            match run {
                Ok(run) if run > until => break,
                Ok(run) => {
                    enumerated = (enumerated.0 + 1, enumerated.1.or(Some(run)), Some(run));
                }
                Err(endless) => end = Some(Err(endless)),
            }
            if enumerated.0 > 3_000 {
                end = None; // too many to enumerate, or a circle
                break;
            }
        }
        let counted = timetable.count(at(from), until);
        match end {
            Some(Ok(())) => {
                let counted = counted.map(|counted| (counted.count, counted.first, counted.last));
                assert_eq!(counted, Ok(enumerated), "until {until}");
            }
            Some(Err(Endless)) => assert_eq!(counted, Err(Endless), "until {until}"),
            None => assert!(counted.is_err() || counted.is_ok_and(|counted| counted.count > 3_000)),
        }
    }
}

/// Whether the clock stays as it is from forty days before until three days after.
fn is_calm(zone: &Zone, from: i64) -> bool {
    let at = |second: i64| Timestamp::from_second(second).unwrap();
    zone.changes(at(from - 40 * DAY), at(from + 3 * DAY)).is_empty()
        && zone.time_zone().to_offset(at(from)).seconds() % 60 == 0
}
