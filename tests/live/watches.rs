//! Watches that end early: how often they are opened again, what is reported, and when the command ends.

use crate::live::prelude::*;
use crate::live::running_call::CLOCK;

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/shop/cronjobs";
const BOOKMARK: &str = "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"CronJob\",\"apiVersion\":\
                        \"batch/v1\",\"metadata\":{\"resourceVersion\":\"1\"}}}\n";
const EXPIRED: &str = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\
                       \"reason\":\"Expired\",\"message\":\"too old\"}}\n";
const LOST: &str = "warning: connection to the cluster lost, retrying: ";
const UNAUTHORIZED: &str = "you must be logged in to the server (Unauthorized)";

fn server() -> ApiServer {
    crate::changing::cast::server()
}

fn start(server: &ApiServer, arguments: impl CommandLine) -> RunningCall {
    RunningCall::start(Call::by(server, "admin", arguments))
}

/// The pauses between the first requests of this method and path.
fn pauses<const N: usize>(server: &ApiServer, line: &str) -> [Duration; N] {
    let of_line = |requests: &[Recorded]| -> Vec<Recorded> {
        let requests = requests.iter().filter(|one| one.line() == line);
        requests.cloned().collect()
    };
    server.wait_for(|requests| of_line(requests).len() > N);
    let requests = of_line(&server.requests());
    std::array::from_fn(|index| requests[index + 1].at - requests[index].at)
}

/// Each pause is twice as long as the one before, minus a random part of up to half. The requests take
/// time, too.
#[track_caller]
fn assert_growing(pauses: [Duration; 3]) {
    let least = [120, 240, 480].map(Duration::from_millis);
    for (pause, least) in pauses.into_iter().zip(least) {
        assert!(pause >= least, "{pauses:?}");
    }
}

/// The reason in the first warning that the connection is lost.
#[track_caller]
fn lost(going: &RunningCall) -> String {
    let line = going.message_where(|line| line.starts_with(LOST));
    line[LOST.len()..].to_owned()
}

#[test]
fn watch_that_ends_early_is_opened_less_and_less_often() {
    let closed = "cronjobs.batch: the server closes each watch soon after it is opened";
    let not_an_event = "unexpected watch event from the server: ";
    let page = "<html><head><title>Log in</title></head></html>\n";
    thread::scope(|scope| {
        for (body, why) in [
            ("", closed.to_owned()),
            (" ", closed.to_owned()),
            (BOOKMARK, closed.to_owned()),
            (BOOKMARK.trim_end(), closed.to_owned()),
            (page, format!("{not_an_event}\"Log in\"")),
            (page.trim_end(), format!("{not_an_event}\"Log in\"")),
            (
                "{\"type\":\"MOD",
                format!("{not_an_event}{:?}", "{\"type\":\"MOD"),
            ),
            (
                "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}}",
                format!(
                    "{not_an_event}{:?}",
                    "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}}"
                ),
            ),
            (
                "{\"kind\":\"Status\",\"code\":500,\"reason\":\"InternalError\",\"message\":\"no\"}",
                "the server closed the watch: from server (InternalError): no".to_owned(),
            ),
        ] {
            scope.spawn(move || {
                let server = server();
                let watches = Match::path(CRON_JOBS).watch(true);
                server.fault(watches, Fault::Body("application/json", body));
                let going = start(&server, "scan --watch");
                assert_growing(pauses(&server, &format!("watch {CRON_JOBS}")));
                assert_eq!(lost(&going), why);
                // Later changes are still shown.
                going.line();
                server.clear_faults();
                server.put(cron_job("shop", "new", "0 0 31 2 *"));
                while !going.line().starts_with("shop        new ") {}
                going.interrupt();
                while let Some(line) = going.message_before_end() {
                    assert!(!line.starts_with(LOST), "it is reported again: {line}");
                }
            });
        }
    });
}

#[test]
fn expired_watch_is_not_followed_by_list_after_list() {
    let server = server();
    let watches = Match::path(CRON_JOBS).watch(true);
    server.fault(watches, Fault::Body("application/json", EXPIRED));
    let going = start(&server, "scan --watch");
    // The first list is the one for the table.
    let [_, pauses @ ..]: [Duration; 4] = pauses(&server, &format!("GET {CRON_JOBS}"));
    assert_growing(pauses);
    let why = "cronjobs.batch: the server rejects each resourceVersion as too old";
    assert_eq!(lost(&going), why);
}

