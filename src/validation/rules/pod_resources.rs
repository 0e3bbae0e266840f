//! What a pod as a whole may use.

use std::collections::{BTreeMap, BTreeSet};

use super::super::at::At;
use super::super::quantity::Quantity;
use super::super::review::Review;
use super::resources;
use crate::schedule::go_quote;

/// The release since which they are looked at.
const SINCE: u32 = 34;
const HUGE_PAGES: &str = "hugepages-";
const SUPPORTED: [&str; 3] = ["cpu", "hugepages-", "memory"];

pub(super) fn check(review: &mut Review, pod: &At<'_>, claims: &BTreeSet<&str>) {
    let at = pod.field("resources");
    if !at.exists() || review.minor < SINCE {
        return;
    }
    let os = pod.field("os");
    if os.field("name").text() == "windows" {
        review.forbidden(&at, "may not be set for a windows pod");
        return;
    }
    let own_claims = at.field("claims");
    if own_claims.exists() {
        review.forbidden(
            &own_claims,
            "claims may not be set for Resources at pod-level",
        );
    }
    resources::check_with(review, &at, pod_name, claims);
    check_sums(review, pod, &at);
}

fn pod_name(review: &mut Review, at: &At<'_>) {
    let name = at.name();
    let fits = ["cpu", "memory"].contains(&name) || name.starts_with(HUGE_PAGES);
    if resources::resource_name(review, at) && !fits {
        review.unsupported_as(&at.path(), at.key_place(), name, &SUPPORTED);
    }
}

/// The containers must fit into the pod.
fn check_sums(review: &mut Review, pod: &At<'_>, at: &At<'_>) {
    let (requests, limits) = (at.field("requests"), at.field("limits"));
    let (wanted, most) = (resources::amounts(&requests), resources::amounts(&limits));
    let sums = sums(pod, "requests", &wanted);
    for request in requests.entries() {
        let name = request.name();
        if let (Some(sum), Some(amount)) = (sums.get(name), wanted.get(name))
            && sum > amount
        {
            let detail =
                format!("must be greater than or equal to aggregate container requests of {sum}");
            review.invalid_text(&request, &amount.to_string(), &detail);
        }
    }
    let limit_sums = self::sums(pod, "limits", &most);
    for limit in limits
        .entries()
        .filter(|limit| limit.name().starts_with(HUGE_PAGES))
    {
        let name = limit.name();
        if let (Some(sum), Some(amount)) = (limit_sums.get(name), most.get(name))
            && sum > amount
        {
            let detail =
                format!("must be greater than or equal to aggregate container limits of {sum}");
            review.invalid_text(&limit, &amount.to_string(), &detail);
        }
    }
    for (index, container) in pod.field("containers").items().enumerate() {
        let own = container.field("resources");
        for limit in own.field("limits").entries() {
            let (Some(own), Some(most)) = (resources::amount(&limit), most.get(limit.name()))
            else {
                continue;
            };
            if own > *most {
                let name = limit.name();
                let path = format!("{}.containers[{index}][{name}].limits", at.path());
                let detail = format!("must be less than or equal to pod limits of {most}");
                let shown = go_quote(&own.to_string());
                review.invalid_as(&path, limit.place(), shown, &detail);
            }
        }
    }
}

type Sums = BTreeMap<String, Quantity>;

/// What the containers want together of what the pod has: those that run side by side, or an init
/// container beside the sidecars before it, whichever is more.
fn sums(pod: &At<'_>, what: &str, of_pod: &BTreeMap<&str, Quantity>) -> Sums {
    let own = |container: &At<'_>| -> Sums {
        let own = container.field("resources");
        let list = own.field(what);
        let amounts = resources::amounts(&list).into_iter();
        amounts
            .filter(|(name, _)| of_pod.contains_key(name))
            .map(|(name, amount)| (name.to_owned(), amount))
            .collect()
    };
    let (mut together, mut sidecars, mut peaks) = (Sums::new(), Sums::new(), Sums::new());
    for container in pod.field("containers").items() {
        add(&mut together, own(&container));
    }
    for container in pod.field("initContainers").items() {
        let own = own(&container);
        let mut peak = sidecars.clone();
        add(&mut peak, own.clone());
        if container.field("restartPolicy").text() == "Always" {
            add(&mut together, own);
            sidecars.clone_from(&peak);
        }
        raise(&mut peaks, peak);
    }
    raise(&mut together, peaks);
    together
}

fn add(sums: &mut Sums, amounts: Sums) {
    for (name, amount) in amounts {
        let sum = match sums.get(&name) {
            Some(sum) => sum.plus(&amount),
            None => amount,
        };
        sums.insert(name, sum);
    }
}

fn raise(sums: &mut Sums, amounts: Sums) {
    for (name, amount) in amounts {
        if sums.get(&name).is_none_or(|sum| amount > *sum) {
            sums.insert(name, amount);
        }
    }
}
