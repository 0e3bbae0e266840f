//! Servers with errors: transient errors are retried, and permanent ones are reported.

use crate::live::prelude::*;
use crate::support::apiserver::Scripted;

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/shop/cronjobs";

/// `scan` with a fault in the list of CronJobs.
fn scan(fault: impl Into<Scripted>) -> Ran {
    scan_at(&server(), fault)
}

fn scan_at(server: &ApiServer, fault: impl Into<Scripted>) -> Ran {
    server.fault(Match::path(CRON_JOBS), fault);
    view(server, "scan --request-timeout=10s")
}

#[test]
fn transient_errors_are_retried() {
    for fault in [
        Fault::TooManyRequests { retry_after: 0 }.times(2),
        Fault::Status(500).times(1),
        Fault::Status(503).times(1),
        Fault::Html(502).times(1),
        Fault::CutOff(10).times(1),
        Fault::Reset.times(1),
        // After these, the list is requested in JSON.
        Fault::Garbage.times(1),
        Fault::WrongProtobuf.times(1),
    ] {
        assert_eq!(scan(fault).fine(), SHOP);
    }
}

#[test]
fn permanent_errors_are_reported() {
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

/// `scan` with a fault in the requests for a path.
fn scan_with(path: &str, fault: impl Into<Scripted>, flags: &str) -> Ran {
    let server = server();
    server.fault(Match::path(path), fault);
    view(&server, ("scan", flags))
}

/// One response that asks for a pause, and then no more.
fn later() -> Scripted {
    Fault::TooManyRequests { retry_after: 2 }.times(1)
}

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";
const EVENTS: &str = "/api/v1/namespaces/shop/events";

calls! {
    /// A retry after such a long pause would be useless.
    too_many_requests_with_a_long_pause_is_not_retried(server) {
        let ran = scan_at(&server, Fault::TooManyRequests { retry_after: 100 });
        let asked = server.requests_where(|request| request.path == CRON_JOBS);
    } ran => 2, "" => asked.len() == 1;
    too_many_requests_each_time_is_an_error {} scan(Fault::TooManyRequests { retry_after: 0 }) => 2, "";
    failing_list_of_jobs_is_an_error {} scan_with(JOBS, Fault::Status(400), "") => 2;
    failing_list_of_events_is_an_error {} scan_with(EVENTS, Fault::Status(400), "") => 2;
    failing_request_for_the_version_is_an_error {} scan_with("/version", Fault::Status(400), "") => 2;
    html_page_instead_of_the_version_is_an_error {} scan_with("/version", Fault::Html(200), "") => 2;
    server_that_does_not_answer_times_out {} scan_with(CRON_JOBS, Fault::Hang, "--request-timeout=1s") => 2, "";
    server_that_does_not_answer_with_its_version_times_out {} scan_with("/version", Fault::Hang, "--request-timeout=1") => 2;
    /// The pause ends at a time that no clock reaches.
    too_many_requests_with_an_endless_pause_is_an_error {} scan(Fault::TooManyRequests { retry_after: u64::MAX }) => 2, "";
    /// A pause that is long enough for the user to notice is reported.
    long_pause_is_reported {} scan_with(CRON_JOBS, later(), "") => 0, SHOP;
    long_pause_is_not_reported_quietly {} scan_with(CRON_JOBS, later(), "-q") => 0, SHOP;
}

#[test]
fn request_timeout_of_zero_or_a_huge_number_is_no_timeout() {
    for timeout in "--request-timeout=18446744073709551615 --request-timeout=0".split(' ') {
        assert_eq!(view(&server(), ["scan", timeout]).fine(), SHOP);
    }
}
