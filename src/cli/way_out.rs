//! What to try where an error alone does not say it.

use crate::cluster::Error;

/// A line of help to an error, or nothing.
pub(super) fn way_out(error: &anyhow::Error) -> &'static str {
    let error = error.downcast_ref::<Error>();
    let status = error
        .filter(|error| error.is_forbidden())
        .and_then(Error::status);
    let message = status.map_or("", |status| status.message.as_str());
    if message.contains(" cannot list ") && message.contains(" at the cluster scope") {
        "\nhelp: -n NAMESPACE asks about one namespace alone"
    } else {
        ""
    }
}
