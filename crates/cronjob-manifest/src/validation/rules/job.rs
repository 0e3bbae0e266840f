//! `spec.jobTemplate.spec`: what makes a Job, its policies for failed pods and for success.

use std::collections::HashSet;

use super::super::schema::{
    JobSpec, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern, PodFailurePolicyRule, SuccessPolicy, SuccessPolicyRule,
};
use super::super::{At, ManifestReview, formats, go_object, nearest_word};
use super::pod;
use kube_cron::go_quote;

/// The most that an indexed Job may run side by side, or fail.
const MOST_INDEXED: i64 = 100_000;
/// Above this number of completions, the limits are lower.
const MANY_COMPLETIONS: i64 = 100_000;
const MOST_WITH_MANY: i64 = 10_000;

/// Checks a Job's spec.
pub(super) fn check(review: &mut ManifestReview, at: &At<'_>) {
    let numbers = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    review.check_fields(at, &JobSpec, &numbers);
    let per_index = at.field("backoffLimitPerIndex");
    if at.field("maxFailedIndexes").int().is_some() && per_index.int().is_none() {
        review.required(&per_index, "when maxFailedIndexes is specified");
    }
    managed_by(review, &at.field("managedBy"));
    completion_mode(review, at);
    let template = at.field("template");
    let pod = template.field("spec");
    check_failure_policy(review, at, &pod);
    check_success_policy(review, at);
    replacement_policy(review, at);
    pod::check_template(review, &template);
}

fn managed_by(review: &mut ManifestReview, at: &At<'_>) {
    const MOST: usize = 63;
    let Some(name) = at.some_text() else { return };
    match name.split_once('/') {
        _ if name.is_empty() => review.required(at, ""),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            review.check_text(at, host, formats::subdomain);
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
            if !path.bytes().all(plain) {
                let detail = "Invalid path (regex used for validation is \
                              '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
                review.invalid(at, go_quote(path), detail);
            }
        }
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            review.invalid_text(at, detail);
        }
    }
    review.no_longer(at, MOST);
}

fn completion_mode(review: &mut ManifestReview, at: &At<'_>) {
    review.check_fields(at, &JobSpec, &["completionMode"]);
    match at.field("completionMode").some_text() {
        Some("Indexed") => indexed(review, at),
        None | Some("NonIndexed") => {
            for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                let field = at.field(name);
                if let Some(value) = field.int() {
                    review.invalid(&field, value, "requires indexed completion mode");
                }
            }
        }
        Some(_) => {}
    }
}

fn indexed(review: &mut ManifestReview, at: &At<'_>) {
    let (completions, parallelism) = (at.field("completions"), at.field("parallelism"));
    let most_failed = at.field("maxFailedIndexes");
    let count = completions.int();
    if count.is_none() {
        review.required(&completions, "when completion mode is Indexed");
    }
    let when_indexed = " when completion mode is Indexed";
    at_most(review, &parallelism, MOST_INDEXED, when_indexed);
    if let (Some(value), Some(count)) = (most_failed.int(), count)
        && value > count
    {
        let detail = "must be less than or equal to completions";
        review.invalid(&most_failed, value, detail);
    }
    at_most(review, &most_failed, MOST_INDEXED, "");
    let has_many = count.is_some_and(|count| count > MANY_COMPLETIONS);
    if has_many && at.field("backoffLimitPerIndex").int().is_some() {
        if most_failed.int().is_none() {
            let detail = format!("must be specified when completions is above {MANY_COMPLETIONS}");
            review.required(&most_failed, &detail);
        }
        let when = format!(
            " when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
        );
        at_most(review, &parallelism, MOST_WITH_MANY, &when);
        at_most(review, &most_failed, MOST_WITH_MANY, &when);
    }
}

fn at_most(review: &mut ManifestReview, at: &At<'_>, most: i64, when: &str) {
    if let Some(value) = at.int().filter(|value| *value > most) {
        let detail = format!("must be less than or equal to {most}{when}");
        review.invalid(at, value, &detail);
    }
}

fn replacement_policy(review: &mut ManifestReview, at: &At<'_>) {
    if at.field("podFailurePolicy").exists() {
        review.one_of(&at.field("podReplacementPolicy"), &["Failed"]);
    } else {
        review.check_fields(at, &JobSpec, &["podReplacementPolicy"]);
    }
}

const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

fn check_failure_policy(review: &mut ManifestReview, job: &At<'_>, pod: &At<'_>) {
    let policy = job.field("podFailurePolicy");
    review.check_fields(&policy, &PodFailurePolicy, &["rules"]);
    let rules = policy.field("rules");
    let (containers, init) = (pod.field("containers"), pod.field("initContainers"));
    let containers: HashSet<&str> = containers
        .items()
        .chain(init.items())
        .map(|container| container.text_of("name"))
        .collect();
    let per_index = job.field("backoffLimitPerIndex").int().is_some();
    for rule in rules.items() {
        check_failure_rule(review, &rule, per_index, &containers);
    }
}

