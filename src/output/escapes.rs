//! Characters inside the strings of JSON and YAML. What a terminal or a CI runner would execute is written as an
//! escape, which every parser reads as the character itself.

use std::borrow::Cow;
use std::io::{self, Write};

use cronjob_text::printable::is_hidden;

/// Gets JSON piece by piece, as `serde_json` writes it: each is text.
pub(super) struct JsonWriter<W: Write>(pub(super) W);

impl<W: Write> Write for JsonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b'\n' | b' '..=b'~') && *byte != b'#';
        if bytes.iter().all(is_plain) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let text = String::from_utf8_lossy(bytes);
        let escaped = escaped(&text, |c, escaped| {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        });
        self.0.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The inside of a JSON string as the inside of a double-quoted YAML scalar.
pub(super) fn yaml(text: &str) -> Cow<'_, str> {
    escaped(text, |c, escaped| {
        let code = u32::from(c);
        escaped.push_str(&match code {
            0..=0xffff => format!("\\u{code:04x}"),
            _ => format!("\\U{code:08x}"),
        });
    })
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let special = |c: char| (is_hidden(c) && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}');
    if !text.contains(special) && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if special(c) || (c == '[' && escaped.ends_with("##")) {
            escape(c, &mut escaped);
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    const TEXT: &str = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{200d}\u{2028}\u{feff}\u{fffe}\u{ffff}\u{e0041}##[debug]\n\"é夜👍";

    #[test]
    fn json_has_no_hidden_characters_and_the_same_data() {
        let document = json!({"key\u{202e}": [TEXT]});
        let mut out = Vec::new();
        crate::output::json(&mut out, &document).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains(r"\u202e\u200d") && text.contains(r"\udb40\udc41##\u005bdebug]"),
            "{text}"
        );
        assert!(
            text.lines()
                .all(|line| !line.contains(cronjob_text::printable::is_hidden)),
            "{text}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            document
        );
    }

    #[test]
    fn yaml_has_no_hidden_characters_and_the_same_data() {
        let mut out = Vec::new();
        crate::output::yaml::write(&mut out, &json!({"key\u{202e}": [TEXT]})).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = r#""key\u202e":
- "a\u001b\u007f\u009b\u202e\u200d\u2028\ufeff\ufffe\uffff\U000e0041##\u005bdebug]\n\"é夜👍"
"#;
        assert_eq!(text, expected);
    }
}
