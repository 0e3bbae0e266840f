//! A calendar (RFC 5545) that calendar programs import.

use std::io::{self, Write};

use jiff::Timestamp;

use cronjob_text::printable::is_hidden;

/// The longest line in bytes, its end not counted.
const LINE: usize = 75;

/// Something that happens at a moment.
pub(super) struct CalendarEvent {
    pub(super) uid: String,
    pub(super) at: Timestamp,
    pub(super) summary: String,
    pub(super) description: String,
}

pub(super) fn calendar(
    out: &mut dyn Write,
    made_at: Timestamp,
    events: impl IntoIterator<Item = CalendarEvent>,
) -> io::Result<()> {
    line(out, "BEGIN:VCALENDAR")?;
    line(out, "VERSION:2.0")?;
    line(out, "PRODID:-//cronjob-doctor//next-runs//EN")?;
    line(out, "CALSCALE:GREGORIAN")?;
    for event in events {
        line(out, "BEGIN:VEVENT")?;
        line(out, &format!("UID:{}", escape(&event.uid)))?;
        line(out, &format!("DTSTAMP:{}", utc(made_at)))?;
        line(out, &format!("DTSTART:{}", utc(event.at)))?;
        line(out, &format!("SUMMARY:{}", escape(&event.summary)))?;
        line(out, &format!("DESCRIPTION:{}", escape(&event.description)))?;
        // A run takes no one's time.
        line(out, "TRANSP:TRANSPARENT")?;
        line(out, "END:VEVENT")?;
    }
    line(out, "END:VCALENDAR")
}

fn utc(moment: Timestamp) -> String {
    moment.strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            c if is_hidden(c) => escaped.push_str(&format!("\\{}", c.escape_default())),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Writes a line, folded where it is too long, never inside a character.
fn line(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut length = 0;
    let mut buffer = [0; 4];
    for c in text.chars() {
        let bytes = c.encode_utf8(&mut buffer).as_bytes();
        if length + bytes.len() > LINE {
            out.write_all(b"\r\n ")?;
            length = 1;
        }
        out.write_all(bytes)?;
        length += bytes.len();
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn long_lines_are_folded_between_characters() {
        let mut out = Vec::new();
        super::line(&mut out, &"\u{e9}".repeat(80)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.split("\r\n").all(|line| line.len() <= super::LINE));
        assert_eq!(text.replace("\r\n ", "").trim_end(), "\u{e9}".repeat(80));
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            super::escape("0,30 * * * *; a\\b\nc\u{7}"),
            "0\\,30 * * * *\\; a\\\\b\\nc\\\\u{7}"
        );
    }
}
