//! Servers that are unwell: what passes is waited for, and what stays is told.

use crate::live::prelude::*;

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
    view(server, "scan --request-timeout=10s")
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
        assert_eq!(scan(fault).fine(), SHOP);
    }
}

#[test]
fn too_many_requests() {
    let server = server();
    let later = Fault::TooManyRequests { retry_after: 100 };
    assert_ran!(scan_at(&server, later), 2, "");
    let asked = server
        .requests()
        .iter()
        .filter(|request| request.path == CRON_JOBS)
        .count();
    assert_eq!(asked, 1, "there is no use in trying again");
    assert_ran!(scan(Fault::TooManyRequests { retry_after: 0 }), 2, "");
}

#[test]
fn what_stays_is_told() {
    let faults = [
        Fault::Status(500),
        Fault::Html(503),
        Fault::CutOff(10),
        Fault::Reset,
        Fault::Html(200),
        Fault::Garbage,
        Fault::WrongProtobuf,
    ];
    insta::assert_snapshot!(faults.map(|fault| scan(fault).refused()).concat());
}

#[test]
fn lists_beside_the_cron_jobs() {
    let server = server();
    server.fault(
        Match::path("/apis/batch/v1/namespaces/shop/jobs"),
        Fault::Status(400),
    );
    assert_ran!(view(&server, "scan"), 2);
    server.clear_faults();
    server.fault(
        Match::path("/api/v1/namespaces/shop/events"),
        Fault::Status(400),
    );
    assert_ran!(view(&server, "scan"), 2);
}

#[test]
fn the_version() {
    let server = server();
    server.fault(Match::path("/version"), Fault::Status(400));
    assert_ran!(view(&server, "scan"), 2);
    server.clear_faults();
    server.fault(Match::path("/version"), Fault::Html(200));
    assert_ran!(view(&server, "scan"), 2);
}

#[test]
fn silence() {
    let server = server();
    server.fault(Match::path(CRON_JOBS), Fault::Hang);
    assert_ran!(view(&server, "scan --request-timeout=1s"), 2, "");
    server.clear_faults();
    server.fault(Match::path("/version"), Fault::Hang);
    assert_ran!(view(&server, "scan --request-timeout=1"), 2);
}

/// Numbers that no clock reaches.
#[test]
fn pauses_and_deadlines_without_an_end() {
    let server = server();
    let never = Fault::TooManyRequests {
        retry_after: u64::MAX,
    };
    assert_ran!(scan_at(&server, never), 2, "");
    server.clear_faults();
    for timeout in "--request-timeout=18446744073709551615 --request-timeout=0".split(' ') {
        assert_eq!(view(&server, ["scan", timeout]).fine(), SHOP);
    }
}

/// A pause that is long enough to wonder is reported.
#[test]
fn long_pause_is_reported() {
    let server = server();
    let later = || Fault::TooManyRequests { retry_after: 2 }.times(1);
    server.fault(Match::path(CRON_JOBS), later());
    assert_ran!(view(&server, "scan"), 0, SHOP);
    server.fault(Match::path(CRON_JOBS), later());
    assert_ran!(view(&server, "scan -q"), 0);
}
