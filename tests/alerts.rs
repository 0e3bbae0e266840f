//! `alerts`: thresholds derived manually, and the rules as Prometheus evaluates them.

mod deploy;

use std::fmt::Write as _;

use crate::support::prelude::*;

#[cfg(target_os = "linux")]
use crate::live::{call::call_at_now, scene::server as live_server};
use crate::support::files::yaml;
use crate::support::promtool::accepts;
use crate::support::weekdays::manifest as cron_job;

const NOW: &str = "--now=2026-11-21T12:00:00Z";
const DAY: i64 = 86_400;

fn plain(name: &str) -> Value {
    cron_job(name, &json!({}), &json!({}))
}

fn alerts(objects: &[Value], arguments: impl CommandLine) -> Ran {
    doctor_with_objects(("alerts -f -", [NOW], arguments), objects)
}

/// Name of the `CronJob`, name of the alert and threshold of each rule of a rule file.
fn thresholds(objects: &[Value], arguments: impl CommandLine) -> Vec<(String, String, i64)> {
    let text = alerts(objects, ("-o rules -q", arguments)).fine();
    let file = &yaml(&text)[0];
    let groups = file["groups"].items();
    let rules = groups.iter().flat_map(|group| group["rules"].items());
    let rules = rules.filter(|rule| rule["labels"]["cronjob"].is_string());
    let rules = rules.map(|rule| {
        let names = [&rule["labels"]["cronjob"], &rule["alert"]];
        let [cron_job, alert] = names.map(|name| name.text().to_owned());
        let (_, limit) = rule["expr"].text().split_once(" > ").unwrap();
        let limit = limit.split(' ').next().unwrap().parse().unwrap();
        (cron_job, alert, limit)
    });
    rules.collect()
}

/// From Friday 09:00 to Monday 09:00, an hour and a half for the run, and a minute. The next run of an hourly CronJob would
/// hide that the last one did not succeed.
#[test]
fn rules_have_the_thresholds_of_the_flags() {
    let hourly = cron_job("hourly", &json!({"schedule": "0 * * * *"}), &json!({}));
    let rules = thresholds(&[plain("a"), hourly], "--run-duration=1h30m --grace=1m");
    let rules: Vec<_> = rules
        .iter()
        .map(|(cron_job, alert, limit)| (cron_job.as_str(), alert.as_str(), *limit))
        .collect();
    let expected = [
        ("a", "CronJobSuccessOverdue", 3 * DAY + 5_460),
        ("a", "CronJobRunNotSucceeded", 5_460),
        ("hourly", "CronJobSuccessOverdue", 3_600 + 5_460),
    ];
    assert_eq!(rules, expected);
}

/// The rules check whether it is suspended when they are evaluated.
#[test]
fn suspension_leaves_the_rules_as_they_are() {
    let rules = |suspend: bool| {
        let suspended = cron_job("a", &json!({"suspend": suspend}), &json!({}));
        alerts(&[suspended], "").fine()
    };
    assert_eq!(rules(true), rules(false));
}

#[test]
fn cronjobs_that_cannot_be_overdue_have_no_rules() {
    let objects = [
        cron_job("invalid", &json!({"schedule": "nonsense"}), &json!({})),
        cron_job("never", &json!({"schedule": "0 0 31 2 *"}), &json!({})),
        plain("Not_A_Name\""),
        plain("b"),
        plain("a"),
    ];
    let names = thresholds(&objects, "").into_iter();
    let mut names: Vec<String> = names.map(|(name, _, _)| name).collect();
    names.dedup();
    assert_eq!(names, ["a", "b"]);
    let ran = alerts(&objects[..4], "-o rules");
    insta::assert_snapshot!(ran.stderr);
}

#[test]
fn namespaces_have_objects_of_their_own() {
    let runbook = json!({"cronjob-doctor/runbook": "https://wiki/c"});
    let mut objects = [
        plain("a"),
        plain("b"),
        cron_job("c", &json!({"schedule": "@every 90m"}), &runbook),
    ];
    objects[0]["metadata"]["namespace"] = json!("web");
    let text = alerts(&objects, "--label severity=critical --label=team=a").fine();
    let documents = yaml(&text);
    let places = documents.iter().map(|it| &it["metadata"]["namespace"]);
    assert_eq!(places.collect::<Vec<_>>(), ["shop", "web"]);
    insta::assert_snapshot!(text);
}

