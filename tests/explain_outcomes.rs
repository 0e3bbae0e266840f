//! One example for each outcome, with the sentence that a person reads first.

use crate::support::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// File, outcome, verdict. Worked out by hand; where there are numbers, the comment says how.
const EXPECTED: &[(&str, &str, &str)] = &[
    // 02:00 in Berlin is 01:00 UTC in winter, five and a half hours before 06:30.
    (
        "start",
        "start",
        "Starts nightly-29551740 immediately for the run scheduled at Tue 2026-03-10 02:00 Europe/Berlin \
         (5h30m late), if nothing has changed since Mon 2026-03-09 02:00:40 Europe/Berlin",
    ),
    (
        "replace",
        "replace",
        "Starts sync-29552070 (due now), replacing the running Job",
    ),
    (
        "wait",
        "wait",
        "Next run: Wed 2026-03-11 02:00 Europe/Berlin (in 18h)",
    ),
    (
        "suspended",
        "suspended",
        "Suspended. If resumed now, nightly-29551740 starts immediately for the run scheduled at Tue \
         2026-03-10 02:00 Europe/Berlin (5h30m late)",
    ),
    ("deleted", "deleted", "Being deleted: no more Jobs start"),
    (
        "unknown-time-zone",
        "unknownTimeZone",
        "Never runs: unknown time zone \"Europe/Berln\"",
    ),
    (
        "unparseable-schedule",
        "unparseableSchedule",
        "Never runs: the schedule cannot be parsed (end of range (7) above maximum (6): 7)",
    ),
    (
        "invalid-schedule",
        "invalidSchedule",
        "Never runs: February 31 does not exist",
    ),
    (
        "already-processed",
        "alreadyProcessed",
        "Next run: Tue 2026-03-10 06:45 UTC (in 14m)",
    ),
    (
        "blocked",
        "blocked",
        "Blocked: sync-29547735 has been running for 3d (concurrencyPolicy: Forbid). When it finishes, \
         sync-29552070 starts immediately for the run scheduled at Tue 2026-03-10 06:30 UTC",
    ),
    (
        "deadline-exceeded",
        "deadlineExceeded",
        "Skips the latest run, which is past its deadline (startingDeadlineSeconds: 600). Next run: Tue \
         2026-03-10 07:00 UTC (in 29m)",
    ),
    // Two days of four an hour are 192; 06:30 is one more.
    (
        "too-many-missed",
        "tooManyMissed",
        "No longer starts any Job: missed 193 runs since Sun 2026-03-08 06:30 UTC, and Kubernetes 1.19 \
         gives up above 100 until startingDeadlineSeconds is set or the CronJob is re-created",
    ),
    // 10 on Wednesday, 11 on Thursday, 11 on Friday.
    (
        "no-run-found",
        "noRunFound",
        "Missed 32 runs since Wed 2026-03-04 09:00 America/New_York; Kubernetes 1.36 will not start \
         any of them. Next run: Mon 2026-03-09 08:00 America/New_York (in 2d)",
    ),
    (
        "name-taken",
        "nameTaken",
        // Attempts are 5 ms * (2^n - 1) after 06:30:00.1; the first one after 06:45 is 1,310.7 s after it.
        "Starts nothing: a Job named sync-29552070 already exists; the controller retries with \
         back-off. Next, sync-29552085 starts about Tue 2026-03-10 06:51:50 UTC (in 21m), 6m50s late",
    ),
    (
        "hangs",
        "hangs",
        "Hangs a worker of the controller: the search for the next run never ends",
    ),
    (
        "panics",
        "panics",
        "Crashes the controller manager: its parser panics on the schedule",
    ),
    (
        "edited",
        "wait",
        "Next run: Tue 2026-03-10 03:30 Etc/UTC (in 30m)",
    ),
];

#[test]
fn every_outcome_has_an_example_that_comes_to_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/explain");
    let mut files: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    // The documentation's example has a test and a page of its own.
    files.remove("outage");
    let listed: BTreeSet<String> = EXPECTED
        .iter()
        .map(|(file, ..)| (*file).to_owned())
        .collect();
    assert_eq!(files, listed);
    for (file, outcome, verdict) in EXPECTED {
        let path = format!("examples/explain/{file}.yaml");
        let text = fs::read_to_string(folder.join(format!("{file}.yaml"))).unwrap();
        let header = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("{path}: no line {name:?}"))
                .to_owned()
        };
        let (now, release) = (header("# now: "), header("# kubernetes: "));
        let arguments = format!("explain -q -f {path} --now {now} --kubernetes-version {release}");
        let document = doctor((&arguments, "-o json")).document();
        let item = &document["items"][0];
        assert_eq!(item["decision"]["outcome"], *outcome, "{path}");
        assert_eq!(item["verdict"], *verdict, "{path}");
        let printed = doctor(arguments).fine().replace("\n  ", " ");
        assert!(printed.contains(verdict), "{path}: {printed}");
    }
}
