//! Prometheus alert rules on the metrics of kube-state-metrics.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::iter;

use serde_json::{Value, json};

use super::answer::{Answer, Format, Formats};
use super::yaml;
use cronjob_diagnosis::alerts::{AlertScope, AlertThresholds};
use cronjob_diagnosis::diagnose::{DurationSource, is_link};
use cronjob_diagnosis::kubectl::Kubectl;
use cronjob_text::duration::exact;
use cronjob_text::printable::shortened;

/// How many `CronJob`s one object is for: objects have at most 1.5 MB.
const MOST: usize = 400;

/// How long the suspension of a `CronJob` is remembered, in seconds: a longer range takes Prometheus long.
const REMEMBERED: i64 = 7 * 86_400;

pub(crate) type AlertLabels = BTreeMap<String, String>;

/// What `alerts` found.
pub(crate) struct AlertsAnswer<'a> {
    pub thresholds: &'a [AlertThresholds],
    /// What else is known of the `CronJob`s, for rules about those without one.
    pub scope: Option<&'a AlertScope>,
    pub labels: AlertLabels,
}

impl Answer for AlertsAnswer<'_> {
    fn formats() -> Formats<Self> {
        Formats::<Self>::default_of(Format::PrometheusRule, |out, alerts| {
            prometheus_rules(out, alerts)
        })
        .and(Format::Rules, |out, alerts| rule_file(out, alerts))
    }
}

/// Writes the rules as `PrometheusRule` objects: one for each namespace, in that namespace.
fn prometheus_rules(out: &mut dyn Write, alerts: &AlertsAnswer<'_>) -> io::Result<()> {
    write_heading(out)?;
    let (mut objects, mut groups) = (HashMap::<_, TakenNames>::new(), TakenNames::default());
    let mut separator = "";
    for (namespace, members, of_all) in places(alerts) {
        let mut of_all = Some(of_all);
        let objects = objects.entry(namespace).or_default();
        let none: &[_] = &[];
        for some in members
            .chunks(MOST)
            .chain(members.is_empty().then_some(none))
        {
            write!(out, "{separator}")?;
            separator = "---\n";
            let object = json!({
                "apiVersion": "monitoring.coreos.com/v1",
                "kind": "PrometheusRule",
                "metadata": {
                    "name": objects.take("cronjob-doctor".to_owned()),
                    "namespace": namespace,
                    "labels": {"app.kubernetes.io/managed-by": "cronjob-doctor"},
                },
                "spec": {"groups": [group(
                    &groups.take(format!("cronjobs-{namespace}")),
                    some,
                    // The first object has the rules about all of them.
                    of_all.take().unwrap_or_default(),
                    &alerts.labels,
                )]},
            });
            yaml::write(out, &object)?;
        }
    }
    Ok(())
}

/// Writes the rules as a file that Prometheus reads: one group for each namespace.
fn rule_file(out: &mut dyn Write, alerts: &AlertsAnswer<'_>) -> io::Result<()> {
    write_heading(out)?;
    let mut names = TakenNames::default();
    let groups = places(alerts).into_iter();
    let groups = groups.map(|(namespace, members, of_all)| {
        let name = names.take(format!("cronjobs-{namespace}"));
        group(&name, &members, of_all, &alerts.labels)
    });
    yaml::write(out, &json!({"groups": groups.collect::<Vec<Value>>()}))
}

/// A namespace, its `CronJob`s, and the rules about all of them.
type Place<'a> = (&'a str, Vec<&'a AlertThresholds>, Vec<Value>);

fn places<'a>(alerts: &AlertsAnswer<'a>) -> Vec<Place<'a>> {
    let (labels, scope) = (&alerts.labels, alerts.scope);
    let mut namespaces = by_namespace(alerts.thresholds);
    // Where no CronJob ever runs, a new one may.
    for namespace in scope.iter().flat_map(|scope| scope.names.keys()) {
        namespaces.entry(namespace).or_default();
    }
    let places = namespaces.into_iter().enumerate();
    let places = places.map(|(number, (namespace, members))| {
        let mut of_all: Vec<Value> = not_started(&members, labels).into_iter().collect();
        of_all.extend(scope.and_then(|scope| without_alert(scope, namespace, labels)));
        if number == 0 {
            of_all.push(unwatched(labels));
            of_all.extend(scope.and_then(|scope| without_alert_elsewhere(scope, labels)));
        }
        (namespace, members, of_all)
    });
    places.collect()
}

