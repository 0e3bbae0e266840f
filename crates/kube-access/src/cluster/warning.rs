//! Parses `Warning` headers.

/// The texts of a `Warning` header: `299 - "first", 299 - "second"`. Anything else is ignored.
pub(super) fn texts(header: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = header;
    while let Some((_, quoted)) = rest.split_once('"') {
        let (text, after) = unquoted(quoted);
        texts.push(text);
        rest = after;
    }
    texts
}

/// The text up to the closing quote, and what comes after that.
fn unquoted(quoted: &str) -> (String, &str) {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return (text, quoted.get(index + 1..).unwrap_or_default()),
            '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
            plain => text.push(plain),
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn warning_header_is_split_into_its_texts() {
        assert_eq!(
            texts(r#"299 - "metadata.name: a \"label\" is better""#),
            [r#"metadata.name: a "label" is better"#]
        );
        assert_eq!(texts(r#"299 - "a, b", 299 h "c""#), ["a, b", "c"]);
        assert_eq!(
            texts("299 - \"cut \\"),
            ["cut "],
            "a missing end is accepted"
        );
        assert!(texts("nonsense").is_empty());
    }
}
