//! Applies the rules to the bytes of a file, and lists the files of a kustomization.

use std::collections::HashMap;
use std::sync::Arc;

use super::RuleCheck;
use super::api_server;
use super::file_report::{FileReport, LintedCronJob};
use super::finding::{Excerpt, LintFinding, Violation};
use super::ignore::Ignores;
use super::manifest::{Objects, cron_jobs, is_probable, may_hold, names_kind, parts};
use super::rules::manifest::{
    duplicate_keys, kustomize_patch, missing_separators, placeholder, template, template_near,
    template_within, unchecked_object, unreadable_file, with_placeholder,
};
use super::rules::{CHECKS, kinds};
use super::subject::{Context, LintSubject};
use crate::rules::{self, Rule};
use cronjob_controller::kinds::ScheduledKind;
use located_yaml::{self, ErrorKind, InvalidByte, Node, ParsedDocument, Place, wide_encoding};

/// Checks a file for each of the releases, newest first.
pub(super) fn read(report: &mut FileReport, bytes: &[u8], contexts: &[Context<'_>]) {
    let text = match utf8_text(bytes) {
        Ok(text) => text,
        Err(problem) => {
            if let Some(found) = problem {
                report.add(&rules::UNREADABLE_FILE, *found, "");
            }
            return;
        }
    };
    if !may_hold(text) {
        return;
    }
    for part in parts(text) {
        let parsed = located_yaml::parse_part(text, part);
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
                    let found = unreadable_file(text, error.place, &kind);
                    report.add(&rules::UNREADABLE_FILE, found, text);
                }
            }
        }
        for document in parsed.documents {
            read_document(report, &document, text, contexts);
        }
    }
}

