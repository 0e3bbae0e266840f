//! Properties of every load: its sums, and what a proposal may change.

use cronjob_controller::upcoming::{Subject, read};
use cronjob_diagnosis::load::{ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, load};
use jiff::{SignedDuration, Timestamp};
use kube_cron::{Schedule, Zone};
use proptest::prelude::*;

use crate::support::cases::properties;
use crate::support::model::at;
use crate::support::recorded::controller;

const ZONES: [Option<&str>; 7] = [
    None,
    Some("UTC"),
    Some("Europe/Berlin"),
    Some("America/New_York"),
    Some("Asia/Kolkata"),
    // Its clock changes by half an hour.
    Some("Australia/Lord_Howe"),
    // Its clock changes at midnight.
    Some("Africa/Cairo"),
];

fn schedules() -> impl Strategy<Value = String> {
    let minutes = prop_oneof![
        4 => Just("0".to_owned()),
        1 => (0_u32..60).prop_map(|minute| minute.to_string()),
        1 => prop::sample::select(vec!["*/5", "*/15", "*/30", "*/7", "0,30", "10-12", "5/20"]).prop_map(str::to_owned),
    ];
    let hours = prop::sample::select(vec!["*", "0", "2", "*/6", "9-17", "0,12"]);
    let days = prop::sample::select(vec!["* * *", "* * 1-5", "* * 0", "1 * *", "* 3,10 *"]);
    let fields =
        (minutes, hours, days).prop_map(|(minute, hour, day)| format!("{minute} {hour} {day}"));
    prop_oneof![
        8 => fields,
        1 => prop::sample::select(vec!["@daily", "@hourly", "@weekly", "* * * * *", "TZ=Asia/Tokyo 0 0 * * *"]).prop_map(str::to_owned),
        1 => (30_i64..8_000).prop_map(|seconds| format!("@every {seconds}s")),
    ]
}

/// Members, some of which are suspended.
fn members() -> impl Strategy<Value = Vec<LoadMember>> {
    let one = (
        schedules(),
        0..ZONES.len(),
        0_usize..3,
        prop::bool::weighted(0.1),
        any::<bool>(),
    );
    prop::collection::vec(one, 0..25).prop_map(|all| {
        let member = |(index, (schedule, zone, namespace, suspended, anchored)): (
            usize,
            (String, usize, usize, bool, bool),
        )| LoadMember {
            subject: Subject {
                kind: None,
                other_kind: None,
                namespace: Some(format!("ns-{namespace}")),
                name: Some(format!("job-{index}")),
                time_zone: ZONES[zone]
                    .filter(|_| !schedule.starts_with("TZ"))
                    .map(str::to_owned),
                schedule,
                suspended,
                anchor: anchored.then(|| "2026-01-01T00:10:07Z".parse().unwrap()),
            },
            held: false,
            blocked: false,
        };
        all.into_iter().enumerate().map(member).collect()
    })
}

/// A window of some hours near a clock change of many zones, or anywhere in the year.
fn windows() -> impl Strategy<Value = (Timestamp, Timestamp)> {
    let start = prop_oneof![
        Just(at("2026-03-28T12:34:00Z")),
        Just(at("2026-10-24T00:00:00Z")),
        (0_i64..360 * 24 * 60)
            .prop_map(|minutes| at("2026-01-01T00:00:00Z") + SignedDuration::from_mins(minutes)),
    ];
    (start, 1_i64..24 * 10)
        .prop_map(|(from, hours)| (from, from + SignedDuration::from_hours(hours)))
}

fn computed(members: &[LoadMember], from: Timestamp, to: Timestamp, bucket: i64) -> Load {
    let controller = controller("1.36");
    let question = LoadQuestion {
        window: LoadWindow::new(from, to, bucket).unwrap(),
        limits: ClientLimits::of(controller.behavior()),
        include_suspended: false,
        peaks: 3,
        at_most: None,
    };
    load(&controller, members, &question)
}

