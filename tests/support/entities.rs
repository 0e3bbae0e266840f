//! What stands for other characters in markup.

/// The text that is meant. Anything that should have been escaped, or is not known, fails.
pub(crate) fn unescaped(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "{text}");
    let mut parts = text.split('&');
    let mut value = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (entity, rest) = part.split_once(';').expect("the end of an entity");
        value.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            number => {
                let number = number.strip_prefix('#').expect("a known entity");
                char::from_u32(number.parse().unwrap()).unwrap()
            }
        });
        value.push_str(rest);
    }
    value
}
