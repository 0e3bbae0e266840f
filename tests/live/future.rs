//! `simulate` and `load` on what a cluster has.

use crate::live::call::{Call, check, failed, fine};
use crate::live::scene::{self, NOW};
use crate::support::apiserver::{ApiServer, Kubeconfig, Recorded};
use crate::support::run::Ran;

fn ask(server: &ApiServer, user: &str, arguments: &[&str]) -> Ran {
    let arguments = [arguments, &[NOW]].concat();
    let config = Kubeconfig::user(user).namespace("shop");
    Call::new(&arguments).with(server, &config).run()
}

#[test]
fn simulate_goes_on_from_what_is_there() {
    let server = scene::server();
    let ran = ask(
        &server,
        "viewer",
        &[
            "simulate",
            "hourly",
            "--for=4h",
            "--job-duration=from-history",
        ],
    );
    check(
        &ran,
        &fine(
            "\
shop/hourly
  Schedule    5 * * * * in Etc/UTC
  Controller  Kubernetes 1.36.2
  Time        2026-11-21T02:13:08Z to 2026-11-21T06:13:08Z, 4h
  Jobs        take as long as those that are there
  Result      all 4 runs started in time

  Sat 2026-11-21 03:05     4 started, until 06:05
",
        ),
    );
}

#[test]
fn simulate_of_a_namespace_after_an_outage() {
    let server = scene::server();
    let outage = "--outage=2026-11-21T02:30:00Z/2026-11-21T04:30:00Z";
    let ran = ask(&server, "viewer", &["simulate", "--for=4h", outage]);
    check(
        &ran,
        &fine(
            "\
shop/hourly
  Schedule    5 * * * * in Etc/UTC
  Controller  Kubernetes 1.36.2
  Time        2026-11-21T02:13:08Z to 2026-11-21T06:13:08Z, 4h
  Jobs        take 1m
  Result      1 of 4 runs lost, silently; 1 late, by 25m

  Sat 2026-11-21 02:30     the controller goes down
                 03:05     lost silently: the controller was down; then the run
                           of 04:05 was started instead
                 04:05     late by 25m: the controller was down until 04:30
                 04:30     the controller is up again
                 05:05     2 started, until 06:05

shop/nightly
  Schedule    0 2 * * * in Etc/UTC
  Controller  Kubernetes 1.36.2
  Time        2026-11-21T02:13:08Z to 2026-11-21T06:13:08Z, 4h
  Jobs        take 1m
  Result      no run in this time

  Sat 2026-11-21 02:30     the controller goes down
                 04:30     the controller is up again
",
        ),
    );
}

#[test]
fn simulate_of_one_that_is_not_there() {
    let server = scene::server();
    let ran = ask(&server, "viewer", &["simulate", "nigthly"]);
    check(
        &ran,
        &failed(
            "\
error: cronjobs.batch \"nigthly\" not found in the namespace \"shop\"; did you mean nightly?
",
        ),
    );
}

#[test]
fn load_of_the_whole_cluster() {
    let server = scene::server();
    let ran = ask(&server, "viewer", &["load", "-A", "--for=24h"]);
    check(
        &ran,
        &fine(
            "\
2 CronJobs start 25 Jobs (left out: 1 that start nothing)
  Window      2026-11-21T02:13:00Z to 2026-11-22T02:13:00Z
  Controller  Kubernetes 1.36.2 (v2), its clock in UTC

Most starts in one minute, minute by minute, in UTC
            00        10        20        30        40        50         STARTS
11-21 02:00              ···············································      0
11-21 03:00 ·····░······················································      1
11-21 04:00 ·····░······················································      1
11-21 05:00 ·····░······················································      1
11-21 06:00 ·····░······················································      1
11-21 07:00 ·····░······················································      1
11-21 08:00 ·····░······················································      1
11-21 09:00 ·····░······················································      1
11-21 10:00 ·····░······················································      1
11-21 11:00 ·····░······················································      1
11-21 12:00 ·····░······················································      1
11-21 13:00 ·····░······················································      1
11-21 14:00 ·····░······················································      1
11-21 15:00 ·····░······················································      1
11-21 16:00 ·····░······················································      1
11-21 17:00 ·····░······················································      1
11-21 18:00 ·····░······················································      1
11-21 19:00 ·····░······················································      1
11-21 20:00 ·····░······················································      1
11-21 21:00 ·····░······················································      1
11-21 22:00 ·····░······················································      1
11-21 23:00 ·····░······················································      1
11-22 00:00 ·····░······················································      1
11-22 01:00 ·····░······················································      1
11-22 02:00 ░····░·······                                                     2
            · 0   ░ 1

Peaks
  No two start in one minute.

Proposal
  Nothing to spread: no two start in the same minute.
",
        ),
    );
    let requests = server.requests();
    let mut asked: Vec<String> = requests.iter().map(Recorded::line).collect();
    asked.sort();
    // What ran before has no part in it.
    assert_eq!(asked, ["GET /apis/batch/v1/cronjobs", "GET /version"]);
}

#[test]
fn without_the_right_to_list() {
    let server = scene::server();
    let expected = "\
error: cannot list cronjobs.batch: from the server (Forbidden): cronjobs.batch is forbidden: \
User \"nobody\" cannot list resource \"cronjobs\" in API group \"batch\" in the namespace \"shop\"
";
    for verb in ["simulate", "load"] {
        check(&ask(&server, "nobody", &[verb]), &failed(expected));
    }
}
