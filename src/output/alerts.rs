//! Prometheus alert rules on the metrics of kube-state-metrics.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::yaml;
use crate::alerts::AlertThresholds;
use crate::diagnose::{DurationSource, is_link};
use crate::duration::exact;
use crate::kubectl::Kubectl;
use crate::printable::shortened;

/// How many `CronJob`s one object is for: objects have at most 1.5 MB.
const MOST: usize = 400;

/// How long the suspension of a `CronJob` is remembered, in seconds: a longer range takes Prometheus long.
const REMEMBERED: i64 = 7 * 86_400;

pub(crate) type AlertLabels = BTreeMap<String, String>;

/// Writes the rules as `PrometheusRule` objects: one for each namespace, in that namespace.
pub(crate) fn prometheus_rules(
    out: &mut dyn Write,
    all: &[AlertThresholds],
    labels: &AlertLabels,
) -> io::Result<()> {
    write_heading(out)?;
    let mut separator = "";
    for ((context, namespace), members) in by_namespace(all) {
        for (nth, some) in members.chunks(MOST).enumerate() {
            let mut suffix = suffix(context);
            if nth > 0 {
                suffix.push_str(&format!("-{}", nth + 1));
            }
            write!(out, "{separator}")?;
            separator = "---\n";
            let object = json!({
                "apiVersion": "monitoring.coreos.com/v1",
                "kind": "PrometheusRule",
                "metadata": {
                    "name": format!("cronjob-doctor{suffix}"),
                    "namespace": namespace,
                    "labels": {"app.kubernetes.io/managed-by": "cronjob-doctor"},
                },
                "spec": {"groups": [group(
                    &format!("cronjobs-{namespace}{suffix}"),
                    some,
                    // One object has the rule about all of them.
                    not_started(&members, labels).filter(|_| nth == 0),
                    labels,
                )]},
            });
            yaml::write(out, &object)?;
        }
    }
    Ok(())
}

/// Writes the rules as a file that Prometheus reads: one group for each namespace.
pub(crate) fn rule_file(
    out: &mut dyn Write,
    all: &[AlertThresholds],
    labels: &AlertLabels,
) -> io::Result<()> {
    write_heading(out)?;
    let groups = by_namespace(all).into_iter();
    let groups = groups.map(|((context, namespace), members)| {
        let name = format!("cronjobs-{namespace}{}", suffix(context));
        group(&name, &members, not_started(&members, labels), labels)
    });
    yaml::write(out, &json!({"groups": groups.collect::<Vec<Value>>()}))
}

fn write_heading(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Written by \"kubectl cronjob-doctor alerts\". The thresholds come from the schedules: write the\n\
         # rules again when CronJobs change. They need kube-state-metrics."
    )
}

/// A context, if several were asked for, and a namespace.
type Place<'a> = (Option<&'a str>, &'a str);

fn by_namespace(all: &[AlertThresholds]) -> BTreeMap<Place<'_>, Vec<&AlertThresholds>> {
    let mut namespaces: BTreeMap<Place<'_>, Vec<&AlertThresholds>> = BTreeMap::new();
    for one in all {
        let place = (one.context.as_deref(), one.namespace.as_str());
        namespaces.entry(place).or_default().push(one);
    }
    for members in namespaces.values_mut() {
        members.sort_by_key(|one| &one.name);
    }
    namespaces
}

/// What the name of an object ends with: the context in the letters that Kubernetes allows.
fn suffix(context: Option<&str>) -> String {
    const LONGEST: usize = 200;
    let Some(context) = context else {
        return String::new();
    };
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = context.chars().take(LONGEST).map(allowed).collect();
    format!("-{}", name.trim_matches('-').to_ascii_lowercase())
}

fn group(
    name: &str,
    members: &[&AlertThresholds],
    of_all: Option<Value>,
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
    let context = one.context.as_deref().map_or_else(String::new, |context| {
        let context = context.replace('\\', r"\\").replace('\'', r"\'");
        format!("context='{context}',")
    });
    format!("{{{context}namespace='{namespace}',cronjob='{name}'}}")
}

/// The labels of its alerts, by which rules of the same name differ.
fn labels_of(one: &AlertThresholds, labels: &AlertLabels) -> AlertLabels {
    let mut labels = labels.clone();
    if let Some(context) = &one.context {
        labels.insert("context".to_owned(), literal(context));
    }
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
    let lease = connected(first).command("get lease");
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
                "They run most often there. kube-controller-manager may be down, or the namespace allows no Jobs. \
                 See {lease}."
            ),
        },
    }))
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
            "time() - (kube_cronjob_status_last_successful_time{of} or kube_cronjob_created{of}) > {within} \
             unless on (namespace, cronjob) max_over_time(kube_cronjob_spec_suspend{of}[{remembered}s]) == 1"
        ),
        "labels": labels_of(one, labels),
        "annotations": annotations(
            one,
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
            "time() - kube_cronjob_status_last_schedule_time{of} > {within} \
             unless on (namespace, cronjob) kube_cronjob_status_last_successful_time{of} >= \
             kube_cronjob_status_last_schedule_time{of} \
             unless on (namespace, cronjob) kube_cronjob_spec_suspend{of} == 1"
        ),
        "labels": labels_of(one, labels),
        "annotations": annotations(
            one,
            "The last run of CronJob {{ $labels.namespace }}/{{ $labels.cronjob }} was scheduled {{ $value | humanizeDuration }} ago and has not succeeded",
            &why,
        ),
    }))
}

/// Makes the commands for the context of a `CronJob`.
fn connected(one: &AlertThresholds) -> Kubectl {
    let mut kubectl = Kubectl::default();
    if let Some(context) = &one.context {
        kubectl.flag("--context", context);
    }
    kubectl
}

fn annotations(one: &AlertThresholds, summary: &str, why: &str) -> BTreeMap<&'static str, String> {
    let explain = connected(one).doctor("explain").name(&one.name);
    let explain = literal(&explain.namespace(&one.namespace).to_string());
    let mut annotations = BTreeMap::from([
        ("summary", summary.to_owned()),
        ("description", format!("{why} See {explain}.")),
    ]);
    if let Some(runbook) = &one.runbook {
        let key = if is_link(runbook) {
            "runbook_url"
        } else {
            "runbook"
        };
        annotations.insert(key, literal(runbook));
    }
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
