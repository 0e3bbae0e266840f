//! Lines that must not be longer than a terminal is wide.

/// The line, cut where it would go beyond a width. Escape sequences take no room and are kept, so
/// that a colour which begins also ends.
pub fn clipped(line: &str, width: usize) -> String {
    let mut clipped = String::new();
    let mut room = width;
    let mut in_sequence = false;
    for c in line.chars() {
        if in_sequence {
            clipped.push(c);
            in_sequence = !c.is_ascii_alphabetic();
        } else if c == '\x1b' {
            clipped.push(c);
            in_sequence = true;
        } else if room > 0 {
            clipped.push(c);
            room -= 1;
        }
    }
    clipped
}

/// The text, or as much of it as leaves room for a sign that there is more.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    format!("{}…", clipped(text, width.saturating_sub(1)).trim_end())
}

#[cfg(test)]
mod tests {
    use super::{clipped, shortened};

    #[test]
    fn colours_take_no_room_and_end() {
        assert_eq!(clipped("short", 10), "short");
        assert_eq!(clipped("much too long", 8), "much too");
        assert_eq!(
            clipped("\x1b[1mbold and long\x1b[0m", 4),
            "\x1b[1mbold\x1b[0m"
        );
        assert_eq!(clipped("grün", 3), "grü");
    }

    #[test]
    fn what_is_cut_shows_it() {
        assert_eq!(shortened("just fits", 9), "just fits");
        assert_eq!(shortened("does not fit", 9), "does not…");
    }
}
