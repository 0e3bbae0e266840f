//! Times in flags: the same forms everywhere, and the errors for those that do not name one time.

use super::{CLUSTER, doctor, refused};

#[test]
fn times_that_do_not_name_one_time_are_errors() {
    let errors = [
        "next-runs --until=06:00",
        "next-runs '--until=2026-11-22 06:00'",
        "next-runs --until=tomorrow",
        "next-runs '--after=2026-10-25 02:30 Europe/Berlin'",
        "history '--since=2026-03-29 02:30 Europe/Berlin'",
        "history '--since=06:00 Europe/Berln'",
        "load '--to=Sun 2026-11-21 06:00 UTC'",
    ];
    insta::assert_snapshot!(errors.map(|call| refused((call, CLUSTER))).concat());
}

/// Each form gives the same output as the time in RFC 3339. It is 02:13:08 UTC on a Saturday.
#[test]
fn time_flags_accept_every_form() {
    let output = |arguments: &[&str]| {
        let one = ["-f", "examples/lint/suspended/good.yaml"];
        let now = ["--now=2026-11-21T02:13:08Z", "-o", "json"];
        let ran = doctor([arguments, &one, &now].concat());
        assert!(ran.code < 2, "{ran}");
        ran.stdout
    };
    let future = [
        "2026-11-22T02:00:00Z",
        "Sun 2026-11-22 02:00 UTC",
        "Sun 2026-11-22 03:00 Europe/Berlin (in 23h)",
        "02:00 UTC",
        "03:00 Europe/Berlin",
        "23h46m52s",
    ];
    let past = [
        "2026-11-21T02:00:00Z",
        "Sat 2026-11-21 02:00 UTC",
        "02:00Z",
        "03:00 Europe/Berlin",
        "13m8s",
    ];
    let same = |verb: &[&str], flag: &str, times: &[&str]| {
        let all = times.iter().map(|time| {
            let given = format!("{flag}={time}");
            output(&[verb, &[&given]].concat())
        });
        let all: Vec<String> = all.collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{flag}");
    };
    same(&["next-runs"], "--until", &future);
    same(&["next-runs"], "--after", &future);
    same(&["load"], "--to", &future);
    same(&["load", "--for=1d"], "--from", &future);
    same(&["simulate"], "--to", &future);
    same(&["simulate", "--for=1d"], "--from", &past);
    same(&["history"], "--since", &past);
    same(&["history"], "--until", &past);
    let now = "2026-11-21T02:13:08Z";
    let windows = [
        "2026-11-22T02:00:00Z/2h",
        "02:00 UTC/04:00 UTC",
        "03:00 Europe/Berlin/2h",
    ];
    same(&["simulate", "--for=2d"], "--outage", &windows);
    same(&["simulate", "--for=2d"], "--suspended", &windows);
    let edit = |time: &str| {
        let change = "schedule=0 5 * * *";
        output(&["simulate", "--for=2d", "--at", time, change])
    };
    assert!(future.iter().all(|time| edit(time) == edit(future[0])));
    let expected = output(&["history", "--until", now]);
    assert_eq!(output(&["history", "--until=now"]), expected);
}
