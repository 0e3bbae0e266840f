//! Properties of every schedule in every zone, checked with random ones, mostly near changes of an
//! offset. `SEED` picks other random numbers, `CASES` another number of them for each test.
//!
//! A change is called *regular* here if the clock changes at a full hour to a full hour, at most one
//! hour back or three ahead, without skipping or repeating a midnight, and two days from the next
//! change. Upstream's search by days and hours is correct there. At all other changes it may miss
//! runs, repeat them or return a time that the schedule does not contain, so that the properties
//! about the clock require *calm*: no irregular change within forty days, which is more than the
//! month that the search may be set back by.

use std::sync::Arc;

use crate::support::expressions;
use crate::support::moments::{at, second};
use crate::support::naive::{Next, Spec};
use crate::support::random::{Random, setting};
use crate::support::zones;
use jiff::Timestamp;
use kube_cron::{
    BundledZones, Dialect, Endless, OffsetChange, RunCount, Schedule, Timetable, Zone, Zones,
};

const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;
/// Calm covers this much time on both sides.
const CALM: i64 = 40 * DAY;

/// A fixed number of random questions.
struct Trial {
    random: Random,
    zones: Vec<Arc<Zone>>,
    left: u64,
}

/// One question.
struct Case {
    text: String,
    dialect: Dialect,
    zone: Arc<Zone>,
    timetable: Timetable,
    from: i64,
}

impl Trial {
    fn new(seed: u64, cases: u64) -> Self {
        let zones = zones::bundled();
        assert!(zones.len() > 500, "only {} zones", zones.len());
        Trial {
            random: Random::seeded(seed),
            zones,
            left: setting("CASES").unwrap_or(cases),
        }
    }

    /// The next case: an expression that parses, in a zone, at a moment likely near a change.
    fn case(&mut self) -> Option<Case> {
        self.left = self.left.checked_sub(1)?;
        loop {
            let dialect = *self.random.pick(&Dialect::ALL);
            let text = expressions::expression(&mut self.random);
            if let Ok(schedule) = Schedule::parse(&text, dialect, &BundledZones) {
                let zone = Arc::clone(self.random.pick(&self.zones));
                let from = moment(&mut self.random, &zone);
                let timetable = schedule.in_zone(&zone);
                return Some(Case {
                    text,
                    dialect,
                    zone,
                    timetable,
                    from,
                });
            }
        }
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let version = self.dialect.version();
        let (zone, from) = (self.zone.name(), at(self.from));
        write!(f, "{:?} ({version}) in {zone} from {from}", self.text)
    }
}

fn moment(random: &mut Random, zone: &Zone) -> i64 {
    let [from, until] = ["1971-01-01T00:00:00Z", "2110-01-01T00:00:00Z"].map(second);
    let anywhere = random.between(from, until);
    if random.one_in(5) {
        return anywhere;
    }
    let changes = zone.changes(at(anywhere), at(anywhere + 400 * DAY));
    let irregular: Vec<OffsetChange> = changes
        .iter()
        .filter(|change| !is_regular(change, &changes))
        .copied()
        .collect();
    let choices = if irregular.is_empty() {
        &changes
    } else {
        &irregular
    };
    if choices.is_empty() {
        return anywhere;
    }
    let span = *random.pick(&[900, 7_200, 100_000, 3_000_000]);
    random.pick(choices).at.as_second() + random.between(-span, span / 2)
}

fn is_regular(change: &OffsetChange, all: &[OffsetChange]) -> bool {
    let moment = change.at.as_second();
    let (from, to) = (moment + change.before, moment + change.after);
    let is_far = |other: &OffsetChange| (other.at.as_second() - moment).abs() >= 2 * DAY;
    let lonely = all.iter().all(|other| other == change || is_far(other));
    // The midnight at or before the last second that is skipped or repeated.
    let (low, high) = (from.min(to), from.max(to));
    let midnight = (high - 1).div_euclid(DAY) * DAY;
    lonely
        && (-HOUR..=3 * HOUR).contains(&(to - from))
        && from % HOUR == 0
        && to % HOUR == 0
        && change.before % 60 == 0
        && change.after % 60 == 0
        && midnight < low
}

