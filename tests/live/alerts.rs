//! The shipped alerts in a real Prometheus, which scrapes two exporters that come and go.

use jiff::Timestamp;

use crate::live::prelude::*;
use crate::live::prometheus::Prometheus;
use crate::live::serve::Exporter;
use crate::support::control_plane::wait_until;
use crate::support::files::text;

fn exporter(server: &ApiServer, address: &str) -> Exporter {
    let serve = ("serve -A --listen", [address]);
    let exporter = Exporter::of(Call::by(server, "viewer", serve));
    exporter.wait_until_ready();
    exporter
}

/// `ops/never` is scheduled on 31 February, which is an error.
#[test]
#[allow(clippy::disallowed_methods, reason = "Prometheus has no other clock")]
fn alert_is_one_for_two_replicas_and_stays_while_both_are_gone() {
    let now = Timestamp::now().to_string();
    let server = ApiServer::start(Options::default().now(&now));
    server.add(cron_job("ops", "never", "0 0 31 2 *"));
    let [first, second] = ["127.0.0.1:0"; 2].map(|address| exporter(&server, address));
    let address = first.address.clone();
    let addresses = [&*first.address, &*second.address];
    let Some(prometheus) = Prometheus::start(&addresses, &text("deploy/alerts.yaml")) else {
        return;
    };
    let count = |labels: &str| {
        let count = prometheus.value(&format!("count(ALERTS{{{labels}}})"), None);
        count.unwrap_or_default()
    };
    let is_one = |labels: &str| (count(labels) - 1.0).abs() < 0.5;
    let never = "alertstate=\"firing\",cronjob=\"never\"";
    wait_until("the alert fires", || is_one(never));
    wait_until("both are scraped", || {
        prometheus.value("count(up == 1)", None) == Some(2.0)
    });
    assert!(is_one(never));
    assert!(is_one(""));

    drop(second);
    wait_until("a replica is missed", || {
        is_one("alertname=\"CronJobExporterReplicaDown\"")
    });
    assert!(is_one(never));

    drop(first);
    wait_until("both are missed", || {
        is_one("alertname=\"CronJobsUnwatched\"")
    });
    // Longer than Prometheus needs to notice.
    thread::sleep(Duration::from_secs(3));
    assert!(is_one(never));
    assert!(count("alertname=\"CronJobExporterReplicaDown\"") < 0.5);

    // One is back, and the CronJob was deleted in the meantime.
    server.delete("batch/v1", "CronJob", "ops", "never");
    let _back = exporter(&server, &address);
    wait_until("the alert ends", || count(never) < 0.5);
    wait_until("CronJobs are watched", || {
        count("alertname=\"CronJobsUnwatched\"") < 0.5
    });
}
