use crate::document::Node;
use crate::lint::Found;

/// A patch of a `CronJob`, and the kustomization that names it.
pub(in crate::lint) fn found(object: &Node, kustomization: &str) -> Found {
    let place = object.get("kind").map_or(object.place, |kind| kind.place);
    let message = format!("{kustomization} names it as a patch, so it is not checked");
    Found::new("", place, message)
}
