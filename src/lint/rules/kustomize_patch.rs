use crate::document::Node;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD005",
    name: "kustomize-patch",
    severity: Severity::Info,
    title: "a patch of kustomize that is not checked",
    reason: "A patch holds only what it changes. Whether the API server accepts the CronJob \
             depends on the manifest that it is applied to.",
    remedy: "Check what kustomize builds: kubectl kustomize DIR | kubectl cronjob-doctor lint -",
    example: example!("kustomize-patch"),
    check: Check::Reader,
};

/// A patch of a `CronJob`, and the kustomization that names it.
pub(in crate::lint) fn found(object: &Node, kustomization: &str) -> Found {
    let place = object.get("kind").map_or(object.place, |kind| kind.place);
    let message = format!("{kustomization} names it as a patch, so it is not checked");
    Found::new("", place, message)
}
