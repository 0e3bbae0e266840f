//! `podFailurePolicy`: which failures of pods count.

use std::collections::HashSet;

use super::super::at::At;
use super::super::names;
use super::super::review::Review;
use super::container;
use crate::schedule::go_quote;

const MOST_RULES: usize = 20;
const MOST_VALUES: usize = 255;
const MOST_CONDITIONS: usize = 20;
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];

pub(super) fn check(review: &mut Review, job: &At<'_>, pod: &At<'_>) {
    let policy = job.field("podFailurePolicy");
    let rules = policy.field("rules");
    if rules.len() > MOST_RULES {
        review.too_many(&rules, rules.len(), MOST_RULES);
    }
    let (containers, init) = (pod.field("containers"), pod.field("initContainers"));
    let containers: HashSet<&str> = containers
        .items()
        .chain(init.items())
        .map(|container| name_of(&container))
        .collect();
    let per_index = job.field("backoffLimitPerIndex").int().is_some();
    for rule in rules.items() {
        check_rule(review, &rule, per_index, &containers);
    }
}

fn name_of<'a>(container: &At<'a>) -> &'a str {
    let mapping = container.mapping();
    let name = mapping.and_then(|mapping| mapping.get("name"));
    name.and_then(|name| name.as_str()).unwrap_or_default()
}

fn check_rule(review: &mut Review, rule: &At<'_>, per_index: bool, containers: &HashSet<&str>) {
    let action = rule.field("action");
    match action.text() {
        "FailIndex" if !per_index => {
            let detail = "requires the backoffLimitPerIndex to be set";
            review.invalid_text(&action, "FailIndex", detail);
        }
        _ => one_of(review, &action, &ACTIONS),
    }
    let (exit_codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
    if exit_codes.exists() {
        check_exit_codes(review, &exit_codes, containers);
    }
    if !conditions.is_empty() {
        check_conditions(review, &conditions);
    }
    match (exit_codes.exists(), !conditions.is_empty()) {
        (true, true) => {
            let detail = "specifying both OnExitCodes and OnPodConditions is not supported";
            review.invalid_whole(rule, detail);
        }
        (false, false) => {
            let detail = "specifying one of OnExitCodes and OnPodConditions is required";
            review.invalid_whole(rule, detail);
        }
        _ => {}
    }
}

/// A word that must be there, too.
fn one_of(review: &mut Review, at: &At<'_>, supported: &[&str]) {
    if at.text().is_empty() {
        let words: Vec<String> = supported.iter().map(|word| go_quote(word)).collect();
        review.required(at, &format!("valid values: [{}]", words.join(" ")));
    } else {
        review.one_of(at, supported);
    }
}

fn check_exit_codes(review: &mut Review, at: &At<'_>, containers: &HashSet<&str>) {
    let operator = at.field("operator");
    one_of(review, &operator, &OPERATORS);
    let name = at.field("containerName");
    if let Some(text) = name.some_text()
        && !containers.contains(text)
    {
        let detail = "must be one of the container or initContainer names in the pod template";
        review.invalid_text(&name, text, detail);
        review.suggest(super::super::meant(text, containers.iter().copied()));
    }
    let values = at.field("values");
    let shown = || {
        let values: Vec<String> = values
            .items()
            .map(|value| whole(&value).to_string())
            .collect();
        format!("[{}]", values.join(","))
    };
    if values.is_empty() {
        let shown = if values.exists() { "[]" } else { "null" };
        review.invalid(&values, shown, "at least one value is required");
    } else if values.len() > MOST_VALUES {
        review.too_many(&values, values.len(), MOST_VALUES);
    }
    let mut seen = HashSet::new();
    let (mut last, mut ordered) = (i64::MIN, true);
    for value in values.items() {
        let code = whole(&value);
        if operator.text() == "In" && code == 0 {
            review.invalid(&value, code, "must not be 0 for the In operator");
        }
        if !seen.insert(code) {
            review.duplicate(&value, code);
        }
        ordered &= last <= code;
        last = code;
    }
    if !ordered {
        review.invalid(&values, shown(), "must be ordered");
    }
}

fn whole(at: &At<'_>) -> i64 {
    at.int().unwrap_or_default()
}

fn check_conditions(review: &mut Review, at: &At<'_>) {
    if at.len() > MOST_CONDITIONS {
        review.too_many(at, at.len(), MOST_CONDITIONS);
    }
    for condition in at.items() {
        let kind = condition.field("type");
        let details = names::qualified_name(kind.text(), review);
        review.each_invalid(&kind, kind.text(), details);
        // Where no status is given, the server fills in `True`.
        container::word(review, &condition.field("status"), &STATUSES);
    }
}