/// The rule uses the two CronJobs that run most often and that no running Job delays: every 5 minutes and every hour,
/// plus 5 minutes each.
#[test]
fn cron_jobs_that_are_not_started_are_one_alert_of_their_namespace() {
    let rule = |specs: &[(&str, Value)]| {
        let objects = specs.iter();
        let objects = objects.map(|(name, spec)| cron_job(name, spec, &json!({})));
        let text = alerts(&objects.collect::<Vec<_>>(), "-o rules -q").fine();
        let file = yaml(&text).remove(0);
        let rules = file["groups"][0]["rules"].items().iter();
        let mut rules = rules.filter(|rule| rule["alert"] == "CronJobsNotStarted");
        rules.next().cloned()
    };
    let often = ("often", json!({"schedule": "*/5 * * * *"}));
    let hourly = ("hourly", json!({"schedule": "0 * * * *"}));
    let nightly = ("nightly", json!({"schedule": "0 2 * * *"}));
    let forbid = (
        "forbid",
        json!({"schedule": "* * * * *", "concurrencyPolicy": "Forbid"}),
    );
    assert!(rule(&[often.clone(), forbid.clone()]).is_none());
    let found = rule(&[nightly, hourly, often, forbid]).unwrap();
    let expression = found["expr"].text();
    assert_contains!(expression, "cronjob='often'} > 600 ");
    assert_contains!(expression, "cronjob='hourly'} > 3900 ");
    assert!(!expression.contains("nightly") && !expression.contains("forbid"));
    assert_eq!(found["labels"]["cronjob"], Value::Null);
    insta::assert_snapshot!(expression);
}

/// A namespace whose rules would be too long for one object has several.
#[test]
fn many_rules_are_split_into_several_objects() {
    let many = (0..401).map(|number| plain(&format!("a-{number:03}")));
    let text = alerts(&many.collect::<Vec<_>>(), "").fine();
    assert!(text.len() > 400_000);
    let documents = yaml(&text);
    let counts = documents.iter().map(|document| {
        let rules = document["spec"]["groups"][0]["rules"].items();
        (document["metadata"]["name"].text(), rules.len())
    });
    // Two rules are about all CronJobs.
    let expected = [("cronjob-doctor", 802), ("cronjob-doctor-2", 2)];
    assert_eq!(counts.collect::<Vec<_>>(), expected);
}

/// Text of manifests is not a template that Prometheus expands.
#[test]
fn text_of_manifests_is_shown_as_text() {
    let runbook = "call {{ $externalURL }} or {{ printf \"%s\" \"x\" }}\u{1b}[31m\n- alert: Other";
    let annotations = json!({"cronjob-doctor/runbook": runbook});
    let hostile = cron_job("a", &json!({}), &annotations);
    let text = alerts(&[hostile], "-o rules").fine();
    let file = &yaml(&text)[0];
    let rules = file["groups"][0]["rules"].items();
    assert_eq!(rules.len(), 3);
    let expected = "call {{ \"{{\" }} $externalURL }} or {{ \"{{\" }} printf \"%s\" \"x\" }} [31m - alert: Other";
    assert_eq!(rules[0]["annotations"]["runbook"], expected);
}

