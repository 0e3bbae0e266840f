//! The reason for a suspension: stored with the CronJob, shown by the verbs that read it, and removed when
//! it is resumed.

use crate::changing::prelude::*;

const MIGRATION: &str = "--reason='migration of the database to the new cluster'";

#[test]
fn suspend_reason_is_stored_and_shown() {
    let server = server();
    let ran = call(&server, format!("suspend nightly -y -q {MIGRATION}"));
    assert_ran!(ran, 0, "cronjob.batch/nightly suspended\n");
    let body = r#"{"metadata":{"resourceVersion":"2","annotations":{"cronjob-doctor/suspend-reason":"migration of the database to the new cluster","cronjob-doctor/suspended-at":"2026-11-21T02:13:08Z","cronjob-doctor/suspended-by":"admin"}},"spec":{"suspend":true}}"#;
    assert_eq!(changes(&server), [patch("nightly", "", body)]);
    assert_ran!(call(&server, "scan --sort=name"), 0);
    let explained = call(&server, "explain nightly -o json").json();
    insta::assert_snapshot!(explained["items"][0]["verdict"].text());
    let scanned = call(&server, "scan -o json --sort=name").json();
    let reasons = scanned["items"].each("suspendReason");
    let nightly = json!("migration of the database to the new cluster");
    let none = &Value::Null;
    assert_eq!(reasons, [none, none, &nightly, none]);
}

#[test]
fn resume_removes_the_suspend_reason() {
    let server = server();
    call(&server, format!("suspend nightly -y {MIGRATION}"));
    let ran = call(&server, "resume nightly -y -q");
    assert_ran!(ran, 0, "cronjob.batch/nightly resumed\n");
    let sent = server.requests().pop().unwrap().json();
    let annotations = json!({
        "cronjob-doctor/suspend-reason": null, "cronjob-doctor/suspended-at": null,
        "cronjob-doctor/suspended-by": null,
    });
    assert_eq!(sent["metadata"]["annotations"], annotations);
    assert_eq!(sent["spec"], json!({"suspend": false}));
    assert!(sent["metadata"]["resourceVersion"].is_string());
    assert!(stored(&server, "nightly")["metadata"]["annotations"].is_null());
}

/// The end is stored in UTC. A suspension without an end or a reason does not inherit those of an earlier
/// one.
#[test]
fn planned_end_is_kept_and_removed() {
    let server = server();
    let until = "--until=2026-11-22T06:00:00+01:00";
    call(&server, format!("suspend nightly -yq {MIGRATION} {until}"));
    let annotations = || stored(&server, "nightly")["metadata"]["annotations"].clone();
    let expected = json!({
        "cronjob-doctor/suspend-reason": "migration of the database to the new cluster",
        "cronjob-doctor/suspended-at": "2026-11-21T02:13:08Z",
        "cronjob-doctor/suspended-by": "admin",
        "cronjob-doctor/suspended-until": "2026-11-22T05:00:00Z",
    });
    assert_eq!(annotations(), expected);
    let ran = call(&server, "resume nightly --dry-run");
    let planned = "until Sun 2026-11-22 05:00";
    assert_contains!(words(&ran.stdout), planned);
    // Another client resumes it.
    set(&server, "nightly", "suspend", false);
    call(&server, "suspend nightly -yq");
    let expected = json!({
        "cronjob-doctor/suspended-at": "2026-11-21T02:13:08Z",
        "cronjob-doctor/suspended-by": "admin",
    });
    assert_eq!(annotations(), expected);
    call(&server, "resume nightly -yq");
    call(&server, format!("suspend nightly -yq {until}"));
    call(&server, "resume nightly -yq");
    assert_eq!(annotations(), Value::Null);
}

/// Seven hours after the planned end.
#[test]
fn overdue_resumption_is_a_warning() {
    let server = server();
    let until = json!({"cronjob-doctor/suspended-until": "2026-11-20T19:13:08Z"});
    set(&server, "report", "metadata.annotations", until);
    for (name, is_overdue) in [("report", true), ("import", false)] {
        let findings = scanned(&server, name)["findings"].take();
        let is_found = findings.texts("code").contains(&"suspended-past-until");
        assert_eq!(is_found, is_overdue, "{name}");
    }
    assert_ran!(call(&server, "explain report"), 0);
}

calls! {
    /// An annotation may contain any text.
    suspend_reason_is_shown_without_control_characters(server) {
        let reason = "two\nlines and \u{1b}[2J, on and on and on";
        let annotations = json!({"cronjob-doctor/suspend-reason": reason});
        set(&server, "report", "metadata.annotations", annotations);
    } call(&server, "scan --field-selector=metadata.name=report") => 0;
}

