//! Servers that are unwell: what passes is waited for, and what stays is told.

use crate::live::call::{ask, check, failed, fine};
use crate::live::scene::{SHOP, server};
use crate::support::apiserver::{ApiServer, Fault, Match};

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/shop/cronjobs";

/// Asks a server whose list of CronJobs goes wrong.
fn scan(fault: impl Into<crate::support::apiserver::Scripted>) -> crate::support::run::Ran {
    scan_at(&server(), fault)
}

fn scan_at(
    server: &ApiServer,
    fault: impl Into<crate::support::apiserver::Scripted>,
) -> crate::support::run::Ran {
    server.fault(Match::path(CRON_JOBS), fault);
    ask(server, "viewer", &["scan", "--request-timeout=10s"])
}

fn cannot_list(why: &str) -> crate::support::run::Ran {
    failed(&format!("error: cannot list cronjobs.batch: {why}\n"))
}

#[test]
fn what_passes_is_waited_for() {
    for fault in [
        Fault::TooManyRequests { retry_after: 0 }.times(2),
        Fault::Status(500).times(1),
        Fault::Status(503).times(1),
        Fault::Html(502).times(1),
        Fault::CutOff(10).times(1),
        Fault::Reset.times(1),
        // It is asked for in JSON then.
        Fault::Garbage.times(1),
        Fault::WrongProtobuf.times(1),
    ] {
        check(&scan(fault), &fine(SHOP));
    }
}

#[test]
fn too_many_requests() {
    let server = server();
    check(
        &scan_at(&server, Fault::TooManyRequests { retry_after: 100 }),
        &cannot_list(
            "the server answers 429: Too many requests, please try again later.; \
             it says to come back in 1m40s, and --request-timeout allows 10s",
        ),
    );
    let asked = server
        .requests()
        .iter()
        .filter(|request| request.path == CRON_JOBS)
        .count();
    assert_eq!(asked, 1, "there is no use in trying again");
    check(
        &scan(Fault::TooManyRequests { retry_after: 0 }),
        &cannot_list("the server answers 429: Too many requests, please try again later."),
    );
}

#[test]
fn what_stays_is_told() {
    let server_error = "from the server (InternalError): Internal error occurred: \
                        the test wanted it so";
    let request = format!("GET {CRON_JOBS}");
    let strange = format!("SERVER gave an answer that is not Kubernetes' ({request}): ");
    for (fault, why) in [
        (Fault::Status(500), server_error.to_owned()),
        (Fault::Html(503), "the server answers 503".to_owned()),
        (
            Fault::CutOff(10),
            format!("the answer of SERVER broke off ({request}): the connection was cut"),
        ),
        (
            Fault::Reset,
            "cannot reach SERVER: the connection was cut".to_owned(),
        ),
        (
            Fault::Html(200),
            format!("{strange}expected a list, found \"200\" (expected value at line 1 column 1)"),
        ),
        (
            Fault::Garbage,
            format!(
                "{strange}expected a list, found something that is no text \
                 (expected value at line 1 column 1)"
            ),
        ),
        (
            Fault::WrongProtobuf,
            format!("{strange}expected a CronJobList, found a List"),
        ),
    ] {
        check(&scan(fault), &cannot_list(&why));
    }
}

#[test]
fn lists_beside_the_cron_jobs() {
    let server = server();
    server.fault(
        Match::path("/apis/batch/v1/namespaces/shop/jobs"),
        Fault::Status(400),
    );
    assert_ran!(ask(&server, "viewer", &["scan"]), 2);
    server.clear_faults();
    server.fault(
        Match::path("/api/v1/namespaces/shop/events"),
        Fault::Status(400),
    );
    assert_ran!(ask(&server, "viewer", &["scan"]), 2);
}

#[test]
fn the_version() {
    let server = server();
    server.fault(Match::path("/version"), Fault::Status(400));
    assert_ran!(ask(&server, "viewer", &["scan"]), 2);
    server.clear_faults();
    server.fault(Match::path("/version"), Fault::Html(200));
    assert_ran!(ask(&server, "viewer", &["scan"]), 2);
}

#[test]
fn silence() {
    let server = server();
    server.fault(Match::path(CRON_JOBS), Fault::Hang);
    let silent = |timeout: &str, path: &str| {
        format!(
            "no answer from SERVER within {timeout} (GET {path}); --request-timeout waits longer"
        )
    };
    check(
        &ask(&server, "viewer", &["scan", "--request-timeout=1s"]),
        &cannot_list(&silent("1s", CRON_JOBS)),
    );
    server.clear_faults();
    server.fault(Match::path("/version"), Fault::Hang);
    assert_ran!(ask(&server, "viewer", &["scan", "--request-timeout=1"]), 2);
}

/// Numbers that no clock reaches.
#[test]
fn pauses_and_deadlines_without_an_end() {
    let server = server();
    check(
        &scan_at(
            &server,
            Fault::TooManyRequests {
                retry_after: u64::MAX,
            },
        ),
        &cannot_list(
            "the server answers 429: Too many requests, please try again later.; it says to come \
             back in 106751991167300d15h30m7s, and --request-timeout allows 10s",
        ),
    );
    server.clear_faults();
    for timeout in [
        "--request-timeout=18446744073709551615",
        "--request-timeout=0",
    ] {
        check(&ask(&server, "viewer", &["scan", timeout]), &fine(SHOP));
    }
}

/// A pause that is long enough to wonder is reported.
#[test]
fn long_pause_is_reported() {
    let server = server();
    let later = || Fault::TooManyRequests { retry_after: 2 }.times(1);
    server.fault(Match::path(CRON_JOBS), later());
    check(
        &ask(&server, "viewer", &["scan"]),
        &crate::live::call::fine_but(
            SHOP,
            "warning: the server answers 429: Too many requests, please try again later.; trying \
             again in 2s\n",
        ),
    );
    server.fault(Match::path(CRON_JOBS), later());
    assert_ran!(ask(&server, "viewer", &["scan", "-q"]), 0);
}
