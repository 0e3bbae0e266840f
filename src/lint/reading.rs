//! From the bytes of a file to what the rules find in it.

use std::collections::HashMap;
use std::sync::Arc;

use super::Check;
use super::across::Sighting;
use super::excerpt::Excerpt;
use super::file_report::FileReport;
use super::finding::{Finding, Found};
use super::ignore::Ignores;
use super::manifest::{cron_jobs, may_hold, parts};
use super::rules::CHECKS;
use super::rules::manifest::{
    duplicate_key, kustomize_patch, template, template_near, template_within, unreadable,
};
use super::server;
use super::subject::{Context, Subject};
use super::text;
use crate::document::{self, Document, ErrorKind, Node, Place};
use crate::rules::{self, Rule};

/// Looks at a file for each of the releases, the newest of which comes first.
pub(super) fn read(report: &mut FileReport, bytes: &[u8], contexts: &[Context<'_>]) {
    let text = match text::of(bytes) {
        Ok(text) => text,
        Err(problem) => {
            if let Some(found) = problem {
                report.add(&rules::UNREADABLE, *found, "");
            }
            return;
        }
    };
    if !may_hold(text) {
        return;
    }
    for part in parts(text) {
        let parsed = document::parse_part(text, part);
        for error in parsed.errors {
            let within = part.span.slice(text).unwrap_or_default();
            if !names_kind(within) {
                continue;
            }
            match error.kind {
                ErrorKind::Template => {
                    let place = template_near(text, error.place).unwrap_or(error.place);
                    add_template(report, place, text);
                }
                kind => {
                    let found = unreadable(text, error.place, &kind);
                    report.add(&rules::UNREADABLE, found, text);
                }
            }
        }
        for document in parsed.documents {
            read_document(report, &document, text, contexts);
        }
    }
}

/// Looks at a patch of kustomize, which is no whole manifest.
pub(super) fn read_patch(report: &mut FileReport, bytes: &[u8], kustomization: &str) {
    let Ok(text) = text::of(bytes) else {
        return;
    };
    if !may_hold(text) {
        return;
    }
    for part in parts(text) {
        let parsed = document::parse_part(text, part);
        let documents = parsed.documents.iter();
        let object = documents
            .flat_map(|document| cron_jobs(&document.root))
            .next();
        if let Some(object) = object {
            let found = kustomize_patch(object, kustomization);
            report.add(&rules::KUSTOMIZE_PATCH, found, text);
            return;
        }
    }
}

/// Whether a text that cannot be read was to hold a `CronJob`, and does not only speak of it.
fn names_kind(text: &str) -> bool {
    text.lines()
        .any(|line| line.contains("kind") && line.contains("CronJob"))
}

/// A file is a template once, however many parts of it are.
fn add_template(report: &mut FileReport, place: Place, text: &str) {
    let known = |finding: &Finding| finding.rule.name == rules::TEMPLATE.name;
    if !report.findings.iter().any(known) {
        report.add(&rules::TEMPLATE, template(place), text);
    }
}

fn read_document(
    report: &mut FileReport,
    document: &Document,
    text: &str,
    contexts: &[Context<'_>],
) {
    let objects = cron_jobs(&document.root);
    if objects.is_empty() {
        return;
    }
    if let Some(place) = template_within(&objects) {
        add_template(report, place, text);
        return;
    }
    for problem in &document.problems {
        report.add(&rules::DUPLICATE_KEY, duplicate_key(problem), text);
    }
    let mut ignores = Ignores::default();
    let places: Vec<Place> = objects.iter().map(|object| object.place).collect();
    for comment in &document.comments {
        ignores.add_comment(comment, text, &places);
    }
    for object in objects {
        read_object(report, &mut ignores, object, text, contexts);
    }
    for found in ignores.malformed {
        report.add(&rules::UNUSED_IGNORE, found, text);
    }
    let with_lines = ignores.all.into_iter().map(|ignore| {
        let line = Excerpt::of(text, ignore.place);
        (ignore, line)
    });
    report.ignores.extend(with_lines);
}

fn read_object(
    report: &mut FileReport,
    ignores: &mut Ignores,
    node: &Node,
    text: &str,
    contexts: &[Context<'_>],
) {
    report.objects += 1;
    let file = Arc::clone(&report.file);
    let mut seen: Vec<Finding> = Vec::new();
    // Where a rule has found the same for a newer release, only the release is added.
    let mut known: HashMap<(&str, Place, String), (usize, Vec<usize>)> = HashMap::new();
    let mut object = None;
    for (nth, context) in contexts.iter().enumerate() {
        let subject = Subject::new(node, text, &file, context);
        if nth == 0 {
            ignores.add_annotation(&subject);
            let sighting = Sighting::of(&subject);
            object = Some(Arc::clone(&sighting.object));
            report.sightings.push(sighting);
        }
        for (rule, found) in look(&subject, report) {
            let key = (rule.name, found.place, found.field.clone());
            if let Some((_, releases)) = known.get_mut(&key)
                && releases.last() != Some(&nth)
            {
                releases.push(nth);
                continue;
            }
            if let Some(mut finding) = report.finding_in(text, rule, found) {
                finding.object = object.clone();
                known.insert(key, (seen.len(), vec![nth]));
                seen.push(finding);
            }
        }
    }
    for (index, releases) in known.into_values() {
        if let Some(finding) = seen.get_mut(index) {
            finding.releases = which(contexts, &releases);
        }
    }
    if contexts.len() > 1 {
        let subjects = contexts
            .iter()
            .map(|context| Subject::new(node, text, &file, context));
        let subjects: Vec<Subject<'_>> = subjects.collect();
        for finding in &mut seen {
            keep_fix_that_holds(finding, &subjects);
        }
    }
    report.findings.append(&mut seen);
}

/// What mends a manifest for one release may break it for another of those that it is meant for.
fn keep_fix_that_holds(finding: &mut Finding, subjects: &[Subject<'_>]) {
    let Some(fix) = &finding.found.fix else {
        return;
    };
    let breaks = |subject: &&Subject<'_>| subject.is_worse_after(fix);
    if let Some(subject) = subjects.iter().find(breaks) {
        let release = subject.context.release;
        let note = format!("What would mend it is not taken by {release}.");
        finding.found.notes.push(note);
        finding.found.fix = None;
        finding.edits.clear();
    }
}

/// What the rules about one `CronJob` find.
fn look(subject: &Subject<'_>, report: &mut FileReport) -> Vec<(&'static Rule, Found)> {
    let (mut all, gave_up) = server::found(subject);
    report.server_gave_up |= gave_up;
    for (rule, check) in CHECKS {
        if let Check::Each(check) = check
            && report.settings.wants(rule)
        {
            all.extend(check(subject).into_iter().map(|found| (*rule, found)));
        }
    }
    all
}

/// The releases for which something holds, such as `1.24 to 1.28`; `None` if it holds for all.
fn which(contexts: &[Context<'_>], holds: &[usize]) -> Option<String> {
    if holds.len() == contexts.len() {
        return None;
    }
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    // From the oldest to the newest.
    for nth in holds.iter().rev() {
        match stretches.last_mut() {
            Some((_, newest)) if *newest == nth + 1 => *newest = *nth,
            _ => stretches.push((*nth, *nth)),
        }
    }
    let name = |nth: usize| contexts.get(nth).map(|context| context.release.to_string());
    let words = stretches.into_iter().filter_map(|(oldest, newest)| {
        let (from, to) = (name(oldest)?, name(newest)?);
        Some(if from == to {
            from
        } else {
            format!("{from} to {to}")
        })
    });
    Some(words.collect::<Vec<_>>().join(", "))
}