#[test]
fn files_that_are_out_of_date_are_found() {
    let manifest = plain("a").to_string();
    let folder = Folder::new("alerts-check", &[("a.json", &manifest)]);
    let written = doctor_in(&folder, ("alerts -f a.json", [NOW])).fine();
    folder.write("rules.yaml", &written);
    let check = ("alerts -f a.json --check rules.yaml", [NOW]);
    let same = doctor_in(&folder, check);
    assert_eq!((same.code, same.stdout.as_str()), (0, ""), "{same}");
    // A file in another format is not out of date.
    let other_form = doctor_in(
        &folder,
        ("alerts -f a.json -o rules --check rules.yaml", [NOW]),
    );
    assert_ran!(other_form, 1);
    assert_contains!(other_form.stderr, "Use --check with -o prometheusrule.");
    let other = cron_job("a", &json!({"schedule": "0 9 * * *"}), &json!({}));
    folder.write("a.json", other.to_string());
    assert_ran!(doctor_in(&folder, check), 1);
    let code = |call: &str| doctor_in(&folder, (call, [NOW])).code;
    if cfg!(unix) {
        assert_eq!(code("alerts -f a.json --check /dev/zero"), 1);
    }
    assert_eq!(code("alerts -f a.json --check none"), 2);
}

#[test]
fn wrong_flags_are_refused() {
    let labels = "a 1a=b __name__=x __a=b alertname=x cronjob=x".split(' ');
    let labels = labels.map(|label| ["--label", label]);
    for flags in labels.chain([["--grace", "soon"], ["--after", "0"]]) {
        alerts(&[plain("a")], flags).refused();
    }
}

/// A `CronJob` in a test of rules: what kube-state-metrics reports about it every five minutes.
struct Shown {
    name: &'static str,
    /// Values of `kube_cronjob_status_last_schedule_time`.
    scheduled: String,
    /// Values of `kube_cronjob_status_last_successful_time`, and none if it never succeeded.
    succeeded: Option<String>,
    /// Values of `kube_cronjob_spec_suspend`.
    suspended: String,
    fires: Vec<Firing>,
}

