//! `scan --watch` into a pipe: the table, and then a row for each change.

use crate::live::prelude::*;
use crate::live::running_call::CLOCK;

/// A call that runs until it is interrupted.
struct Watch(RunningCall);

impl Watch {
    /// Starts to watch the namespace `shop`.
    fn start(server: &ApiServer, arguments: impl CommandLine) -> Watch {
        let arguments = ("scan --watch", arguments);
        Watch(RunningCall::start(Call::by(server, "viewer", arguments)))
    }

    #[track_caller]
    fn line(&self) -> String {
        self.0.line()
    }

    /// The next line of stderr that is not about the clock: the server's differs from the local one.
    #[track_caller]
    fn message(&self) -> String {
        self.0.message_where(|line| !line.starts_with(CLOCK))
    }

    /// Interrupts it, and returns what else it printed to stdout, and its exit code.
    fn interrupt(self) -> (Vec<String>, Option<i32>) {
        self.0.interrupted()
    }
}

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/shop/cronjobs";
const HEAD: &str = "NAMESPACE   NAME      NEXT     LAST   HEALTH";
const NIGHTLY: &str = "shop        nightly   in 13h   10h    ok";

/// Starts to watch, and waits until all three watches are open.
fn watching(server: &ApiServer) -> Watch {
    let watch = Watch::start(server, "");
    assert_eq!([watch.line(), watch.line()], [HEAD, NIGHTLY]);
    server.wait_for(|requests| watches(requests) == 3);
    watch
}

/// The number of requests of this method and path.
fn count(requests: &[Recorded], line: &str) -> usize {
    requests
        .iter()
        .filter(|request| request.line() == line)
        .count()
}

fn set_suspend(server: &ApiServer, suspend: bool) {
    set(server, "nightly", "suspend", json!(suspend));
}

/// Suspends `nightly`, expects its new row, and resumes it again.
#[track_caller]
fn change_and_see(server: &ApiServer, watch: &Watch) {
    suspend_and_see(server, watch);
    set_suspend(server, false);
    assert_eq!(watch.line(), NIGHTLY);
}

/// Suspends `nightly`, and expects its new row.
#[track_caller]
fn suspend_and_see(server: &ApiServer, watch: &Watch) {
    set_suspend(server, true);
    let expected = "shop        nightly   none     10h    ok (suspended)";
    assert_eq!(watch.line(), expected);
}

#[test]
fn watch_shows_the_table_and_then_changed_rows() {
    let server = noon();
    let watch = watching(&server);
    suspend_and_see(&server, &watch);
    server.put(cron_job("shop", "never", "0 0 31 2 *"));
    let expected = "shop        never     none     never   error: never-scheduled";
    assert_eq!(watch.line(), expected);
    // A deleted CronJob does not have a row anymore.
    server.delete("batch/v1", "CronJob", "shop", "never");
    assert_eq!(watch.message(), "shop/never deleted");
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        nightly["spec"]["suspend"] = json!(false);
        nightly["status"]["lastScheduleTime"] = json!("2026-11-21T11:00:00Z");
    });
    // No Job succeeded since then.
    let expected = "shop        nightly   in 13h   60m     warning: last-run-without-success";
    assert_eq!(watch.line(), expected);
    let (rest, code) = watch.interrupt();
    assert_eq!((rest, code), (vec![], Some(130)));
}

#[test]
fn watch_is_opened_again_after_the_server_closes_it() {
    let server = noon();
    let watch = watching(&server);
    change_and_see(&server, &watch);
    server.close_watches();
    server.wait_for(|requests| count(requests, &format!("watch {CRON_JOBS}")) == 2);
    suspend_and_see(&server, &watch);
    assert_eq!(watch.interrupt(), (vec![], Some(130)));
}

#[test]
fn watch_lists_again_after_its_version_has_expired() {
    let server = noon();
    let watch = watching(&server);
    change_and_see(&server, &watch);
    server.put(job("other", "some", "2026-11-21T02:00:00Z", None));
    server.compact();
    server.close_watches();
    server.wait_for(|requests| count(requests, &format!("GET {CRON_JOBS}")) == 2);
    suspend_and_see(&server, &watch);
    assert_eq!(watch.interrupt(), (vec![], Some(130)));
}

#[test]
fn watch_reports_a_lost_server_and_continues_when_it_is_back() {
    let server = noon();
    let watch = watching(&server);
    server.stop();
    let said = watch.message();
    let start = "warning: connection to the cluster lost, retrying: ";
    assert_starts!(said, start);
    server.restart();
    suspend_and_see(&server, &watch);
    assert_eq!(watch.interrupt(), (vec![], Some(130)));
}

#[test]
fn watch_of_one_name_ignores_other_cronjobs() {
    let server = noon();
    let watch = Watch::start(&server, "nightly");
    assert_eq!([watch.line(), watch.line()], [HEAD, NIGHTLY]);
    server.wait_for(|requests| watches(requests) == 3);
    server.put(cron_job("shop", "another", "0 0 31 2 *"));
    suspend_and_see(&server, &watch);
    assert_eq!(watch.interrupt(), (vec![], Some(130)));
}

calls! {
    watch_as_json_is_refused { let server = noon(); }
        Call::by(&server, "viewer", "scan --watch -o json").run()
        => 2 => server.requests().is_empty();
}