fn write_heading(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Written by \"kubectl cronjob-doctor alerts\". The thresholds come from the schedules: write the\n\
         # rules again when CronJobs change. They need kube-state-metrics."
    )
}

fn by_namespace(all: &[AlertThresholds]) -> BTreeMap<&str, Vec<&AlertThresholds>> {
    let mut namespaces: BTreeMap<&str, Vec<&AlertThresholds>> = BTreeMap::new();
    for one in all {
        namespaces.entry(&one.namespace).or_default().push(one);
    }
    for members in namespaces.values_mut() {
        members.sort_by_key(|one| &one.name);
    }
    namespaces
}

/// The names of objects or groups that are in use.
#[derive(Default)]
struct TakenNames(HashSet<String>);

impl TakenNames {
    /// The name, with a number if it is in use: a namespace can have several objects, and the name of another one
    /// can end with such a number.
    fn take(&mut self, name: String) -> String {
        let numbered = (2_u64..).map(|number| format!("{name}-{number}"));
        let free = iter::once(name.clone()).chain(numbered);
        let mut free = free.filter(|name| !self.0.contains(name));
        let free = free.next().unwrap_or(name);
        self.0.insert(free.clone());
        free
    }
}

fn group(
    name: &str,
    members: &[&AlertThresholds],
    of_all: Vec<Value>,
    labels: &AlertLabels,
) -> Value {
    let rules = members.iter().flat_map(|one| {
        let overdue = success_overdue(one, labels);
        let last = (one.after.is_none()).then(|| run_not_succeeded(one, labels));
        [Some(overdue), last.flatten()]
    });
    let rules = rules.flatten().chain(of_all);
    json!({"name": name, "rules": rules.collect::<Vec<Value>>()})
}

/// The matchers of a `CronJob`'s metrics.
fn selector(one: &AlertThresholds) -> String {
    let (namespace, name) = (&one.namespace, &one.name);
    format!("{{namespace='{namespace}',cronjob='{name}'}}")
}

/// The labels of an alert, which can set another severity.
fn with_severity(severity: &str, labels: &AlertLabels) -> AlertLabels {
    let mut labels = labels.clone();
    let severity_of = labels.entry("severity".to_owned());
    severity_of.or_insert_with(|| severity.to_owned());
    labels
}

/// The labels of its alerts, by which rules of the same name differ.
fn labels_of(one: &AlertThresholds, labels: &AlertLabels) -> AlertLabels {
    let mut labels = with_severity("warning", labels);
    labels.insert("namespace".to_owned(), one.namespace.clone());
    labels.insert("cronjob".to_owned(), one.name.clone());
    labels
}

/// Fires where the two CronJobs of a namespace that run most often were not started in time: the controller may be down.
fn not_started(members: &[&AlertThresholds], labels: &AlertLabels) -> Option<Value> {
    let known = members.iter();
    let known = known.filter_map(|one| Some((one.start_within?, *one)));
    let mut known: Vec<(i64, &AlertThresholds)> = known.collect();
    known.sort_by_key(|(within, one)| (*within, &one.name));
    let [(first_within, first), (second_within, second), ..] = known[..] else {
        return None;
    };
    let late = |within: i64, one: &AlertThresholds| {
        let of = selector(one);
        format!(
            "(time() - kube_cronjob_status_last_schedule_time{of} > {within} unless on (namespace, cronjob) \
             max_over_time(kube_cronjob_spec_suspend{of}[{}s]) == 1)",
            within.min(REMEMBERED)
        )
    };
    let (name, other) = (&first.name, &second.name);
    let namespace = &first.namespace;
    let mut labels = labels_of(first, labels);
    labels.remove("cronjob");
    let lease = Kubectl::default().command("get lease");
    let lease = lease
        .namespace("kube-system")
        .name("kube-controller-manager");
    let lease = literal(&lease.to_string());
    Some(json!({
        "alert": "CronJobsNotStarted",
        "expr": format!(
            "min by (namespace) ({} and on (namespace) {})",
            late(first_within, first),
            late(second_within, second)
        ),
        "labels": labels,
        "annotations": {
            "summary": format!(
                "CronJobs {name} and {other} in namespace {namespace} have not been started for {{{{ $value | humanizeDuration }}}}"
            ),
            "description": format!(
                "No others there have shorter breaks between their runs, without those of concurrencyPolicy Forbid. kube-controller-manager may be down, or the \
                 namespace allows no Jobs. Run: {lease}"
            ),
            "runbook_url": runbook("CronJobsNotStarted"),
        },
    }))
}

