//! Which versions of the API a release serves.

use super::answer::{Answer, Cause, Reason, Suggestion};
use super::at::At;
use super::message::cannot_be_handled;
use crate::controller::Release;
use crate::schedule::go_quote;

/// A version of the API and the minor releases that serve it.
struct Version {
    name: &'static str,
    first: u32,
    last: u32,
    /// The last that can still decode it.
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

/// For a version that a release serves, and later ones do not: the newest that it serves as well,
/// and the minor release that drops the old one.
pub fn successor(name: &str, release: Release) -> Option<(&'static str, u32)> {
    let minor = release.minor();
    let old = version(name).filter(|old| (old.first..=old.last).contains(&minor))?;
    let newer = best(minor).filter(|newer| *newer != old.name)?;
    Some((newer, old.last.checked_add(1)?))
}

/// The answer to a version that a release does not even know. One that is left out is what the
/// request goes to.
pub(super) fn unknown(top: &At<'_>, minor: u32) -> Option<Answer> {
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

/// The answer to a version that a release knows, but does not serve any more.
pub(super) fn unserved(top: &At<'_>, minor: u32) -> Option<Answer> {
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

/// The cause in the words of kubectl, which asks what is served before it sends anything; the
/// message in those of the server.
fn answer(at: &At<'_>, name: &str, minor: u32, message: String) -> Answer {
    let cause = Cause {
        field: at.path(),
        reason: Reason::Unserved,
        message: format!(
            "no matches for kind \"CronJob\" in version {}",
            go_quote(name)
        ),
        place: at.place(),
        suggestion: best(minor).map(|best| Suggestion::Word(best.to_owned())),
    };
    Answer {
        causes: vec![cause],
        warnings: Vec::new(),
        message: Some(message),
    }
}
