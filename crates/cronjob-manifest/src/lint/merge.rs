//! Findings with the same cause, of which only one is shown.

use std::collections::HashMap;
use std::sync::Arc;

use super::finding::LintFinding;
use crate::rules::{self, Rule, Severity};
use cronjob_text::words::{counted, plural};

/// The rules whose findings about the same schedule have the same cause: the first remains, and the others are notes
/// of it.
static SAME_CAUSE: [(&Rule, &[&Rule]); 2] = [
    (
        &rules::CLOCK_CHANGE_SKIPS_RUN,
        &[
            &rules::CLOCK_CHANGE_REPEATS_RUN,
            &rules::NEXT_RUN_METRIC_DIFFERS,
        ],
    ),
    (
        &rules::RUNS_PILE_UP,
        &[
            &rules::STARTING_DEADLINE_UNSET,
            &rules::UNEVEN_SCHEDULE_CATCH_UP,
        ],
    ),
];

/// Makes notes of the findings of a file that another finding about the same schedule explains. Ignored findings have to
/// be removed before, so that an ignored one does not replace another.
pub(super) fn merge_same_cause(findings: &mut Vec<LintFinding>) {
    for (kept, others) in &SAME_CAUSE {
        let is_kept = |finding: &LintFinding| finding.rule.name == kept.name;
        let schedule = |finding: &LintFinding| (finding.found.place, finding.releases.clone());
        let kept_ones = findings.iter().filter(|finding| is_kept(finding));
        let kept_ones =
            kept_ones.map(|finding| (schedule(finding), (finding.severity, Vec::new())));
        let mut notes: HashMap<_, (Severity, Vec<String>)> = kept_ones.collect();
        if notes.is_empty() {
            continue;
        }
        findings.retain(|finding| {
            let is_other = others.iter().any(|other| other.name == finding.rule.name);
            match notes.get_mut(&schedule(finding)) {
                Some((severity, notes)) if is_other && finding.severity <= *severity => {
                    notes.push(format!("Also: {}.", finding.found.message));
                    false
                }
                _ => true,
            }
        });
        for finding in findings.iter_mut().filter(|finding| is_kept(finding)) {
            if let Some((_, notes)) = notes.get_mut(&schedule(finding)) {
                finding.found.notes.append(notes);
            }
        }
    }
}

/// What findings of several files are about, if it is reported only once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    MissingNamespace,
    Kustomization,
}

/// Keeps only the first finding for each missing namespace and for the patches of each kustomization, with the number of
/// the others. Each severity is kept, because files may configure their own.
pub(super) fn report_once(findings: &mut Vec<LintFinding>) {
    let mut others: HashMap<(Subject, Arc<str>, Severity), usize> = HashMap::new();
    findings.retain(|finding| {
        let Some(key) = key(finding) else {
            return true;
        };
        let seen = others.entry(key).or_insert(0);
        *seen += 1;
        *seen == 1
    });
    for finding in findings {
        let Some(key) = key(finding) else {
            continue;
        };
        let count = others.get(&key).map_or(0, |count| count - 1);
        if count == 0 {
            continue;
        }
        finding.others = count;
        finding.found.message += &match key.0 {
            Subject::MissingNamespace => {
                format!("; this also affects {}", counted(count, "other CronJob"))
            }
            Subject::Kustomization => {
                let verb = plural(count, "is", "are");
                format!("; so {verb} {}", counted(count, "other file"))
            }
        };
    }
}

fn key(finding: &LintFinding) -> Option<(Subject, Arc<str>, Severity)> {
    let message = &finding.found.message;
    let rule = finding.rule.name;
    let subject = if rule == rules::KUSTOMIZE_PATCH.name {
        Subject::Kustomization
    } else if rule == rules::REJECTED_BY_CLUSTER.name && is_missing_namespace(message) {
        Subject::MissingNamespace
    } else {
        return None;
    };
    Some((subject, Arc::from(message.as_str()), finding.severity))
}

/// Whether a message of a cluster is about a missing namespace.
pub(super) fn is_missing_namespace(message: &str) -> bool {
    message.starts_with("namespaces ") && message.ends_with(" not found")
}
