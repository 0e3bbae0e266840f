//! The keys, for the documents.

use crate::top::KEYS;

/// The keys as a table of Markdown.
pub fn documentation() -> String {
    let mut text = "| key | what it does |\n|---|---|\n".to_owned();
    for (keys, what) in KEYS {
        text.push_str(&format!("| {keys} | {what} |\n"));
    }
    text
}
