//! JSON as Go writes it: with some signs of HTML escaped.

use serde_json::Value;

/// On one line, without a newline at its end.
pub(crate) fn compact(value: &Value) -> String {
    escaped(&value.to_string())
}

/// Indented by two blanks, as clients get it that look like people.
pub(crate) fn pretty(value: &Value) -> String {
    escaped(&serde_json::to_string_pretty(value).unwrap())
}

/// These signs occur in strings only.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                result.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            other => result.push(other),
        }
    }
    result
}
