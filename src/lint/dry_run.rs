//! What a cluster says of the `CronJob`s of a file, when it is asked to do as if it made them.
//!
//! [`candidates`] are what it is asked about, [`Linter::hear`] takes what it said. Between the two
//! is somebody who can reach it.

use std::sync::Arc;

use serde_json::Value;

use super::file_report::FileReport;
use super::finding::Found;
use super::linter::Linter;
use super::manifest::{cron_jobs, may_hold, parts};
use super::no_namespace;
use super::rules::manifest::template_within;
use super::server;
use super::subject::{Context, Subject};
use super::text;
use crate::document::{self, Node};
use crate::rules::{self, Rule};
use crate::validation::{self, Answer, Reason};

/// A `CronJob` as kubectl would send it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The object.
    pub object: Value,
    /// The version of its API, such as `v1`.
    pub version: String,
    /// The namespace that it names.
    pub namespace: Option<String>,
}

/// What the cluster made of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It would take it.
    Taken {
        /// What it warns of.
        warnings: Vec<String>,
    },
    /// It would not.
    Refused {
        /// The whole message.
        message: String,
        /// The fields that are to blame, if it says so, each with what is wrong with it.
        causes: Vec<(String, String)>,
    },
}

/// The `CronJob`s of a file, in their order; `None` for one that no server can be asked about.
pub fn candidates(bytes: &[u8]) -> Vec<Option<Candidate>> {
    let mut found = Vec::new();
    if let Ok(text) = text::of(bytes) {
        each(text, |node| found.push(candidate(node)));
    }
    found
}

fn candidate(node: &Node) -> Option<Candidate> {
    let object = node.to_json().ok()?;
    let string = |path: &str| object.pointer(path).and_then(Value::as_str);
    let version = string("/apiVersion")?.strip_prefix("batch/")?;
    let namespace = string("/metadata/namespace").filter(|name| !name.is_empty());
    Some(Candidate {
        version: version.to_owned(),
        namespace: namespace.map(str::to_owned),
        object,
    })
}

/// Shows every `CronJob` of a text, in the order in which they are linted.
fn each(text: &str, mut show: impl FnMut(&Node)) {
    if !may_hold(text) {
        return;
    }
    for part in parts(text) {
        for document in document::parse_part(text, part).documents {
            let objects = cron_jobs(&document.root);
            if template_within(&objects).is_none() {
                objects.into_iter().for_each(&mut show);
            }
        }
    }
}

impl Linter<'_> {
    /// Adds what a cluster said of the [`candidates`] of a file, as far as it is more than was found
    /// without it.
    pub fn hear(&self, report: &mut FileReport, bytes: &[u8], verdicts: &[Option<Verdict>]) {
        let Ok(text) = text::of(bytes) else { return };
        report.asked_cluster = true;
        let context = self.context(report.settings.releases.newest());
        let file = report.file.clone();
        let mut verdicts = verdicts.iter();
        each(text, |node| {
            let Some(Some(verdict)) = verdicts.next() else {
                return;
            };
            let subject = Subject::new(node, text, &file, &context);
            let object = Arc::new(subject.object());
            for (rule, found) in news(&subject, verdict) {
                if let Some(mut finding) = report.finding_in(text, rule, found) {
                    finding.object = Some(object.clone());
                    report.findings.push(finding);
                }
            }
        });
    }
}

/// What the cluster says beyond what every server of the release would say.
fn news(subject: &Subject<'_>, verdict: &Verdict) -> Vec<(&'static Rule, Found)> {
    let Context { release, zones, .. } = *subject.context;
    let known = validation::validate(subject.node, &[], release, zones);
    match verdict {
        Verdict::Taken { warnings } => {
            let is_known = |text: &String| known.warnings.iter().any(|one| one.message == *text);
            let new = warnings.iter().filter(|text| !is_known(text));
            new.map(|text| (&rules::SERVER_WARNING, warned(subject, text)))
                .collect()
        }
        Verdict::Refused { message, causes } => {
            let new = refusals(subject, &known, message, causes);
            new.into_iter()
                .map(|found| (&rules::REFUSED_BY_CLUSTER, found))
                .collect()
        }
    }
}

fn warned(subject: &Subject<'_>, text: &str) -> Found {
    match server::field_of(text) {
        Some((field, rest)) => subject.found(field, rest),
        None => of_whole(subject, text),
    }
}

fn refusals(
    subject: &Subject<'_>,
    known: &Answer,
    message: &str,
    causes: &[(String, String)],
) -> Vec<Found> {
    let of_fields: Vec<_> = causes
        .iter()
        .filter(|(field, _)| !field.is_empty())
        .collect();
    if !of_fields.is_empty() {
        let is_known = |(field, message): &(String, String)| {
            let mut causes = known.causes.iter();
            causes.any(|cause| cause.field == *field && cause.message == *message)
        };
        let new = of_fields.into_iter().filter(|cause| !is_known(cause));
        return new
            .map(|(field, message)| subject.found(field, message.as_str()))
            .collect();
    }
    // A server that cannot decode a manifest says so of the first place only.
    let mut reasons = known.causes.iter().map(|cause| cause.reason);
    if reasons.any(Reason::precludes_validation) || known.message.as_deref() == Some(message) {
        return Vec::new();
    }
    let found = of_whole(subject, message);
    vec![if no_namespace::is_meant(message) {
        found.help("Create the namespace first: until then the cluster says nothing else of it.")
    } else {
        found
    }]
}

/// Something about the object as a whole is shown at its name.
fn of_whole(subject: &Subject<'_>, message: &str) -> Found {
    let mut found = subject.found("metadata.name", message);
    found.field = String::new();
    found
}
