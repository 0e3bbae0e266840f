//! An exporter that follows a real control plane.

use crate::control_plane::prelude::*;
use crate::live::call::Call;
use crate::live::prometheus::Prometheus;
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

/// When a success is overdue.
const OVERDUE: &str = "time() > cronjob_doctor_success_due_timestamp_seconds";

/// How long after the creation a success is due: long enough for the failed run and the first scrape.
const WITHIN: i64 = 45;

/// It is one alert, also when its success is overdue.
#[test]
fn alert_fires_for_a_failing_cron_job() {
    let ns = namespace!("overdue", since 22);
    let rules = include_str!("../../deploy/alerts.yaml");
    create(&ns);
    let within = json!({"cronjob-doctor/success-within": format!("{WITHIN}s")});
    ns.edit(
        "fails",
        &json!({"metadata": {"annotations": within}, "spec": {"suspend": false}}),
    );
    let exporter = export(&ns);
    let Some(prometheus) = Prometheus::start(&[&exporter.address], rules) else {
        return;
    };
    ns.end_pod_of("fails", "Failed");
    let cron_job = ns.cron_job("fails");
    let created = cron_job["metadata"]["creationTimestamp"].text();
    let due = created.parse::<Timestamp>().unwrap().as_second() + WITHIN;
    let firing = r#"ALERTS{alertname="CronJobUnhealthy",alertstate="firing",cronjob="fails"}"#;
    eventually("the alert fires", || prometheus.value(firing, None));
    eventually("the success is overdue", || prometheus.value(OVERDUE, None));
    let count = r#"count(ALERTS{alertstate="firing",cronjob="fails"})"#;
    assert_eq!(prometheus.value(count, None), Some(1.0));
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
