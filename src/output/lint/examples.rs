//! The examples of the rules of `lint`, `examples/lint/NAME`: a manifest that violates the rule, and the same without.

/// Two manifests that differ only in what a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The manifest that violates the rule.
    pub bad: &'static str,
    /// The manifest that violates no rule.
    pub good: &'static str,
}

macro_rules! examples {
    ($($rule:literal)*) => {
        /// The example of the rule with a name.
        pub fn example(rule: &str) -> Option<Example> {
            Some(match rule {
                $($rule => Example {
                    bad: examples!(@text $rule "/bad.yaml"),
                    good: examples!(@text $rule "/good.yaml"),
                },)*
                _ => return None,
            })
        }
    };
    (@text $rule:literal $file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/lint/", $rule, $file))
    };
}

examples! {
    "active-deadline-over-period"
    "api-version-removed"
    "clock-change-repeats-run"
    "clock-change-skips-run"
    "comment-contradicts-schedule"
    "day-not-in-every-month"
    "dropped-field"
    "duplicate-key"
    "duplicate-name"
    "duplicate-value"
    "either-day-field"
    "every-minute-of-hour"
    "every-not-aligned-to-clock"
    "exit-code-lost"
    "first-field-is-seconds"
    "forbid-without-active-deadline"
    "forbidden-value"
    "held-by-sidecar"
    "history-limit-hides-failures"
    "history-limit-hides-successes"
    "history-limit-high"
    "invalid-expectation"
    "invalid-value"
    "job-managed-elsewhere"
    "job-template-suspended"
    "kueue-label-on-cronjob"
    "kustomize-patch"
    "manual-trigger-wins"
    "missing-value"
    "never-scheduled"
    "next-run-metric-differs"
    "on-failure-loses-logs"
    "rejected-by-cluster"
    "rejected-by-operator"
    "replace-short-period"
    "restart-despite-backoff-limit"
    "resume-starts-missed-run"
    "retries-over-period"
    "runs-pile-up"
    "schedule-never-matches"
    "schedule-search-hangs"
    "server-warning"
    "simultaneous-starts"
    "start-at-unscheduled-time"
    "starting-deadline-for-rare-run"
    "starting-deadline-over-100-periods"
    "starting-deadline-under-10s"
    "starting-deadline-under-every"
    "starting-deadline-unset"
    "starting-deadline-unset-stops"
    "starting-deadline-zero"
    "step-too-large"
    "stepped-star-changed"
    "sub-minute-every"
    "suspend-unset"
    "suspended"
    "template"
    "time-zone-abbreviation"
    "time-zone-alias"
    "time-zone-ignored"
    "time-zone-in-schedule"
    "time-zone-only-in-container"
    "time-zone-sign"
    "time-zone-unset"
    "ttl-before-history-limit"
    "ttl-hides-failures"
    "unchecked-object"
    "uneven-schedule-catch-up"
    "uneven-step"
    "unknown-field"
    "unknown-reference"
    "unreadable-file"
    "unserved-version"
    "unsupported-value"
    "unused-ignore"
    "wrong-type"
}

#[cfg(test)]
mod tests {
    use super::*;
    use cronjob_manifest::rules::lint_rules;

    #[test]
    fn every_rule_has_an_example() {
        for (rule, _) in lint_rules() {
            assert!(example(rule.name).is_some(), "{}", rule.name);
        }
    }
}
