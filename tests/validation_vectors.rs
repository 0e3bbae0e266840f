//! The judgement of a manifest, held against what a real API server of 1.36 answered.

use std::sync::Arc;

use crate::support::differences::assert_none;
use crate::support::prelude::*;
use crate::support::random::Random;
use crate::support::recorded::cases;
use cronjob_doctor::internals::controller::Release;
use cronjob_doctor::internals::document;
use cronjob_doctor::internals::schedule::{BundledZones, Zone, ZoneError, Zones};
use cronjob_doctor::internals::validation::{self, ValidationResult};

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

fn judge(text: &str) -> ValidationResult {
    let mut parsed = document::parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    let document = parsed.documents.remove(0);
    let release: Release = "1.36".parse().unwrap();
    validation::validate(&document.root, &document.problems, release, &ServersZones)
}

/// Causes of decoding are none to the server: there is only the message.
fn said(answer: &ValidationResult) -> Said {
    let causes = answer.causes.iter();
    let causes = causes
        .filter(|cause| !cause.reason.precludes_validation())
        .map(|cause| [&cause.field, &cause.reason.to_string(), &cause.message].map(Clone::clone));
    let warnings = answer.warnings.iter();
    let warnings = warnings.map(|warning| warning.message.clone());
    (causes.collect(), warnings.collect(), answer.message.clone())
}

fn expected(case: &Value) -> Said {
    let text = |value: &Value| value.text().to_owned();
    let causes = case["causes"].items().iter();
    let causes = causes.map(|cause| ["field", "reason", "message"].map(|name| text(&cause[name])));
    let warnings = case["warnings"].items().iter().map(text);
    let message = case["message"].as_str().map(str::to_owned);
    (causes.collect(), warnings.collect(), message)
}

/// Go walks through maps in any order, so that causes and warnings about several entries of one
/// stand in any order, too.
fn in_any_order((mut causes, mut warnings, message): Said) -> Said {
    causes.sort();
    warnings.sort();
    let several = causes.len() > 1;
    (causes, warnings, message.filter(|_| !several))
}

/// How often the answers were of a kind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    accepted: usize,
    refused: usize,
    /// Of both, those that differ only in the order.
    reordered: usize,
    /// Those that differ, and are known to.
    different: usize,
}

/// Part of the server's message, how many answers have it, and why they differ.
type Exception = (&'static str, usize, &'static str);

fn compare(text: &str, exceptions: &[Exception]) -> Tally {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let mut used = vec![0; exceptions.len()];
    for (line, case) in cases(text) {
        let manifest = case["manifest"].text();
        let answer = judge(manifest);
        let (got, expected) = (said(&answer), expected(&case));
        let agrees = answer.accepts() == (case["accepted"] == true);
        if agrees && in_any_order(got.clone()) == in_any_order(expected.clone()) {
            if answer.accepts() {
                tally.accepted += 1;
            } else {
                tally.refused += 1;
            }
            tally.reordered += usize::from(got != expected);
            continue;
        }
        let message = case["message"].as_str().unwrap_or_default();
        let mut known = exceptions.iter();
        if let Some(index) = known.position(|(part, ..)| message.contains(part)) {
            used[index] += 1;
            tally.different += 1;
            continue;
        }
        wrong.push(format!(
            "line {line}: {manifest}\n  got      {got:?}\n  expected {expected:?}"
        ));
    }
    assert_none(&wrong);
    for ((part, count, reason), used) in exceptions.iter().zip(used) {
        assert_eq!(used, *count, "{part} ({reason})");
    }
    tally
}

#[test]
fn every_answer_about_the_cron_job() {
    let tally = compare(include_str!("vectors/manifests.jsonl"), &[]);
    let expected = Tally {
        accepted: 246,
        refused: 454,
        ..Tally::default()
    };
    assert_eq!(tally, expected);
}

/// Each rule by itself, and several broken at once.
#[test]
fn every_answer_about_what_is_inside() {
    let exceptions: [Exception; 4] = [
        (
            "the namespace of the provided object does not match",
            1,
            "which namespace the manifest is posted to is not the manifest's",
        ),
        (
            "CronJob.batch \"Nightly.",
            1,
            "what the server adds to generateName is random",
        ),
        (
            "json: cannot unmarshal number 10.0",
            1,
            "JSON that is posted as it stands; kubectl, which it is read for, writes 10",
        ),
        (
            "Invalid value: \"10e30\"",
            3,
            "amounts of 10^26 and more are not told apart",
        ),
    ];
    let tally = compare(include_str!("vectors/admission.jsonl"), &exceptions);
    let expected = Tally {
        accepted: 333,
        refused: 1051,
        reordered: 2,
        different: 6,
    };
    assert_eq!(tally, expected);
}

/// What would be too long for a file of answers. The server took 262144 bytes, and not one more.
#[test]
fn annotations_have_a_limit_together() {
    let text = |size: usize| {
        let value = "x".repeat(size);
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a, annotations: {{a: {value}}}}}\n\
             spec: {{schedule: '* * * * *', jobTemplate: {{spec: {{template: {{spec: {{\
             restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}}}\n"
        )
    };
    assert_eq!(judge(&text(262_143)).causes, []);
    let expected = Some(
        "CronJob.batch \"a\" is invalid: metadata.annotations: Too long: may not be more \
         than 262144 bytes",
    );
    assert_eq!(judge(&text(262_144)).message.as_deref(), expected);
}

/// Whatever a manifest is turned into, there is an answer: pieces of it are put in each other's
/// place, and every place in the answer is one of the text.
#[test]
fn mangled_manifests_get_an_answer() {
    let some = cases(include_str!("vectors/admission.jsonl")).step_by(7);
    let pieces: Vec<String> = some
        .map(|(_, case)| case["manifest"].text().to_owned())
        .collect();
    let mut random = Random::new(20_261_121);
    let mut judged = 0;
    for _ in 0..5_000 {
        let mut lines: Vec<&str> = random.pick(&pieces).lines().collect();
        for _ in 0..random.between(1, 4) {
            let others: Vec<&str> = random.pick(&pieces).lines().collect();
            let at = random.below(lines.len());
            lines[at] = *random.pick::<&str>(&others);
        }
        let text = lines.join("\n");
        let release = *random.pick(&["1.4", "1.19", "1.24", "1.30", "1.34", "1.36", "1.37"]);
        for document in document::parse(&text).documents {
            let release: Release = release.parse().unwrap();
            let problems = &document.problems;
            let answer = validation::validate(&document.root, problems, release, &ServersZones);
            assert_eq!(answer.accepts(), answer.message.is_none(), "{text}");
            for cause in &answer.causes {
                assert!(cause.place.span.slice(&text).is_some(), "{text}\n{cause:?}");
            }
            judged += 1;
        }
    }
    assert!(judged > 1_500, "{judged}");
}
