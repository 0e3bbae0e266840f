//! `suspend` and `resume` with a real controller. The command itself compares each prediction with what happens, and
//! these tests compare it again.

use crate::control_plane::prelude::*;

/// Creates a suspended CronJob that missed the run of ten minutes ago, and two before.
pub(crate) fn suspended(ns: &Namespace<'_>, name: &str, more: &Value) {
    let clock = ns.clock;
    let spec = json!({"schedule": clock.hourly(10), "suspend": true});
    ns.create(name, &with_fields(spec, more));
    ns.set_last(name, clock.hours_and_minutes_ago(3, 10));
}

/// Resumes a CronJob, waits, and returns its item in the document.
fn resume(ns: &Namespace<'_>, name: &str, arguments: &[&str]) -> Value {
    let common = ["resume", name, "-yq", "--wait", "-o", "json"];
    let ran = ns.doctor([&common, arguments].concat());
    let document = ran.document();
    let item = document["items"][0].clone();
    assert_eq!(item["observed"]["asPredicted"], true, "{item:#}");
    item
}

/// The names of the Jobs of a `CronJob`, which begin with its name.
pub(crate) fn jobs_of(ns: &Namespace<'_>, name: &str) -> Vec<String> {
    let start = format!("{name}-");
    let names = ns.job_names().into_iter();
    names.filter(|job| job.starts_with(&start)).collect()
}

#[test]
fn resume_starts_or_skips_the_missed_run_as_predicted() {
    let ns = namespace!("resuming");
    let last = ns.clock.minutes_ago(10);
    let nothing: [String; 0] = [];

    suspended(&ns, "run", &json!({}));
    let item = resume(&ns, "run", &["--catch-up=run"]);
    let job = job_name("run", last);
    assert_eq!(item["prediction"]["jobName"], json!(job));
    assert_eq!(item["prediction"]["skipped"], 2);
    assert_eq!(jobs_of(&ns, "run"), [job]);

    suspended(&ns, "status", &json!({}));
    let item = resume(&ns, "status", &["--catch-up=skip"]);
    assert_eq!(item["prediction"]["catchUp"]["method"], "status");
    assert_eq!(jobs_of(&ns, "status"), nothing);
    let status = &ns.cron_job("status")["status"];
    assert_eq!(status["lastScheduleTime"], json!(last));

    suspended(&ns, "deadline", &json!({}));
    let deadline = ["--catch-up=skip", "--as=editor", "--as-group=editors"];
    let item = resume(&ns, "deadline", &deadline);
    let deadline = &item["prediction"]["catchUp"]["startingDeadlineSeconds"];
    assert!(
        *deadline == 300 || *deadline == 600,
        "{deadline}: the run was scheduled 10 to 11 minutes ago"
    );
    assert_eq!(jobs_of(&ns, "deadline"), nothing);
    // As predicted, the missed run starts immediately without the deadline.
    ns.edit(
        "deadline",
        &json!({"spec": {"startingDeadlineSeconds": null}}),
    );
    let job = job_name("deadline", last);
    wait_until("the Job of the missed run", || {
        jobs_of(&ns, "deadline") == [job.clone()]
    });

    suspended(&ns, "too-late", &json!({"startingDeadlineSeconds": 60}));
    let item = resume(&ns, "too-late", &[]);
    let text = item["prediction"]["text"].text();
    assert_contains!(text, "is past its startingDeadlineSeconds");
    assert_eq!(jobs_of(&ns, "too-late"), nothing);
}

#[test]
fn resume_with_a_job_in_the_way_waits_replaces_or_skips() {
    let ns = namespace!("resuming-blocked");
    let last = ns.clock.minutes_ago(10);

    suspended(&ns, "forbid", &json!({"concurrencyPolicy": "Forbid"}));
    ns.create_running("forbid", &["forbid-before"]);
    let item = resume(&ns, "forbid", &["--catch-up=run"]);
    assert_eq!(item["prediction"]["startsAfter"], json!(["forbid-before"]));
    assert_eq!(jobs_of(&ns, "forbid"), ["forbid-before"]);
    finish(&ns, "forbid-before", "Complete");
    let job = job_name("forbid", last);
    wait_until("the Job that was blocked", || {
        jobs_of(&ns, "forbid").contains(&job)
    });

    suspended(&ns, "replace", &json!({"concurrencyPolicy": "Replace"}));
    ns.create_running("replace", &["replace-before"]);
    let item = resume(&ns, "replace", &["--catch-up=run"]);
    assert_eq!(item["prediction"]["deletedJobs"], json!(["replace-before"]));
    assert_eq!(jobs_of(&ns, "replace"), [job_name("replace", last)]);

    // Another Job has the name of the run's Job: the controller cannot continue unless the run is skipped.
    suspended(&ns, "taken", &json!({}));
    ns.create_job(
        &job_name("taken", last),
        Some(&owner(&ns.cron_job("taken"))),
    );
    let item = resume(&ns, "taken", &["--catch-up=skip"]);
    assert_eq!(item["prediction"]["outcome"], "wait");
    let expected = json!(last);
    assert_eq!(ns.cron_job("taken")["status"]["lastScheduleTime"], expected);
}

/// A maintenance window over a whole namespace: only what it suspended is resumed.
#[test]
fn resume_for_a_reason_resumes_only_what_the_window_suspended() {
    let ns = namespace!("window");
    suspended(&ns, "before", &json!({}));
    for name in ["one", "two"] {
        ns.create(name, &json!({"schedule": ns.clock.hourly(10)}));
    }
    let why = "--reason=a test";
    let ran = ns.doctor(["suspend", "--all", "-yq", why]);
    let lines = "\
cronjob.batch/before already suspended
cronjob.batch/one suspended
cronjob.batch/two suspended
";
    assert_eq!(ran.fine(), lines);
    let reason = || {
        let annotations = ns.cron_job("one")["metadata"]["annotations"].take();
        annotations["cronjob-doctor/suspend-reason"].clone()
    };
    assert_eq!(reason(), "a test");
    let ran = ns.doctor(["resume", "-yq", why]);
    let lines = "cronjob.batch/one resumed\ncronjob.batch/two resumed\n";
    assert_eq!(ran.fine(), lines);
    let suspend = |name| ns.cron_job(name)["spec"]["suspend"].clone();
    assert_eq!(
        [suspend("before"), suspend("one"), suspend("two")],
        [true, false, false]
    );
    assert_eq!(reason(), Value::Null);
}

/// The missing permission is reported before anything is changed.
#[test]
fn suspend_by_a_viewer_is_refused() {
    let ns = namespace!("refused");
    ns.create("one", &json!({"schedule": ns.clock.hourly(10)}));
    crate::control_plane::access::wait_for_the_role(ns.plane);
    let kubeconfig = ns.plane.kubeconfig("viewer");
    let kubeconfig = ["--kubeconfig", kubeconfig.to_str().unwrap()];
    let ran = doctor(("suspend one -yq -n refused", kubeconfig));
    let refused = "error: cannot patch cronjobs.batch in namespace \"refused\" (forbidden)";
    assert_starts!(ran.refused(), refused);
}
