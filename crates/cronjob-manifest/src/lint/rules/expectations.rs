//! Annotations that state what is expected of a `CronJob`.

use crate::lint::{LintSubject, Violation};
use crate::rules::invalid_expectation;
use located_yaml::Value;

pub(super) fn invalid_expectations(subject: &LintSubject<'_>) -> Vec<Violation> {
    let annotations = subject.get("metadata.annotations");
    let Some(Value::Mapping(annotations)) = annotations.map(|node| &node.value) else {
        return Vec::new();
    };
    let invalid = annotations.entries().iter().filter_map(|entry| {
        let name = &*entry.key.text;
        let problem = invalid_expectation(name, entry.value.as_str()?)?;
        Some(subject.found(&format!("metadata.annotations[{name}]"), problem))
    });
    invalid.collect()
}
