//! `next-runs` through the real binary: whole outputs, each derived manually or compared with the vectors.

use crate::support::prelude::*;

/// Friday, two days before the clocks of New York go forward.
const FRIDAY: &str = "--now 2026-03-06T12:00:00Z";
const EXAMPLES: &str = "examples/next-runs";

fn next_runs(arguments: impl CommandLine) -> Ran {
    doctor(("next-runs", arguments))
}

/// EST is five hours behind UTC, EDT four; March 8 has no 02:30.
#[test]
fn nightly_schedule_skips_the_night_without_its_hour() {
    let schedule = "--schedule '30 2 * * *' --time-zone America/New_York --count 3";
    let table = next_runs((schedule, FRIDAY)).fine();
    let time = |line| str::split(line, "   ").next().unwrap().trim_end();
    let times: Vec<&str> = table.lines().map(time).collect();
    let expected = [
        "LOCAL TIME",
        "Sat 2026-03-07 02:30 America/New_York",
        "Mon 2026-03-09 02:30 America/New_York",
        "Tue 2026-03-10 02:30 America/New_York",
    ];
    assert_eq!(times, expected);
    insta::assert_snapshot!(table);
}

/// A schedule where a name is expected is not the name of a CronJob.
#[test]
fn schedule_in_place_of_a_name_is_evaluated() {
    let now = "--now=2026-11-21T02:13:08Z";
    for schedule in ["'30 2 * * *'", "@daily", "'TZ=Etc/UTC 0 0 13 * 5'"] {
        let named = next_runs(format!("{schedule} {now} --tz=Europe/Berlin"));
        assert_eq!(named.code, 0);
        for flag in ["--time-zone", "--timezone"] {
            let stated = format!("--schedule {schedule} {now} {flag}=Europe/Berlin");
            assert_eq!(next_runs(stated), named);
        }
    }
}

/// The display time zone takes precedence, then that of the schedule, then the controller's. `timeZone` had no effect
/// before 1.25. Wide rows end with the time in UTC and the schedule.
#[test]
fn row_has_the_time_in_the_effective_time_zone() {
    let nine = "--schedule '0 9 * * *'";
    for (schedule, more, expected) in [
        (
            "--schedule '@every 90s'",
            "-o wide",
            "Fri 2026-03-06 12:01:30 UTC   90s   2026-03-06T12:01:30Z   @every 90s\n",
        ),
        (
            nine,
            "--time-zone Asia/Tokyo --display-time-zone Asia/Kolkata",
            "Sat 2026-03-07 05:30 Asia/Kolkata   12h\n",
        ),
        (
            nine,
            "--controller-time-zone Asia/Tokyo",
            "Sat 2026-03-07 09:00 Asia/Tokyo   12h\n",
        ),
        (
            nine,
            "--time-zone Asia/Tokyo --kubernetes-version 1.24",
            "Sat 2026-03-07 09:00 UTC   21h\n",
        ),
    ] {
        let arguments = (schedule, more, "--count 1 --no-headers");
        assert_eq!(next_runs((arguments, FRIDAY)).fine(), expected);
    }
}

#[test]
fn several_cron_jobs_are_sorted_by_time_with_never_scheduled_ones_last() {
    let arguments = ["-f", EXAMPLES, "--count", "1", "--no-headers"];
    let table = next_runs((&arguments, FRIDAY)).fine();
    // The name follows the namespace.
    let name = |line: &str| {
        let mut words = line.split_whitespace();
        words.find(|word| ["shop", "ops"].contains(word)).unwrap();
        words.next().unwrap().to_owned()
    };
    let names: Vec<String> = table.lines().map(name).collect();
    assert_eq!(names.join(" "), "paused backup invoices leap-day month-end");
    assert_ends!(table, "month-end   February 30 does not exist\n");
}

#[test]
fn cron_jobs_are_selected_by_kubectl_name_forms_and_namespace() {
    let names = |arguments: &str| {
        let all = format!("-f {EXAMPLES} -o name --count 1 {arguments}");
        next_runs((all, FRIDAY)).fine()
    };
    assert_eq!(names("cj/backup"), "cronjob.batch/backup\n");
    let both = names("cronjob/backup paused");
    assert_eq!(both, "cronjob.batch/paused\ncronjob.batch/backup\n");
    let ops = names("-n ops");
    assert_eq!(ops, "cronjob.batch/paused\ncronjob.batch/leap-day\n");
    assert_eq!(names("-n ops -A backup"), "cronjob.batch/backup\n");
}

