//! A cluster with Prometheus, Alertmanager and a recorder in PostgreSQL: which alerts fire, and whether the record has
//! every Job that a watch has seen.
//!
//! `MONITORING_MINUTES` sets its duration:
//!
//!     MONITORING_MINUTES=30 KUBEBUILDER_ASSETS=/path/to/them \
//!         cargo test --test integration control_plane::monitored -- --ignored --nocapture

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kube_model::{RunResult, StoredRun};

use crate::control_plane::prelude::*;
use crate::live::alertmanager::{Alertmanager, Notification};
use crate::live::call::Call;
use crate::live::prometheus::Prometheus;
use crate::live::serve::Exporter;
use crate::support::postgres::{PASSWORD, Postgres};

/// The shortest duration.
const MINUTES: u64 = 15;
/// The node of all pods. Nothing asks whether it exists.
const NODE: &str = "node-1";
/// How long a pod runs.
const RUNS_FOR: Duration = Duration::from_secs(5);

/// What a watch saw of a Job.
#[derive(Debug)]
struct SeenJob {
    cron_job: String,
    scheduled: Timestamp,
    result: Option<RunResult>,
}

type SeenJobs = Arc<Mutex<BTreeMap<String, SeenJob>>>;

/// Watches the Jobs, apart from the recorder.
fn watch_jobs(ns: &Namespace<'_>) -> SeenJobs {
    let seen = SeenJobs::default();
    let (api, jobs) = (ns.plane.api("admin"), Arc::clone(&seen));
    let path = batch(&ns.name, "jobs");
    let version = |object: &Value| object["metadata"]["resourceVersion"].text().to_owned();
    let mut seen_version = version(&ns.api.get(&path));
    thread::spawn(move || {
        // It ends when there is no change for a minute, and continues.
        while let Some(watch) = api.watch(&format!("{path}?watch=1&resourceVersion={seen_version}"))
        {
            for change in watch {
                let job = &change["object"];
                seen_version = version(job);
                let metadata = &job["metadata"];
                let annotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
                let scheduled = metadata["annotations"][annotation].text();
                let results = [
                    ("Complete", RunResult::Succeeded),
                    ("Failed", RunResult::Failed),
                ];
                let mut results = results.into_iter();
                let result = results.find(|(condition, _)| has_condition(job, condition));
                let seen = SeenJob {
                    cron_job: metadata["ownerReferences"][0]["name"].text().to_owned(),
                    scheduled: scheduled.parse().unwrap(),
                    result: result.map(|(_, result)| result),
                };
                let uid = metadata["uid"].text().to_owned();
                jobs.lock().unwrap().insert(uid, seen);
            }
        }
    });
    seen
}

/// Plays the life that the annotation `exit` of a pod asks for: an exit code, or `never`. It ends with what it returns.
fn play_pods(ns: &Namespace<'_>) -> Arc<()> {
    let (api, path) = (ns.plane.api("admin"), ns.pod_path(""));
    let guard = Arc::new(());
    let is_wanted = Arc::downgrade(&guard);
    thread::spawn(move || {
        let mut since: BTreeMap<String, Instant> = BTreeMap::new();
        while is_wanted.strong_count() > 0 {
            let pods = api.ask("GET", &path, "", &[]);
            let now = Instant::now();
            for pod in pods.json()["items"].items() {
                let name = name_of(pod);
                let exit = pod["metadata"]["annotations"]["exit"].text();
                let phase = pod["status"]["phase"].text();
                let began = pod["metadata"]["creationTimestamp"].text();
                let is_new = !since.contains_key(&name);
                let bound_at = *since.entry(name.clone()).or_insert(now);
                let status = if is_new {
                    let target = json!({"apiVersion": "v1", "kind": "Node", "name": NODE});
                    let binding = json!({"metadata": {"name": name}, "target": target});
                    let header = [("Content-Type", "application/json")];
                    let binding = binding.to_string();
                    api.ask("POST", &format!("{path}/{name}/binding"), &binding, &header);
                    let state = json!({"running": {"startedAt": began}});
                    let conditions = json!([{"type": "Ready", "status": "True"}]);
                    json!({"phase": "Running", "startTime": began, "conditions": conditions,
                        "containerStatuses": [container_status("main", "busybox", &state)]})
                } else if phase == "Running" && exit != "never" && bound_at.elapsed() > RUNS_FOR {
                    let code: i32 = exit.parse().unwrap();
                    let reason = if code == 0 { "Completed" } else { "Error" };
                    let state = json!({"terminated": {"exitCode": code, "reason": reason,
                        "startedAt": began, "finishedAt": began}});
                    let phase = if code == 0 { "Succeeded" } else { "Failed" };
                    json!({"phase": phase, "containerStatuses": [container_status("main", "busybox", &state)]})
                } else {
                    continue;
                };
                // The pod may be gone.
                let header = [("Content-Type", "application/merge-patch+json")];
                let patch = json!({"status": status}).to_string();
                api.ask("PATCH", &format!("{path}/{name}/status"), &patch, &header);
            }
            thread::sleep(Duration::from_millis(500));
        }
    });
    guard
}

