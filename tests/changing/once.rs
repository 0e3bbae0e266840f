//! Wherever a connection breaks, and whatever has happened to the Job by then, a call creates at most one Job, and its
//! exit code is 0 only if that Job is known to have been created.

use crate::changing::prelude::*;
use crate::support::apiserver::{Break, Fate, NextConnection};

const JOBS: &str = "/apis/batch/v1/namespaces/shop/jobs";
const LATEST: &str = "report-29920440";

/// The calls, and the name of the Job that they create; `None` if it is generated.
const CALLS: [(&str, Option<&str>); 3] = [
    ("trigger nightly -y --name=again", Some("again")),
    ("trigger nightly -y", None),
    ("backfill report --last=1 -y", Some(LATEST)),
];

/// Makes a call, and finishes its Job if it exists.
fn run(server: &ApiServer, arguments: &str, finishes: bool) -> Ran {
    let arguments = format!("{arguments} --request-timeout=3s");
    thread::scope(|scope| {
        let call = scope.spawn(|| call(server, arguments));
        if finishes {
            server.wait_for_object("Job", "shop", LATEST, |_| true);
            finish(server, LATEST, "Complete");
        }
        call.join().unwrap()
    })
}

/// Whether the output says that the Job may exist.
fn leaves_open(ran: &Ran) -> bool {
    ran.stderr.contains("may have been created")
}

/// The exit code of a call whose request arrived.
fn code(is_backfill: bool, fate: Fate, breaks: Break, is_random: bool) -> i32 {
    let is_whole = breaks == Break::Nowhere;
    match fate {
        // It can be read, or the answer says so.
        Fate::Exists | Fate::Finished => 0,
        // `trigger` does not wait for it, and `backfill` sees that it was deleted.
        Fate::Deleted if is_whole && !is_backfill => 0,
        // The server says that it did nothing: `backfill` leaves the run to the other Job, and a generated name is
        // replaced by another one.
        Fate::Taken if is_whole && (is_backfill || is_random) => 0,
        _ => 2,
    }
}

#[test]
fn request_that_arrived_is_not_sent_again() {
    let fates = [
        Fate::NotCreated,
        Fate::Exists,
        Fate::Finished,
        Fate::Deleted,
        Fate::Taken,
        Fate::Renamed,
    ];
    let breaks = [
        Break::Nowhere,
        Break::BeforeAnswer,
        Break::InHead,
        Break::InBody,
        Break::Timeout,
    ];
    let case = |arguments: &str, is_random: bool, fate: Fate, breaks: Break| {
        let server = server();
        let post = Match::path(JOBS).method("POST");
        server.fault(post, Fault::Creation(fate, breaks).times(1));
        let is_backfill = arguments.starts_with("backfill");
        let finishes = is_backfill && fate == Fate::Exists;
        let ran = run(&server, arguments, finishes);
        let about = format!("{arguments}, {fate:?}, {breaks:?}: {}", ran.stderr);
        assert_eq!(
            ran.code,
            code(is_backfill, fate, breaks, is_random),
            "{about}"
        );
        let is_refused = fate == Fate::Taken && breaks == Break::Nowhere;
        let most = if is_refused && is_random { 2 } else { 1 };
        assert_eq!(server.posts().len(), most, "{about}");
        // The head of an answer with 409 says that nothing was done.
        let is_refusal = fate == Fate::Taken && breaks == Break::InBody;
        let is_known = ran.code == 0 || is_refusal || breaks == Break::Nowhere;
        assert!(is_known || leaves_open(&ran), "{about}");
    };
    thread::scope(|scope| {
        // In each of them the calls that time out take ten seconds.
        for fate in fates {
            scope.spawn(move || {
                for breaks in breaks {
                    for (arguments, name) in CALLS {
                        case(arguments, name.is_none(), fate, breaks);
                    }
                }
            });
        }
    });
}

#[test]
fn request_that_did_not_arrive_is_not_sent_again() {
    let cases = [
        (NextConnection::Refused, false),
        (NextConnection::EndsBeforeTls, false),
        (NextConnection::EndsAfter(0), true),
        (NextConnection::EndsAfter(20), true),
        (NextConnection::EndsAfter(300), true),
    ];
    for (next, has_left) in cases {
        for (arguments, name) in CALLS {
            let server = server();
            server.close_connections();
            // The last request before that of the Job.
            let before = if arguments.starts_with("backfill") {
                Match::path("/apis/batch/v1/namespaces/shop/cronjobs/report")
            } else {
                Match::path("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
            };
            server.fault(before, Fault::Before(next).times(1));
            let ran = run(&server, arguments, false);
            let about = format!("{arguments}, {next:?}: {}", ran.stderr);
            assert_eq!((ran.code, server.posts().len()), (2, 0), "{about}");
            assert_eq!(leaves_open(&ran), has_left, "{about}");
            if let Some(name) = name {
                let job = server.object("batch/v1", "Job", "shop", name);
                assert_eq!(job, None, "{about}");
            }
        }
    }
}
