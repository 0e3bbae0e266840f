//! The resources of containers, and those of the pod as a whole.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::super::{At, CauseReason, ManifestReview, Quantity, formats, nearest_word};
use kube_cron::go_quote;
use located_yaml::Value;

const OF_CONTAINERS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// Those that only quotas have, beside the [`COUNTED`] ones.
const OF_QUOTAS: [&str; 8] = [
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "storage",
    "requests.storage",
];
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
const HUGE_PAGES: &str = "hugepages-";

/// The amounts by resource, rounded up to thousandths as the server does.
pub(crate) fn amounts<'a>(at: &'a At<'_>) -> BTreeMap<&'a str, Quantity> {
    let read = |entry: At<'a>| Some((entry.name(), amount(&entry)?));
    at.entries().filter_map(read).collect()
}

pub(crate) fn amount(at: &At<'_>) -> Option<Quantity> {
    let quantity = match at.there() {
        Some(_) => quantity(at),
        None => Some(Quantity::zero()),
    };
    quantity.map(Quantity::rounded_to_thousandths)
}

pub(super) fn quantity(at: &At<'_>) -> Option<Quantity> {
    let text = match &at.there()?.value {
        Value::String(text) => text.trim().to_owned(),
        Value::Int(int) => int.to_string(),
        Value::Float(float) => float.to_string(),
        _ => return None,
    };
    Quantity::parse(&text).ok()
}

pub(super) fn check(review: &mut ManifestReview, at: &At<'_>, claims: &BTreeSet<&str>) {
    check_with(review, at, container_name, claims);
}

/// The rules for a list of amounts, whose names may be of a pod's or of a container's resources.
fn check_with(
    review: &mut ManifestReview,
    at: &At<'_>,
    check_name: fn(&mut ManifestReview, &At<'_>),
    claims: &BTreeSet<&str>,
) {
    let (limits, requests) = (at.field("limits"), at.field("requests"));
    let limit_amounts = amounts(&limits);
    let (mut huge, mut computes) = (false, false);
    let mut one = |review: &mut ManifestReview, entry: &At<'_>, amount: &Quantity| {
        check_name(review, entry);
        value(review, entry, amount);
        computes |= ["cpu", "memory"].contains(&entry.name());
        huge |= entry.name().starts_with(HUGE_PAGES);
    };
    for limit in limits.entries() {
        let Some(amount) = amount(&limit) else {
            continue;
        };
        one(review, &limit, &amount);
        huge_pages(review, &limit, &amount);
    }
    for request in requests.entries() {
        let Some(amount) = amount(&request) else {
            continue;
        };
        one(review, &request, &amount);
        let name = request.name();
        let must_be = match limit_amounts.get(name) {
            Some(most) if !may_exceed(name) && amount != *most => Some(("equal to", most)),
            Some(most) if amount > *most => Some(("less than or equal to", most)),
            None if !may_exceed(name) => {
                let detail = "Limit must be set for non overcommitable resources";
                review.required(&limits, detail);
                None
            }
            _ => None,
        };
        if let Some((must_be, most)) = must_be {
            let of = review.server.shows_limit.then(|| format!(" of {most}"));
            let detail = format!("must be {must_be} {name} limit{}", of.unwrap_or_default());
            review.invalid(&request.named(&requests), amount.quoted(), &detail);
        }
        huge_pages(review, &request, &amount);
    }
    if huge && !computes {
        review.forbidden(at, "HugePages require cpu or memory");
    }
    check_claims(review, &at.field("claims"), claims);
}

/// An amount must not be negative, and of some resources it must be whole.
fn value(review: &mut ManifestReview, at: &At<'_>, amount: &Quantity) {
    if amount.is_negative() {
        review.invalid(at, amount.quoted(), "must be greater than or equal to 0");
    }
    let whole = COUNTED.contains(&at.name()) || is_extended(at.name(), review);
    if whole && !amount.is_whole() {
        review.invalid(at, amount.quoted(), "must be an integer");
    }
}

fn huge_pages(review: &mut ManifestReview, at: &At<'_>, amount: &Quantity) {
    let Some(size) = at.name().strip_prefix(HUGE_PAGES) else {
        return;
    };
    let size = Quantity::parse(size).ok();
    let fits = size.is_some_and(|size| amount.is_multiple_of(&size));
    if !fits || amount.is_negative() {
        let detail = format!("{amount} is not positive integer multiple of {}", at.name());
        review.invalid(at, amount.quoted(), &detail);
    }
}

/// Whether more may be promised than there is.
fn may_exceed(name: &str) -> bool {
    is_native(name) && !name.starts_with(HUGE_PAGES)
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn is_extended(name: &str, review: &ManifestReview) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && formats::qualified_name(&format!("requests.{name}"), review).is_empty()
}

/// The name of a resource, which some servers show without quotes.
fn invalid_name(review: &mut ManifestReview, at: &At<'_>, detail: &str) {
    if review.server.quotes_resources {
        return review.invalid_key(at, detail);
    }
    let message = format!("Invalid value: {}: {detail}", at.name());
    review.note(CauseReason::Invalid, at.key_place(), at, message);
}

