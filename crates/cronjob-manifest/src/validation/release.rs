//! Differences between the API servers of releases: what they serve and require, and their messages.

use super::answer::{
    CauseReason, Suggestion, ValidationCause, ValidationResult, cannot_be_handled,
};
use super::at::At;
use cronjob_controller::controller::Release;
use kube_cron::go_quote;

/// What the API server of a release requires, and its messages.
///
/// [`Behavior`](cronjob_controller::controller::Behavior) has the rest: the dialect of schedules, what `TZ=`
/// in one means, whether there is a `timeZone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "a row of traits, each of which is identified by its name"
)]
pub(super) struct ApiServer {
    /// Whether it ignores unknown and duplicate fields, so that only kubectl rejects them.
    pub(super) ignores_unknown_fields: bool,
    /// The maximum length of a new name, so that the names of Jobs have fewer than 64 bytes.
    pub(super) name_limit: Option<usize>,
    /// Whether there is a warning for a name with dots.
    pub(super) warns_of_dots: bool,
    /// Whether the characters of a time zone are checked before it is looked up.
    pub(super) checks_zone_characters: bool,
    /// Whether a schedule for which the cron library panics is a normal error.
    pub(super) survives_panics: bool,
    /// Whether the default restart policy, `Always`, is reported as missing instead of unsupported.
    pub(super) misses_restart_policy: bool,
    /// Its term for a DNS subdomain.
    pub(super) subdomain: &'static str,
    /// The unit of the length of labels; that of names is characters.
    pub(super) length_unit: &'static str,
    /// Whether it shows a list or an object as JSON, and otherwise as Go prints it.
    pub(super) shows_json: bool,
    /// Whether it fills in the status that a pod failure policy matches.
    pub(super) fills_condition_status: bool,
    /// Whether the path in a decoding error has the embedded structs.
    pub(super) names_embedded_structs: bool,
    /// Whether the values of a required node affinity have to be labels.
    pub(super) checks_affinity_values: bool,
    /// Whether it merges `matchLabelKeys` of a topology spread constraint into its selector.
    pub(super) merges_spread_keys: bool,
    /// Whether it warns of files of a volume that overlap.
    pub(super) warns_of_overlaps: bool,
    /// Whether a hook may sleep for no time at all.
    pub(super) allows_no_sleep: bool,
    /// Whether it shows the limit that a request exceeds.
    pub(super) shows_limit: bool,
    /// Whether it checks the label values of selectors.
    pub(super) checks_selectors: bool,
    /// Whether it checks the selectors of topology spread constraints.
    pub(super) checks_spread_selectors: bool,
    /// Whether it quotes the names of resources.
    pub(super) quotes_resources: bool,
    /// Whether it warns of ports, variables and selectors that have no effect.
    pub(super) warns_of_overrides: bool,
    /// Whether the ports of a pod in the network of its host are also those of the host.
    pub(super) fills_host_ports: bool,
    /// Whether it checks the annotation for the cost of a deletion.
    pub(super) checks_deletion_cost: bool,
    /// Whether `status.hostIPs` can be a variable.
    pub(super) has_host_ips: bool,
    /// Whether a pod with users of its own may have no block devices.
    pub(super) checks_devices_of_users: bool,
    /// Whether the container of a resize policy that restarts it has to be one that can restart.
    pub(super) checks_resizing_of_init: bool,
    /// Whether the path of a token has to be relative.
    pub(super) checks_token_paths: bool,
    /// Whether it checks that sysctls are not those of the host.
    pub(super) checks_host_sysctls: bool,
    /// What is too long.
    pub(super) length_rule: &'static str,
    /// Its term for an address.
    pub(super) address: &'static str,
    /// What follows from a variable that hides another one.
    pub(super) hiding: &'static str,
    /// The actions of a pod failure policy.
    pub(super) failure_actions: &'static [&'static str],
}