const USER_REVIEW: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/// The API server reports the name of the user. If it does not, as before 1.28, the name in the kubeconfig is
/// recorded, and the call does not fail.
#[test]
fn user_is_recorded_as_the_server_knows_it_or_as_the_kubeconfig_names_it() {
    let recorded = |fault: Option<Fault>| {
        let server = server();
        if let Some(fault) = fault {
            server.fault(Match::path(USER_REVIEW), fault);
        }
        let ran = call(&server, "suspend nightly -yq");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran}");
        let annotations = &stored(&server, "nightly")["metadata"]["annotations"];
        let user = annotations["cronjob-doctor/suspended-by"].as_str();
        user.map(str::to_owned)
    };
    let user = |name: &str| Some(name.to_owned());
    assert_eq!(recorded(None), user("admin"));
    for status in [403, 404, 405] {
        let fault = || Some(Fault::Status(status));
        assert_eq!(recorded(fault()), user("test-user"));
    }
}

#[test]
fn user_is_asked_for_only_if_it_is_recorded() {
    let asked = |arguments: &str| {
        let server = server();
        call(&server, arguments);
        server.requests_where(|one| one.path == USER_REVIEW).len()
    };
    assert_eq!(asked("suspend --all -y"), 1);
    assert_eq!(asked("suspend report -y"), 0, "it is suspended");
    assert_eq!(asked("suspend nightly --dry-run"), 0);
    assert_eq!(asked("suspend nightly --dry-run=server"), 0);
    assert_eq!(asked("suspend nightly --dry-run -o yaml"), 1);
    assert_eq!(asked("resume report --catch-up=skip -y"), 0);
    assert_eq!(asked("explain report"), 0);
}

fn scanned(server: &ApiServer, name: &str) -> Value {
    let selector = format!("--field-selector=metadata.name={name}");
    call(server, format!("scan {selector} -o json")).json()["items"][0].take()
}

#[test]
fn scan_shows_the_planned_end_and_who_suspended_it() {
    let server = server();
    assert_eq!(scanned(&server, "nightly")["suspension"], Value::Null);
    let suspend = |name: &str, until: &str, reason: &str| {
        call(&server, format!("suspend {name} -yq {until} {reason}"));
    };
    suspend("nightly", "--until=2026-11-22T06:00:00Z", MIGRATION);
    suspend("hourly", "--until=2026-12-24T06:00:00Z", "--reason=move");
    let expected = json!({
        "user": "admin", "at": "2026-11-21T02:13:08Z",
        "reason": "migration of the database to the new cluster", "until": "2026-11-22T06:00:00Z",
        "fieldManager": "kubectl-cronjob-doctor", "noLaterThan": "2026-11-21T02:13:08Z",
        "sinceCreation": false,
    });
    assert_eq!(scanned(&server, "nightly")["suspension"], expected);
    assert_ran!(call(&server, "scan --sort=name"), 0);
    assert_ran!(call(&server, "explain nightly"), 0);
}

/// Another client resumes the CronJob: the annotations stay, and describe a suspension that is over.
#[test]
fn annotations_that_outlive_the_suspension_are_found_and_removed() {
    const CODE: &str = "stale-suspension-annotations";
    let server = server();
    let has_finding = || {
        let findings = scanned(&server, "nightly")["findings"].take();
        findings.texts("code").contains(&CODE)
    };
    let suspend = ("suspend nightly -yq", MIGRATION);
    call(&server, (&suspend, "--until=2026-11-22T06:00:00Z"));
    assert!(!has_finding());
    set(&server, "nightly", "suspend", false);
    assert!(has_finding());
    let annotations = || stored(&server, "nightly")["metadata"]["annotations"].clone();
    assert_eq!(annotations().as_object().unwrap().len(), 4);
    let explained = call(&server, "explain nightly").fine();
    let (_, remedy) = explained.split_once("-> ").unwrap();
    let expected = "kubectl annotate cronjob nightly cronjob-doctor/suspend-reason- cronjob-doctor/suspended-at- \
                    cronjob-doctor/suspended-by- cronjob-doctor/suspended-until- ";
    assert_starts!(words(remedy), expected);
}

/// Nothing is changed, and a warning says that the flags have no effect.
#[test]
fn suspended_cron_job_keeps_its_reason_and_planned_end() {
    let server = server();
    assert_ran!(call(&server, ("suspend report -y", MIGRATION)), 0);
    assert!(changes(&server).is_empty());
    call(&server, ("suspend nightly -yq", MIGRATION));
    let ran = call(&server, format!("suspend nightly -y {MIGRATION}"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "the same reason");
    let ran = call(&server, "suspend nightly -y --until=2026-11-22T06:00:00Z");
    assert_starts!(ran.stderr, "warning: shop/nightly is already suspended");
    assert_eq!(changes(&server).len(), 1);
}
