//! The judgement of a manifest, held against what a real API server of 1.36 answered.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Arc;

use cronjob_doctor::admission::{self, Answer};
use cronjob_doctor::controller::Release;
use cronjob_doctor::document;
use cronjob_doctor::schedule::{BundledZones, Zone, ZoneError, Zones};
use serde_json::Value;

/// The tz database of the machine that the server ran on: some packages have names beyond those
/// of the database itself.
struct ServersZones;

impl Zones for ServersZones {
    fn load(&self, name: &str) -> Result<Arc<Zone>, ZoneError> {
        let name = match name {
            "posixrules" => "America/New_York",
            "right/UTC" => "UTC",
            _ => name,
        };
        BundledZones.load(name)
    }
}

/// What is compared of an answer: the causes by field, reason and message, the warnings, and the
/// message as a whole.
type Said = (Vec<[String; 3]>, Vec<String>, Option<String>);

fn judge(text: &str) -> Answer {
    let mut parsed = document::parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    let document = parsed.documents.remove(0);
    let release: Release = "1.36".parse().unwrap();
    admission::judge(&document.root, &document.problems, release, &ServersZones)
}

/// Causes of decoding are none to the server: there is only the message.
fn said(answer: &Answer) -> Said {
    let causes = answer.causes.iter();
    let causes = causes
        .filter(|cause| !cause.reason.precludes_validation())
        .map(|cause| {
            [
                cause.field.clone(),
                cause.reason.to_string(),
                cause.message.clone(),
            ]
        });
    let warnings = answer.warnings.iter();
    let warnings = warnings.map(|warning| warning.message.clone());
    (causes.collect(), warnings.collect(), answer.message.clone())
}

fn expected(case: &Value) -> Said {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let causes = case["causes"].as_array().unwrap().iter();
    let causes = causes.map(|cause| ["field", "reason", "message"].map(|name| text(&cause[name])));
    let warnings = case["warnings"].as_array().unwrap().iter().map(text);
    (
        causes.collect(),
        warnings.collect(),
        case["message"].as_str().map(str::to_owned),
    )
}

/// Go walks through maps in any order, so that causes and warnings about several entries of one
/// stand in any order, too.
fn in_any_order((mut causes, mut warnings, message): Said) -> Said {
    causes.sort();
    warnings.sort();
    let several = causes.len() > 1;
    (causes, warnings, message.filter(|_| !several))
}

struct Tally {
    accepted: usize,
    refused: usize,
    /// Those that differ only in the order.
    reordered: usize,
}

fn compare(text: &str, exceptions: &[(&str, &str)]) -> Tally {
    let mut tally = Tally {
        accepted: 0,
        refused: 0,
        reordered: 0,
    };
    let mut wrong = Vec::new();
    let mut used = vec![0; exceptions.len()];
    for (number, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let manifest = case["manifest"].as_str().unwrap();
        let answer = judge(manifest);
        let (got, expected) = (said(&answer), expected(&case));
        assert_eq!(
            answer.accepts(),
            case["accepted"] == true,
            "line {}: {line}\n{answer:#?}",
            number + 1
        );
        if answer.accepts() {
            tally.accepted += 1;
        } else {
            tally.refused += 1;
        }
        if got == expected {
            continue;
        }
        if in_any_order(got.clone()) == in_any_order(expected.clone()) {
            tally.reordered += 1;
            continue;
        }
        let message = case["message"].as_str().unwrap_or_default();
        let known = exceptions
            .iter()
            .position(|(part, _)| message.contains(part));
        match known {
            Some(index) => used[index] += 1,
            None => wrong.push(format!(
                "line {}: {manifest}\n  got      {got:?}\n  expected {expected:?}",
                number + 1
            )),
        }
    }
    let shown = wrong.iter().take(8).map(String::as_str).collect::<Vec<_>>();
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    for ((part, reason), used) in exceptions.iter().zip(used) {
        assert!(used > 0, "no exception is needed for {part} ({reason})");
    }
    tally
}

#[test]
fn every_answer_about_the_cron_job() {
    let text = include_str!("vectors/manifests.jsonl");
    let tally = compare(text, &[]);
    assert_eq!(
        (tally.accepted, tally.refused, tally.reordered),
        (246, 454, 0)
    );
}