/// Where the book describes an alert.
fn runbook(alert: &str) -> String {
    let chapter = alert.to_ascii_lowercase();
    format!("https://cronjob-doctor.github.io/cronjob-doctor/alerts.html#{chapter}")
}

/// Fires where nothing reports CronJobs.
fn unwatched(labels: &AlertLabels) -> Value {
    json!({
        "alert": "CronJobsUnwatched",
        "expr": "absent(kube_cronjob_created{})",
        "for": "5m",
        "labels": with_severity("critical", labels),
        "annotations": {
            "summary": "CronJobs are not watched",
            "description": "kube-state-metrics reports no CronJobs, so a CronJob that does not succeed is not reported. \
                            Run: kubectl get pods -A -l app.kubernetes.io/name=kube-state-metrics",
            "runbook_url": runbook("CronJobsUnwatched"),
        },
    })
}

/// Fires for a `CronJob` of a namespace that has no rule.
fn without_alert(scope: &AlertScope, namespace: &str, labels: &AlertLabels) -> Option<Value> {
    let names = scope.names.get(namespace)?;
    // A dot in a name is the only character with a meaning.
    let names: Vec<String> = names.iter().map(|name| name.replace('.', "[.]")).collect();
    let others = format!("{{namespace='{namespace}',cronjob!~'{}'}}", names.join("|"));
    Some(uncovered(&others, labels))
}

/// Fires for a `CronJob` of a namespace that had none.
fn without_alert_elsewhere(scope: &AlertScope, labels: &AlertLabels) -> Option<Value> {
    let namespaces: Vec<&str> = scope.names.keys().map(String::as_str).collect();
    let others = format!("{{namespace!~'{}'}}", namespaces.join("|"));
    scope.is_everywhere.then(|| uncovered(&others, labels))
}

fn uncovered(others: &str, labels: &AlertLabels) -> Value {
    json!({
        "alert": "CronJobWithoutAlert",
        "expr": format!("max by (namespace, cronjob) (kube_cronjob_created{others})"),
        // The rules may be on their way.
        "for": "1h",
        "labels": with_severity("warning", labels),
        "annotations": {
            "summary": "CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} has no alerts",
            "description": "It is newer than the rules. Write them again with the same command: kubectl cronjob-doctor alerts",
            "runbook_url": runbook("CronJobWithoutAlert"),
        },
    })
}

/// Fires where the last success is too old.
fn success_overdue(one: &AlertThresholds, labels: &AlertLabels) -> Value {
    let (of, within) = (selector(one), one.success_within);
    let remembered = within.min(REMEMBERED);
    let why = if one.success_is_stated {
        format!(
            "The annotation cronjob-doctor/success-within allows {}.",
            exact(within)
        )
    } else {
        let (schedule, span, takes) = (schedule(one), exact(one.longest_gap), takes(one));
        match one.after {
            Some(runs @ 2..) => format!(
                "{runs} runs of {schedule} are due within at most {span}, and a run takes at most {takes}."
            ),
            _ => format!(
                "Runs of {schedule} are at most {span} apart, and a run takes at most {takes}."
            ),
        }
    };
    let (alert, what) = match one.after {
        None => ("CronJobSuccessOverdue", "has not succeeded".to_owned()),
        Some(1) => ("CronJobRunsWithoutSuccess", "has not succeeded".to_owned()),
        Some(runs) => (
            "CronJobRunsWithoutSuccess",
            format!("has had {runs} runs or more without success, and has not succeeded"),
        ),
    };
    json!({
        "alert": alert,
        "expr": format!(
            "time() - max by (namespace, cronjob) (kube_cronjob_status_last_successful_time{of} or kube_cronjob_created{of}) > {within} \
             unless on (namespace, cronjob) max_over_time(kube_cronjob_spec_suspend{of}[{remembered}s]) == 1"
        ),
        "labels": labels_of(one, labels),
        "annotations": annotations(
            one,
            alert,
            &format!(
                "CronJob {{{{ $labels.namespace }}}}/{{{{ $labels.cronjob }}}} {what} for {{{{ $value | humanizeDuration }}}}"
            ),
            &why,
        ),
    })
}

