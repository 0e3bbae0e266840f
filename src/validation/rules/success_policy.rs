//! `successPolicy`: when an indexed Job has succeeded.

use super::super::at::At;
use super::super::review::Review;
use super::indexes;
use crate::schedule::go_quote;

const MOST_RULES: usize = 20;
const LONGEST_INDEXES: usize = 64 * 1024;

pub(super) fn check(review: &mut Review, job: &At<'_>) {
    let policy = job.field("successPolicy");
    if !policy.exists() {
        return;
    }
    if job.field("completionMode").text() != "Indexed" {
        review.invalid(&policy, shown(&policy), "requires indexed completion mode");
        return;
    }
    let rules = policy.field("rules");
    if rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        review.required(&rules, detail);
    }
    if rules.len() > MOST_RULES {
        review.too_many(&rules, rules.len(), MOST_RULES);
    }
    // Without completions the server would fail; it has said that they are required.
    let completions = job.field("completions").int().unwrap_or_default();
    for rule in rules.items() {
        check_rule(review, &rule, completions);
    }
}

fn check_rule(review: &mut Review, rule: &At<'_>, completions: i64) {
    let (count, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
    if !count.exists() && !indexes.exists() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        review.required(rule, detail);
    }
    let mut total = None;
    if let Some(text) = indexes.some_text() {
        if text.len() > LONGEST_INDEXES {
            review.too_long(&indexes, LONGEST_INDEXES);
        }
        match indexes::count(text, completions) {
            Ok(count) => total = Some(count),
            Err(error) => {
                total = Some(0);
                let detail = format!("error parsing succeededIndexes: {error}");
                review.invalid_text(&indexes, text, &detail);
            }
        }
    }
    let Some(value) = count.int() else { return };
    review.nonnegative(&count);
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

/// As Go shows the server's own struct.
fn shown(policy: &At<'_>) -> String {
    let rules = policy.field("rules");
    let rules: Vec<String> = rules
        .items()
        .map(|rule| {
            let (count, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
            let indexes = indexes.some_text().map_or("null".to_owned(), go_quote);
            let count = count
                .int()
                .map_or("null".to_owned(), |count| count.to_string());
            format!("{{\"SucceededIndexes\":{indexes},\"SucceededCount\":{count}}}")
        })
        .collect();
    let rules = if policy.field("rules").exists() {
        format!("[{}]", rules.join(","))
    } else {
        "null".to_owned()
    };
    format!("{{\"Rules\":{rules}}}")
}
