//! `suspend` and `resume`, and what the real controller makes of them: each prediction is compared
//! with what happens by the verb itself, and once more here.

use serde_json::{Value, json};

use crate::control_plane::shared_plane;
use crate::control_plane::stage::{Stage, finish, job_name, owner};
use crate::support::control_plane::eventually;

/// A CronJob that is suspended and missed the slot of ten minutes ago, and two before.
pub(crate) fn suspended(stage: &Stage<'_>, name: &str, more: &Value) {
    let clock = stage.clock;
    let mut spec = json!({"schedule": clock.hourly(10), "suspend": true});
    for (field, value) in more.as_object().unwrap() {
        spec[field] = value.clone();
    }
    stage.create(name, &spec);
    stage.set_last(name, clock.hours_and_minutes_ago(3, 10));
}

/// Resumes, waits, and returns what is told of it.
fn resume(stage: &Stage<'_>, name: &str, arguments: &[&str]) -> Value {
    let common = ["resume", name, "-yq", "--wait", "-o", "json"];
    let ran = stage.doctor(&[&common, arguments].concat());
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0), "{}", ran.stdout);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let item = document["items"][0].clone();
    assert_eq!(item["observed"]["asPredicted"], true, "{item:#}");
    item
}

/// The names of the Jobs that begin with a name.
pub(crate) fn jobs_of(stage: &Stage<'_>, name: &str) -> Vec<String> {
    let names = stage.jobs();
    let names = names
        .iter()
        .map(|job| job["metadata"]["name"].as_str().unwrap().to_owned());
    let start = format!("{name}-");
    names.filter(|job| job.starts_with(&start)).collect()
}

#[test]
fn catching_up_and_skipping() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "resuming");
    let last = stage.clock.minutes_ago(10);
    let nothing: [String; 0] = [];

    suspended(&stage, "run", &json!({}));
    let item = resume(&stage, "run", &["--catch-up=run"]);
    let job = job_name("run", last);
    assert_eq!(item["prediction"]["jobName"], json!(job));
    assert_eq!(item["prediction"]["skipped"], 2);
    assert_eq!(jobs_of(&stage, "run"), [job]);

    suspended(&stage, "status", &json!({}));
    let item = resume(&stage, "status", &["--catch-up=skip"]);
    assert_eq!(item["prediction"]["catchUp"]["method"], "status");
    assert_eq!(jobs_of(&stage, "status"), nothing);
    let status = &stage.cron_job("status")["status"];
    assert_eq!(status["lastScheduleTime"], json!(last));

    suspended(&stage, "deadline", &json!({}));
    let deadline = ["--catch-up=skip", "--skip-method=deadline"];
    let item = resume(&stage, "deadline", &deadline);
    let deadline = &item["prediction"]["catchUp"]["startingDeadlineSeconds"];
    assert!(
        *deadline == 300 || *deadline == 600,
        "{deadline}: the slot was 10 to 11 minutes ago"
    );
    assert_eq!(jobs_of(&stage, "deadline"), nothing);
    // As is said: without the deadline the missed run starts at once.
    stage.edit(
        "deadline",
        &json!({"spec": {"startingDeadlineSeconds": null}}),
    );
    let job = job_name("deadline", last);
    eventually("the Job of the missed slot", || {
        (jobs_of(&stage, "deadline") == [job.clone()]).then_some(())
    });

    suspended(&stage, "too-late", &json!({"startingDeadlineSeconds": 60}));
    let item = resume(&stage, "too-late", &[]);
    let text = item["prediction"]["text"].as_str().unwrap();
    assert!(
        text.contains("is past its startingDeadlineSeconds"),
        "{text}"
    );
    assert_eq!(jobs_of(&stage, "too-late"), nothing);
}

#[test]
fn what_stands_in_the_way() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "resuming-blocked");
    let last = stage.clock.minutes_ago(10);

    suspended(&stage, "forbid", &json!({"concurrencyPolicy": "Forbid"}));
    stage.create_running("forbid", &["forbid-before"]);
    let item = resume(&stage, "forbid", &["--catch-up=run"]);
    assert_eq!(item["prediction"]["startsAfter"], json!(["forbid-before"]));
    assert_eq!(jobs_of(&stage, "forbid"), ["forbid-before"]);
    finish(&stage, "forbid-before", "Complete");
    let job = job_name("forbid", last);
    eventually("the Job that was blocked", || {
        jobs_of(&stage, "forbid").contains(&job).then_some(())
    });

    suspended(&stage, "replace", &json!({"concurrencyPolicy": "Replace"}));
    stage.create_running("replace", &["replace-before"]);
    let item = resume(&stage, "replace", &["--catch-up=run"]);
    assert_eq!(item["prediction"]["deletedJobs"], json!(["replace-before"]));
    assert_eq!(jobs_of(&stage, "replace"), [job_name("replace", last)]);

    // A Job of the slot's name: the controller finds no way, unless the slot is skipped.
    suspended(&stage, "taken", &json!({}));
    stage.create_job(
        &job_name("taken", last),
        Some(&owner(&stage.cron_job("taken"))),
    );
    let item = resume(&stage, "taken", &["--catch-up=skip"]);
    assert_eq!(item["prediction"]["outcome"], "wait");
    assert_eq!(
        stage.cron_job("taken")["status"]["lastScheduleTime"],
        json!(last)
    );
}

/// A window over a whole namespace: what was suspended by it is resumed, and nothing else.
#[test]
fn a_window() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "window");
    suspended(&stage, "before", &json!({}));
    for name in ["one", "two"] {
        stage.create(name, &json!({"schedule": stage.clock.hourly(10)}));
    }
    let path = plane.kubeconfig("admin").with_file_name("window.state");
    let _ = std::fs::remove_file(&path);
    let path = path.to_str().unwrap();
    let why = "--reason=a test";
    let ran = stage.doctor(&["suspend", "--all", "-yq", "--save-state", path, why]);
    let lines = "\
cronjob.batch/before already suspended
cronjob.batch/one suspended
cronjob.batch/two suspended
";
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
        (lines, "", 0)
    );
    let one = stage.cron_job("one");
    assert_eq!(
        one["metadata"]["annotations"]["cronjob-doctor/suspend-reason"],
        "a test"
    );
    let ran = stage.doctor(&["resume", "--from-state", path, "-yq"]);
    // The verb takes the namespace of the file.
    let lines = "cronjob.batch/one resumed\ncronjob.batch/two resumed\n";
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
        (lines, "", 0)
    );
    let suspend = |name| stage.cron_job(name)["spec"]["suspend"].clone();
    assert_eq!(
        [suspend("before"), suspend("one"), suspend("two")],
        [true, false, false]
    );
    let one = stage.cron_job("one");
    assert!(
        one["metadata"]["annotations"]
            .get("cronjob-doctor/suspend-reason")
            .is_none()
    );
}

/// Who may read only is told before anything is done.
#[test]
fn without_the_right() {
    let Some(plane) = shared_plane() else { return };
    let stage = Stage::new(plane, "refused");
    stage.create("one", &json!({"schedule": stage.clock.hourly(10)}));
    crate::control_plane::access::wait_for_the_role(plane);
    let kubeconfig = plane.kubeconfig("viewer");
    let arguments = ["suspend", "one", "-yq", "-n", "refused", "--kubeconfig"];
    let ran =
        crate::support::run::doctor(&[&arguments[..], &[kubeconfig.to_str().unwrap()]].concat());
    let refused = "error: cannot patch cronjobs.batch in namespace \"refused\" (forbidden); nothing \
                   was changed\n";
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
        ("", refused, 2)
    );
}