/// Reports a kustomize patch, which is not a complete manifest.
pub(super) fn read_patch(report: &mut FileReport, bytes: &[u8], kustomization: &str) {
    let Ok(text) = utf8_text(bytes) else {
        return;
    };
    if !may_hold(text) {
        return;
    }
    for part in parts(text) {
        let parsed = located_yaml::parse_part(text, part);
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

/// Reports a template only once for each file.
fn add_template(report: &mut FileReport, place: Place, text: &str) {
    let known = |finding: &LintFinding| finding.rule.name == rules::TEMPLATE.name;
    if !report.findings.iter().any(known) {
        report.add(&rules::TEMPLATE, template(place), text);
    }
}

fn read_document(
    report: &mut FileReport,
    document: &ParsedDocument,
    text: &str,
    contexts: &[Context<'_>],
) {
    let Objects {
        checked: objects,
        unchecked,
    } = Objects::of(&document.root);
    for found in unchecked.iter().map(unchecked_object) {
        report.add(&rules::UNCHECKED_OBJECT, found, text);
    }
    if objects.is_empty() {
        // The object that is dropped may be a CronJob.
        let written = document.root.place.span.slice(text).unwrap_or_default();
        if !document.problems.is_empty() && names_kind(written) {
            for found in missing_separators(document) {
                report.add(&rules::DUPLICATE_KEY, found, text);
            }
        }
        return;
    }
    // A CronWorkflow has templates of its own.
    if let Some(place) = template_within(&cron_jobs(&document.root)) {
        add_template(report, place, text);
        return;
    }
    for found in duplicate_keys(document) {
        report.add(&rules::DUPLICATE_KEY, found, text);
    }
    let mut ignores = Ignores::default();
    let places: Vec<Place> = objects.iter().map(|(_, object)| object.place).collect();
    for comment in &document.comments {
        ignores.add_comment(comment, text, &places);
    }
    for (other, object) in objects {
        match other {
            None => read_object(report, &mut ignores, object, text, contexts),
            Some(kind) => read_scheduled(report, &mut ignores, kind, object, text, contexts),
        }
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

/// Checks an object of another kind with a schedule. Its rules do not depend on the release.
fn read_scheduled(
    report: &mut FileReport,
    ignores: &mut Ignores,
    kind: &'static ScheduledKind,
    node: &Node,
    text: &str,
    contexts: &[Context<'_>],
) {
    let file = Arc::clone(&report.file);
    let Some(context) = contexts.first() else {
        return;
    };
    report.others += 1;
    let subject = LintSubject::new(node, text, &file, context);
    ignores.add_annotation(&subject);
    let mut object = subject.object();
    // An item of a ScheduleList may leave it out.
    object.kind.get_or_insert_with(|| kind.name.to_owned());
    let object = Arc::new(object);
    for (rule, found) in kinds::check(kind, &subject) {
        if let Some(mut finding) = report.finding_in(text, rule, found) {
            finding.object = Some(Arc::clone(&object));
            report.findings.push(finding);
        }
    }
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
    let mut seen: Vec<LintFinding> = Vec::new();
    // If a rule has found the same for a newer release, only the release is added.
    let mut known: HashMap<(&str, Place, String), (usize, Vec<usize>)> = HashMap::new();
    let mut object = None;
    for (nth, context) in contexts.iter().enumerate() {
        let subject = LintSubject::new(node, text, &file, context);
        if nth == 0 {
            ignores.add_annotation(&subject);
            let cron_job = LintedCronJob::of(&subject);
            object = Some(Arc::clone(&cron_job.object));
            report.cron_jobs.push(cron_job);
        }
        for (rule, found) in check_cron_job(&subject, report) {
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
            .map(|context| LintSubject::new(node, text, &file, context));
        let subjects: Vec<LintSubject<'_>> = subjects.collect();
        for finding in &mut seen {
            remove_fix_that_breaks(finding, &subjects);
        }
    }
    report.findings.append(&mut seen);
}

/// Removes a fix that would be an error in another of the releases.
fn remove_fix_that_breaks(finding: &mut LintFinding, subjects: &[LintSubject<'_>]) {
    let Some(fix) = &finding.found.fix else {
        return;
    };
    let breaks = |subject: &&LintSubject<'_>| subject.is_worse_after(fix);
    if let Some(subject) = subjects.iter().find(breaks) {
        let release = subject.context.release;
        let note =
            format!("No fix is proposed, because it does not work with Kubernetes {release}.");
        finding.found.notes.push(note);
        finding.found.fix = None;
        finding.edits.clear();
    }
}

/// The findings of the rules about one `CronJob`.
fn check_cron_job(
    subject: &LintSubject<'_>,
    report: &mut FileReport,
) -> Vec<(&'static Rule, Violation)> {
    let (mut all, gave_up) = api_server::violations(subject);
    report.server_gave_up |= gave_up;
    report_placeholders(subject, &mut all);
    let is_suspended = subject.boolean("spec.suspend") == Some(true);
    let is_moot =
        |rule: &Rule| is_suspended && rule.lint.as_ref().is_some_and(|lint| lint.needs_runs);
    for (rule, check) in CHECKS
        .iter()
        .filter(|(rule, _)| report.settings.wants(rule) && !is_moot(rule))
    {
        let found = match check {
            RuleCheck::Single(check) => Vec::from_iter(check(subject)),
            RuleCheck::Each(check) => check(subject),
            RuleCheck::Across(_) => continue,
        };
        all.extend(found.into_iter().map(|found| (*rule, found)));
    }
    all
}

/// Replaces what the API server says of values that are still to be replaced by one hint.
fn report_placeholders(subject: &LintSubject<'_>, all: &mut Vec<(&'static Rule, Violation)>) {
    let mut first = None;
    all.retain(|(_, found)| {
        let target = subject.follow(&found.field);
        let value = target.node.and_then(Node::as_str);
        let key = target.entry.map(|entry| &*entry.key.text);
        let words = value
            .into_iter()
            .chain(key.filter(|_| target.node.is_some()));
        let Some(word) = words.into_iter().find_map(placeholder) else {
            return true;
        };
        first.get_or_insert_with(|| with_placeholder(&found.field, found.place, word));
        false
    });
    all.extend(first.map(|found| (&rules::TEMPLATE, found)));
}

/// The releases that a finding applies to, such as `1.24 to 1.28`; `None` for all.
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

/// The bytes as text. Invalid bytes are an error if the file could be a manifest.
pub(super) fn utf8_text(bytes: &[u8]) -> Result<&str, Option<Box<Violation>>> {
    std::str::from_utf8(bytes).map_err(|error| {
        let InvalidByte { byte, place } = InvalidByte::at(bytes, error.valid_up_to());
        let offset = place.span.start;
        let message = format!("byte {offset} (0x{byte:02x}) is not UTF-8: save the file as UTF-8");
        is_probable(bytes).then(|| Box::new(Violation::new("", place, message)))
    })
}

/// The encoding of a manifest in UTF-16 or UTF-32.
pub fn wide_manifest(bytes: &[u8]) -> Option<&'static str> {
    let encoding = wide_encoding(bytes)?;
    // In each of these encodings an ASCII character is its own byte between zeros.
    let ascii: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    is_probable(&ascii).then_some(encoding)
}
