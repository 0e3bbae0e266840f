//! `explain` through the real binary, on a recorded cluster and on worked examples.

use crate::support::edited::{LAST_APPLIED, SATURDAY_NIGHT, edited, writes_schedule};
use crate::support::prelude::*;

/// A real 1.36.2 cluster and the moment at which it was recorded.
const CLUSTER: &str = "explain -f tests/fixtures/cronjobs.json -f tests/fixtures/jobs.json -f \
                       tests/fixtures/events.json --kubernetes-version 1.36.2 \
                       --now=2026-11-21T02:13:08Z";

fn explained(arguments: impl CommandLine) -> Value {
    let json = "-o json";
    doctor((CLUSTER, arguments, json)).document()
}

fn item<'a>(document: &'a Value, name: &str) -> &'a Value {
    document["items"].named(name)
}

/// Each of these states was created on purpose, and the real controller did what is expected here.
#[test]
fn decisions_for_the_recorded_cluster_match_its_controller() {
    let document = explained("");
    let outcome = |item: &Value| {
        let outcome = item["decision"]["outcome"].text();
        format!("{} {outcome}", item["name"].text())
    };
    let items = document["items"].items().iter();
    let outcomes: Vec<String> = items.map(outcome).collect();
    let outcomes = outcomes.join(", ");
    // `office` was resumed after a gap: the real controller started nothing and recorded no event.
    let expected = "blocked blocked, failing wait, leapday wait, manual wait, replacer wait, tight wait, \
                    zero wait, healthy wait, minutely wait, never invalidSchedule, nightly suspended, \
                    office noRunFound";
    assert_eq!(outcomes, expected);
}

/// The events that the real controller recorded, word for word.
#[test]
fn events_are_worded_as_the_recorded_ones() {
    let recorded: Value = serde_json::from_str(include_str!("fixtures/events.json")).unwrap();
    let recorded = |name: &str, kind: &str, reason: &str| -> Value {
        let mut items = recorded["items"].items().iter();
        let is_it =
            |event: &Value| event["involvedObject"]["name"] == name && event["reason"] == reason;
        let message = &items.find(|event| is_it(event)).unwrap()["message"];
        json!({"type": kind, "reason": reason, "message": message})
    };
    let document = explained("");
    let events = |name: &str| item(&document, name)["decision"]["events"].items();
    let unexpected = recorded("blocked", "Warning", "UnexpectedJob");
    let active = recorded("blocked", "Normal", "JobAlreadyActive");
    assert_eq!(events("blocked"), [unexpected, active]);
    let invalid = recorded("never", "Warning", "InvalidSchedule");
    assert_eq!(events("never"), [invalid]);
}

#[test]
fn what_if_resume_predicts_the_start() {
    let document = explained("nightly --what-if suspend=false");
    let nightly = item(&document, "nightly");
    assert_eq!(
        nightly["verdict"],
        "Suspended with kubectl apply at Sat 2026-11-21 02:10:06 UTC (or earlier). If resumed now, \
         nightly-29920380 starts immediately for the run scheduled at Sat 2026-11-21 02:00 \
         Europe/Berlin (73m late)"
    );
    let then = &nightly["whatIf"]["decision"];
    assert_eq!(then["outcome"], "start");
    // 02:00 in Berlin is 01:00 UTC; 2026-11-21T01:00Z is minute 29,920,380 since 1970.
    assert_eq!(then["scheduledTime"], "2026-11-21T01:00:00Z");
    assert_eq!(then["jobName"], "nightly-29920380");
    assert_eq!(then["scheduledTimestamp"], "2026-11-21T02:00:00+01:00");
    let expected = "2026-11-21T01:00:00Z";
    assert_eq!(then["statusAfter"]["lastScheduleTime"], expected);
}