/// Whether there is no irregular change in a span of time, and in the time around it that calm requires.
fn is_calm(zone: &Zone, from: i64, until: i64) -> bool {
    let changes = zone.changes(at(from - CALM - 3 * DAY), at(until + CALM + 3 * DAY));
    let offset = zone.time_zone().to_offset(at(from)).seconds();
    let around = (from - CALM)..=(until + CALM);
    offset % 60 == 0
        && changes
            .iter()
            .filter(|change| around.contains(&change.at.as_second()))
            .all(|change| is_regular(change, &changes))
}

/// The runs in `(after, until]`, each found from the one before; `None` if they are too many to enumerate.
fn enumerate(
    timetable: &Timetable,
    after: i64,
    until: i64,
    most: usize,
) -> Option<Result<Vec<Timestamp>, Endless>> {
    let mut runs = Vec::new();
    for run in timetable.after(at(after)) {
        match run {
            Ok(run) if run > at(until) => break,
            Ok(run) => runs.push(run),
            Err(endless) => return Some(Err(endless)),
        }
        if runs.len() > most {
            return None;
        }
    }
    Some(Ok(runs))
}

#[test]
fn next_matches_the_naive_reference() {
    let mut trial = Trial::new(1, 50_000);
    while let Some(case) = trial.case() {
        let Some(spec) = Spec::parse(&case.text, case.dialect).filter(|_| case.text.is_ascii())
        else {
            continue;
        };
        let mut from = case.from;
        for _ in 0..=trial.random.below(5) {
            let ours = match case.timetable.next(at(from)) {
                Ok(Some(run)) => Next::At(run.as_second()),
                Ok(None) => Next::Never,
                Err(Endless) => Next::Hangs,
            };
            if spec.is_hopeless() {
                assert_eq!(ours, Next::Never, "{case}");
                break;
            }
            let expected = spec.next(from, case.zone.time_zone());
            assert_eq!(ours, expected, "{case}, at {}", at(from));
            match ours {
                Next::At(run) => from = run,
                Next::Never | Next::Hangs => break,
            }
        }
    }
}

#[test]
fn the_parser_accepts_what_the_naive_reference_accepts() {
    let mut random = Random::new(2);
    for _ in 0..60_000 {
        let text = expressions::expression(&mut random);
        let dialect = *random.pick(&Dialect::ALL);
        if text.is_ascii() && !text.starts_with("@every ") {
            let ours = Schedule::parse(&text, dialect, &BundledZones).is_ok();
            assert_eq!(ours, Spec::parse(&text, dialect).is_some(), "{text:?}");
        }
    }
}

#[test]
fn next_is_later_and_always_the_same() {
    let mut trial = Trial::new(3, 14_000);
    while let Some(case) = trial.case() {
        let next = case.timetable.next(at(case.from));
        if let Ok(Some(run)) = next {
            // Upstream goes back if its search is set back to the beginning of an hour or of a day
            // that the clock shows twice, and begins in the first of the two. So does the reference.
            let later = run > at(case.from);
            let is_right = later || !is_calm(&case.zone, case.from, case.from);
            assert!(is_right, "{case}: {run}");
            assert_eq!(run.subsec_nanosecond(), 0, "{case}: {run}");
        }
        // The result is the same again, with a zone that is loaded again, and anywhere within the second.
        assert_eq!(case.timetable.next(at(case.from)), next, "{case}");
        let fresh = BundledZones.load(case.zone.name()).unwrap();
        let schedule = Schedule::parse(&case.text, case.dialect, &BundledZones).unwrap();
        assert_eq!(schedule.in_zone(&fresh).next(at(case.from)), next, "{case}");
        let within = Timestamp::new(case.from, 999_999_999).unwrap();
        assert_eq!(case.timetable.next(within), next, "{case}");
    }
}

