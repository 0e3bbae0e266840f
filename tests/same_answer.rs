//! What is said of a CronJob does not depend on the verb, on what else was selected, or on the output.

use crate::support::files::{below, text};
use crate::support::prelude::*;

/// The fields in which all documents have the same answer.
const FIELDS: [&str; 5] = [
    "verdict",
    "findings",
    "lastRun",
    "lastSuccess",
    "runsSinceSuccess",
];

fn answer(item: &Value) -> Vec<&Value> {
    FIELDS.iter().map(|field| &item[field]).collect()
}

fn place(item: &Value) -> (String, String) {
    let text = |field: &str| item[field].text().to_owned();
    (text("namespace"), text("name"))
}

#[test]
fn answers_about_each_example_of_a_finding_are_the_same_everywhere() {
    let mut compared = 0;
    for path in below("examples/findings") {
        let path = path.as_str();
        let text = text(path);
        let header = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let zone = header("# controller-time-zone: ").map_or_else(String::new, |zone| {
            format!(" --controller-time-zone {zone}")
        });
        let arguments = format!(
            "-q -o json -f {} --now {} --kubernetes-version {}{zone}",
            path,
            header("# now: ").unwrap(),
            header("# kubernetes: ").unwrap(),
        );
        let document = |words: &str| doctor((words, &arguments)).document();
        let explained = document("explain -A")["items"].take();
        let explained = explained.items();
        let (namespace, name) = place(&explained[0]);
        let mut report = document("report -A");
        let others = [
            document(&format!("explain {namespace}/{name}")),
            document(&format!("scan {namespace}/{name}")),
            document(&format!("scan -n {namespace}")),
            document("scan -A"),
            report["scan"].take(),
            report["explanations"].take(),
        ];
        for item in others.iter().flat_map(|other| other["items"].items()) {
            let mut same = explained.iter().filter(|one| place(one) == place(item));
            let expected = same.next().unwrap();
            assert_eq!(answer(item), answer(expected), "{arguments}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}