fn schedule(member: &LoadMember) -> Schedule {
    read(&controller("1.36"), &member.subject).unwrap()
}

fn count(schedule: &Schedule, from: Timestamp, to: Timestamp) -> u64 {
    let second = SignedDuration::from_secs(1);
    let timetable = schedule.in_zone(&Zone::utc());
    timetable.count(from - second, to - second).unwrap().count
}

/// The members with the schedules of the proposal.
fn moved(members: &[LoadMember], load: &Load) -> Vec<LoadMember> {
    let mut moved = members.to_vec();
    for suggestion in &load.proposal.suggestions {
        moved[suggestion.member].subject.schedule = suggestion.schedule.clone();
    }
    moved
}

/// On April 5 the clock of Lord Howe goes back by half an hour. Whether 13:30 UTC on that day is a scheduled
/// midnight depends on where a search begins.
#[test]
fn peaks_after_a_half_hour_clock_change_add_up() {
    let member = |schedule: &str, time_zone: Option<&str>| LoadMember {
        subject: Subject {
            schedule: schedule.to_owned(),
            time_zone: time_zone.map(str::to_owned),
            ..Subject::default()
        },
        held: false,
        blocked: false,
    };
    let members = [
        member("@every 30s", None),
        member("0 0 * * *", Some("Australia/Lord_Howe")),
    ];
    let (from, to) = (at("2026-03-31T20:31:00Z"), at("2026-04-05T13:31:00Z"));
    let load = computed(&members, from, to, 86_400);
    assert_eq!(load.peaks.len(), 3);
    for peak in &load.peaks {
        let starts = peak.cron_jobs.iter().map(|one| one.starts);
        assert_eq!(peak.count, starts.sum::<u64>(), "{peak:?}");
    }
}

proptest! {
    #![proptest_config(properties(30))]

    #[test]
    fn buckets_add_up_to_the_starts_of_all_cron_jobs(
        members in members(), (from, to) in windows(), bucket in prop::sample::select(vec![60, 900, 3_600, 86_400, 77]),
    ) {
        let load = computed(&members, from, to, bucket);
        let awake = || members.iter().filter(|member| !member.subject.suspended);
        let by_clock: u64 = awake()
            .filter(|member| !member.subject.schedule.starts_with("@every"))
            .map(|member| count(&schedule(member), from, to))
            .sum();
        let anchored = |member: &&LoadMember| member.subject.schedule.starts_with("@every");
        let mut by_pace = 0;
        for member in awake().filter(anchored) {
            let delay = schedule(member).period().unwrap().shortest;
            let mut before = member.subject.anchor.unwrap_or(from).as_second();
            while before + delay < to.as_second() {
                let at = before + delay;
                // A second Job of a minute would have the name of the first.
                let is_started = before.div_euclid(60) != at.div_euclid(60);
                by_pace += u64::from(at >= from.as_second() && is_started);
                before = at;
            }
        }
        prop_assert_eq!(load.summary.starts, by_clock + by_pace);
        prop_assert_eq!(load.summary.starts, load.buckets.iter().sum::<u64>());
        prop_assert_eq!(load.summary.cron_jobs + load.summary.suspended, members.len());
        let most = load.buckets.iter().max().copied().unwrap_or(0);
        prop_assert_eq!(load.peaks.first().map_or(1, |peak| peak.count).max(1), most.max(1));
        for peak in &load.peaks {
            prop_assert_eq!(peak.count, peak.cron_jobs.iter().map(|one| one.starts).sum::<u64>());
        }
    }

    #[test]
    fn proposal_keeps_periods_counts_and_order(
        members in members(), (from, to) in windows(),
    ) {
        let load = computed(&members, from, to, 60);
        let year = at("2026-01-01T00:00:00Z");
        let next_year = at("2027-01-01T00:00:00Z");
        for suggestion in &load.proposal.suggestions {
            let was = schedule(&members[suggestion.member]);
            let is = schedule(&moved(&members, &load)[suggestion.member]);
            prop_assert_eq!(was.period(), is.period());
            prop_assert_eq!(
                was.own_zone().map(|zone| zone.name().to_owned()),
                is.own_zone().map(|zone| zone.name().to_owned())
            );
            // Counted over a year in UTC: a start on New Year's Eve can be moved into the year, or out
            // of it, only where the hours of the zone do not begin with those of UTC.
            let half_hours = ["Asia/Kolkata", "Australia/Lord_Howe"];
            if is.own_zone().is_none_or(|zone| !half_hours.contains(&zone.name())) {
                prop_assert_eq!(count(&was, year, next_year), count(&is, year, next_year));
            }
            let first = |schedule: &Schedule| schedule.in_zone(&Zone::utc()).next(from).unwrap();
            prop_assert!(first(&was).is_some() && first(&is).is_some());
        }
        let after = moved(&members, &load);
        for (one, other) in pairs(&members) {
            let rare = |member: &LoadMember| schedule(member).period().is_none_or(|p| p.shortest >= 3_600);
            if members[one].subject.namespace != members[other].subject.namespace || !rare(&members[one]) || !rare(&members[other]) {
                continue;
            }
            prop_assert!(keeps_order(&members, &after, one, other, from, to), "{one} and {other}");
        }
    }

    #[test]
    fn proposal_lowers_the_busiest_minute_or_is_empty(
        members in members(), (from, to) in windows(),
    ) {
        let load = computed(&members, from, to, 60);
        let after = computed(&moved(&members, &load), from, to, 60);
        let (was, is) = (load.proposal.effect.before.most_in_a_minute, after.proposal.effect.before.most_in_a_minute);
        prop_assert_eq!(is, load.proposal.effect.after.most_in_a_minute);
        if load.proposal.suggestions.is_empty() {
            prop_assert_eq!(was, is);
        } else {
            prop_assert!(is < was);
        }
        prop_assert_eq!(computed(&members, from, to, 60).proposal, load.proposal);
    }
}

