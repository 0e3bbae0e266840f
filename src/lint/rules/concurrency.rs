//! Runs that take long, overlap, are retried, or start no pods.

use crate::duration::exact;
use crate::lint::{LintSubject, POD, Violation};

const ACTIVE_DEADLINE: &str = "spec.jobTemplate.spec.activeDeadlineSeconds";

/// Whether the Job has no deadline. Unknown, and therefore false, for a manifest without pods, such as
/// a patch.
fn jobs_without_deadline(subject: &LintSubject<'_>) -> bool {
    subject.get(POD).is_some() && subject.get(ACTIVE_DEADLINE).is_none()
}

/// The deadline of the pods, which counts from the start of each pod on its node.
fn pod_deadline() -> String {
    format!("{POD}.activeDeadlineSeconds")
}

const POLICY: &str = "spec.concurrencyPolicy";

pub(super) fn forbid_without_active_deadline(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.str(POLICY) != Some("Forbid") || !jobs_without_deadline(subject) {
        return Vec::new();
    }
    let of_pod = pod_deadline();
    if subject.get(&of_pod).is_some() {
        let message = "only limits pods that have started: a run whose pod cannot be created or \
                       scheduled blocks all later ones indefinitely";
        return vec![subject.found(&of_pod, message)];
    }
    let message =
        "without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely";
    vec![subject.found(POLICY, message)]
}

pub(super) fn active_deadline_over_period(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(deadline) = subject.whole_number(ACTIVE_DEADLINE) else {
        return Vec::new();
    };
    let Some(period) = subject.period().filter(|period| deadline > period.shortest) else {
        return Vec::new();
    };
    let (deadline_shown, shortest) = (exact(deadline), exact(period.shortest));
    let policy = subject.str("spec.concurrencyPolicy");
    let message = match policy {
        Some("Forbid") => format!(
            "a run that hangs for {deadline_shown} blocks the runs that are due every {shortest}"
        ),
        Some("Replace") => format!(
            "has no effect: a run is replaced after {shortest}, before {deadline_shown} have passed"
        ),
        _ => format!(
            "runs that hang for {deadline_shown} and are due every {shortest}: up to {} at the same \
             time",
            deadline.div_euclid(period.shortest).saturating_add(1)
        ),
    };
    vec![subject.found(ACTIVE_DEADLINE, message)]
}

/// About a hundred runs a day.
const FREQUENT: i64 = 900;

pub(super) fn runs_pile_up(subject: &LintSubject<'_>) -> Vec<Violation> {
    let is_explicit = subject.get("spec.concurrencyPolicy").is_some();
    // A deadline of the pods ends those that hang.
    let pods_end = subject.get(&pod_deadline()).is_some();
    if is_explicit || pods_end || !jobs_without_deadline(subject) {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.typical <= FREQUENT) else {
        return Vec::new();
    };
    let message = format!(
        "due every {}, and nothing keeps hanging runs from piling up",
        exact(period.typical)
    );
    vec![subject.found("spec.schedule", message)]
}

const SHORT: i64 = 120;

pub(super) fn replace_short_period(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.str(POLICY) != Some("Replace") {
        return Vec::new();
    }
    let Some(period) = subject.period().filter(|period| period.shortest <= SHORT) else {
        return Vec::new();
    };
    let message = format!(
        "a run that has not finished after {}, including the start of its pod, is deleted",
        exact(period.shortest)
    );
    vec![subject.found(POLICY, message)]
}

const BACKOFF: &str = "spec.jobTemplate.spec.backoffLimit";

const RETRIES: i64 = 10 + 20 + 40 + 80 + 160 + 320;

pub(super) fn retries_over_period(subject: &LintSubject<'_>) -> Vec<Violation> {
    let policy = subject.str("spec.concurrencyPolicy");
    // A replaced run is not retried.
    let is_whole = subject.get(POD).is_some();
    if !is_whole || subject.get(BACKOFF).is_some() || policy == Some("Replace") {
        return Vec::new();
    }
    let limit = subject.whole_number(ACTIVE_DEADLINE);
    let retried_for = limit.map_or(RETRIES, |limit| limit.min(RETRIES));
    let Some(period) = subject
        .period()
        .filter(|period| period.shortest < retried_for)
    else {
        return Vec::new();
    };
    let message = format!(
        "without backoffLimit, a failing run is retried for {}, and the next run is due after {}",
        exact(retried_for),
        exact(period.shortest)
    );
    vec![subject.found(BACKOFF, message)]
}

const SUSPEND: &str = "spec.jobTemplate.spec.suspend";

/// Kueue resumes the Jobs of its queues.
const QUEUE: &str = "spec.jobTemplate.metadata.labels[kueue.x-k8s.io/queue-name]";

