//! `suspend --wait` with the real controllers.

use crate::control_plane::prelude::*;

/// Creates a suspended `CronJob` with a run that is due: the controller starts the run as soon as the `CronJob` is
/// resumed.
fn overdue(ns: &Namespace<'_>, name: &str) {
    let spec = json!({"schedule": ns.clock.hourly(10), "suspend": true});
    ns.create(name, &spec);
    ns.set_last(name, ns.clock.minutes_ago(70));
}

fn resume(ns: &Namespace<'_>, name: &str) {
    ns.edit(name, &json!({"spec": {"suspend": false}}));
}

/// Marks all pods as succeeded.
fn succeed_pods(ns: &Namespace<'_>) {
    for pod in ns.pods() {
        if pod["status"]["phase"] != "Succeeded" {
            ns.succeed_pod(&name_of(&pod));
        }
    }
}

/// The CronJobs are suspended while the controller starts their runs. At the end, every started Job has finished, and
/// no other Job starts.
#[test]
fn suspend_wait_ends_when_no_job_is_running() {
    let ns = namespace!("suspend-wait");
    let names: Vec<String> = (0..10).map(|number| format!("due-{number}")).collect();
    for name in &names {
        overdue(&ns, name);
    }
    ns.create_from_template(&ns.cron_job("due-0"), "manual");
    for name in &names {
        resume(&ns, name);
    }
    let ran = thread::scope(|scope| {
        let call = scope.spawn(|| ns.doctor("suspend --all -yq --wait=2m -o json"));
        while !call.is_finished() {
            succeed_pods(&ns);
        }
        call.join().unwrap()
    });
    let jobs = ns.jobs();
    assert!(
        jobs.iter().all(|job| has_condition(job, "Complete")),
        "{jobs:#?}"
    );
    let document = ran.document();
    for item in document["items"].items() {
        assert_eq!(item["observed"]["allEnded"], true, "{item:#}");
    }
    // Once the controller has started this one, it has synced the others.
    overdue(&ns, "last");
    resume(&ns, "last");
    eventually("a Job of the last CronJob", || {
        let mut owners = ns.jobs().into_iter();
        owners.find(|job| job["metadata"]["ownerReferences"][0]["name"] == "last")
    });
    assert_eq!(ns.jobs().len(), jobs.len() + 1);
}

#[test]
fn suspend_wait_that_times_out_names_the_job() {
    let ns = namespace!("suspend-wait-long");
    overdue(&ns, "due");
    resume(&ns, "due");
    let job = eventually("the Job", || ns.job_names().into_iter().next());
    let ran = ns.doctor("suspend due -y --wait=1s");
    assert_eq!(ran.code, 2, "{ran}");
    let error = format!("error: timed out after 1s: 1 Job has not finished: {job}\n");
    assert!(ran.stderr.contains(&error), "{ran}");
    assert_eq!(ns.cron_job("due")["spec"]["suspend"], true);
}
