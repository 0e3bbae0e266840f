//! Clocks that change while a test runs: `next-runs` is compared with the Jobs that the controller creates.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use test_requirements::{NAMESPACES, ZIC};

use crate::control_plane::prelude::*;

/// A zone whose clocks change, at this local time and by so many minutes.
struct Change {
    zone: &'static str,
    at: (i64, i64),
    by: i64,
}

const CHANGES: [Change; 4] = [
    Change::new("Test/Forward", (2, 0), 60),
    Change::new("Test/Back", (3, 0), -60),
    Change::new("Test/Half", (2, 0), 30),
    Change::new("Test/Midnight", (0, 0), 60),
];

impl Change {
    const fn new(zone: &'static str, at: (i64, i64), by: i64) -> Self {
        Change { zone, at, by }
    }

    /// The source that `zic` compiles. The clocks change at this moment.
    fn source(&self, moment: Timestamp) -> String {
        let utc = moment.as_second() / 60 % 1440;
        let local = self.at.0 * 60 + self.at.1;
        // Between twelve hours behind UTC and twelve ahead.
        let before = (local - utc + 720).rem_euclid(1440) - 720;
        let until = (moment + SignedDuration::from_mins(before)).strftime("%Y %b %d %H:%M");
        let offset = |minutes: i64| {
            let sign = if minutes < 0 { "-" } else { "" };
            format!("{sign}{}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
        };
        let (zone, before, after) = (self.zone, offset(before), offset(before + self.by));
        format!("Zone {zone} {before} - LMT {until}\n\t\t{after} - LMT\n")
    }

    /// Schedules with runs around the change, before and after it, in the time that is skipped or comes twice.
    fn schedules(&self) -> Vec<String> {
        let minute = |after: i64| {
            let minute = (self.at.0 * 60 + self.at.1 + after).rem_euclid(1440);
            format!("{} {} * * *", minute % 60, minute / 60)
        };
        let by = self.by;
        let daily = [
            -2,
            -1,
            0,
            1,
            2,
            by - 1,
            by,
            by + 1,
            by + 2,
            2 * by,
            2 * by + 1,
        ];
        let hour = self.at.0;
        let others = [
            "* * * * *".to_owned(),
            "*/2 * * * *".to_owned(),
            "*/7 * * * *".to_owned(),
            "0,30 * * * *".to_owned(),
            "1,31 * * * *".to_owned(),
            "@hourly".to_owned(),
            "@daily".to_owned(),
            format!("* {hour} * * *"),
            format!("* {} * * *", (hour + 23) % 24),
            format!("* {} * * *", hour + 1),
            format!("0-2 {hour}-{} * * *", hour + 1),
            "59,0,1 */2 * * *".to_owned(),
            "*/3 * * * *".to_owned(),
        ];
        daily.into_iter().map(minute).chain(others).collect()
    }
}

/// Puts the zones where the program looks for those of the machine.
const APART: [&str; 5] = [
    "unshare",
    "-Urm",
    "sh",
    "-c",
    "mount --bind \"$0\" /usr/share/zoneinfo && exec \"$@\"",
];

#[test]
fn runs_around_a_change_of_the_clocks_come_true() {
    let ns = namespace!("clock-changes", since 25);
    let zones = ns.plane.zones();
    let folder = zones.to_str().unwrap();
    let can = |program: &[&str]| {
        let status = Command::new(program[0]).args(&program[1..]).status();
        status.is_ok_and(|status| status.success())
    };
    if !can(&["zic", "--version"]) {
        return ZIC.skip();
    }
    if !can(&[&APART[..], &[folder, "true"]].concat()) {
        return NAMESPACES.skip();
    }
    // Two full minutes remain until the clocks change.
    let moment = ns.clock.minutes_ago(-3);
    compile(&zones, moment);
    ns.create("sentinel", &json!({"schedule": "* * * * *"}));
    for (number, change) in CHANGES.iter().enumerate() {
        for (nth, schedule) in change.schedules().iter().enumerate() {
            let spec = json!({"schedule": schedule, "timeZone": change.zone});
            ns.create(&format!("runs-{number}-{nth}"), &spec);
        }
    }

    let until = moment + SignedDuration::from_mins(2);
    let until_argument = format!("--until={until}");
    let kubeconfig = ns.plane.kubeconfig("admin");
    let next_runs = ["next-runs", "-o", "json", &until_argument, "-n", &ns.name];
    let ran = Command::new(APART[0])
        .args(&APART[1..])
        .arg(folder)
        .arg(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args(next_runs)
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&ran.stderr)));
    let since: Timestamp = document["items"][0]["from"].text().parse().unwrap();
    assert!(since < moment, "the clocks changed before all were created");
    let mut expected = BTreeSet::new();
    for item in document["items"].items() {
        for run in item["runs"].items() {
            let scheduled: Timestamp = run["scheduledTime"].text().parse().unwrap();
            expected.insert(job_name(item["name"].text(), scheduled));
        }
    }
    assert!(expected.len() > 100, "{expected:?}");

    let last = job_name("sentinel", until + SignedDuration::from_mins(1));
    while !ns.job_names().contains(&last) {
        thread::sleep(std::time::Duration::from_secs(1));
    }
    let due = |job: &String| {
        let minute = job.rsplit_once('-').unwrap().1.parse::<i64>().unwrap();
        let scheduled = Timestamp::from_second(minute * 60).unwrap();
        (since..=until).contains(&scheduled)
    };
    let created: BTreeSet<String> = ns.job_names().into_iter().filter(due).collect();
    eprintln!("clock changes: {} runs were predicted", expected.len());
    let wrong: Vec<_> = created.symmetric_difference(&expected).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn compile(zones: &Path, moment: Timestamp) {
    let sources: String = CHANGES.iter().map(|change| change.source(moment)).collect();
    let file = zones.with_file_name("zones.zic");
    fs::write(&file, sources).unwrap();
    let status = Command::new("zic").arg("-d").arg(zones).arg(&file).status();
    assert!(status.unwrap().success());
}