pub(super) fn job_template_suspended(subject: &LintSubject<'_>) -> Vec<Violation> {
    if subject.boolean(SUSPEND) != Some(true) || subject.get(QUEUE).is_some() {
        return Vec::new();
    }
    let message = match subject.str("spec.concurrencyPolicy") {
        Some("Forbid") => "the first Job starts no pods, never finishes, and blocks all others",
        Some("Replace") => "Jobs start no pods and exist until the next one replaces them",
        _ => "Jobs start no pods and pile up",
    };
    vec![subject.found(SUSPEND, message)]
}

/// The label as a field of the `CronJob` itself, whose labels Kueue does not read.
const OWN_QUEUE: &str = "metadata.labels[kueue.x-k8s.io/queue-name]";

pub(super) fn kueue_label_on_cronjob(subject: &LintSubject<'_>) -> Vec<Violation> {
    let Some(queue) = subject.str(OWN_QUEUE).filter(|queue| !queue.is_empty()) else {
        return Vec::new();
    };
    // A patch may leave the template out.
    if subject.get("spec.jobTemplate").is_none() || subject.get(QUEUE).is_some() {
        return Vec::new();
    }
    let message =
        "Kueue does not read the labels of a CronJob, and its Jobs do not have this label";
    let path = ["spec", "jobTemplate", "metadata", "labels"];
    let fix = subject.add_at(&path, "kueue.x-k8s.io/queue-name", queue);
    let fix = fix.map(|fix| fix.described("Add the label to spec.jobTemplate.metadata.labels"));
    vec![subject.found(OWN_QUEUE, message).fix(fix)]
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{fixed, found, spec};

    #[test]
    fn forbid_without_active_deadline_only_the_deadline_of_the_job_covers_a_pod_that_never_starts()
    {
        let text = spec("schedule: 0 6 * * *\nconcurrencyPolicy: Forbid");
        let message = "8:22 without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely";
        assert_eq!(found("CJD406", "1.36", &text), [message]);
        let job = text.replace(
            "    spec:\n      template",
            "    spec:\n      activeDeadlineSeconds: 60\n      template",
        );
        let pod = text.replace(
            "          restart",
            "          activeDeadlineSeconds: 60\n          restart",
        );
        let null = text.replace(
            "    spec:\n      template",
            "    spec:\n      activeDeadlineSeconds: null\n      template",
        );
        assert!(found("CJD406", "1.36", &job).is_empty());
        assert_eq!(
            found("CJD406", "1.36", &pod),
            [
                "13:34 only limits pods that have started: a run whose pod cannot be created or \
                     scheduled blocks all later ones indefinitely"
            ]
        );
        assert_eq!(found("CJD406", "1.36", &null), [message]);
        assert!(found("CJD406", "1.36", &text.replace("Forbid", "Allow")).is_empty());
    }

    fn messages(schedule: &str, policy: &str, deadline: i64) -> Vec<String> {
        let text = spec(&format!(
            "schedule: '{schedule}'\nconcurrencyPolicy: {policy}"
        ));
        let text = text.replace(
            "    spec:\n      template",
            &format!("    spec:\n      activeDeadlineSeconds: {deadline}\n      template"),
        );
        found("CJD407", "1.36", &text)
    }

    #[test]
    fn active_deadline_over_period_what_it_means_depends_on_the_policy() {
        assert_eq!(
            messages("*/5 * * * *", "Forbid", 7200),
            ["11:30 a run that hangs for 120m blocks the runs that are due every 5m"]
        );
        assert_eq!(
            messages("*/5 * * * *", "Allow", 700),
            ["11:30 runs that hang for 11m40s and are due every 5m: up to 3 at the same time"]
        );
        assert_eq!(
            messages("*/5 * * * *", "Replace", 600),
            ["11:30 has no effect: a run is replaced after 5m, before 10m have passed"]
        );
    }

    #[test]
    fn active_deadline_over_period_up_to_the_next_run_is_fine() {
        assert!(messages("*/5 * * * *", "Forbid", 300).is_empty());
        assert!(messages("0 6 * * *", "Forbid", 86_400).is_empty());
        assert!(
            messages("0 0 30 2 *", "Forbid", 86_400).is_empty(),
            "never runs"
        );
    }

    #[test]
    fn runs_pile_up_frequent_and_without_any_limit() {
        let text = spec("schedule: '*/5 * * * *'");
        assert_eq!(
            found("runs-pile-up", "1.36", &text),
            ["7:13 due every 5m, and nothing keeps hanging runs from piling up"]
        );
        let limited = text.replace(
            "    spec:\n      template",
            "    spec:\n      activeDeadlineSeconds: 60\n      template",
        );
        assert!(found("runs-pile-up", "1.36", &limited).is_empty());
        // It ends the pods that hang.
        let pods = text.replace(
            "          restart",
            "          activeDeadlineSeconds: 60\n          restart",
        );
        assert!(found("runs-pile-up", "1.36", &pods).is_empty());
        for sound in [
            "schedule: '*/5 * * * *'\nconcurrencyPolicy: Allow",
            "schedule: '*/5 * * * *'\nconcurrencyPolicy: Forbid",
            "schedule: '*/20 * * * *'",
        ] {
            assert!(
                found("runs-pile-up", "1.36", &spec(sound)).is_empty(),
                "{sound}"
            );
        }
    }

    #[test]
    fn replace_short_period_a_minute_or_two() {
        let messages = |schedule: &str, policy: &str| {
            let text = spec(&format!(
                "schedule: '{schedule}'\nconcurrencyPolicy: {policy}"
            ));
            found("replace-short-period", "1.36", &text)
        };
        assert_eq!(
            messages("* * * * *", "Replace"),
            [
                "8:22 a run that has not finished after 60s, including the start of its pod, is deleted"
            ]
        );
        assert!(messages("*/5 * * * *", "Replace").is_empty());
        assert!(messages("* * * * *", "Forbid").is_empty());
    }

    #[test]
    fn retries_over_period_longer_than_the_period() {
        let text = spec("schedule: '*/5 * * * *'");
        let messages = |text: &str| found("retries-over-period", "1.36", text);
        assert_eq!(
            messages(&text),
            [
                "9:5 without backoffLimit, a failing run is retried for 10m30s, and the next run is due after 5m"
            ]
        );
        let with = |line: &str| {
            let lines = format!("    spec:\n      {line}\n      template");
            text.replace("    spec:\n      template", &lines)
        };
        assert!(messages(&with("backoffLimit: 6")).is_empty());
        assert!(messages(&with("activeDeadlineSeconds: 240")).is_empty());
        assert!(messages(&text.replace("*/5", "*/15")).is_empty());
    }

    #[test]
    fn job_template_suspended_a_queue_may_do_so() {
        let text = spec("schedule: 0 6 * * *").replace(
            "    spec:\n      template",
            "    spec:\n      suspend: true\n      template",
        );
        assert_eq!(
            found("job-template-suspended", "1.36", &text),
            ["10:16 Jobs start no pods and pile up"]
        );
        let queued = text.replace(
            "jobTemplate:\n",
            "jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n",
        );
        assert!(found("job-template-suspended", "1.36", &queued).is_empty());
        let running = text.replace("suspend: true", "suspend: false");
        assert!(found("job-template-suspended", "1.36", &running).is_empty());
    }

    fn labelled(text: &str) -> String {
        text.replace(
            "  name: report\n  namespace",
            "  labels:\n    kueue.x-k8s.io/queue-name: batch\n  name: report\n  namespace",
        )
    }

    fn fix(template: &str) -> Option<String> {
        let text = labelled(&spec("schedule: 0 6 * * *"));
        let text = text.replace("  jobTemplate:\n", template);
        let after = fixed("kueue-label-on-cronjob", "1.36", &text)?;
        assert!(
            found("kueue-label-on-cronjob", "1.36", &after).is_empty(),
            "{after}"
        );
        let lines = after
            .lines()
            .filter(|line| !text.lines().any(|old| old == *line));
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn kueue_label_on_cronjob_fix_copies_the_label_and_adds_what_is_missing_around_it() {
        assert_eq!(
            fix("  jobTemplate:\n").as_deref(),
            Some("    metadata:\n      labels:\n        kueue.x-k8s.io/queue-name: batch")
        );
        assert_eq!(
            fix("  jobTemplate:\n    metadata:\n      annotations:\n        a: b\n").as_deref(),
            Some("      labels:\n        kueue.x-k8s.io/queue-name: batch")
        );
        assert_eq!(
            fix("  jobTemplate:\n    metadata:\n      labels:\n        app: a\n").as_deref(),
            Some("        kueue.x-k8s.io/queue-name: batch")
        );
        assert_eq!(
            fix("  jobTemplate:\n    metadata: {labels: {app: a}}\n").as_deref(),
            Some("    metadata: {labels: {app: a, kueue.x-k8s.io/queue-name: batch}}")
        );
        for left in [
            "metadata: {}",
            "metadata:",
            "metadata: {annotations: {a: b}}",
        ] {
            assert_eq!(
                fix(&format!("  jobTemplate:\n    {left}\n")),
                None,
                "{left}"
            );
        }
    }

    #[test]
    fn kueue_label_on_cronjob_label_belongs_to_the_job_template() {
        let text = labelled(&spec("schedule: 0 6 * * *"));
        assert_eq!(
            found("kueue-label-on-cronjob", "1.36", &text),
            [
                "5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label"
            ]
        );
        let queued = text.replace(
            "jobTemplate:\n",
            "jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n",
        );
        assert!(found("kueue-label-on-cronjob", "1.36", &queued).is_empty());
        let unlabelled = spec("schedule: 0 6 * * *");
        assert!(found("kueue-label-on-cronjob", "1.36", &unlabelled).is_empty());
    }
}
