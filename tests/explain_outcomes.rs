//! One example for each outcome, with the sentence that a person reads first.

use crate::support::files::{below, text};
use crate::support::prelude::*;
use crate::support::tables::section;

#[test]
fn every_outcome_has_an_example() {
    // The example of the Kubernetes documentation has a test and a page of its own.
    let mut files = below("examples/explain");
    files.retain(|file| !file.ends_with("/outage.yaml"));
    let expected = section("tests/explain_outcomes.txt", "outcomes");
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
        let outcome = format!("{} {missed}", fields.join(" "));
        let has_forecast = !item["forecast"].items().is_empty();
        let has_none = ["hangs", "panics", "wait"].contains(&fields[0]);
        assert!(has_forecast || has_none, "{path}: {item}");
        outcomes.push((name.to_owned(), outcome));
        let verdict = item["verdict"].text();
        verdicts += &format!("{name}: {verdict}\n");
        let printed = doctor(arguments).fine();
        assert_contains!(undated(&printed), &undated(verdict));
    }
    assert_eq!(outcomes, expected);
    insta::assert_snapshot!(verdicts);
}
