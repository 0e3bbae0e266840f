//! Which nodes a pod can run on: affinity, topology spread constraints and tolerations.

use std::collections::{HashMap, HashSet};

use super::super::schema::{Toleration, TopologySpreadConstraint};
use super::super::{At, ManifestReview, formats};
use kube_cron::go_quote;

pub(crate) const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
pub(crate) const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn check_affinity(review: &mut ManifestReview, at: &At<'_>) {
    of_nodes(review, &at.field("nodeAffinity"));
    for name in ["podAffinity", "podAntiAffinity"] {
        let affinity = at.field(name);
        for term in affinity.field(REQUIRED).items() {
            pod_term(review, &term);
        }
        for weighted in affinity.field(PREFERRED).items() {
            weight(review, &weighted.field("weight"));
            pod_term(review, &weighted.field("podAffinityTerm"));
        }
    }
}

fn weight(review: &mut ManifestReview, at: &At<'_>) {
    let value = at.int().unwrap_or_default();
    if !(1..=100).contains(&value) {
        review.invalid(at, value, "must be in the range 1-100");
    }
}

fn of_nodes(review: &mut ManifestReview, at: &At<'_>) {
    let required = at.field(REQUIRED);
    let terms = required.field("nodeSelectorTerms");
    if required.exists() && terms.is_empty() {
        review.required(&terms, "must have at least one node selector term");
    }
    for term in terms.items() {
        node_term(review, &term, review.server.checks_affinity_values);
    }
    for preferred in at.field(PREFERRED).items() {
        weight(review, &preferred.field("weight"));
        node_term(review, &preferred.field("preference"), false);
    }
}

fn node_term(review: &mut ManifestReview, at: &At<'_>, checks_values: bool) {
    for expression in at.field("matchExpressions").items() {
        review.selector_expression(&expression, &["Gt", "Lt"], checks_values);
        if review.is_full() {
            return;
        }
    }
    for expression in at.field("matchFields").items() {
        node_field(review, &expression);
    }
}

fn node_field(review: &mut ManifestReview, at: &At<'_>) {
    let (operator, values, key) = (at.field("operator"), at.field("values"), at.field("key"));
    if !matches!(operator.text(), "In" | "NotIn") {
        review.invalid_text(&operator, "not a valid selector operator");
    } else if values.len() != 1 {
        let detail =
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
        review.required(&values, detail);
    }
    if key.text() == "metadata.name" {
        for value in values.items() {
            review.check_form(&value, formats::subdomain);
        }
    } else {
        review.invalid_text(&key, "not a valid field selector key");
    }
}

fn pod_term(review: &mut ManifestReview, at: &At<'_>) {
    let selector = at.field("labelSelector");
    review.label_selector(&selector);
    review.label_selector(&at.field("namespaceSelector"));
    for name in at.field("namespaces").items() {
        // The server names a field that is not there.
        review.check_form(&name.named(&at.field("namespace")), formats::label);
    }
    label_keys(review, at, &selector, true);
    let topology = at.field("topologyKey");
    review.require(&topology, "can not be empty");
    review.check_form(&topology, formats::qualified_name);
}

/// The keys of labels whose values are taken from the pod itself.
fn label_keys(review: &mut ManifestReview, at: &At<'_>, selector: &At<'_>, merges: bool) {
    let (matching, mismatching) = (at.field("matchLabelKeys"), at.field("mismatchLabelKeys"));
    for keys in [&matching, &mismatching] {
        if keys.is_empty() {
            continue;
        }
        if !selector.exists() {
            review.forbidden(keys, "must not be specified when labelSelector is not set");
            continue;
        }
        for key in keys.items() {
            review.check_form(&key, formats::qualified_name);
        }
    }
    in_selector(review, at, &matching, selector, merges);
    for key in matching.items() {
        let mut others = mismatching.items();
        if others.any(|other| other.text() == key.text()) {
            let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
            review.invalid_text(&key, detail);
        }
        if review.is_full() {
            return;
        }
    }
}

