//! Pieces of YAML for random texts.

use proptest::prelude::*;

/// Tokens that have a meaning in YAML.
const MARKS: [&str; 46] = [
    "a", "b", ": ", ":", "- ", "? ", "\n", "\n  ", "\n    ", "\t", " ", "{", "}", "[", "]", ", ",
    "&x ", "*x", "<<: ", "!!int ", "!t ", "|", ">", "|2-\n", "'", "\"", "\\", "\\u12", "#",
    " # c\n", "---\n", "...\n", "{{ x }}", "@daily", "é", "\u{feff}", "1", "0x", "1e9", ".inf",
    "~", "yes", "\u{0}", "\r\n", "\u{2028}", "😀",
];

/// Pieces of text that random characters rarely produce: tokens of YAML, and longer ones.
pub(crate) fn token(longer: &'static [&str]) -> impl Strategy<Value = String> {
    let marks = prop::sample::select(&MARKS[..]);
    prop_oneof![4 => marks, 1 => prop::sample::select(longer)].prop_map(str::to_owned)
}
