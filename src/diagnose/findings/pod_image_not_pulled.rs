//! A pod waits for its image.

use super::super::pods::{Hold, Kind, Trouble};
use super::super::{Facts, Found};
use crate::model::{Event, Pod};

const KIND: Kind = Kind {
    hold,
    tells,
    over: &["Pulled", "Created", "Started"],
    patience: 0,
};

fn hold(pod: &Pod) -> Option<Hold<'_>> {
    Hold::waiting(pod, |reason| {
        matches!(
            reason,
            "ErrImagePull"
                | "ImagePullBackOff"
                | "InvalidImageName"
                | "ErrImageNeverPull"
                | "ImageInspectError"
                | "RegistryUnavailable"
                | "SignatureValidationFailed"
        )
    })
}

fn tells(event: &Event) -> bool {
    let says = |words: &str| event.message.starts_with(words);
    match event.reason.as_str() {
        "Failed" => says("Failed to pull image "),
        "InspectFailed" | "ErrImageNeverPull" => true,
        _ => false,
    }
}

pub(super) fn check(facts: &Facts<'_>) -> Option<Found> {
    let trouble = Trouble::find(facts, &KIND)?;
    let sentence = trouble.sentence(facts, "gets no image", "got no image");
    // Before 1.32 a pod that waits for the next try does not say why the last one failed.
    let own = trouble.hold.message;
    let bare = own.is_empty() || (own.starts_with("Back-off ") && !own.contains(": "));
    let event = trouble.event.filter(|_| bare);
    let message = cause(event.map_or(own, |event| event.message.as_str()));
    let detail = trouble.detail(facts, &sentence, &message);
    Some(Found::new(detail).remedy(trouble.look_and_renew(facts)))
}

/// The image and the last cause: what the kubelet and the runtime wrap around it says nothing.
fn cause(message: &str) -> String {
    let (mut image, mut rest) = (None, message);
    while let Some((name, after)) = unwrap(rest) {
        image = image.or(name);
        rest = after;
    }
    match image {
        Some(image) if !rest.starts_with(image) => format!("{image}: {rest}"),
        _ => rest.to_owned(),
    }
}

/// Takes off one layer of a message; some layers name the image.
fn unwrap(message: &str) -> Option<(Option<&str>, &str)> {
    const NAMING: [&str; 4] = [
        "Back-off pulling image \"",
        "Failed to pull image \"",
        "failed to pull and unpack image \"",
        "failed to resolve reference \"",
    ];
    if let Some(rest) = message.strip_prefix("ErrImagePull: ") {
        return Some((None, rest));
    }
    if let Some(rest) = message.strip_prefix("rpc error: code = ") {
        let (_, rest) = rest.split_once(" desc = ")?;
        return Some((None, rest));
    }
    let named = NAMING
        .iter()
        .find_map(|layer| message.strip_prefix(layer))?;
    let (image, rest) = named.split_once("\": ")?;
    Some((Some(image), rest))
}

#[cfg(test)]
mod tests {
    use super::cause;

    #[test]
    fn the_innermost_cause_is_what_tells() {
        let image = "registry.example.com/a:2";
        let layers = format!(
            "rpc error: code = Unknown desc = failed to pull and unpack image \"{image}\": failed to \
             resolve reference \"{image}\": "
        );
        let refused = "failed to authorize: unexpected status: 401 Unauthorized";
        assert_eq!(
            cause(&format!("{layers}{refused}")),
            format!("{image}: {refused}")
        );
        assert_eq!(
            cause(&format!("{layers}{image}: not found")),
            format!("{image}: not found")
        );
        assert_eq!(
            cause(&format!("Back-off pulling image \"{image}\"")),
            format!("Back-off pulling image \"{image}\"")
        );
        assert_eq!(cause(""), "");
    }
}