fn pairs(members: &[LoadMember]) -> Vec<(usize, usize)> {
    let awake = |index: &usize| !members[*index].subject.suspended;
    let all: Vec<usize> = (0..members.len()).filter(awake).collect();
    let mut pairs = Vec::new();
    for one in &all {
        let others = all.iter().filter(|other| *other != one);
        pairs.extend(others.map(|other| (*one, *other)));
    }
    pairs
}

/// Whether each start of one CronJob that was before a start of another one still is. Starts keep their
/// hour, so that the lists of starts before and after the proposal correspond to each other.
fn keeps_order(
    was: &[LoadMember],
    is: &[LoadMember],
    one: usize,
    other: usize,
    from: Timestamp,
    to: Timestamp,
) -> bool {
    let starts = |member: &LoadMember| -> Vec<i64> {
        let schedule = schedule(member);
        let zone = schedule.own_zone().cloned().unwrap_or_else(Zone::utc);
        if member.subject.schedule.starts_with("@every") {
            return Vec::new();
        }
        let timetable = schedule.in_zone(&zone);
        // Whole hours of the zone, so that no start is moved out of the window.
        let offset = i64::from(zone.time_zone().to_offset(from).seconds());
        let hour = (from.as_second() + offset).div_euclid(3_600) * 3_600 - offset;
        let from = Timestamp::from_second(hour - 1).unwrap();
        let runs = timetable.after(from).map_while(Result::ok);
        let runs = runs.take_while(|run| *run < to);
        runs.map(Timestamp::as_second).collect()
    };
    let (one_was, one_is) = (starts(&was[one]), starts(&is[one]));
    let (other_was, other_is) = (starts(&was[other]), starts(&is[other]));
    one_was.iter().zip(&one_is).all(|(before, now)| {
        let next = other_was.partition_point(|at| at <= before);
        other_was.get(next).is_none() || other_is.get(next).is_none_or(|at| now < at)
    })
}
