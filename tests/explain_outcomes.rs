//! One example for each outcome, with the sentence that a person reads first.

use crate::support::files::{below, text};
use crate::support::prelude::*;

/// File, outcome, Job, and number of missed runs. Worked out manually; where there are numbers,
/// the comment says how.
const EXPECTED: &str = "\
already-processed alreadyProcessed sync-29552070 1
# Four an hour for three days, and the one of 06:30.
blocked blocked sync-29552070 289
deadline-exceeded deadlineExceeded late-1773122400 3
deleted deleted - 0
edited wait - 0
hangs hangs - 0
invalid-schedule invalidSchedule - 0
# Attempts are 5 ms * (2^n - 1) after 06:30:00.1; the first one after 06:45 is 1,310.7 s after it, at 06:51:50.
name-taken nameTaken sync-29552070 1
# 10 on Wednesday, 11 on Thursday, 11 on Friday.
no-run-found noRunFound - 32
panics panics - 0
replace replace sync-29552070 1
# 02:00 in Berlin is 01:00 UTC in winter, five and a half hours before 06:30.
start start nightly-29551740 1
suspended suspended - 2
# Two days of four an hour are 192; 06:30 is one more.
too-many-missed tooManyMissed - 193
unknown-time-zone unknownTimeZone - 0
unparseable-schedule unparseableSchedule - 0
wait wait - 0
";

#[test]
fn every_outcome_has_an_example() {
    // The example of the Kubernetes documentation has a test and a page of its own.
    let mut files = below("examples/explain");
    files.retain(|file| !file.ends_with("/outage.yaml"));
    let expected = EXPECTED.lines().filter(|line| !line.starts_with('#'));
    let mut verdicts = String::new();
    let mut outcomes = Vec::new();
    for path in &files {
        let text = text(path);
        let header = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap()
        };
        let (now, release) = (header("# now: "), header("# kubernetes: "));
        let arguments = format!("explain -q -f {path} --now {now} --kubernetes-version {release}");
        let document = doctor((&arguments, "-o json")).document();
        let item = &document["items"][0];
        let decision = &item["decision"];
        let name = path["examples/explain/".len()..].trim_end_matches(".yaml");
        let fields = [&decision["outcome"], &decision["jobName"]];
        let fields = fields.map(|field| field.as_str().unwrap_or("-"));
        let missed = item["missed"]["count"].as_u64().unwrap_or_default();
        outcomes.push(format!("{name} {} {missed}", fields.join(" ")));
        let verdict = item["verdict"].text();
        verdicts += &format!("{name}: {verdict}\n");
        let printed = doctor(arguments).fine().replace("\n  ", " ");
        assert_contains!(printed, verdict);
    }
    assert_eq!(outcomes, expected.collect::<Vec<_>>());
    insta::assert_snapshot!(verdicts);
}