#[test]
fn waiting_for_jobs_does_not_open_watch_after_watch() {
    const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";
    thread::scope(|scope| {
        for arguments in [
            "trigger nightly --wait -y --now=2026-11-21T02:13:08Z",
            "backfill report --last=1 -y --now=2026-11-21T02:13:08Z",
        ] {
            scope.spawn(move || {
                let server = server();
                let watches = Match::path(JOBS).watch(true);
                server.fault(watches, Fault::Body("application/json", BOOKMARK));
                let going = start(&server, arguments);
                assert_growing(pauses(&server, &format!("watch {JOBS}")));
                let why = "jobs.batch: the server closes each watch soon after it is opened";
                assert_eq!(lost(&going), why);
            });
        }
    });
}

/// An object that cannot be read is not dropped silently.
#[test]
fn object_that_cannot_be_read_is_reported() {
    let server = server();
    let event = "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"CronJob\",\"apiVersion\":\
                 \"batch/v1\",\"metadata\":{\"name\":\"nightly\",\"namespace\":\"shop\",\
                 \"resourceVersion\":\"9\"},\"spec\":{\"schedule\":7,\"jobTemplate\":{}}}}\n";
    let watches = Match::path(CRON_JOBS).watch(true);
    server.fault(watches, Fault::Body("application/json", event).times(1));
    let going = start(&server, "scan --watch");
    let said = going.message_where(|line| !line.starts_with(CLOCK));
    assert!(
        said.starts_with("warning: ") && said.contains("spec.schedule"),
        "{said}"
    );
}

/// An object that changes all the time does not fill the log.
#[test]
fn object_that_cannot_be_read_is_reported_once() {
    let server = server();
    let event = |schedule: usize| {
        format!(
            "{{\"type\":\"MODIFIED\",\"object\":{{\"kind\":\"CronJob\",\"apiVersion\":\"batch/v1\",\"metadata\":\
             {{\"name\":\"nightly\",\"namespace\":\"shop\",\"resourceVersion\":\"9\"}},\"spec\":{{\"schedule\":\
             {schedule},\"jobTemplate\":{{}}}}}}}}\n"
        )
    };
    // The first 301 events are the same, and then each one is different.
    let events: String = (0..600).map(|nth| event(nth.max(300))).collect();
    let watches = Match::path(CRON_JOBS).watch(true);
    let body = Fault::Body("application/json", events.leak());
    server.fault(watches, body.times(1));
    let going = start(&server, "scan --watch");
    let last = "warning: other objects that cannot be read are not reported";
    let mut warnings = 0;
    loop {
        let line = going.message();
        warnings += usize::from(!line.starts_with(CLOCK));
        if line == last {
            break;
        }
    }
    assert!(warnings <= 101, "{warnings}");
    going.interrupt();
    while let Some(line) = going.message_before_end() {
        assert_lacks!(line, "spec.schedule");
    }
}

/// Ends all watches, and rejects all credentials from now on.
fn reject_all_credentials(server: &ApiServer) {
    server.fault(Match::any(), Fault::Status(401));
    server.restart();
}

/// The last line of stderr that is not help, and the exit code.
fn end(going: RunningCall) -> (String, Option<i32>) {
    let mut last = String::new();
    while let Some(line) = going.message_before_end() {
        if !line.starts_with("help: ") {
            last = line;
        }
    }
    (last, going.end().1)
}

#[test]
fn refused_credentials_end_what_is_watched() {
    thread::scope(|scope| {
        for (arguments, last) in [
            ("scan --watch", format!("error: {UNAUTHORIZED}")),
            ("resume import --wait -y", format!("error: {UNAUTHORIZED}")),
            (
                "trigger nightly --wait -y --name=again --now=2026-11-21T02:13:08Z",
                "job.batch/again has not started".to_owned(),
            ),
            (
                "backfill report --last=1 -y --now=2026-11-21T02:13:08Z",
                "job.batch/report-29920440 is still running".to_owned(),
            ),
        ] {
            scope.spawn(move || {
                let server = server();
                let going = start(&server, arguments);
                server.wait_for_watch();
                reject_all_credentials(&server);

                assert_eq!(end(going), (last, Some(2)), "{arguments:?}");
            });
        }
    });
}

/// All three watches are refused, and the plugin is run again only once for all of them.
#[test]
fn refused_credentials_are_renewed_once() {
    let server = server();
    let runs = server.file("runs", "");
    let credential = json!({"kind": "ExecCredential", "status": {"token": "admin-token"}});
    let script = format!("echo run >> {}; echo '{credential}'", runs.display());
    let config = Kubeconfig::exec("/bin/sh", &["-c", &script]).namespace("shop");
    let going = RunningCall::start(Call::new("scan --watch").with(&server, &config));
    server.wait_for(|requests| watches(requests) == 3);
    reject_all_credentials(&server);
    assert_eq!(end(going), (format!("error: {UNAUTHORIZED}"), Some(2)));
    insta::assert_snapshot!(std::fs::read_to_string(runs).unwrap());
}