const OLDEST: ApiServer = ApiServer {
    ignores_unknown_fields: true,
    name_limit: None,
    warns_of_dots: false,
    checks_zone_characters: false,
    survives_panics: true,
    misses_restart_policy: false,
    subdomain: "a DNS-1123 subdomain",
    length_unit: "characters",
    shows_json: false,
    fills_condition_status: false,
    names_embedded_structs: false,
    checks_affinity_values: false,
    merges_spread_keys: false,
    warns_of_overlaps: false,
    allows_no_sleep: false,
    shows_limit: false,
    checks_selectors: false,
    checks_spread_selectors: false,
    quotes_resources: true,
    warns_of_overrides: false,
    fills_host_ports: true,
    checks_deletion_cost: false,
    has_host_ips: false,
    checks_devices_of_users: false,
    checks_resizing_of_init: false,
    checks_token_paths: false,
    checks_host_sysctls: false,
    length_rule: "must have at most",
    address: "valid IP address",
    hiding: "",
    failure_actions: &["Count", "FailJob", "Ignore"],
};

// kubernetes/kubernetes#52733
const SINCE_1_9: ApiServer = ApiServer {
    name_limit: Some(52),
    ..OLDEST
};

// kubernetes/kubernetes#94182
const SINCE_1_20: ApiServer = ApiServer {
    subdomain: "a lowercase RFC 1123 subdomain",
    ..SINCE_1_9
};

// kubernetes/kubernetes#95747
const SINCE_1_21: ApiServer = ApiServer {
    misses_restart_policy: true,
    ..SINCE_1_20
};

// The library that panics came with this release.
const SINCE_1_22: ApiServer = ApiServer {
    survives_panics: false,
    checks_deletion_cost: true,
    ..SINCE_1_21
};

const SINCE_1_25: ApiServer = ApiServer {
    ignores_unknown_fields: false,
    ..SINCE_1_22
};

// kubernetes/kubernetes#113699
const SINCE_1_26: ApiServer = ApiServer {
    checks_selectors: true,
    ..SINCE_1_25
};

// kubernetes/kubernetes#111802, #112925 and #114412
const SINCE_1_27: ApiServer = ApiServer {
    checks_spread_selectors: true,
    shows_limit: true,
    warns_of_dots: true,
    checks_zone_characters: true,
    ..SINCE_1_26
};

// kubernetes/kubernetes#113245 and #117025
const SINCE_1_28: ApiServer = ApiServer {
    quotes_resources: false,
    warns_of_overrides: true,
    fills_host_ports: false,
    failure_actions: &["Count", "FailIndex", "FailJob", "Ignore"],
    ..SINCE_1_27
};

// kubernetes/kubernetes#118705 and #121477
const SINCE_1_29: ApiServer = ApiServer {
    checks_host_sysctls: true,
    has_host_ips: true,
    ..SINCE_1_28
};

const SINCE_1_30: ApiServer = ApiServer {
    checks_token_paths: true,
    address: "a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
    hiding: ", which may be dropped when using apply",
    ..SINCE_1_29
};

// kubernetes/kubernetes#121968
const SINCE_1_32: ApiServer = ApiServer {
    warns_of_overlaps: true,
    length_rule: "may not be more than",
    ..SINCE_1_30
};

// kubernetes/kubernetes#128212
const SINCE_1_33: ApiServer = ApiServer {
    checks_affinity_values: true,
    allows_no_sleep: true,
    ..SINCE_1_32
};

const SINCE_1_34: ApiServer = ApiServer {
    checks_devices_of_users: true,
    shows_json: true,
    quotes_resources: true,
    fills_condition_status: true,
    merges_spread_keys: true,
    ..SINCE_1_33
};

// kubernetes/kubernetes#134526
const SINCE_1_35: ApiServer = ApiServer {
    length_unit: "bytes",
    survives_panics: true,
    names_embedded_structs: true,
    ..SINCE_1_34
};

const SINCE_1_36: ApiServer = ApiServer {
    checks_resizing_of_init: true,
    ..SINCE_1_35
};

