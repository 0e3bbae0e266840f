//! Upgrades: many CronJobs under two versions, and one version after the other.

use crate::support::prelude::*;

use super::{cron_job, document, simulate};

/// 39 CronJobs that run at night, and one that runs in office hours.
fn shop() -> String {
    let nightly = (0..39).map(|minute| {
        let name = format!("nightly-{minute:02}");
        cron_job(&name, &format!("{minute} 2 * * *"), "")
    });
    nightly.collect::<String>() + &cron_job("office", "0 8-18 * * *", "")
}

/// No controller from 10:30 to 20:30, which affects only `office`.
const DOWN: &str = "2026-03-02T10:30:00Z/10h";

/// The names of the CronJobs that differ.
pub(crate) fn different(document: &Value) -> Vec<&str> {
    let items = document["items"].items().iter();
    let differs = items.filter(|item| item["differs"] == json!(true));
    differs.map(|item| item["name"].text()).collect()
}

/// 1.27.1 multiplies the first interval and starts a run for 20:00, which is not a scheduled time; 1.36 starts nothing.
#[test]
fn fleet_is_counted_and_only_what_differs_is_shown() {
    let down = ["--outage", DOWN];
    let arguments = (down, "--for=2d --kubernetes-version=1.27.1 --compare=1.36");
    let document = document(&shop(), arguments);
    let expected = json!({"total": 40, "same": 39, "different": 1});
    assert_eq!(document["comparison"], expected);
    assert_eq!(different(&document), ["office"]);
    let ran = simulate(&shop(), arguments);
    assert!(!ran.stdout.contains("nightly"));
    assert_ran!(ran, 0);
}

#[test]
fn fleet_without_differences_is_one_line_and_a_hint() {
    let arguments = "--for=2d --kubernetes-version=1.26 --compare=1.36";
    let expected = json!({"total": 40, "same": 40, "different": 0});
    assert_eq!(document(&shop(), arguments)["comparison"], expected);
    assert_ran!(simulate(&shop(), arguments), 0);
}

/// `-o wide` still shows each of them, and a single CronJob has its details.
#[test]
fn details_are_shown_for_one_cronjob_and_with_wide() {
    let arguments = "--for=2d --kubernetes-version=1.26 --compare=1.36";
    let wide = simulate(&shop(), (arguments, "-o wide")).fine();
    assert_eq!(wide.matches("\nComparison\n").count(), 40);
    let single = simulate(&shop(), (arguments, "office -n shop")).fine();
    assert!(single.contains("\nComparison\n") && single.contains("No differences in any run."));
    let plain = document(&shop(), "--for=2d");
    assert_eq!(plain["comparison"], Value::Null);
    assert_eq!(plain["items"][0]["differs"], Value::Null);
    assert_eq!(plain["given"]["upgrade"], Value::Null);
}

/// 200 of 2,000 CronJobs are late because of the upgrade. Fifty are shown, and those that miss
/// runs come first.
#[test]
fn fleet_of_thousands_has_a_short_output() {
    let many = (0..2_000).map(|number| {
        let (minute, hour) = (number % 60, if number % 10 == 0 { 12 } else { 3 });
        let schedule = format!("{minute} {hour} * * *");
        cron_job(&format!("job-{number:04}"), &schedule, "")
    });
    let deadline = "  startingDeadlineSeconds: 60\n";
    let missed = cron_job("zz-missed", "30 12 * * *", deadline);
    let arguments = "--for=2d --kubernetes-version=1.26 --compare=1.36 \
         --upgrade-at=2026-03-02T11:59:30Z/2h";
    let text = simulate(&(many.collect::<String>() + &missed), arguments).fine();
    let lines: Vec<&str> = text.lines().collect();
    assert_starts!(lines[0], "2001 CronJobs: 1800 behave the same");
    assert!(lines.len() < 250, "{}", lines.len());
    let line = |what: &str| lines.iter().position(|line| line.starts_with(what));
    // Those with one text are one group: 0, 10, 20, 30, 40 and 50 past noon.
    assert_eq!(text.matches(" CronJobs: shop/job-").count(), 6);
    let group = line("34 CronJobs: shop/job-0000, shop/job-0060, ").unwrap();
    assert!(line("shop/zz-missed ").unwrap() < group);
}

#[test]
fn suspended_cron_job_misses_its_runs_while_suspended() {
    let suspended = cron_job("nightly", "* * * * *", "  suspend: true\n");
    let text = simulate(&suspended, "--for=1h").fine();
    let result = "Result      60 of 60 runs missed while suspended (all without an event)";
    assert_contains!(text, result);
}