/// An alert, when it does not fire, and when it does: days and times of day.
type Firing = (&'static str, &'static str, &'static str);

/// The minutes between two values of a metric, and between two evaluations.
const STEP: i64 = 5;

/// A minute of the first week of 1970, which began on a Thursday: the 5th was a Monday.
fn minute(day: i64, hour: i64, minute: i64) -> i64 {
    ((day - 1) * 24 + hour) * 60 + minute
}

/// The values of a metric: the first one, and others from a minute on. They end after a week.
fn values(first: i64, later: &[(i64, i64)]) -> String {
    let mut text = String::new();
    let (mut begin, mut value) = (0, first);
    for (from, next) in later.iter().copied().chain([(minute(8, 0, 0), 0)]) {
        let _ = write!(text, "{value}+0x{} ", (from - begin) / STEP - 1);
        (begin, value) = (from, next);
    }
    text
}

/// The time of the last run at nine, or of its success some minutes later: the first is that of the 2nd, a Friday,
/// and others follow on these days.
fn times(minutes: i64, days: &[i64]) -> String {
    let later: Vec<_> = days.iter().map(|day| minute(*day, 9, minutes)).collect();
    let later: Vec<_> = later.iter().map(|minute| (*minute, minute * 60)).collect();
    values(minute(2, 9, minutes) * 60, &later)
}

/// A `CronJob` that is not suspended and has not run since that Friday, when its run succeeded at 09:05.
fn shown(name: &'static str) -> Shown {
    Shown {
        name,
        scheduled: times(0, &[]),
        succeeded: Some(times(5, &[])),
        suspended: values(0, &[]),
        fires: vec![],
    }
}

impl Shown {
    /// Runs also started, and succeeded, on these days.
    fn ran(self, started: &[i64], succeeded: &[i64]) -> Shown {
        Shown {
            scheduled: times(0, started),
            succeeded: Some(times(5, succeeded)),
            ..self
        }
    }

    /// It was suspended, or resumed, on the 4th at this hour.
    fn suspended(self, suspended: bool, hour: i64) -> Shown {
        let [before, then] = [!suspended, suspended].map(i64::from);
        Shown {
            suspended: values(before, &[(minute(4, hour, 0), then)]),
            ..self
        }
    }

    fn fires(mut self, alert: &'static str, silent: &'static str, firing: &'static str) -> Shown {
        self.fires.push((alert, silent, firing));
        self
    }
}

/// A success is overdue after 73 hours and five minutes, a run after an hour and five minutes.
#[test]
fn rules_fire_when_prometheus_evaluates_them() {
    const OVERDUE: &str = "CronJobSuccessOverdue";
    const FAILED: &str = "CronJobRunNotSucceeded";
    // It was created on Friday at 09:00, and its first run has failed since.
    let mut never = shown("never");
    never.succeeded = None;
    let all = [
        // Nothing starts on Monday. The last success becomes too old after 10:10.
        shown("missed")
            .fires(OVERDUE, "3 12:00, 5 10:10", "5 10:15")
            .fires(FAILED, "5 12:00", ""),
        // The run of Monday does not succeed by 10:05.
        shown("failed")
            .ran(&[5], &[])
            .fires(FAILED, "5 10:05", "5 10:10"),
        shown("met")
            .ran(&[5], &[5])
            .fires(OVERDUE, "5 10:15", "")
            .fires(FAILED, "5 10:15", ""),
        never
            .fires(FAILED, "2 10:05", "2 10:10")
            .fires(OVERDUE, "5 10:05", "5 10:10"),
        shown("paused")
            .suspended(true, 0)
            .fires(OVERDUE, "5 10:10, 6 12:00", ""),
        // Resumed on Sunday at noon: it has 73 hours and five minutes, until Wednesday.
        shown("resumed")
            .suspended(false, 12)
            .fires(OVERDUE, "5 10:10, 7 12:55", "7 13:05"),
    ];
    evaluate(&all, &[]);
}

/// Two runs of the schedule are due within at most 96 hours: the success of Friday at 09:05 is too old after Tuesday,
/// 10:10.
#[test]
fn two_runs_without_success_are_one_alert_that_ends_with_the_next_success() {
    const ALERT: &str = "CronJobRunsWithoutSuccess";
    let all = [
        shown("failed-once").ran(&[5, 6, 7], &[6]).fires(
            ALERT,
            "4 12:00, 5 12:00, 6 12:00, 7 8:00",
            "",
        ),
        shown("failed-twice").ran(&[5, 6, 7], &[7]).fires(
            ALERT,
            "6 10:10, 7 9:10",
            "6 10:15, 7 9:00",
        ),
        // The same if nothing starts.
        shown("not-started").fires(ALERT, "6 10:10", "6 10:15"),
        shown("suspended")
            .suspended(true, 0)
            .fires(ALERT, "6 12:00, 7 12:00", ""),
        shown("resumed")
            .suspended(false, 12)
            .fires(ALERT, "6 12:00, 7 12:00", ""),
    ];
    evaluate(&all, &["--after=2"]);
}

/// `ops/never` never runs, so it has no rule and needs none. `shop/new`, `web/other` and `ops/late` are newer than the
/// rules. At last kube-state-metrics is gone.
#[cfg(target_os = "linux")]
#[test]
fn cron_jobs_without_a_rule_and_missing_metrics_are_alerts() {
    let server = live_server();
    let evaluate = |flags: &str, expected: &[(&str, &[&str])]| {
        let arguments = ("alerts -q -o rules", flags);
        let rules = call_at_now(&server, arguments).run().fine();
        let created = |namespace: &str, name: &str, values: &str| {
            let labels = format!("namespace=\"{namespace}\",cronjob=\"{name}\"");
            let series = |instance: &str| {
                format!("kube_cronjob_created{{{labels},instance=\"{instance}\"}}")
            };
            ["x", "y"].map(|instance| json!({"series": series(instance), "values": values}))
        };
        let series = [
            created("shop", "hourly", "0x200 stale"),
            created("shop", "nightly", "0x200 stale"),
            created("ops", "never", "0x200 stale"),
            created("shop", "new", "_x10 0x190 stale"),
            created("web", "other", "_x10 0x190 stale"),
            created("ops", "late", "_x10 0x190 stale"),
        ];
        let queries = expected.iter().map(|(time, alerts)| {
            let names = "CronJobsUnwatched|CronJobWithoutAlert";
            let firing = format!("ALERTS{{alertname=~\"{names}\",alertstate=\"firing\"}}");
            let samples = alerts
                .iter()
                .map(|labels| json!({"labels": labels, "value": 1}));
            json!({
                "expr": format!("count by (alertname, cronjob) ({firing})"), "eval_time": time,
                "exp_samples": samples.collect::<Vec<_>>(),
            })
        });
        let tests = json!({
            "rule_files": ["rules.yaml"], "evaluation_interval": "1m",
            "tests": [{
                "interval": "1m", "input_series": series.as_flattened(),
                "promql_expr_test": queries.collect::<Vec<_>>(),
            }],
        });
        let tests = tests.to_string();
        let files = [("rules.yaml", rules.as_str()), ("tests.yaml", &tests)];
        let folder = Folder::new("alerts-of-all", &files);
        accepts(&folder, "check", "rules.yaml");
        accepts(&folder, "test", "tests.yaml");
    };
    let new = "{alertname=\"CronJobWithoutAlert\",cronjob=\"new\"}";
    let other = "{alertname=\"CronJobWithoutAlert\",cronjob=\"other\"}";
    let late = "{alertname=\"CronJobWithoutAlert\",cronjob=\"late\"}";
    let gone = "{alertname=\"CronJobsUnwatched\"}";
    evaluate(
        "-A",
        &[
            ("69m", &[]),
            ("71m", &[new, other, late]),
            ("200m", &[new, other, late]),
            ("205m", &[]),
            ("206m", &[gone]),
        ],
    );
    evaluate("-n shop", &[("71m", &[new]), ("206m", &[gone])]);
    evaluate("-n shop hourly", &[("71m", &[]), ("206m", &[gone])]);
    evaluate("-A -l app=hourly", &[("71m", &[])]);
}

/// Lets Prometheus evaluate the rules of these `CronJob`s.
fn evaluate(all: &[Shown], flags: &[&str]) {
    let objects: Vec<Value> = all.iter().map(|one| plain(one.name)).collect();
    let rules = alerts(&objects, ("-o rules", flags)).fine();
    let (mut input, mut queries) = (Vec::new(), Vec::new());
    for one in all {
        let series = [
            ("created", Some(values(minute(2, 9, 0) * 60, &[]))),
            ("status_last_schedule_time", Some(one.scheduled.clone())),
            ("status_last_successful_time", one.succeeded.clone()),
            ("spec_suspend", Some(one.suspended.clone())),
        ];
        let labels = format!("namespace=\"shop\",cronjob=\"{}\",job=\"ksm\"", one.name);
        for (metric, values) in series.into_iter().filter(|(_, values)| values.is_some()) {
            let series = format!("kube_cronjob_{metric}{{{labels}}}");
            input.push(json!({"series": series, "values": values}));
        }
        for (alert, silent, firing) in &one.fires {
            let of = format!("alertname=\"{alert}\",cronjob=\"{}\"", one.name);
            let query = format!("count(ALERTS{{{of},alertstate=\"firing\",severity=\"warning\"}})");
            let none = silent.split(", ").map(|time| (time, json!([])));
            let sample = json!([{"labels": "{}", "value": 1}]);
            let some = firing.split(", ").map(|time| (time, sample.clone()));
            for (time, samples) in none.chain(some).filter(|(time, _)| !time.is_empty()) {
                let mut numbers = time.split([' ', ':']).map(|number| number.parse().unwrap());
                let mut number = || numbers.next().unwrap();
                let time = format!("{}m", minute(number(), number(), number()));
                queries.push(json!({"expr": query, "eval_time": time, "exp_samples": samples}));
            }
        }
    }
    let tests = json!({
        "rule_files": ["rules.yaml"], "evaluation_interval": "5m",
        "tests": [{"interval": "5m", "input_series": input, "promql_expr_test": queries}],
    });
    let name = format!("alerts-promtool{}", flags.concat());
    let tests = tests.to_string();
    let files = [("rules.yaml", rules.as_str()), ("tests.yaml", &tests)];
    let folder = Folder::new(&name, &files);
    accepts(&folder, "check", "rules.yaml");
    accepts(&folder, "test", "tests.yaml");
}