/// Fires where the last run has not succeeded although it has had enough time.
fn run_not_succeeded(one: &AlertThresholds, labels: &AlertLabels) -> Option<Value> {
    let (of, within) = (selector(one), one.run_within?);
    let why = format!("A run takes at most {}.", takes(one));
    Some(json!({
        "alert": "CronJobRunNotSucceeded",
        "expr": format!(
            "time() - max by (namespace, cronjob) (kube_cronjob_status_last_schedule_time{of}) > {within} \
             unless on (namespace, cronjob) kube_cronjob_status_last_successful_time{of} >= \
             kube_cronjob_status_last_schedule_time{of} \
             unless on (namespace, cronjob) kube_cronjob_spec_suspend{of} == 1"
        ),
        "labels": labels_of(one, labels),
        "annotations": annotations(
            one,
            "CronJobRunNotSucceeded",
            "The last run of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} was scheduled {{ $value | humanizeDuration }} ago and has not succeeded",
            &why,
        ),
    }))
}

fn annotations(
    one: &AlertThresholds,
    alert: &str,
    summary: &str,
    why: &str,
) -> BTreeMap<&'static str, String> {
    let explain = Kubectl::default().doctor("explain").name(&one.name);
    let explain = literal(&explain.namespace(&one.namespace).to_string());
    let mut annotations = BTreeMap::from([
        ("summary", summary.to_owned()),
        ("description", format!("{why} Run: {explain}")),
    ]);
    let (key, text) = match &one.runbook {
        Some(link) if is_link(link) => ("runbook_url", literal(link)),
        Some(text) => ("runbook", literal(text)),
        None => ("runbook_url", runbook(alert)),
    };
    annotations.insert(key, text);
    annotations
}

/// Text in which Prometheus replaces nothing.
fn literal(text: &str) -> String {
    const LONGEST: usize = 1_000;
    shortened(text, LONGEST).replace("{{", "{{ \"{{\" }}")
}

fn schedule(one: &AlertThresholds) -> String {
    let text = literal(&one.schedule);
    match &one.time_zone {
        Some(zone) => format!("\"{text}\" ({})", literal(zone)),
        None => format!("\"{text}\""),
    }
}

/// How long a run takes, and how that is known.
fn takes(one: &AlertThresholds) -> String {
    let source = match one.takes_source {
        DurationSource::Stated => "by the annotation cronjob-doctor/max-duration",
        DurationSource::Usual => "by its last runs",
        DurationSource::Deadline => "because of activeDeadlineSeconds",
        DurationSource::Assumed => "assumed; set the annotation cronjob-doctor/max-duration",
    };
    format!("{} ({source})", exact(one.takes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(namespace: &str) -> AlertThresholds {
        AlertThresholds {
            namespace: namespace.to_owned(),
            name: "nightly".to_owned(),
            schedule: "0 2 * * *".to_owned(),
            time_zone: None,
            after: None,
            longest_gap: 86_400,
            takes: 3_600,
            takes_source: DurationSource::Assumed,
            success_within: 90_300,
            success_is_stated: false,
            run_within: None,
            start_within: None,
            runbook: None,
        }
    }

    type Write = fn(&mut dyn io::Write, &AlertsAnswer<'_>) -> io::Result<()>;

    /// The names of the objects, if there are any, and those of the groups.
    fn names(write: Write, all: &[AlertThresholds]) -> (Vec<String>, Vec<String>) {
        let mut out = Vec::new();
        let answer = AlertsAnswer {
            thresholds: all,
            scope: None,
            labels: AlertLabels::new(),
        };
        write(&mut out, &answer).unwrap();
        let text = String::from_utf8(out).unwrap();
        let begin_with = |begin: &str| {
            let lines = text.lines().map(str::trim_start);
            let names = lines.filter_map(|line| line.strip_prefix(begin));
            names.map(str::to_owned).collect()
        };
        (begin_with("name: "), begin_with("- name: "))
    }

    #[test]
    fn namespace_with_several_objects_and_one_with_a_number_have_names_of_their_own() {
        let many = (0..=MOST).map(|number| AlertThresholds {
            name: format!("a-{number}"),
            ..of("shop")
        });
        let all: Vec<AlertThresholds> = many.chain([of("shop-2")]).collect();
        let (objects, groups) = names(prometheus_rules, &all);
        let expected = ["cronjob-doctor", "cronjob-doctor-2", "cronjob-doctor"];
        assert_eq!(objects, expected);
        let expected = ["cronjobs-shop", "cronjobs-shop-2", "cronjobs-shop-2-2"];
        assert_eq!(groups, expected);
        let (_, groups) = names(rule_file, &all);
        assert_eq!(groups, ["cronjobs-shop", "cronjobs-shop-2"]);
    }
}