/// The name of a resource, wherever it may stand; whether it is one.
fn resource_name(review: &mut ManifestReview, at: &At<'_>) -> bool {
    let name = at.name();
    let before = review.causes.len();
    for detail in formats::qualified_name(name, review) {
        invalid_name(review, at, &detail);
    }
    let is_huge = name.starts_with(HUGE_PAGES) || name.starts_with("requests.hugepages-");
    let standard = [&OF_CONTAINERS[..], &COUNTED, &OF_QUOTAS];
    let is_standard = is_huge || standard.iter().any(|names| names.contains(&name));
    if review.causes.len() == before && !name.contains('/') && !is_standard {
        let detail = "must be a standard resource type or fully qualified";
        invalid_name(review, at, detail);
        review.suggest(nearest_word(name, OF_CONTAINERS.into_iter()));
    }
    review.causes.len() == before
}

fn container_name(review: &mut ManifestReview, at: &At<'_>) {
    resource_name(review, at);
    let name = at.name();
    let (fits, detail) = if name.contains('/') {
        let fits = is_native(name) || is_extended(name, review);
        (fits, "doesn't follow extended resource name standard")
    } else {
        let fits = OF_CONTAINERS.contains(&name) || name.starts_with(HUGE_PAGES);
        (fits, "must be a standard resource for containers")
    };
    if !fits {
        invalid_name(review, at, detail);
        review.suggest(nearest_word(name, OF_CONTAINERS.into_iter()));
    }
}

fn check_claims(review: &mut ManifestReview, at: &At<'_>, claims: &BTreeSet<&str>) {
    let mut seen: HashSet<String> = HashSet::new();
    let mut claimed_in_part: HashSet<String> = HashSet::new();
    for claim in at.items() {
        let (name, request) = (claim.text_of("name"), claim.field("request"));
        if name.is_empty() {
            review.required(&claim, "");
            continue;
        }
        if seen.contains(name) {
            review.duplicate(&claim, go_quote(name));
        } else if request.text().is_empty() {
            if claimed_in_part.contains(name) {
                review.duplicate(&claim, go_quote(name));
            }
            seen.insert(name.to_owned());
        } else {
            review.check_form(&request, formats::label);
            review.unique(&claim, &format!("{name}/{}", request.text()), &mut seen);
            claimed_in_part.insert(name.to_owned());
        }
        if !claims.contains(name) {
            let known: Vec<&str> = claims.iter().copied().collect();
            let known_names = match known.as_slice() {
                [] => " which is empty".to_owned(),
                known => format!(": {}", known.join(", ")),
            };
            let detail =
                format!("must be one of the names in pod.spec.resourceClaims{known_names}");
            review.not_found(&claim, name, &detail);
            review.suggest(nearest_word(name, known.into_iter()));
        }
    }
}

const SUPPORTED: [&str; 3] = ["cpu", "hugepages-", "memory"];

pub(super) fn check_pod(review: &mut ManifestReview, pod: &At<'_>, claims: &BTreeSet<&str>) {
    let at = pod.field("resources");
    if !at.exists() {
        return;
    }
    if pod.field("os").text_of("name") == "windows" {
        review.forbidden(&at, "may not be set for a windows pod");
        return;
    }
    let detail = "claims may not be set for Resources at pod-level";
    review.forbid(&at.field("claims"), detail);
    check_with(review, &at, pod_name, claims);
    check_sums(review, pod, &at);
}

fn pod_name(review: &mut ManifestReview, at: &At<'_>) {
    let name = at.name();
    let fits = ["cpu", "memory"].contains(&name) || name.starts_with(HUGE_PAGES);
    if resource_name(review, at) && !fits {
        review.unsupported_value(at, at.key_place(), name, &SUPPORTED);
    }
}

/// The containers must fit into the pod.
fn check_sums(review: &mut ManifestReview, pod: &At<'_>, at: &At<'_>) {
    let (requests, limits) = (at.field("requests"), at.field("limits"));
    let (wanted, most) = (amounts(&requests), amounts(&limits));
    check_sum(review, pod, &requests, &wanted);
    check_sum(review, pod, &limits, &most);
    for (index, container) in pod.field("containers").items().enumerate() {
        let own = container.field("resources");
        for limit in own.field("limits").entries() {
            let name = limit.name();
            let (Some(own), Some(most)) = (amount(&limit), most.get(name)) else {
                continue;
            };
            if own > *most {
                let list = at.field("containers");
                let (item, detail) = (
                    list.index(index),
                    format!("must be less than or equal to pod limits of {most}"),
                );
                let named = item.key(name);
                review.invalid(&limit.named(&named.field("limits")), own.quoted(), &detail);
            }
        }
    }
}

/// The amounts of a pod must be enough for its containers together. Of limits only huge pages count.
fn check_sum(
    review: &mut ManifestReview,
    pod: &At<'_>,
    at: &At<'_>,
    amounts: &BTreeMap<&str, Quantity>,
) {
    let list = at.name();
    let sums = sums(pod, list, amounts);
    for entry in at.entries() {
        let name = entry.name();
        if let (Some(sum), Some(amount)) = (sums.get(name), amounts.get(name))
            && sum > amount
            && (list == "requests" || name.starts_with(HUGE_PAGES))
        {
            let detail =
                format!("must be greater than or equal to aggregate container {list} of {sum}");
            review.invalid(&entry, amount.quoted(), &detail);
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
        let amounts = amounts(&list).into_iter();
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
        let sum = sums.entry(name);
        sum.and_modify(|sum| *sum = sum.plus(&amount))
            .or_insert(amount);
    }
}

fn raise(sums: &mut Sums, amounts: Sums) {
    for (name, amount) in amounts {
        if sums.get(&name).is_none_or(|sum| amount > *sum) {
            sums.insert(name, amount);
        }
    }
}
