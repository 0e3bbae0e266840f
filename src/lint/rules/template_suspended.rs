use crate::lint::{Found, Subject};

const SUSPEND: &str = "spec.jobTemplate.spec.suspend";

/// Kueue resumes the Jobs of its queues.
const QUEUE: &str = "spec.jobTemplate.metadata.labels[kueue.x-k8s.io/queue-name]";

pub(super) fn check(subject: &Subject<'_>) -> Vec<Found> {
    if subject.boolean(SUSPEND) != Some(true) || subject.get(QUEUE).is_some() {
        return Vec::new();
    }
    let message = match subject.str("spec.concurrencyPolicy") {
        Some("Forbid") => "the first Job starts no pods, never ends, and blocks all others",
        Some("Replace") => "Jobs are created that start no pods, until the next one replaces them",
        _ => "Jobs are created that start no pods, and pile up",
    };
    vec![subject.found(SUSPEND, message)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    #[test]
    fn a_queue_may_do_so() {
        let text = spec("schedule: 0 6 * * *").replace(
            "    spec:\n      template",
            "    spec:\n      suspend: true\n      template",
        );
        assert_eq!(
            found("template-suspended", "1.36", &text),
            ["10:16 Jobs are created that start no pods, and pile up"]
        );
        let queued = text.replace(
            "jobTemplate:\n",
            "jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n",
        );
        assert!(found("template-suspended", "1.36", &queued).is_empty());
        let running = text.replace("suspend: true", "suspend: false");
        assert!(found("template-suspended", "1.36", &running).is_empty());
    }
}