/// Creates a `CronJob` whose pods end so.
fn create(ns: &Namespace<'_>, name: &str, schedule: &str, exit: &str) {
    let mut job = with_fields(job_spec(), &json!({"backoffLimit": 0}));
    job["template"]["metadata"] = json!({"annotations": {"exit": exit}});
    let spec = json!({
        "schedule": schedule, "timeZone": "Etc/UTC", "concurrencyPolicy": "Forbid", "jobTemplate": {"spec": job},
    });
    ns.create(name, &spec);
}

/// The time of the scene.
struct Scene {
    began: Instant,
    events: Vec<(Duration, String)>,
}

impl Scene {
    /// Waits until a second of the scene.
    fn wait(&self, second: u64) {
        let at = Duration::from_secs(second);
        thread::sleep(at.saturating_sub(self.began.elapsed()));
    }

    fn event(&mut self, what: &str) -> Instant {
        let now = self.began.elapsed();
        eprintln!("{:4} s  {what}", now.as_secs());
        self.events.push((now, what.to_owned()));
        Instant::now()
    }

    /// Prints events and notifications in order.
    fn print(&self, notifications: &[Notification]) {
        let mut lines = self.events.clone();
        lines.extend(notifications.iter().map(|one| {
            let at = one.at.saturating_duration_since(self.began);
            (
                at,
                format!("    {} {} {}", one.status, one.alert, one.cron_job),
            )
        }));
        lines.sort();
        eprintln!("\nevents and notifications:");
        for (at, line) in lines {
            eprintln!("{:7.1} s  {line}", at.as_secs_f64());
        }
    }
}

/// The Jobs that ended and are missing in the record, stored several times, or with another result; and how many are
/// missing in a recorded gap.
fn differences(
    seen: &BTreeMap<String, SeenJob>,
    postgres: &Postgres,
    namespace: &str,
) -> (Vec<String>, usize) {
    let store = postgres.read();
    let intervals = store.intervals().unwrap();
    let (mut wrong, mut in_gap) = (Vec::new(), 0);
    for (uid, job) in seen.iter().filter(|(_, job)| job.result.is_some()) {
        let record = store.record(namespace, &job.cron_job, &intervals, Timestamp::MIN, 10_000);
        let record = record.unwrap();
        let is_same = |run: &&StoredRun| run.job_uid.as_ref() == Some(uid);
        let rows: Vec<&StoredRun> = record.runs.iter().filter(is_same).collect();
        match rows.as_slice() {
            [run] if run.result == job.result && run.at == job.scheduled => {}
            [] if !record.covers(job.scheduled) => in_gap += 1,
            rows => wrong.push(format!("{job:?}: {rows:?}")),
        }
    }
    (wrong, in_gap)
}

/// Serves the whole cluster, and records in this database.
fn export(
    plane: &ControlPlane,
    postgres: &Postgres,
    alertmanager: &Alertmanager,
) -> Option<(Exporter, Prometheus)> {
    let kubeconfig = plane.kubeconfig("admin").display().to_string();
    let url = postgres.checked_url();
    let serve = [
        "serve",
        "-A",
        "--listen=127.0.0.1:0",
        "--kubeconfig",
        &kubeconfig,
    ];
    let call = Call::new((serve, ["--record", &*url])).variable("PGPASSWORD", PASSWORD);
    let exporter = Exporter::of(call);
    exporter.wait_until_ready();
    let rules = include_str!("../../deploy/alerts.yaml");
    let address = Some(&*alertmanager.address);
    let prometheus = Prometheus::alerting(&[&exporter.address], rules, address)?;
    Some((exporter, prometheus))
}

/// CronJobs that work, or do until later, and one whose run never ends.
fn populate(ns: &Namespace<'_>) {
    for number in 0..8 {
        create(ns, &format!("healthy-{number}"), "* * * * *", "0");
        create(ns, &format!("slower-{number}"), "*/2 * * * *", "0");
        create(ns, &format!("deleted-{number}"), "* * * * *", "0");
    }
    create(ns, "fails", "* * * * *", "0");
    create(ns, "suspended", "* * * * *", "0");
    create(ns, "hangs", "* * * * *", "never");
}

