//! Annotations that state what is expected of a `CronJob`.

use crate::diagnose::invalid_expectation;
use crate::document::Value;
use crate::lint::{LintSubject, Violation};

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

#[cfg(test)]
mod tests {
    #[test]
    fn durations_and_names_of_annotations_are_checked() {
        crate::lint::testing::check(
            r#"
[invalid-expectation] schedule: 0 6 * * *
namespace: shop => namespace: shop\n  annotations:\n    cronjob-doctor/max-duration: 1h30m\n    cronjob-doctor/success-within: 7d\n    cronjob-doctor/runbook: call Ada\n    example.com/max-duration: often
namespace: shop => namespace: shop\n  annotations:\n    cronjob-doctor/max-duration: 1.5h\n    cronjob-doctor/succes-within: 7d\n    cronjob-doctor/runbook: ''
  7:34 "1.5h" is not a duration of at least 1s
  8:35 unknown annotation; did you mean cronjob-doctor/success-within?
  9:29 the value is empty
# A number is rejected by the API server.
namespace: shop => namespace: shop\n  annotations:\n    cronjob-doctor/max-duration: 30
"#,
        );
    }
}
