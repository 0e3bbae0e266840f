//! Objects that several CronJobs fail for, as they are shown, and of which CronJobs they are.

use crate::support::prelude::*;
use crate::support::troubled::{CAUSES, NOW, outline, troubled};

fn call(verb: &str, objects: &[Value]) -> Ran {
    let common = format!("-f - --now {NOW} --kubernetes-version 1.36");
    doctor_with_objects((verb, common.as_str()), objects)
}

#[test]
fn five_causes_are_above_the_table() {
    let text = call("scan", &troubled()).fine();
    let (above, _) = text.split_once("\nNAMESPACE ").unwrap();
    insta::assert_snapshot!(above);
    assert!(above.lines().all(|line| line.chars().count() <= 80));
    let rows = call("scan --no-headers", &troubled()).fine();
    assert!(!rows.contains("cannot pull"));
    let markdown = call("scan -o markdown", &troubled()).fine();
    let paragraphs = markdown.lines().filter(|line| line.starts_with("**"));
    assert_eq!(paragraphs.count(), 5);
    assert_contains!(markdown, "and 6 more causes");
}

#[test]
fn report_has_the_same_causes_and_a_card_for_each() {
    let document = call("report -o json", &troubled()).document();
    assert_eq!(outline(&document["scan"]), CAUSES);
    let page = call("report -o html", &troubled()).fine();
    assert_eq!(page.matches("class=\"cause\"").count(), 5);
}

/// Rows that are not shown count, those that were not selected do not.
#[test]
fn causes_are_of_the_selected_cron_jobs() {
    let document = call("scan --missed-only -o json", &troubled()).document();
    assert_eq!(outline(&document), CAUSES);
    let document = call("scan -n a -o json", &troubled()).document();
    assert_eq!(outline(&document), [""; 0]);
}
