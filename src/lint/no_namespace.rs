//! A namespace that is not there is told of once, however many `CronJob`s are for it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::finding::Finding;
use crate::rules::{self, Severity};

/// Whether that is what a cluster says.
pub(super) fn is_meant(message: &str) -> bool {
    message.starts_with("namespaces ") && message.ends_with(" not found")
}

/// Leaves the first finding of each such namespace, which says for how many others it holds. Files
/// may have severities of their own for it: each is told, so that none hides a worse one.
pub(super) fn tell_once(findings: &mut Vec<Finding>) {
    let mut others: HashMap<(String, Severity), usize> = HashMap::new();
    findings.retain(|finding| {
        let Some(key) = key(finding) else {
            return true;
        };
        match others.entry(key) {
            Entry::Vacant(first) => {
                first.insert(0);
                true
            }
            Entry::Occupied(mut others) => {
                *others.get_mut() += 1;
                false
            }
        }
    });
    for finding in findings {
        let others = key(finding).and_then(|key| others.get(&key).copied());
        let message = &mut finding.found.message;
        match others {
            None | Some(0) => {}
            Some(1) => message.push_str("; 1 other CronJob is for it, too"),
            Some(others) => message.push_str(&format!("; {others} other CronJobs are for it, too")),
        }
    }
}

fn key(finding: &Finding) -> Option<(String, Severity)> {
    let message = &finding.found.message;
    let is_ours = finding.rule.name == rules::REFUSED_BY_CLUSTER.name && is_meant(message);
    is_ours.then(|| (message.clone(), finding.severity))
}
