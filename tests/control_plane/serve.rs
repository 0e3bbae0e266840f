//! An exporter that follows a real control plane.

use crate::control_plane::prelude::*;
use crate::control_plane::prometheus::Prometheus;
use crate::live::call::Call;
use crate::live::serve::Exporter;

#[test]
fn metrics_follow_a_failing_cron_job() {
    let ns = namespace!("served");
    create(&ns);
    let exporter = export(&ns);
    let line = |name: &str, value: u32| {
        format!(r#"cronjob_doctor_{name}{{namespace="served",cronjob="fails"}} {value}"#)
    };
    exporter.wait_for(&line("suspended", 1), true);
    exporter.wait_for(&line("active_jobs", 0), true);
    // The missed run starts.
    ns.edit("fails", &json!({"spec": {"suspend": false}}));
    exporter.wait_for(&line("active_jobs", 1), true);
    exporter.wait_for(&line("suspended", 0), true);
    ns.end_pod_of("fails", "Failed");
    exporter.wait_for(&line("last_run_result", 0), true);
    exporter.wait_for(&line("active_jobs", 0), true);
    exporter.wait_for(&line("health", 0), false);
    assert_eq!(exporter.get("/").code, 200);
}

/// The alert of docs/alerts.md, without its `for`.
const OVERDUE: &str = "time() > cronjob_doctor_success_due_timestamp_seconds";

/// How long after the creation a success is due: long enough for the failed run and the first scrape.
const WITHIN: i64 = 45;

#[test]
fn alert_fires_when_the_success_of_a_failing_cron_job_is_overdue() {
    let ns = namespace!("overdue", since 22);
    let documented = include_str!("../../docs/alerts.md");
    assert!(documented.contains(OVERDUE));
    let rules = format!(
        "groups:\n- name: cronjob-doctor\n  rules:\n  - alert: CronJobSuccessOverdue\n    expr: {OVERDUE}\n"
    );
    create(&ns);
    let within = json!({"cronjob-doctor/success-within": format!("{WITHIN}s")});
    ns.edit(
        "fails",
        &json!({"metadata": {"annotations": within}, "spec": {"suspend": false}}),
    );
    let exporter = export(&ns);
    let Some(prometheus) = Prometheus::start(&exporter.address, &rules) else {
        return;
    };
    ns.end_pod_of("fails", "Failed");
    let cron_job = ns.cron_job("fails");
    let created = cron_job["metadata"]["creationTimestamp"].text();
    let due = created.parse::<Timestamp>().unwrap().as_second() + WITHIN;
    let firing = r#"ALERTS{alertname="CronJobSuccessOverdue",alertstate="firing",cronjob="fails"}"#;
    eventually("the alert fires", || prometheus.value(firing, None));
    // Until then, the metric was there and the expression was not true.
    let metric = r#"cronjob_doctor_success_due_timestamp_seconds{cronjob="fails"}"#;
    #[allow(clippy::cast_precision_loss)] // a time
    let expected = due as f64;
    assert_eq!(prometheus.value(metric, Some(due - 1)), Some(expected));
    assert_eq!(prometheus.value(OVERDUE, Some(due)), None);
    assert_eq!(prometheus.value(OVERDUE, Some(due + 1)), Some(expected));
    exporter.wait_for(
        r#"cronjob_doctor_last_run_result{namespace="overdue",cronjob="fails"} 0"#,
        true,
    );
}

/// Creates a suspended `CronJob` that missed a run.
fn create(ns: &Namespace<'_>) {
    let mut job = job_spec();
    job["backoffLimit"] = json!(0);
    let spec = json!({
        "schedule": ns.clock.hourly(10),
        "timeZone": "Etc/UTC",
        "suspend": true,
        "jobTemplate": {"spec": job},
    });
    ns.create("fails", &spec);
    ns.set_last("fails", ns.clock.hours_and_minutes_ago(1, 10));
}

fn export(ns: &Namespace<'_>) -> Exporter {
    let kubeconfig = ns.plane.kubeconfig("admin");
    let place = ["-n", &ns.name, "--kubeconfig", kubeconfig.to_str().unwrap()];
    let exporter = Exporter::of(Call::new(("serve --listen=127.0.0.1:0", place)));
    exporter.wait_until_ready();
    exporter
}