#[test]
fn missing_name_or_other_kind_is_an_error() {
    assert_ran!(next_runs(format!("-f {EXAMPLES} nightly")), 2);
    assert_ran!(next_runs(format!("-f {EXAMPLES} job/backup")), 2);
}

#[test]
fn json_has_the_fields_that_scripts_rely_on() {
    let arguments = format!("-f {EXAMPLES} backup month-end --count 1 -o json");
    let text = next_runs((&arguments, FRIDAY)).fine();
    let document: Value = serde_json::from_str(&text).unwrap();
    let [backup, never] = [0, 1].map(|index| &document["items"][index]);
    assert_eq!(backup["runs"][0]["scheduledTime"], "2026-03-07T01:30:00Z");
    assert_eq!(never["never"], "February 30 does not exist");
    insta::assert_snapshot!(text);
    assert!(
        text.starts_with("{\n    \"apiVersion\""),
        "indented by four, as kubectl does"
    );
}

#[test]
fn csv_has_a_record_for_each_run() {
    let arguments = format!("-f {EXAMPLES} backup --until 2026-03-07T12:00:00Z -o csv");
    let csv = next_runs((&arguments, FRIDAY)).fine();
    let expected = "namespace,name,schedule,timeZone,scheduledTime,localTime,suspended,notes,kind\r\n\
        shop,backup,30 2 * * *,Europe/Berlin,2026-03-07T01:30:00Z,2026-03-07T02:30:00+01:00,false,,CronJob\r\n";
    assert_eq!(csv, expected);
}

/// The output is read by an independent calendar library.
#[test]
fn ics_output_is_read_by_a_calendar_library() {
    use icalendar::{Calendar, CalendarComponent, Component};
    let arguments = format!("-f {EXAMPLES} --until 2026-03-20T00:00:00Z -o ics");
    let ics = next_runs((&arguments, FRIDAY)).fine();
    let calendar: Calendar = ics.parse().expect("a calendar");
    let components = calendar.components.iter();
    let events: Vec<_> = components.filter_map(CalendarComponent::as_event).collect();
    // Until the 20th: the backup runs in 13 nights from the 7th to the 19th, and the invoices on
    // Friday, the 13th (their run of the 6th was before noon). Suspended CronJobs do not run.
    assert_eq!(events.len(), 13 + 1);
    let first = events[0];
    assert_eq!(first.get_summary(), Some("shop/backup"));
    let start = format!("{:?}", first.get_start().unwrap());
    assert_contains!(start, "2026-03-07T01:30:00Z");
    let ids: std::collections::HashSet<_> = events.iter().map(|event| event.get_uid()).collect();
    assert_eq!(ids.len(), events.len(), "every event has an id of its own");
}

/// Berlin's clocks go forward on March 29, which has no 02:30.
#[test]
fn html_calendar_has_each_day_of_five_weeks() {
    let saturday = "--now 2026-03-28T12:00:00Z";
    let examples = format!("-f {EXAMPLES} -o html");
    let html = next_runs((&examples, saturday)).fine();
    assert_contains!(html, "<h2>Times in Europe/Berlin</h2>");
    // The week of March 28, and four more.
    assert_eq!(html.matches("<time datetime=").count(), 5 * 7);
    assert_contains!(html, "Clocks go forward to 03:00");
    assert_contains!(
        html,
        "Mon 2026-03-30</time></p><ul><li>02:30 <bdi>shop/backup</bdi>: the run before it, at 2026-03-29 02:30, is skipped"
    );
    // Fridays, and the 13th: less often than the backup, so above it.
    let friday = "<li>06:00 <bdi>shop/invoices</bdi></li><li>02:30 <bdi>shop/backup</bdi></li>";
    assert_eq!(html.matches(friday).count(), 5);
    assert_contains!(html, "<bdi>ops/paused</bdi>: suspended");
    assert_contains!(html, "<bdi>ops/month-end</bdi>: February 30 does not exist");

    let often = "--schedule '*/5 * * * *' --until 2026-03-09T00:00:00Z -o html";
    let html = next_runs((often, FRIDAY)).fine();
    assert_contains!(html, "<li>143 frequent runs</li>");
    assert_contains!(html, "<li>288 frequent runs</li>");
    // A week without a run has no days.
    let rare = "--schedule '0 0 1 5,7 *' --until 2026-07-02T00:00:00Z -o html";
    let html = next_runs((rare, FRIDAY)).fine();
    assert_eq!(html.matches("<time datetime=").count(), 2 * 7);

    let counted = "--schedule '0 2 * * *' --count 3 -o html";
    assert_contains!(next_runs(counted).refused(), "--count");
}

