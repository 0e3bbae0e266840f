//! Entities, which represent characters in markup.

/// Replaces the entities of a text. Unescaped characters and unknown entities fail the test.
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
