//! What a real API server of 1.36 answered to manifests, in a dry run with strict validation.

use crate::support;

use std::collections::BTreeMap;

use cronjob_doctor::controller::Release;
use cronjob_doctor::controller::validation::{Validation, validate_create};
use cronjob_doctor::model::CronJob;
use cronjob_doctor::snapshot::{Evidence, Options, Source};
use serde_json::Value;
use support::zones::ServersZones;

/// The fields that the library judges. An answer about any other is left out: labels, and what
/// is in the template beyond what makes a Job one of a `CronJob`.
const JUDGED: [&str; 10] = [
    "metadata.name",
    "spec.schedule",
    "spec.startingDeadlineSeconds",
    "spec.timeZone",
    "spec.concurrencyPolicy",
    "spec.jobTemplate.spec.template.spec.restartPolicy",
    "spec.jobTemplate.spec.selector",
    "spec.jobTemplate.spec.manualSelector",
    "spec.successfulJobsHistoryLimit",
    "spec.failedJobsHistoryLimit",
];

/// How a case is compared, or why it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The server took it: there must be no error, and exactly its warnings.
    Accepted,
    /// The server refused it for fields that are judged: the errors must be exactly its causes.
    Refused,
    /// The server refused it for other fields, too: the errors must be the causes that remain
    /// without those, in the same order.
    RefusedForOthersToo,
    /// Left out: the server could not even decode it, and asked no rule.
    NotDecoded,
    /// Left out: the snapshot reader itself refuses what has no name, no spec or no schedule.
    NotRead,
}

#[test]
fn every_answer_about_fields_of_the_cron_job() {
    let text = include_str!("vectors/manifests.jsonl");
    let release: Release = "1.36".parse().unwrap();
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let expected = expected(&case);
        let kind = kind(&case, &expected);
        *counts.entry(kind).or_default() += 1;
        if matches!(kind, Kind::NotDecoded | Kind::NotRead) {
            continue;
        }
        let cron_job = read(&case).unwrap();
        let answer = validate_create(&cron_job, release, &ServersZones);
        let got = causes(&answer);
        // In the server's order, except where others stand between them.
        let judged: Vec<_> = expected
            .into_iter()
            .filter(|(field, _)| JUDGED.contains(&field.as_str()))
            .collect();
        let warnings: Vec<String> = case["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|warning| warning.as_str().unwrap().to_owned())
            .collect();
        let warned = kind != Kind::Accepted || answer.warnings == warnings;
        if got != judged || !warned || answer.panics {
            wrong.push(format!("line {}: {line}\n  got {answer:?}", number + 1));
        }
    }
    let shown = wrong.iter().take(5).map(String::as_str).collect::<Vec<_>>();
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    let expected = [
        (Kind::Accepted, 246),
        (Kind::Refused, 132),
        (Kind::RefusedForOthersToo, 182),
        (Kind::NotDecoded, 122),
        (Kind::NotRead, 18),
    ];
    assert_eq!(counts, BTreeMap::from(expected), "a case was left out");
}

fn kind(case: &Value, expected: &[(String, String)]) -> Kind {
    if case["accepted"] == false && case["status"] == 400 {
        return Kind::NotDecoded;
    }
    if read(case).is_none() {
        return Kind::NotRead;
    }
    if case["accepted"] == true {
        return Kind::Accepted;
    }
    let is_judged = |(field, _): &(String, String)| JUDGED.contains(&field.as_str());
    if expected.iter().all(is_judged) {
        Kind::Refused
    } else {
        Kind::RefusedForOthersToo
    }
}

fn read(case: &Value) -> Option<CronJob> {
    let text = case["manifest"].as_str().unwrap();
    let source = Source::new("manifest".into(), text.as_bytes().to_vec()).ok()?;
    let mut evidence = Evidence::default();
    let errors = evidence.add(&source, &Options::default());
    let single = errors.is_empty() && evidence.cron_jobs.len() == 1;
    single.then(|| evidence.cron_jobs.remove(0).object)
}

fn expected(case: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let causes = case["causes"].as_array().unwrap().iter();
    causes
        .map(|cause| (text(&cause["field"]), text(&cause["message"])))
        .collect()
}

fn causes(answer: &Validation) -> Vec<(String, String)> {
    let errors = answer.errors.iter();
    errors
        .map(|error| (error.field.clone(), error.message.clone()))
        .collect()
}
