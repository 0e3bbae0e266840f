//! Text inside XML.

use std::fmt;
use std::io::{self, Write};

use cronjob_text::printable::is_hidden;

/// Text as XML has it between tags and inside double quotes.
///
/// Characters that cannot be seen, most of which XML cannot hold at all, are shown as escapes. Line ends and
/// tabs are written by number, since attributes would lose them.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;

        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c))?,
                c if is_hidden(c) => write!(f, "{}", c.escape_unicode())?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// In a page, text from a cluster or a file has escapes for what cannot be seen, too. Line breaks are written by number:
/// on the log of a CI runner, none of its lines begins a line of the page.
impl maud::Render for Escaped<'_> {
    fn render_to(&self, buffer: &mut String) {
        use fmt::Write as _;

        // Writing to a String cannot fail.
        let _ = write!(buffer, "{self}");
    }
}

/// Begins a drawing. `size` are its attributes, and `paper` those of its background.
pub(crate) fn begin_svg(
    out: &mut dyn Write,
    size: &str,
    paper: &str,
    title: &str,
    description: &str,
    style: &str,
) -> io::Result<()> {
    let (title, description) = (Escaped(title), Escaped(description));
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" {size} role=\"img\" \
         aria-labelledby=\"title desc\">\n<title id=\"title\">{title}</title>\n<desc id=\"desc\">{description}</desc>\n\
         <style>{style}</style>\n<rect class=\"paper\" {paper}/>"
    )
}

#[cfg(test)]
mod tests {
    use super::Escaped;

    #[test]
    fn escaped_text_cannot_end_an_element_or_attribute() {
        let text = "a<b>&\"'\n]]>\u{1b}[31m\u{0}\u{ffff}\u{202e}\u{e9}\u{1f600}";
        let expected =
            "a&lt;b&gt;&amp;&quot;'&#10;]]&gt;\\u{1b}[31m\\u{0}\u{fffd}\\u{202e}\u{e9}\u{1f600}";
        assert_eq!(Escaped(text).to_string(), expected);
    }
}
