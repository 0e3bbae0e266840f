//! Clocks that change while a test runs: `next-runs` is compared with the Jobs that the controller creates.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use test_requirements::{NAMESPACES, ZIC};

use crate::control_plane::prelude::*;

/// Minutes from one change of the clocks of a zone to the next one.
const APART_BY: i64 = 4;

/// A zone whose clocks change, first at this local time, each time by so many minutes.
struct Changes {
    zone: &'static str,
    at: (i64, i64),
    by: &'static [i64],
}

const ZONES: [Changes; 4] = [
    Changes::new("Test/Forward", (2, 0), &[60]),
    Changes::new("Test/Back", (3, 0), &[-60]),
    Changes::new("Test/Half", (2, 0), &[30]),
    Changes::new("Test/Midnight", (0, 0), &[60]),
];

/// That of a controller manager whose CronJobs have none.
const OF_THE_CONTROLLER: [Changes; 1] = [Changes::new("Test/All", (0, 0), &[60, -60, 30])];

impl Changes {
    const fn new(zone: &'static str, at: (i64, i64), by: &'static [i64]) -> Self {
        Changes { zone, at, by }
    }

    /// The source that `zic` compiles. The clocks change first at this moment.
    fn source(&self, moment: Timestamp) -> String {
        let utc = moment.as_second() / 60 % 1440;
        let local = self.at.0 * 60 + self.at.1;
        // Between twelve hours behind UTC and twelve ahead.
        let mut ahead = (local - utc + 720).rem_euclid(1440) - 720;
        let text = |minutes: i64| {
            let sign = if minutes < 0 { "-" } else { "" };
            format!("{sign}{}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
        };
        let mut source = format!("Zone {} {} - LMT", self.zone, text(ahead));
        for (nth, by) in (0..).zip(self.by) {
            let until = moment + SignedDuration::from_mins(nth * APART_BY);
            ahead += by;
            // In UTC.
            let until = until.strftime("%Y %b %d %H:%Mu");
            source += &format!(" {until}\n\t\t{} - LMT", text(ahead));
        }
        source + "\n"
    }

    /// The minutes from the first change to the last one.
    fn duration(&self) -> i64 {
        self.by[1..].iter().map(|_| APART_BY).sum()
    }

    /// Schedules with runs around each change, before and after it, in the time that is skipped or comes twice.
    fn schedules(&self) -> Vec<String> {
        let mut local = self.at.0 * 60 + self.at.1;
        let mut schedules = Vec::new();
        for by in self.by {
            schedules.extend(schedules_around(local, *by));
            local += by + APART_BY;
        }
        schedules
    }
}

fn schedules_around(local: i64, by: i64) -> impl Iterator<Item = String> {
    let minute = move |after: i64| {
        let minute = (local + after).rem_euclid(1440);
        format!("{} {} * * *", minute % 60, minute / 60)
    };
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
    let hour = local.rem_euclid(1440) / 60;
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
    daily.into_iter().map(minute).chain(others)
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
    compare(&ns, &ZONES, &[], |_| ());
}

/// Before 1.25 all schedules are in the time zone of the controller manager.
#[test]
fn runs_around_changes_of_the_controllers_clocks_come_true() {
    let Some(assets) = assets() else { return };
    let plane = ControlPlane::start(&assets);
    let ns = Namespace::new(&plane, "clock-changes");
    let [changes] = &OF_THE_CONTROLLER;
    let zone = format!("--controller-time-zone={}", changes.zone);
    let arguments = [&[&*zone], plane.version_arguments()].concat();
    compare(&ns, &OF_THE_CONTROLLER, &arguments, |zones| {
        plane.start_controllers(zones.join(changes.zone).to_str().unwrap());
    });
}

/// `begin` is called when the zones exist.
fn compare(ns: &Namespace<'_>, all: &[Changes], arguments: &[&str], begin: impl FnOnce(&Path)) {
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
    compile(&zones, all, moment);
    begin(&zones);
    let has_own_zone = arguments.is_empty();
    ns.create("sentinel", &json!({"schedule": "* * * * *"}));
    for (number, changes) in all.iter().enumerate() {
        for (nth, schedule) in changes.schedules().iter().enumerate() {
            let mut spec = json!({"schedule": schedule});
            if has_own_zone {
                spec["timeZone"] = json!(changes.zone);
            }
            ns.create(&format!("runs-{number}-{nth}"), &spec);
        }
    }

    let last_change = all.iter().map(Changes::duration).max().unwrap();
    let until = moment + SignedDuration::from_mins(last_change + 2);
    let until_argument = format!("--until={until}");
    let kubeconfig = ns.plane.kubeconfig("admin");
    let next_runs = ["next-runs", "-o", "json", &until_argument, "-n", &ns.name];
    let ran = Command::new(APART[0])
        .args(&APART[1..])
        .arg(folder)
        .arg(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args(next_runs)
        .args(arguments)
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
            expected.insert((item["name"].text().to_owned(), scheduled));
        }
    }
    assert!(expected.len() > 100, "{expected:?}");

    let created = || {
        let names = ns.job_names();
        names.iter().map(|job| run_of(job)).collect::<BTreeSet<_>>()
    };
    let last = until + SignedDuration::from_mins(1);
    while !created().contains(&("sentinel".to_owned(), last)) {
        thread::sleep(std::time::Duration::from_secs(1));
    }
    let due = |run: &(String, Timestamp)| (since..=until).contains(&run.1);
    let created: BTreeSet<_> = created().into_iter().filter(due).collect();
    eprintln!("clock changes: {} runs were predicted", expected.len());
    let wrong: Vec<_> = created.symmetric_difference(&expected).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The CronJob and the scheduled time that the name of a Job contains: in seconds if the first controller created it.
fn run_of(job: &str) -> (String, Timestamp) {
    let (cron_job, number) = job.rsplit_once('-').unwrap();
    let seconds = number.parse::<i64>().unwrap() * if number.len() < 10 { 60 } else { 1 };
    (
        cron_job.to_owned(),
        Timestamp::from_second(seconds).unwrap(),
    )
}

fn compile(zones: &Path, all: &[Changes], moment: Timestamp) {
    let sources: String = all.iter().map(|changes| changes.source(moment)).collect();
    let file = zones.with_file_name("zones.zic");
    fs::write(&file, sources).unwrap();
    let status = Command::new("zic").arg("-d").arg(zones).arg(&file).status();
    assert!(status.unwrap().success());
}
