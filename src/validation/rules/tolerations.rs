//! Which taints of nodes a pod tolerates.

use super::super::at::At;
use super::super::names;
use super::super::review::Review;

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
/// The release since which the server knows, by name, two more operators.
const COMPARES_SINCE: u32 = 35;

pub(super) fn check(review: &mut Review, at: &At<'_>) {
    for toleration in at.items() {
        check_one(review, &toleration);
        if review.is_full() {
            return;
        }
    }
}

fn check_one(review: &mut Review, at: &At<'_>) {
    let (key, operator) = (at.field("key"), at.field("operator"));
    let (value, effect) = (at.field("value"), at.field("effect"));
    if key.text().is_empty() {
        if operator.text() != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all \
                          values and all keys\"";
            review.invalid_text(&operator, operator.text(), detail);
        }
    } else {
        review.label_key(&key);
    }
    if at.field("tolerationSeconds").exists() && effect.text() != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        review.invalid_text(&effect, effect.text(), detail);
    }
    match operator.text() {
        "Equal" | "" => {
            let details = names::label_value(value.text(), review);
            if !details.is_empty() {
                review.invalid_text(&operator, value.text(), &details.join(";"));
            }
        }
        "Exists" => {
            if !value.text().is_empty() {
                let detail = "value must be empty when `operator` is 'Exists'";
                review.invalid_text(&operator, value.text(), detail);
            }
        }
        other @ ("Lt" | "Gt") if review.minor >= COMPARES_SINCE => {
            review.unsupported(&operator, other, &["Equal", "Exists", "Lt", "Gt"]);
        }
        other => review.unsupported(&operator, other, &["Equal", "Exists"]),
    }
    super::container::word(review, &effect, &EFFECTS);
}
