//! Text in workflow commands, which GitHub's runner executes.

use cronjob_text::printable::printable;

/// A message, which stands behind the two colons.
pub(super) fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25");
    let escaped = escaped.replace('\r', "%0D").replace('\n', "%0A");
    printable(&escaped)
}

pub(super) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