/// The controller notices a changed schedule at its next planned sync: nothing starts before.
#[test]
fn changed_schedule_starts_at_the_next_planned_sync() {
    let verdict = |schedule: &str, now: &str| -> String {
        let change = format!("schedule={schedule}");
        let call = "explain -q -f examples/explain/wait.yaml --kubernetes-version 1.36 -o json";
        let mut call: Vec<&str> = call.split(' ').collect();
        call.extend(["--now", now, "--what-if", &change]);
        doctor(&call).item()["whatIf"]["verdict"].text().to_owned()
    };
    let morning = "2026-03-10T06:30:00Z";
    // Today's 04:00 in Berlin, 03:00Z, is minute 29,551,860; the queue holds 02:00 of the next day.
    assert_texts!(
        verdict("0 4 * * *", morning),
        // 07:00 has passed, and 08:00 is before the wake-up of the old schedule: the controller wakes up then
        // and starts that run.
        verdict("0 7,8 * * *", morning),
        // No run has passed: the next run is what a sync now would find.
        verdict("0 9 * * *", morning),
    );
}

/// The documentation's example, without and with a deadline: 112 minutes from 08:30 to 10:21.
#[test]
fn outage_of_the_documentation_is_decided_as_in_each_release() {
    let outage = |release: &str, what_if: &str| -> Value {
        let explain = "explain -f examples/explain/outage.yaml --now 2026-03-02T10:21:00Z -qo json";
        doctor((explain, ["--kubernetes-version", release], what_if)).item()
    };
    let refused = outage("1.17", "");
    assert_eq!(refused["missed"]["count"], 112);
    assert_eq!(refused["decision"]["outcome"], "tooManyMissed");
    let expected = json!([{
        "type": "Warning", "reason": "FailedNeedsStart",
        "message": "Cannot determine if job needs to be started: too many missed start time \
                    (> 100). Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    }]);
    assert_eq!(refused["decision"]["events"], expected);
    let starts = |decision: &Value, reason: &str, release: &str| {
        let shown = [&decision["outcome"], &decision["scheduledTime"]];
        assert_eq!(shown, ["start", "2026-03-02T10:21:00Z"], "{release}");
        assert_eq!(decision["events"][0]["reason"], reason, "{release}");
    };
    for release in ["1.21", "1.27.1", "1.36"] {
        let started = outage(release, "");
        starts(&started["decision"], "TooManyMissedTimes", release);
        assert_eq!(started["missed"]["controllerEstimate"], 112, "{release}");
    }
    // The last 200 seconds have four scheduled times: 10:18 to 10:21.
    for release in ["1.17", "1.21", "1.36"] {
        let deadline = outage(release, "--what-if startingDeadlineSeconds=200");
        let then = &deadline["whatIf"]["decision"];
        starts(then, "SuccessfulCreate", release);
    }
}

/// At 02:13:08 the run scheduled at 02:13 had started, and its Job was still running; nothing changes.
#[test]
fn wide_shows_the_status_afterwards() {
    let text = doctor((CLUSTER, "replacer -o wide")).fine();
    let expected = "
Status after the next sync
  active              replacer-29920453
  lastScheduleTime    2026-11-21T02:13:00Z
  lastSuccessfulTime  <none>
  deleted Jobs        <none>
  status update       no
";
    assert_contains!(text, expected);
}

/// The pod of the run of 08:00 waits for its image; that of 07:45 is gone.
#[test]
fn pods_of_running_jobs_are_shown() {
    let example = "explain -f examples/findings/pod-image-pull-fails.yaml --now=2026-03-10T08:40:00Z \
                   --kubernetes-version=1.36";
    let text = doctor((&example, "-o wide")).fine();
    let expected = "
Pods
  thumbnails-29552160-7xk2p: Pending, ImagePullBackOff

Recorded events
";
    assert_contains!(text, expected);
    let document = doctor((&example, "-o json")).document();
    let image = "registry.example.com/thumbnails:2.0";
    let message = format!(
        "Back-off pulling image \"{image}\": ErrImagePull: rpc error: code = NotFound desc = failed \
         to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: \
         not found"
    );
    let expected = json!([{
        "name": "thumbnails-29552160-7xk2p", "job": "thumbnails-29552160", "phase": "Pending",
        "node": null, "terminatingSince": null,
        "reason": "ImagePullBackOff", "message": message, "disruption": null,
    }]);
    assert_eq!(document["items"][0]["pods"], expected);
    // No pods were read.
    assert_eq!(item(&explained("office"), "office")["pods"], json!([]));
}

#[test]
fn findings_set_the_exit_code_only_with_fail_on() {
    let nightly = |arguments: &str| doctor((CLUSTER, "nightly -o json", arguments)).code;
    assert_eq!(nightly(""), 0);
    // Suspended for long is a warning.
    assert_eq!(nightly("--fail-on warning"), 1);
    assert_eq!(nightly("--fail-on error"), 0);
}

#[test]
fn invalid_what_if_changes_are_errors() {
    let change = |change: &str| doctor((CLUSTER, &format!("nightly --what-if {change}"))).refused();
    assert_texts!(
        change("suspend"),
        change("suspend=maybe"),
        change("backoffLimit=3"),
    );
}

#[test]
fn commands_keep_the_cluster_flags() {
    let flags = "'--kubeconfig=my clusters.yaml' --context=prod --cluster=eu --user=me --kuberc=rc \
                 --server=https://someone:SECRET@example.com:6443/k8s --as=admin --as-group=a \
                 --as-group=b --as-uid=7 --tls-server-name=api --certificate-authority=ca.crt \
                 --client-certificate=me.crt --client-key=me.key --insecure-skip-tls-verify \
                 --token=SECRET";
    let expected = "kubectl describe job blocked-29920451 -n ops --kubeconfig 'my clusters.yaml' \
                    --kuberc rc --context prod --cluster eu --user me --server \
                    https://example.com:6443/k8s --as admin --as-group a --as-group b --as-uid 7 \
                    --tls-server-name api --certificate-authority ca.crt --client-certificate \
                    me.crt --client-key me.key --insecure-skip-tls-verify  # add --token; add the \
                    login of --server; to end it: kubectl delete job blocked-29920451 -n ops \
                    --kubeconfig ";
    let arguments = ("blocked", &flags);
    let document = explained(arguments);
    let mut findings = item(&document, "blocked")["findings"].items().iter();
    let blocked = findings.find(|finding| finding["code"] == "blocked-by-running-job");
    let remedy = blocked.unwrap()["remedy"]["text"].text();
    assert_starts!(remedy, expected);
    assert!(!document.to_string().contains("SECRET"));
    let command = blocked.unwrap()["remedy"]["command"].text();
    let text = doctor((CLUSTER, &arguments)).fine();
    assert_contains!(words(&text), &words(command));
    assert_lacks!(text, "SECRET");
}

/// Lines are wrapped at the width of the terminal, at most 100 columns; commands to paste are never wrapped.
#[test]
fn text_is_as_wide_as_the_terminal() {
    let piped = doctor(CLUSTER).fine();
    let mut texts = vec![(80, piped)];
    #[cfg(target_os = "linux")]
    for columns in [40, 80, 99, 160] {
        let words: Vec<&str> = CLUSTER.split(' ').collect();
        texts.extend(doctor_in_terminal(columns, &words).map(|text| (columns.min(100), text)));
    }
    // Without a terminal, COLUMNS is the width.
    for (columns, given) in [(40, "40"), (100, "160"), (80, "0"), (80, "wide"), (80, "")] {
        let mut call = program();
        call.args(CLUSTER.split(' ')).env("COLUMNS", given);
        texts.push((columns, Ran::of(call.output().unwrap()).fine()));
    }
    for (columns, text) in &texts {
        let mut widest = 0;
        for line in text.lines() {
            let wide = line.chars().count();
            // A run is a line of a table, and no word is broken.
            let is_word = !line.trim().contains(' ');
            let is_whole = is_word || line.contains("kubectl ") || line.contains("Z   ");
            let fits = is_whole || wide <= *columns;
            assert!(fits, "{wide} columns, not {columns}: {line}");
            widest = if is_whole { widest } else { wide.max(widest) };
        }
        assert!(widest + 12 > *columns, "{widest} of {columns}");
        assert_eq!(words(text), words(&texts[0].1), "{columns}");
    }
}

#[test]
fn managing_tool_and_who_suspended_are_shown() {
    let example = "explain -f examples/findings/suspended-outside-gitops.yaml \
                   --now=2026-03-20T09:00:00Z --kubernetes-version=1.36 -q";
    let text = doctor((example, "-o wide")).fine();
    assert_contains!(text, "\n  Managed by  Argo CD (application shop)\n");
    let document = doctor((example, "-o json")).document();
    let managed_by = &document["items"][0]["managedBy"];
    assert_eq!(*managed_by, json!({"tool": "argocd", "name": "shop"}));
    let expected = json!({
        "user": null, "at": null, "reason": null, "until": null, "fieldManager": "kubectl-patch",
        "noLaterThan": "2026-03-17T10:12:30Z", "sinceCreation": false,
    });
    assert_eq!(document["items"][0]["suspension"], expected);
    // A field manager is a program, not a person.
    let verdict = document["items"][0]["verdict"].text();
    let expected = "Suspended with kubectl patch at Tue 2026-03-17 10:12:30 UTC (or earlier). ";
    assert_starts!(verdict, expected);
}

/// Success within 26 hours of Sunday 02:04:10; the runbook is shown once.
#[test]
fn overdue_success_expectations_and_runbook_are_shown() {
    let explain = |example: &str, now: &str, more: &str| {
        let call = format!("explain -q -f examples/findings/{example}.yaml --now={now}");
        doctor((call, more)).fine()
    };
    let (overdue, now) = ("success-overdue", "2026-03-10T06:00:00Z");
    let document: Value = serde_json::from_str(&explain(overdue, now, "-o json")).unwrap();
    let item = &document["items"][0];
    assert_eq!(item["successDue"], "2026-03-09T04:04:10Z");
    assert_eq!(item["expectations"]["successWithinSeconds"], 93_600);
    assert_eq!(item["usualDuration"], Value::Null);
    assert_eq!(explain(overdue, now, "").matches("Runbook").count(), 1);
    let text = explain(overdue, now, "-o wide");
    assert_contains!(text, "Success due Mon 04:04:10 (25h ago)");
    assert_eq!(text.matches("Runbook").count(), 1);
    // Twice six minutes and five more after 02:00 are not over.
    let (usual, now) = ("running-longer-than-usual", "2026-03-10T02:12:01Z");
    let wide = explain(usual, now, "-o wide");
    assert_contains!(wide, "Success due 02:17 (in 4m59s)");
}

fn explain_edited(cron_job: &Value, arguments: impl CommandLine) -> String {
    let call = "explain -q -f - --now=2026-11-22T03:00:00Z --kubernetes-version=1.36";
    doctor_with_stdin((call, arguments), &cron_job.to_string()).fine()
}

#[test]
fn edit_of_the_schedule_is_shown_with_what_was_applied_before() {
    let by_edit = edited(|it| writes_schedule(it, "kubectl-edit", "Update", SATURDAY_NIGHT));
    let mut applied_before = by_edit.clone();
    let applied = json!({"spec": {"schedule": "0 2 * * *", "timeZone": "Europe/Berlin"}});
    applied_before["metadata"]["annotations"] = json!({LAST_APPLIED: applied.to_string()});
    let texts = [&by_edit, &applied_before].map(|it| headline(&explain_edited(it, "")));
    insta::assert_snapshot!(texts.join("\n"));
}

/// The lines above the facts.
fn headline(text: &str) -> String {
    let lines = text
        .lines()
        .take_while(|line| !line.starts_with("  Schedule "));
    let lines = lines.take_while(|line| !line.contains("  warning  "));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Findings come before an edit that is only possible.
#[test]
fn write_of_the_owner_is_below_the_findings() {
    let before = edited(|it| it["metadata"]["managedFields"][0]["time"] = json!(SATURDAY_NIGHT));
    let page = explain_edited(&before, "");
    let (findings, edit) = page.split_at(page.find("  Field manager ").unwrap());
    assert_contains!(findings, "  warning  ");
    insta::assert_snapshot!(headline(edit));
}

/// The run of 02:58 did not start because of the edit at 02:59, and the verdict reports it.
#[test]
fn edit_in_the_verdict_is_not_repeated() {
    let cron_job = edited(|it| {
        writes_schedule(it, "kubectl-edit", "Update", "2026-11-22T02:59:00Z");
        it["spec"]["schedule"] = json!("58 * * * *");
    });
    let headline = headline(&explain_edited(&cron_job, ""));
    assert_eq!(headline.matches("kubectl-edit").count(), 1, "{headline}");
}
