//! The situations in which people are paged: each is shown by `scan`, its cause is within the first lines of
//! `explain`, and a remedy ends it.

use crate::support::json::merge;
use crate::support::prelude::*;

use crate::support::nightly::{
    JOB, SCHEDULED, YESTERDAY, active, cron_job, ended, finished, job, pod, unfinished,
};
use crate::support::tables::section;

/// Objects, and a text with the situation, its finding, words of the page that name the cause, and words of the remedy.
type Row = (Vec<Value>, &'static str);

#[test]
fn situation_is_shown_with_its_cause_and_its_remedy() {
    let mut wrong = Vec::new();
    for (code, expected) in section("tests/situations.txt", "examples") {
        let code = code.as_str();
        let (cause, remedy) = expected.split_once(" | ").unwrap();
        let text = fs::read_to_string(format!("examples/findings/{code}.yaml")).unwrap();
        let now = text.lines().find_map(|line| line.strip_prefix("# now: "));
        let row = (code, Some(code), cause, remedy);
        wrong.extend(differences(&text, now.unwrap(), row));
    }
    let others = [waiting(), failed(), explained()].concat();
    for (objects, row) in others {
        let [name, code, cause, remedy] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let code = Some(code).filter(|code| *code != "-");
        let row = (name, code, cause, remedy);
        wrong.extend(differences(&list(&objects), "2026-11-22T23:00:00Z", row));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn differences(
    objects: &str,
    now: &str,
    (name, code, cause, remedy): (&str, Option<&str>, &str, &str),
) -> Vec<String> {
    let call = |verb: &str| {
        let call = format!("{verb} -f - --now={now} --kubernetes-version=1.36");
        doctor_with_stdin(call, objects)
    };
    let page = call("explain").stdout;
    let first: Vec<&str> = page.lines().take(10).map(str::trim).collect();
    let remedies = match code {
        None => page.clone(),
        Some(code) => {
            let found = |verb: &str| {
                let item = call(verb).json()["items"][0].take();
                let mut findings = item["findings"].items().iter();
                findings.find(|one| one["code"] == code).cloned()
            };
            let shown = found("scan -o json").is_some();
            let found = found("explain -o json").filter(|_| shown);
            found.map_or_else(String::new, |found| {
                found["remedy"]["text"].text().to_owned()
            })
        }
    };
    // If a run waits without an error, the first lines also show what to do.
    let waits = code == Some("run-waiting") || name == "parallelism 0";
    let next = if waits { "-> kubectl " } else { "" };
    let first = first.join(" ");
    let texts = [(first.clone(), cause), (first, next), (remedies, remedy)];
    let missing = texts.iter().filter(|(text, words)| !text.contains(words));
    missing
        .map(|(text, words)| format!("{name}: {words:?} is not in {text:?}"))
        .collect()
}

const END: &str = "2026-11-22T22:04:27Z";

fn with(fields: &Value, status: &Value) -> Value {
    let mut object = cron_job(&json!({}), status);
    merge(&mut object, fields);
    object
}

/// Jobs without a started container; `last_run` has the others.
fn waiting() -> Vec<Row> {
    let parallel = json!({"parallelism": 0});
    let mut terminating = job(JOB, SCHEDULED, &json!({}), &json!({"startTime": SCHEDULED}));
    let deletion = json!({"deletionTimestamp": END, "finalizers": ["example.com/keep"]});
    merge(&mut terminating["metadata"], &deletion);
    let forbid = json!({"spec": {"schedule": "*/2 * * * *", "concurrencyPolicy": "Forbid"}});
    let mut sidecar = pod(&json!({
        "phase": "Pending",
        "initContainerStatuses": [{"name": "proxy", "restartCount": 0, "state": {"running": {"startedAt": SCHEDULED}}}],
        "containerStatuses": [{"name": "main", "restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}}}],
    }));
    sidecar["spec"]["initContainers"] = json!([{"name": "proxy", "restartPolicy": "Always"}]);
    let mut blocked = cron_job(&parallel, &active());
    merge(&mut blocked, &forbid);
    vec![
        (
            vec![blocked, unfinished(&parallel, 0)],
            "parallelism 0 | blocked-by-running-job | spec.parallelism of the Job is 0 | kubectl patch job report-29923084 -n ops --type=merge -p '{\"spec\":{\"parallelism\":1}}'",
        ),
        (
            vec![
                cron_job(&json!({}), &active()),
                unfinished(&json!({}), 0),
                sidecar,
            ],
            "sidecar that does not start | no-pod-ready | its sidecar proxy is still starting | kubectl describe pod report-29923084-x",
        ),
        (
            vec![with(&forbid, &active()), terminating],
            "Job waits for a finalizer | blocked-by-running-job | waiting for 56m, it is being deleted | kubectl ",
        ),
        (
            vec![cron_job(&parallel, &active()), unfinished(&parallel, 0)],
            "parallelism 0 | no-pod-ready | spec.parallelism of the Job is 0 | kubectl patch job report-29923084 -n ops --type=merge -p '{\"spec\":{\"parallelism\":1}}'",
        ),
    ]
}

/// Runs that failed, and Jobs that are rejected.
fn failed() -> Vec<Row> {
    let none = json!({});
    let stopped = |reason: &str| {
        let mut stopped = finished(JOB, SCHEDULED, "Failed", END);
        stopped["status"]["conditions"][0]["reason"] = json!(reason);
        stopped
    };
    let evicted = json!({"phase": "Failed", "reason": "Evicted",
        "message": "The node was low on resource: ephemeral-storage."});
    let limit = json!({"activeDeadlineSeconds": 20});
    let rejected = |message: &str| {
        let event = json!({
            "apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreate",
            "metadata": {"namespace": "ops", "name": "report.1"},
            "involvedObject": {"kind": "CronJob", "namespace": "ops", "name": "report", "uid": "u"},
            "source": {"component": "cronjob-controller"}, "message": format!("Error creating job: {message}"),
            "firstTimestamp": SCHEDULED, "lastTimestamp": "2026-11-22T22:59:00Z", "count": 19});
        let status =
            json!({"lastScheduleTime": "2026-11-21T22:04:00Z", "lastSuccessfulTime": YESTERDAY});
        vec![cron_job(&none, &status), event, other_job()]
    };
    let backed_off = stopped("BackoffLimitExceeded");
    let mut too_long = stopped("DeadlineExceeded");
    too_long["spec"] = limit.clone();
    vec![
        (
            vec![cron_job(&limit, &ended()), too_long],
            "activeDeadlineSeconds | last-run-failed | stopped by activeDeadlineSeconds: 20 | \"activeDeadlineSeconds\":40",
        ),
        (
            vec![cron_job(&none, &ended()), backed_off, pod(&evicted)],
            "evicted pod | last-run-failed | Its pod report-29923084-x failed: Evicted: The node was low on resource | kubectl ",
        ),
        (
            rejected("jobs.batch \"x\" is forbidden: ValidatingAdmissionPolicy 'a' denied request"),
            "admission policy | job-creation-fails | An admission check rejects the Job. | kubectl annotate cronjob ",
        ),
        (
            rejected("Internal error occurred: failed calling webhook \"a.example.com\": timeout"),
            "webhook cannot be reached | job-creation-fails | An admission webhook cannot be reached. | kubectl annotate cronjob ",
        ),
    ]
}

/// A Job of another CronJob, which shows that Jobs were read.
fn other_job() -> Value {
    let mut job = finished(
        "other-1",
        "2026-11-01T12:00:00Z",
        "Complete",
        "2026-11-22T22:50:00Z",
    );
    job["metadata"]["ownerReferences"] = json!([owner_reference("CronJob", "other", "other")]);
    job
}

/// Situations without a finding, which the page explains.
fn explained() -> Vec<Row> {
    let recreated = json!({"metadata": {"creationTimestamp": END}});
    let mut either = recreated.clone();
    either["spec"]["schedule"] = json!("0 3 1-7 * 1");
    vec![
        (
            vec![with(&recreated, &json!({})), other_job()],
            "created after today's run | - | none yet (created 22:04:27) | Next run: Mon 2026-11-23 22:04",
        ),
        (
            vec![with(&either, &json!({})), other_job()],
            "day of month or day of week | - | at 03:00, on days 1 through 7 of the month and also on every Monday | Next run: Mon 2026-11-23 03:00",
        ),
    ]
}