/// `--fail-on` counts the runs of all CronJobs, although those that do not differ are not shown.
#[test]
fn fleet_fails_on_runs_of_cronjobs_that_do_not_differ() {
    let ran = simulate(
        &shop(),
        "--for=2d --outage=2026-03-02T01:30:00Z/23h --kubernetes-version=1.35 \
             --compare=1.36 --fail-on=lost",
    );
    assert_eq!(ran.code, 1);
    assert_starts!(
        ran.stdout,
        "No difference between 1.35 and 1.36 (40 CronJobs)\n"
    );
}

/// 1.26 runs until 10:30, and 1.36 starts at 20:30: it finds none of the eight runs that `office` missed. The
/// nightly ones are not affected. Without the upgrade, nothing is missed.
#[test]
fn upgrade_starts_with_the_old_version_and_ends_with_the_new_one() {
    let down = ["--upgrade-at", DOWN];
    let arguments = ("--for=2d --kubernetes-version=1.26 --compare=1.36", down);
    let document = document(&shop(), arguments);
    assert_eq!(different(&document), ["office"]);
    let expected = json!({
        "from": "2026-03-02T10:30:00Z",
        "to": "2026-03-02T20:30:00Z",
        "kubernetesVersion": "1.36",
    });
    assert_eq!(document["given"]["upgrade"], expected);
    let office = document["items"].named("office");
    let counts = |summary: &Value| ["started", "lost", "silent"].map(|key| summary[key].clone());
    assert_eq!(counts(&office["summary"]), [json!(14), json!(8), json!(8)]);
    let unchanged = &office["compared"][0];
    assert_eq!(unchanged["kubernetesVersion"], "1.26");
    let expected = [json!(22), json!(0), json!(0)];
    assert_eq!(counts(&unchanged["summary"]), expected);
    let expected = json!([{
        "firstScheduledTime": "2026-03-02T11:00:00Z",
        "lastScheduledTime": "2026-03-02T18:00:00Z",
        "count": 8,
        "statuses": {"1.36": "lost", "1.26": "started"},
    }]);
    assert_eq!(office["differences"], expected);
    assert_ran!(simulate(&shop(), arguments), 0);
    assert_ran!(simulate(&shop(), (&arguments, "office -n shop")), 0);
}

/// A time without a zone is in the zone of the CronJobs. If they have several, it is that of the controller.
#[test]
fn outage_without_a_zone_is_in_the_zone_of_the_cron_jobs_or_of_the_controller() {
    let outage = |manifests: &str, controller: &str| {
        let now = "--now=2026-03-02T00:00:00Z";
        let call = ["--for=1d", "--outage=09:00/09:30", now, controller];
        let ran = simulate(manifests, &call[..]);
        let text = ran.fine();
        let line = text.lines().find(|line| line.contains("Outage"));
        line.map(|line| line.trim().to_owned())
    };
    let berlin = "  timeZone: Europe/Berlin\n";
    let noon = cron_job("noon", "0 12 * * *", "");
    let night = cron_job("night", "0 1 * * *", berlin);
    let several = format!("{noon}{night}");
    let in_utc = outage(&several, "--controller-time-zone=UTC").unwrap();
    assert_contains!(in_utc, "09:00");
    let in_new_york = outage(&several, "--controller-time-zone=America/New_York").unwrap();
    assert_contains!(in_new_york, "14:00");
    let same = format!("{night}{}", cron_job("later", "0 2 * * *", berlin));
    assert_contains!(
        outage(&same, "--controller-time-zone=UTC").unwrap(),
        "08:00"
    );
}

#[test]
fn impossible_upgrades_are_refused() {
    let manifest = cron_job("noon", "0 12 * * *", "");
    let refused = |arguments: &[&str]| simulate(&manifest, arguments).refused();
    let at = "--upgrade-at=2026-03-03T06:00:00Z/10m";
    let version = "--kubernetes-version=1.26";
    let outage = "--outage=2026-03-03T05:00:00Z/1h";
    let errors = [
        refused(&[at]),
        refused(&[at, version, "--compare=1.30,1.36"]),
        refused(&[at, version, "--compare=1.25"]),
        refused(&[at, version, "--compare=1.26"]),
        refused(&[at, version, "--compare=1.36", "--for=1d"]),
        refused(&[at, version, "--compare=1.36", outage]),
        refused(&[at, "--controller=kubebuilder", "--compare=1.36"]),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}