/// 09:00 in Tokyo is 00:00 in UTC, where most of the CronJobs run.
#[test]
fn html_calendar_has_all_time_zones_and_a_legend_of_frequent_cronjobs() {
    let cron_job = |name: &str, schedule: &str, zone: &str| {
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob",
            "metadata": {"name": name, "creationTimestamp": "2026-03-01T00:00:00Z"},
            "spec": {"schedule": schedule, "timeZone": zone, "jobTemplate": {}},
        })
    };
    let items = [
        cron_job("poll", "*/5 * * * *", "Etc/UTC"),
        cron_job("daily", "0 2 * * *", "Etc/UTC"),
        cron_job("weekly", "0 9 * * 1", "Asia/Tokyo"),
    ];
    let call = "next-runs -q -f - -o html --now 2026-03-06T12:00:00Z";
    let html = doctor_with_objects(call, &items).fine();
    assert_eq!(html.matches("<ol class=\"calendar\">").count(), 1);
    assert_contains!(html, "<h2>Times in Etc/UTC</h2>");
    assert_contains!(
        html,
        "Mon 2026-03-09</time></p><ul><li>09:00 Asia/Tokyo <bdi>default/weekly</bdi></li><li>02:00 <bdi>default/daily</bdi></li>\
         <li>288 frequent runs</li></ul>"
    );
    assert_contains!(
        html,
        "<li><bdi>default/poll</bdi>: <bdi>*/5 * * * *</bdi>, up to 288 runs a day</li>"
    );
    assert_eq!(html.matches("poll").count(), 1);
}

#[test]
fn runs_until_a_moment_are_all_shown_and_a_count_limits_them() {
    let count = |arguments: &str| {
        let all = ("--schedule '*/10 * * * *' --no-headers", arguments, FRIDAY);
        next_runs(all).fine().lines().count()
    };
    assert_eq!(count(""), 5);
    // The moment itself is included.
    assert_eq!(count("--until 2026-03-06T14:00:00Z"), 12);
    assert_eq!(count("--until 2026-03-06T14:00:00Z --count 4"), 4);
    let until = count("--after 2026-03-06T13:55:00Z --until 2026-03-06T14:00:00Z");
    assert_eq!(until, 1);
}

/// Asked for the run after 14:08 UTC on April 4, robfig/cron itself answers with 14:08 UTC on April 4.
#[test]
fn search_that_stops_at_a_run_is_reported_as_exhausted() {
    let arguments =
        "--schedule '53 3 * * *' --time-zone Pacific/Chatham --now 2026-04-03T00:00:00Z -o json";
    let document = next_runs(arguments).document();
    let item = &document["items"][0];
    let runs = item["runs"].texts("scheduledTime");
    assert_eq!(runs, ["2026-04-03T14:08:00Z", "2026-04-04T14:08:00Z"]);
    assert_eq!(item["exhausted"], true);
    let notes = item["runs"][1]["notes"].items();
    let last = json!("the last run: the search does not get past it");
    assert!(notes.contains(&last), "{notes:?}");
}

#[test]
fn window_without_a_run_is_reported() {
    let arguments = "--schedule '0 0 1 1 *' --until 2026-04-01T00:00:00Z";
    let table = next_runs((arguments, FRIDAY)).fine();
    insta::assert_snapshot!(table);
}

/// The library of 1.21 reads an expression with `TZ=` as six fields.
#[test]
fn zone_prefix_is_an_error_in_1_21() {
    let old = next_runs("--schedule 'TZ=Asia/Tokyo 0 9 * * *' --kubernetes-version 1.21");
    assert_ran!(old, 2);
}

#[test]
fn invalid_flag_values_are_errors_with_the_expected_value() {
    let zone = next_runs("--schedule '* * * * *' --time-zone Europe/Berln");
    let expected = "\
error: --time-zone: spec.timeZone: Invalid value: \"Europe/Berln\": unknown time zone Europe/Berln
help: Did you mean Europe/Berlin?
";
    assert_eq!(zone.refused(), expected);
    for (flag, message) in [
        (
            "--time-zone Local",
            "timeZone must be an explicit time zone as defined in",
        ),
        (
            "--kubernetes-version 2.1",
            "'2.1' is not a valid Kubernetes version: must be 1.N or 1.N.P",
        ),
        (
            "--now later",
            "must be a time in RFC 3339 such as 2026-03-29T02:30:00Z",
        ),
    ] {
        let refused = next_runs(("--schedule '* * * * *'", flag)).refused();
        assert_contains!(refused, message);
    }
    let name = next_runs("--schedule '* * * * *' -o name").refused();
    insta::assert_snapshot!(name);
    let nothing = next_runs("").refused();
    assert_starts!(nothing, "error: no cluster configured");
}

