//! A run whose Job name is already taken, and a Job that a quota does not allow.

use crate::control_plane::cases::{Case, compare};
use crate::control_plane::prelude::*;

/// From 1.28.4 to 1.36 the controller requests the existing Job without a namespace, and this is the answer. The
/// controller tries again after longer and longer pauses, and records nothing.
const NO_NAMESPACE: &str = "the server could not find the requested resource";

/// The prediction follows the upstream code with a lookup that works: the controller adopts its own Job as the Job of
/// the run, and leaves other Jobs alone. With an API server, the lookup ends in an error.
pub(crate) fn lookup_fails(decision: &mut Value, status: &Value) {
    let error = decision["error"].as_str();
    if error.is_some_and(|error| error.ends_with("already exists")) {
        // Earlier releases do not look up the Job at all.
        return;
    }
    assert_eq!(decision["error"], Value::Null);
    decision["error"] = json!(NO_NAMESPACE);
    decision["wakesAt"] = Value::Null;
    decision["statusAfter"]["lastScheduleTime"] = status["lastScheduleTime"].clone();
    let job = decision["jobName"].clone();
    let active = decision["statusAfter"]["active"].as_array_mut().unwrap();
    active.retain(|name| *name != job);
}

#[test]
fn taken_job_name_is_handled_as_predicted() {
    let ns = namespace!("taken");
    let clock = ns.clock;
    let due = |hours_before| clock.hours_and_minutes_ago(hours_before, 10);
    let case = |name| {
        let case = Case::new(name, "nameTaken", &clock.hourly(10)).last(due(1));
        case.corrected(lookup_fails)
    };
    let create = |ns: &Namespace<'_>, name: &str, change: &dyn Fn(&mut Value)| {
        let mut owner = owner(&ns.cron_job(name));
        change(&mut owner);
        ns.create_job(&job_name(name, due(0)), Some(&owner));
    };
    let other_uid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    compare(
        &ns,
        &[
            case("nobodys").arranged(|ns, name| {
                ns.create_job(&job_name(name, due(0)), None);
            }),
            case("own").arranged(|ns, name| create(ns, name, &|_| {})),
            case("own-failed").arranged(|ns, name| {
                create(ns, name, &|_| {});
                finish(ns, &job_name(name, due(0)), "Failed");
            }),
            case("anothers").arranged(|ns, name| {
                create(ns, name, &|owner| {
                    owner["name"] = json!("another");
                    owner["uid"] = json!(other_uid);
                });
            }),
            // The controller recognizes its Jobs only by the name of their owner.
            case("namesakes").arranged(|ns, name| {
                create(ns, name, &|owner| {
                    owner["kind"] = json!("Workflow");
                    owner["apiVersion"] = json!("example.com/v1");
                    owner["uid"] = json!(other_uid);
                });
            }),
            // The running Job has been deleted by then.
            case("replaced")
                .with("concurrencyPolicy", "Replace")
                .arranged(|ns, name| {
                    ns.create_running(name, &["replaced-1"]);
                    ns.create_job(&job_name(name, due(0)), None);
                }),
        ],
    );
}

/// A refusal by the server cannot be predicted, but it is reported afterwards.
#[test]
fn full_quota_is_reported_and_the_next_attempt_is_predicted() {
    let ns = namespace!("quota");
    let quotas = "/api/v1/namespaces/quota/resourcequotas";
    let hard = json!({"count/jobs.batch": "0"});
    let quota = json!({"metadata": {"name": "none"}, "spec": {"hard": hard}});
    ns.api.create(quotas, &quota);
    let status = json!({"status": {"hard": hard, "used": hard}});
    ns.api.patch(&format!("{quotas}/none/status"), &status);

    let due = |hours_before| ns.clock.hours_and_minutes_ago(hours_before, 10);
    let case = Case::new("late", "start", &ns.clock.hourly(10)).last(due(1));
    case.set(&ns);
    assert_eq!(case.predict(&ns).decision["outcome"], "start");
    let mut events = ns.api.events("quota");
    case.pull(&ns);
    let refused = events.up_to("FailedCreate", "late").pop().unwrap();
    let name = job_name("late", due(0));
    let why = format!(
        "jobs.batch \"{name}\" is forbidden: exceeded quota: none, requested: \
         count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0"
    );
    assert_eq!(refused["message"], format!("Error creating job: {why}"));
    let jobs = ns.api.get(&batch("quota", "jobs"));
    assert_eq!(jobs["items"], json!([]));
    let explained = ns.explain("late", "");
    let found = finding(&explained, "job-creation-fails").unwrap();
    let detail = found["detail"].text();
    assert!(detail.contains(&why), "{detail}");

    // Once several attempts have failed, the time of the next one is known, and the run that it starts.
    let moment = |text: &Value| text.text().parse::<Timestamp>().unwrap();
    let next = eventually("the time of the next attempt", || {
        let explained = ns.explain("late", "");
        let next = explained["forecast"][0].clone();
        let ahead = |at: &Value| moment(at).as_second() - moment(&explained["now"]).as_second();
        (next["conditionKind"] == "estimatedTime" && ahead(&next["at"]) > 2).then_some(next)
    });
    let expected = (&json!("retry"), &json!(name));
    assert_eq!((&next["outcome"], &next["jobName"]), expected);
    let more = json!({"spec": {"hard": {"count/jobs.batch": "9"}}});
    ns.api.patch(&format!("{quotas}/none"), &more);
    let hard = json!({"count/jobs.batch": "9"});
    let status = json!({"status": {"hard": hard, "used": {"count/jobs.batch": "0"}}});
    ns.api.patch(&format!("{quotas}/none/status"), &status);
    let started = events.up_to("SuccessfulCreate", "late").pop().unwrap();
    assert_eq!(started["message"], format!("Created job {name}"));
    let created = moment(&ns.jobs()[0]["metadata"]["creationTimestamp"]).as_second();
    let due = moment(&next["at"]).as_second();
    assert!((due - 1..=due + 3).contains(&created), "{created} {next}");
}

/// After the existing Job is deleted, the controller waits for its back-off, which an update ends.
#[test]
fn back_off_after_a_taken_name_ends_with_an_update() {
    let ns = namespace!("untaken");
    let due = |hours_before| ns.clock.hours_and_minutes_ago(hours_before, 10);
    let name = job_name("late", due(0));
    let case = Case::new("late", "nameTaken", &ns.clock.hourly(10)).last(due(1));
    let case = case.arranged(|ns, _| {
        ns.create_job(&job_name("late", due(0)), None);
    });
    case.set(&ns);
    let log = ns.plane.log();
    let mut events = ns.api.events("untaken");
    case.pull(&ns);
    // The back-off is then 10 s or longer.
    wait_until("twelve attempts", || {
        log.syncs("untaken", "late").len() >= 12
    });
    let remedy = |code: &str| {
        let explained = ns.explain("late", "");
        let found = finding(&explained, code)?;
        Some(found["remedy"]["text"].text().to_owned())
    };
    let delete = remedy("job-name-taken").unwrap();
    assert_starts!(delete, &format!("kubectl delete job {name} "));
    ns.delete_job(&name);
    let touch = remedy("start-overdue").unwrap();
    assert_starts!(touch, "kubectl annotate cronjob late ");
    assert_eq!(ns.jobs().len(), 0);
    ns.annotate("late");
    let started = events.up_to("SuccessfulCreate", "late").pop().unwrap();
    assert_eq!(started["message"], format!("Created job {name}"));
}