/// The minor and patch releases from which each row applies, oldest first.
const ROWS: &[((u32, u32), ApiServer)] = &[
    ((9, 0), SINCE_1_9),
    ((20, 0), SINCE_1_20),
    ((21, 0), SINCE_1_21),
    ((22, 0), SINCE_1_22),
    ((25, 0), SINCE_1_25),
    ((26, 0), SINCE_1_26),
    ((27, 0), SINCE_1_27),
    ((28, 0), SINCE_1_28),
    ((29, 0), SINCE_1_29),
    ((30, 0), SINCE_1_30),
    ((32, 0), SINCE_1_32),
    ((33, 0), SINCE_1_33),
    ((34, 0), SINCE_1_34),
    ((35, 0), SINCE_1_35),
    ((36, 0), SINCE_1_36),
];

impl ApiServer {
    pub(super) fn of(release: Release) -> Self {
        release.row_of(ROWS).unwrap_or(OLDEST)
    }
}

/// A version of the API and the minor releases that serve it.
struct Version {
    name: &'static str,
    first: u32,
    last: u32,
    /// The last release that can decode it.
    last_known: u32,
}

const VERSIONS: [Version; 3] = [
    Version {
        name: "batch/v1",
        first: 21,
        last: u32::MAX,
        last_known: u32::MAX,
    },
    Version {
        name: "batch/v1beta1",
        first: 8,
        last: 24,
        last_known: u32::MAX,
    },
    Version {
        name: "batch/v2alpha1",
        first: 4,
        last: 20,
        last_known: 20,
    },
];

fn version(name: &str) -> Option<&'static Version> {
    VERSIONS.iter().find(|version| version.name == name)
}

/// The version that a manifest should have for a release: the newest that it serves.
fn best(minor: u32) -> Option<&'static str> {
    let mut versions = VERSIONS.iter();
    let serves = |version: &&Version| (version.first..=version.last).contains(&minor);
    versions.find(serves).map(|version| version.name)
}

/// For a version that a release serves and later ones do not: the newest version that the release also
/// serves, and the minor release that removed the old one.
pub(crate) fn successor(name: &str, release: Release) -> Option<(&'static str, u32)> {
    let minor = release.minor();
    let old = version(name).filter(|old| (old.first..=old.last).contains(&minor))?;
    let newer = best(minor).filter(|newer| *newer != old.name)?;
    Some((newer, old.last.checked_add(1)?))
}

/// The answer for a version that a release does not know. A missing version is that of the request.
pub(super) fn unknown(top: &At<'_>, minor: u32) -> Option<ValidationResult> {
    let api_version = top.field("apiVersion");
    let name = api_version.some_text().filter(|name| !name.is_empty())?;
    let known = |version: &Version| (version.first..=version.last_known).contains(&minor);
    if version(name).is_some_and(known) {
        return None;
    }
    let scheme = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30";
    let start = cannot_be_handled(name);
    let message = format!(
        "{start}: no kind \"CronJob\" is registered for version {} in scheme {}",
        go_quote(name),
        go_quote(scheme)
    );
    Some(answer(&api_version, name, minor, message))
}

/// The answer for a version that a release knows, but no longer serves.
pub(super) fn unserved(top: &At<'_>, minor: u32) -> Option<ValidationResult> {
    let api_version = top.field("apiVersion");
    let name = api_version.text();
    let version = version(name)?;
    if minor <= version.last {
        return None;
    }
    let expected = best(minor).unwrap_or_default();
    let message = format!(
        "the API version in the data ({name}) does not match the expected API version ({expected})"
    );
    Some(answer(&api_version, name, minor, message))
}

/// The cause has the message of kubectl, which checks what is served before it sends anything; the
/// complete message is that of the server.
fn answer(at: &At<'_>, name: &str, minor: u32, message: String) -> ValidationResult {
    let cause = ValidationCause {
        field: at.path(),
        reason: CauseReason::Unserved,
        message: format!(
            "no matches for kind \"CronJob\" in version {}",
            go_quote(name)
        ),
        place: at.place(),
        suggestion: best(minor).map(|best| Suggestion::Word(best.to_owned())),
    };
    ValidationResult {
        causes: vec![cause],
        message: Some(message),
        ..ValidationResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_rows_are_sorted() {
        assert!(ROWS.is_sorted_by_key(|(since, _)| *since));
    }
}