#[test]
fn invalid_object_is_reported_with_its_location_and_others_are_shown() {
    let manifest = |(name, schedule)| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: {name}, namespace: a}}\nspec:\n  \
             schedule: {schedule}\n"
        )
    };
    let all = [
        ("broken", "'0 25 * * *'"),
        ("lost", "'0 1 * * *'\n  timeZone: Mars/Base"),
        ("good", "'0 1 * * *'"),
        ("unquoted", "*/5 * * * *"),
    ];
    let text = all.map(manifest).join("---\n");
    let ran = doctor_with_stdin(("next-runs -f - --count 1 --no-headers", FRIDAY), &text);
    assert_eq!(ran.code, 2, "not all that was asked could be done");
    insta::assert_snapshot!(ran.stdout);
    insta::assert_snapshot!(ran.stderr);
}

/// What kubectl itself would print, recorded from a real API server.
#[test]
fn list_from_kubectl_is_read() {
    let arguments = "-f tests/fixtures/cronjobs.json --count 1 -o json";
    let document = next_runs((arguments, "--now 2026-11-21T02:13:08Z")).document();
    let next = |name: &str| {
        let item = document["items"].named(name);
        item["runs"][0]["scheduledTime"].clone()
    };
    assert_eq!(document["items"].items().len(), 12);
    assert_eq!(next("blocked"), "2026-11-21T02:14:00Z");
    // 02:00 in Berlin is 01:00 UTC in winter, which is before now.
    assert_eq!(next("nightly"), "2026-11-22T01:00:00Z");
    // The 21st is a Saturday; 08:00 on Monday in New York is 13:00 UTC.
    assert_eq!(next("office"), "2026-11-23T13:00:00Z");
    assert_eq!(next("leapday"), "2028-02-29T00:00:00Z");
    assert_eq!(next("never"), Value::Null);
}

#[test]
fn colors_are_printed_only_if_requested() {
    let arguments = "--schedule '0 0 30 2 *' --color";
    let plain = next_runs((arguments, "never")).fine();
    assert!(!plain.contains('\u{1b}'));
    let colored = next_runs((arguments, "always")).fine();
    assert_contains!(colored, "\u{1b}[1mLOCAL TIME\u{1b}[0m");
    let stripped = anstream::adapter::strip_str(&colored).to_string();
    assert_eq!(stripped, plain, "colors change nothing else");
}

/// In Berlin the clocks go forward on 29 March at 02:00, and back on 25 October at 03:00.
#[test]
fn clock_changes_are_about_one_run_or_several() {
    let clock = |schedule: &str| {
        let berlin = "--time-zone Europe/Berlin --now 2026-03-28T12:00:00Z --tzdb=bundled";
        let call = (["--schedule", schedule], berlin, "--explain --count 1");
        next_runs(call).fine()
    };
    let several = clock("*/20 2 * * *");
    assert_contains!(several, "2026-03-29: 02:00, 02:20, 02:40 are skipped");
    assert_contains!(several, "2026-10-25: 02:00, 02:20, 02:40 run twice");
    let one = clock("30 2 * * *");
    assert_contains!(one, "2026-03-29: 02:30 is skipped");
    assert_contains!(one, "2026-10-25: 02:30 runs twice");
}

/// An interval is printed as usual only if more than half of all intervals have this length.
#[test]
fn interval_describes_how_runs_follow_each_other() {
    let distance = |schedule: &str| {
        let arguments = ["--schedule", schedule, "--explain", "--count", "1"];
        let text = next_runs((&arguments, FRIDAY)).fine();
        let mut lines = text.lines();
        let interval = lines.find_map(|line| line.strip_prefix("Interval"));
        interval.unwrap().trim().to_owned()
    };
    assert_texts!(
        distance("*/45 * * * *"),
        distance("0 8,14 * * *"),
        distance("0,10,20,40 * * * *"),
        distance("*/7 * * * *"),
    );
    assert_eq!(distance("*/15 * * * *"), "always 15m");
}