/// A key whose value the selector gives, too. The server names an item that is not there.
///
/// A server that merges the keys into the selector misses them in `matchLabels`.
fn in_selector(
    review: &mut ManifestReview,
    at: &At<'_>,
    keys: &At<'_>,
    selector: &At<'_>,
    merges: bool,
) {
    let positions = keys.items().enumerate();
    let positions: HashMap<String, usize> = positions
        .map(|(index, key)| (key.text().to_owned(), index))
        .collect();
    if positions.is_empty() {
        return;
    }
    let detail = "exists in both matchLabelKeys and labelSelector";
    let labels = selector.field("matchLabels");
    let mut selected: HashSet<String> = labels.entries().map(|it| it.name().to_owned()).collect();
    for expression in selector.field("matchExpressions").items() {
        let key = expression.field("key");
        if merges
            && let Some(index) = positions.get(key.text())
            && selected.contains(key.text())
        {
            review.invalid_text(&key.named(&at.index(*index)), detail);
        }
        selected.insert(key.text().to_owned());
    }
    let is_selected = |key: &At<'_>| !merges && selected.contains(key.text());
    for key in keys.items().filter(is_selected) {
        review.invalid_text(&key, detail);
    }
}

const ACTIONS: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];

pub(super) fn check_spread(review: &mut ManifestReview, at: &At<'_>) {
    // A duplicate pair is reported at its first position.
    let mut left: HashMap<(String, String), usize> = HashMap::new();
    let pair = |constraint: &At<'_>| {
        let text = |name: &str| constraint.text_of(name).to_owned();
        (text("topologyKey"), text("whenUnsatisfiable"))
    };
    for constraint in at.items() {
        *left.entry(pair(&constraint)).or_default() += 1;
    }
    for constraint in at.items() {
        let (skew, key) = (constraint.field("maxSkew"), constraint.field("topologyKey"));
        positive(review, &skew, skew.int().unwrap_or_default());
        review.require(&key, "can not be empty");
        let action = constraint.field("whenUnsatisfiable");
        review.must_be(&action, &ACTIONS);
        if let Some(left) = left.get_mut(&pair(&constraint)) {
            *left = left.saturating_sub(1);
            if *left > 0 {
                let twice = constraint.field("{topologyKey, whenUnsatisfiable}");
                let shown = format!("{{{}, {}}}", key.text(), action.text());
                review.duplicate(&twice, go_quote(&shown));
            }
        }
        let domains = constraint.field("minDomains");
        if let Some(value) = domains.int() {
            positive(review, &domains, value);
            if action.text() != "DoNotSchedule" {
                let detail = format!(
                    "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                    action.text()
                );
                review.invalid(&domains, value, &detail);
            }
        }
        review.check_object(&constraint, &TopologySpreadConstraint);
        let selector = constraint.field("labelSelector");
        let merges = review.server.merges_spread_keys;
        label_keys(review, &constraint, &selector, merges);
        if review.server.checks_spread_selectors {
            review.label_selector(&selector);
        }
        if review.is_full() {
            return;
        }
    }
}

fn positive(review: &mut ManifestReview, at: &At<'_>, value: i64) {
    if value <= 0 {
        review.invalid(at, value, "must be greater than zero");
    }
}

/// The release since which the server knows, by name, two more operators.
const COMPARES_SINCE: u32 = 35;

pub(super) fn check_tolerations(review: &mut ManifestReview, at: &At<'_>) {
    for toleration in at.items() {
        check_toleration(review, &toleration);
        if review.is_full() {
            return;
        }
    }
}

fn check_toleration(review: &mut ManifestReview, at: &At<'_>) {
    let (key, operator) = (at.field("key"), at.field("operator"));
    let (value, effect) = (at.field("value"), at.field("effect"));
    if key.text().is_empty() {
        if operator.text() != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all \
                          values and all keys\"";
            review.invalid_text(&operator, detail);
        }
    } else {
        review.check_form(&key, formats::qualified_name);
    }
    if at.field("tolerationSeconds").exists() && effect.text() != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        review.invalid_text(&effect, detail);
    }
    let has_comparisons = review.minor >= COMPARES_SINCE;
    match operator.text() {
        "Equal" | "" => {
            let details = formats::label_value(value.text(), review);
            if !details.is_empty() {
                review.invalid(&operator, go_quote(value.text()), &details.join(";"));
            }
        }
        "Exists" if value.text().is_empty() => {}
        "Exists" => {
            let detail = "value must be empty when `operator` is 'Exists'";
            review.invalid(&operator, go_quote(value.text()), detail);
        }
        "Lt" | "Gt" if has_comparisons => {
            review.unsupported(&operator, &["Equal", "Exists", "Lt", "Gt"]);
        }
        _ => review.unsupported(&operator, &["Equal", "Exists"]),
    }
    review.check_object(at, &Toleration);
}