/// The database is down for two minutes, in which CronJobs are deleted and created.
fn change_without_database(ns: &Namespace<'_>, scene: &mut Scene, postgres: &mut Postgres) {
    scene.wait(70);
    postgres.stop();
    scene.event("the database is down");
    for number in 0..8 {
        scene.wait(75 + 13 * number);
        ns.delete(&format!("deleted-{number}"));
        create(ns, &format!("created-{number}"), "* * * * *", "0");
    }
    scene.event("deleted-0 to -7 are deleted, created-0 to -7 are there");
    scene.wait(190);
    postgres.run();
    scene.event("the database is back");
}

/// The alerts and CronJobs of some notifications.
fn names(some: &[Notification], status: &str) -> BTreeSet<(String, String)> {
    let some = some.iter().filter(|one| one.status == status);
    some.map(|one| (one.alert.clone(), one.cron_job.clone()))
        .collect()
}

/// An alert about the cluster.
fn of_cluster(alert: &str) -> BTreeSet<(String, String)> {
    [(alert.to_owned(), String::new())].into()
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn alerts_and_record_of_a_cluster_are_right_through_outages() {
    let Some(assets) = assets() else { return };
    let (Some(mut postgres), Some(alertmanager)) = (Postgres::start(), Alertmanager::start())
    else {
        return;
    };
    let minutes = std::env::var("MONITORING_MINUTES").ok();
    let minutes = minutes.map_or(MINUTES, |minutes| minutes.parse().unwrap());
    let longer = minutes.saturating_sub(MINUTES) * 60;
    let plane = ControlPlane::start(&assets);
    plane.start_controllers_and("UTC", &["garbage-collector"]);
    let (ns, created) = (Namespace::new(&plane, "monitored"), Instant::now());
    let seen = watch_jobs(&ns);
    let _kubelet = play_pods(&ns);
    let Some((exporter, prometheus)) = export(&plane, &postgres, &alertmanager) else {
        return;
    };
    // It begins five seconds after a full minute: runs have just become due.
    let second = ns.clock.0.as_second() + i64::try_from(created.elapsed().as_secs()).unwrap();
    let pause = (65 - second.rem_euclid(60)).rem_euclid(60).unsigned_abs();
    thread::sleep(Duration::from_secs(pause));
    let mut scene = Scene {
        began: Instant::now(),
        events: Vec::new(),
    };
    populate(&ns);
    scene.event("24 healthy CronJobs; fails and suspended, which are healthy until later; hangs");
    scene.wait(62);
    let template = json!({"metadata": {"annotations": {"exit": "1"}}});
    ns.edit(
        "fails",
        &json!({"spec": {"jobTemplate": {"spec": {"template": template}}}}),
    );
    scene.event("the next run of fails fails");
    ns.edit("suspended", &json!({"spec": {"suspend": true}}));
    scene.event("suspended is suspended");
    change_without_database(&ns, &mut scene, &mut postgres);
    scene.wait(215 + longer);
    let before = alertmanager.notifications().len();
    plane.stop_controllers();
    scene.event("the controllers are down");
    scene.wait(350 + longer);
    let down = alertmanager.notifications().split_off(before);
    plane.start_controllers_and("UTC", &["garbage-collector"]);
    scene.event("the controllers are back");
    scene.wait(560 + longer);
    let (wrong, in_gap) = differences(&seen.lock().unwrap(), &postgres, &ns.name);
    let has_ended = |job: &&SeenJob| job.result.is_some();
    let ended = seen.lock().unwrap().values().filter(has_ended).count();
    let healthy = alertmanager.notifications();
    let killed = scene.event("the exporter is killed");
    drop(exporter);
    scene.wait(560 + longer + 335);
    let all = alertmanager.notifications();
    drop(prometheus);
    scene.print(&all);
    let (count, gaps) = (wrong.len(), postgres.read().intervals().unwrap());
    eprintln!("{ended} Jobs ended; {in_gap} are in a gap, {count} are wrong; watched: {gaps:?}");

    let controller = of_cluster("CronJobControllerDown");
    assert_eq!(
        names(&down, "firing"),
        controller,
        "while the controllers are down"
    );
    assert_eq!(
        names(&down, "resolved"),
        [].into(),
        "while the controllers are down"
    );
    assert!(names(&healthy, "resolved").is_superset(&controller));
    let firing = names(&healthy, "firing");
    let broken: BTreeSet<&str> = firing
        .iter()
        .map(|(_, cron_job)| cron_job.as_str())
        .collect();
    assert_eq!(broken, ["", "fails", "hangs"].into(), "{firing:?}");
    let after: Vec<Notification> = all.into_iter().filter(|one| one.at > killed).collect();
    assert_eq!(
        names(&after, "resolved"),
        [].into(),
        "after the exporter is gone"
    );
    assert_eq!(names(&after, "firing"), of_cluster("CronJobsUnwatched"));
    assert!(ended > 100, "{ended}");
    assert_eq!(wrong, Vec::<String>::new());
}
