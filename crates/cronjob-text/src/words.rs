//! Numbers and lists in sentences.

use std::fmt::Display;

/// What is said of one, or of several (and of none).
pub fn plural<N: Copy + From<u8> + PartialEq, T>(count: N, one: T, several: T) -> T {
    if count == N::from(1) { one } else { several }
}

/// `1 run`, `2 runs`
pub fn counted<N: Copy + Display + From<u8> + PartialEq>(count: N, what: &str) -> String {
    format!("{count} {what}{}", plural(count, "", "s"))
}

/// `1 start`, `1,200 starts`
pub fn counted_in_groups<N: Copy + Display + From<u8> + PartialEq>(count: N, what: &str) -> String {
    format!("{} {what}{}", grouped(count), plural(count, "", "s"))
}

/// A number with its thousands separated by commas.
pub fn grouped(count: impl Display) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The counts that are not zero: `3 added`, `1 removed`
pub fn occurring<N: Display + From<u8> + PartialEq>(
    counts: impl IntoIterator<Item = (N, &'static str)>,
) -> Vec<String> {
    let counts = counts.into_iter();
    let some = counts.filter(|(count, _)| *count != N::from(0));
    some.map(|(count, what)| format!("{count} {what}"))
        .collect()
}

/// All of them: `a`, `a and b`, `a, b and c`
pub fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// The first ones, and the number of the others: `a, b and 3 more`
pub fn some_of<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {} more", grouped(more)),
    }
}

/// A hint as a sentence: with a capital letter and a full stop.
pub fn sentence(hint: &str) -> String {
    let mut characters = hint.chars();
    let first: String = characters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let end = if hint.ends_with(['.', '?']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}