#[test]
fn count_equals_the_enumeration() {
    let mut trial = Trial::new(4, 12_000);
    while let Some(case) = trial.case() {
        let spans = [HOUR, 3 * DAY, 70 * DAY, 800 * DAY, 4_000 * DAY];
        let span = *trial.random.pick(&spans);
        let until = case.from + trial.random.between(-HOUR, span);
        let Some(expected) = enumerate(&case.timetable, case.from, until, 4_000) else {
            continue;
        };
        let expected = expected.map(|runs| RunCount {
            count: runs.len() as u64,
            first: runs.first().copied(),
            last: runs.last().copied(),
            gave_up: {
                let from = runs.last().copied().unwrap_or(at(case.from));
                case.timetable.next(from) == Ok(None)
            },
        });
        let counted = case.timetable.count(at(case.from), at(until));
        assert_eq!(counted, expected, "{case} until {}", at(until));
    }
}

/// If there is only calm around and between a run and the run after it, they belong to the chain that
/// every earlier search joins, so that the runs after them are *the* chain, through all later irregular
/// changes. `previous` walks this chain back: `previous` of any moment after a run, up to and including
/// the run that follows it, is that run, and so `next(previous(run)) == run`.
#[test]
fn previous_walks_the_chain_of_runs_back() {
    let mut trial = Trial::new(5, 200);
    let mut walked = 0;
    while let Some(case) = trial.case() {
        // `@every` has no chain of its own.
        if case.timetable.zone().is_none() {
            continue;
        }
        let start = case.from - CALM - trial.random.between(DAY, 20 * DAY);
        let Ok(Some(first)) = case.timetable.next(at(start)) else {
            continue;
        };
        // A search that began at the run before must not have met anything irregular either.
        let Some(base) = case.timetable.previous(at(start)) else {
            continue;
        };
        if !is_calm(&case.zone, base.as_second(), first.as_second()) {
            continue;
        }
        // Dense schedules are checked around the moment of interest, all others everywhere.
        let mut run = first;
        for step in 0..200_000 {
            let Ok(Some(following)) = case.timetable.next(run) else {
                break;
            };
            if following <= run || following.as_second() > case.from + 1_200 * DAY {
                break; // upstream goes around in a circle, or the window ends
            }
            let near = (following.as_second() - case.from).abs() < 3 * DAY;
            if near || step % 97 == 0 || following.as_second() - run.as_second() > 7 * HOUR {
                let (low, high) = (run.as_second() + 1, following.as_second());
                let within = trial.random.between(low, high);
                for before in [low, within, high].map(at) {
                    let previous = case.timetable.previous(before);
                    let message = format!("{case}, before {before}; chain from {first}");
                    assert_eq!(previous, Some(run), "{message}");
                }
                walked += 1;
            }
            run = following;
        }
    }
    eprintln!("previous: {walked} steps");
}

#[test]
fn before_goes_strictly_backwards() {
    let mut trial = Trial::new(6, 10_000);
    while let Some(case) = trial.case() {
        let mut bound = at(case.from);
        for run in case.timetable.before(bound).take(20) {
            assert!(run < bound, "{case}: {run} is not before {bound}");
            bound = run;
        }
    }
}

#[test]
fn runs_in_calm_times_match_the_fields() {
    let mut trial = Trial::new(7, 150_000);
    let mut checked = 0;
    while let Some(case) = trial.case() {
        let Some(spec) = Spec::parse(&case.text, case.dialect).filter(|_| case.text.is_ascii())
        else {
            continue;
        };
        let next = case.timetable.next(at(case.from));
        if let Ok(Some(run)) = next
            && is_calm(&case.zone, case.from, run.as_second())
        {
            assert!(case.timetable.is_scheduled(run), "{case}: {run}");
            let matches = spec.matches(run.as_second(), case.zone.time_zone());
            assert!(matches, "{case}: {run}");
            checked += 1;
        }
        let unit = *trial.random.pick(&[1, 60, HOUR, DAY]);
        let moment = case.from - case.from.rem_euclid(unit);
        if is_calm(&case.zone, moment, moment) {
            let matches = spec.matches(moment, case.zone.time_zone());
            let found = case.timetable.is_scheduled(at(moment));
            assert_eq!(found, matches, "{case}: {}", at(moment));
        }
        let later = Timestamp::new(moment, 1).unwrap();
        assert!(!case.timetable.is_scheduled(later), "{case}");
    }
    assert!(checked > 50, "only {checked} runs");
}