fn check_failure_rule(
    review: &mut ManifestReview,
    rule: &At<'_>,
    per_index: bool,
    containers: &HashSet<&str>,
) {
    let (action, actions) = (rule.field("action"), review.server.failure_actions);
    if action.text() == "FailIndex" && !per_index && actions.contains(&"FailIndex") {
        review.invalid_text(&action, "requires the backoffLimitPerIndex to be set");
    } else {
        required_word(review, &action, actions);
    }
    let (exit_codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
    if exit_codes.exists() {
        check_exit_codes(review, &exit_codes, containers);
    }
    review.check_fields(rule, &PodFailurePolicyRule, &["onPodConditions"]);
    for condition in conditions.items() {
        let kind = condition.field("type");
        review.check_form(&kind, formats::qualified_name);
        let status = condition.field("status");
        if !review.server.fills_condition_status && status.text().is_empty() {
            required_word(review, &status, &STATUSES);
        }
        review.check_object(&condition, &PodFailurePolicyOnPodConditionsPattern);
    }
    let detail = match (exit_codes.exists(), !conditions.is_empty()) {
        (true, true) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, false) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    review.invalid_whole(rule, detail);
}

/// A word that must be there, too.
fn required_word(review: &mut ManifestReview, at: &At<'_>, supported: &[&str]) {
    if at.text().is_empty() {
        let words: Vec<String> = supported.iter().map(|word| go_quote(word)).collect();
        review.required(at, &format!("valid values: [{}]", words.join(" ")));
    } else {
        review.one_of(at, supported);
    }
}

fn check_exit_codes(review: &mut ManifestReview, at: &At<'_>, containers: &HashSet<&str>) {
    let operator = at.field("operator");
    required_word(review, &operator, &OPERATORS);
    let name = at.field("containerName");
    if let Some(text) = name.some_text()
        && !containers.contains(text)
    {
        let detail = "must be one of the container or initContainer names in the pod template";
        review.invalid_text(&name, detail);
        review.suggest(nearest_word(text, containers.iter().copied()));
    }
    let values = at.field("values");
    if values.is_empty() {
        review.invalid_list(&values, "[]int32", "at least one value is required");
    }
    review.check_object(at, &PodFailurePolicyOnExitCodesRequirement);
    let (mut seen, mut codes) = (HashSet::new(), Vec::new());
    for value in values.items() {
        let code = value.int().unwrap_or_default();
        codes.push(code);
        if operator.text() == "In" && code == 0 {
            review.invalid(&value, code, "must not be 0 for the In operator");
        }
        if !seen.insert(code) {
            review.duplicate(&value, code);
        }
    }
    if !codes.is_sorted() {
        review.invalid_list(&values, "[]int32", "must be ordered");
    }
}

const LONGEST_INDEXES: usize = 64 * 1024;

fn check_success_policy(review: &mut ManifestReview, job: &At<'_>) {
    let policy = job.field("successPolicy");
    if !policy.exists() {
        return;
    }
    if job.field("completionMode").text() != "Indexed" {
        let shown = go_object(&policy, &SuccessPolicy);
        review.invalid(&policy, shown, "requires indexed completion mode");
        return;
    }
    let rules = policy.field("rules");
    if rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        review.required(&rules, detail);
    }
    review.check_fields(&policy, &SuccessPolicy, &["rules"]);
    // Without completions the server would fail; it has said that they are required.
    let completions = job.field("completions").int().unwrap_or_default();
    for rule in rules.items() {
        check_success_rule(review, &rule, completions);
    }
}

fn check_success_rule(review: &mut ManifestReview, rule: &At<'_>, completions: i64) {
    let (count, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
    if !count.exists() && !indexes.exists() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        review.required(rule, detail);
    }
    let mut total = None;
    if let Some(text) = indexes.some_text() {
        review.no_longer(&indexes, LONGEST_INDEXES);
        match count_indexes(text, completions) {
            Ok(count) => total = Some(count),
            Err(error) => {
                total = Some(0);
                let detail = format!("error parsing succeededIndexes: {error}");
                review.invalid_text(&indexes, &detail);
            }
        }
    }
    let Some(value) = count.int() else { return };
    review.check_object(rule, &SuccessPolicyRule);
    if value > completions {
        let detail = format!(
            "must be less than or equal to {completions} (the number of specified completions)"
        );
        review.invalid(&count, value, &detail);
    }
    if let Some(total) = total.filter(|total| value > *total) {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified \
             succeededIndexes field)"
        );
        review.invalid(&count, value, &detail);
    }
}

/// How many indexes a list names; the error is the server's.
fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    let mut total = 0;
    let mut last: Option<i64> = None;
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let (from, to) = parse_interval(interval, completions)?;
        if let Some(last) = last.filter(|last| *last >= from) {
            return Err(not_increasing(last, from));
        }
        total += to - from + 1;
        last = Some(to);
    }
    Ok(total)
}

fn parse_interval(interval: &str, completions: i64) -> Result<(i64, i64), String> {
    let index = |text: &str| {
        let plain = text.strip_prefix(['+', '-']).unwrap_or(text);
        let digits = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
        let index = digits.then(|| text.parse::<i64>().ok()).flatten();
        let index = index.ok_or_else(|| {
            format!(
                "cannot convert string to integer for index: {}",
                go_quote(text)
            )
        })?;
        if index >= completions {
            return Err(format!("too large index: {}", go_quote(text)));
        }
        Ok(index)
    };
    let mut parts = interval.split('-');
    let (from, to) = (parts.next().unwrap_or_default(), parts.next());
    if parts.next().is_some() {
        let interval = go_quote(interval);
        return Err(format!(
            "the fragment {interval} violates the requirement that an index interval can have at \
             most two parts separated by '-'"
        ));
    }
    let from = index(from)?;
    let Some(to) = to else {
        return Ok((from, from));
    };
    let to = index(to)?;
    if from >= to {
        return Err(not_increasing(from, to));
    }
    Ok((from, to))
}

fn not_increasing(previous: i64, current: i64) -> String {
    format!("non-increasing order, previous: {previous}, current: {current}")
}
