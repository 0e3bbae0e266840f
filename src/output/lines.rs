//! Text for a terminal: headings, labels, wrapped text.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use textwrap::{Options, WordSplitter};

use super::page_times::PageTimes;
use super::style::{Meaning, styled};
use super::table::Table;
use cronjob_diagnosis::kubectl::Remedy;
use cronjob_text::printable::{printable, shortened, width};
use cronjob_text::text::Text;
use cronjob_text::words::grouped;
use kube_cron::Zone;

/// The width of an unknown terminal.
const USUAL: usize = 80;
/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 100;
const LONGEST_WORD: usize = 1_000;
const LONGEST_COMMAND: usize = 4_000;

static WIDTH: AtomicUsize = AtomicUsize::new(USUAL);

/// Wraps lines at the width of the terminal from now on, within a limit.
pub(crate) fn set_width(terminal: usize) {
    WIDTH.store(terminal.min(WIDEST), Ordering::Relaxed);
}

/// Lines are broken before this column.
pub(super) fn line_width() -> usize {
    WIDTH.load(Ordering::Relaxed)
}

/// Text for a terminal, wrapped at its width. It is made printable, unless a method says that it may be styled.
#[derive(Default)]
pub(crate) struct TextPage {
    text: String,
    times: Option<PageTimes>,
}

impl TextPage {
    /// A page about one CronJob, which shows a date and a time zone once. Lines that are added as they are, and
    /// tables, stay as they are.
    pub(crate) fn at(now: Timestamp, zone: &Zone) -> Self {
        TextPage {
            text: String::new(),
            times: Some(PageTimes::new(now, zone.time_zone(), zone.name())),
        }
    }

    /// A page about a period of several days: each date is shown once, also that of today, and the time zone once.
    pub(super) fn of_days(zone: &Zone) -> Self {
        let times = PageTimes::of_days(zone.name());
        TextPage {
            text: String::new(),
            times: Some(times),
        }
    }

    /// Begins a part about another CronJob: it shows its date and its time zone once again.
    pub(super) fn begin_part(&mut self, now: Timestamp, zone: &TimeZone, name: &str) {
        self.times = Some(PageTimes::new(now, zone, name));
    }

    /// A text without what the page has already shown of its times.
    pub(super) fn shortened<'a>(&mut self, text: &'a Text) -> Cow<'a, str> {
        match &mut self.times {
            Some(times) => times.shortened(text),
            None => Cow::Borrowed(text),
        }
    }

    /// Whether the time zone of its times is on the page.
    pub(super) fn shows_zone(&self) -> bool {
        self.times.as_ref().is_some_and(PageTimes::shows_zone)
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }

    /// Adds a line as it is.
    pub(super) fn line(&mut self, line: impl Display) -> &mut Self {
        self.text.push_str(&format!("{line}\n"));
        self
    }

    pub(super) fn blank(&mut self) -> &mut Self {
        self.line("")
    }

    /// Adds the title of an item, such as its name.
    pub(super) fn title(&mut self, text: &str) -> &mut Self {
        self.hanging("", 0, &styled(Meaning::Strong, printable(text)))
    }

    /// Adds the heading of a section, after an empty line.
    pub(super) fn heading(&mut self, text: &str) -> &mut Self {
        self.blank().title(text)
    }

    pub(super) fn entry(&mut self, label: &str, text: impl Into<Text>) -> &mut Self {
        let label = styled(Meaning::Faint, format!("{label:<12}"));
        self.item(&format!("  {label}"), text)
    }

    /// Adds an entry with the date of today.
    pub(super) fn dated_entry(&mut self, label: &str, text: &Text) -> &mut Self {
        let dated = self.times.as_mut().map(|times| times.dated(text));
        let label = styled(Meaning::Faint, format!("{label:<12}"));
        let lead = format!("  {label}");
        let text = printable(&dated.unwrap_or(Cow::Borrowed(text)));
        self.hanging(&lead, width(&lead), &text)
    }

    pub(super) fn paragraph(&mut self, indent: usize, text: impl Into<Text>) -> &mut Self {
        self.item(&" ".repeat(indent), text)
    }

    /// Adds text after a lead, which may be styled. Its lines begin below each other.
    pub(super) fn item(&mut self, lead: &str, text: impl Into<Text>) -> &mut Self {
        let text = printable(&self.shortened(&text.into()));
        self.hanging(lead, width(lead), &text)
    }

    /// Adds text after a lead; both may be styled. The other lines begin at the indent.
    pub(super) fn hanging(&mut self, lead: &str, indent: usize, text: &str) -> &mut Self {
        let lines = wrapped(indent, text);
        self.line(format_args!(
            "{lead}{}",
            lines.join(&format!("\n{:indent$}", ""))
        ))
    }

    /// Adds `and 3 more`, if not all of them are shown. `what` follows.
    pub(super) fn more(
        &mut self,
        indent: usize,
        all: usize,
        shown: usize,
        what: &str,
    ) -> &mut Self {
        match all.saturating_sub(shown) {
            0 => self,
            more => self.paragraph(indent, format!("and {} more{what}", grouped(more))),
        }
    }

    pub(super) fn table(&mut self, table: Table, with_headings: bool) -> &mut Self {
        self.text
            .push_str(&table.text(with_headings, &mut Vec::new()));
        self
    }

    /// Adds a remedy after an arrow. Commands are not wrapped, so that they can be pasted. A comment that does not
    /// fit beside its command is below it.
    pub(super) fn remedy(&mut self, indent: usize, remedy: &Remedy) {
        let lead = format!("{:indent$}{} ", "", styled(Meaning::Help, "->"));
        let indent = indent + 3;
        let Some(alone) = &remedy.command else {
            self.item(&lead, &remedy.text);
            return;
        };
        let fits = |text: &str| indent + width(text) <= line_width();
        let whole = command(&remedy.text);
        if remedy.notes.is_empty() || fits(&whole) {
            self.line(format_args!("{lead}{whole}"));
            return;
        }
        self.line(format_args!("{lead}{}", command(alone)));
        for note in &remedy.notes {
            let end = note.command.as_deref().map(command);
            let text = self.shortened(&note.text).into_owned();
            if let Some(end) = &end {
                let line = printable(&format!("# {text}: {end}"));
                if fits(&line) {
                    self.line(format_args!("{:indent$}{line}", ""));
                    continue;
                }
            }
            let colon = if end.is_some() { ":" } else { "" };
            for line in wrapped(indent + 2, &printable(&format!("{text}{colon}"))) {
                self.line(format_args!("{:indent$}# {line}", ""));
            }
            if let Some(end) = end {
                self.line(format_args!("{:indent$}# {end}", ""));
            }
        }
    }
}

impl From<TextPage> for String {
    fn from(page: TextPage) -> Self {
        page.text
    }
}

/// A command as it is shown.
pub(super) fn command(text: &str) -> String {
    shortened(&printable(text), LONGEST_COMMAND)
}

/// The lines of wrapped text that begins at a column.
pub(super) fn wrapped(indent: usize, text: &str) -> Vec<String> {
    wrapped_within(line_width().saturating_sub(indent), text)
}

/// The lines of a text of which none is wider, unless a word is.
pub(super) fn wrapped_within(columns: usize, text: &str) -> Vec<String> {
    let words = text.split(' ').map(|word| shortened(word, LONGEST_WORD));
    let text = words.collect::<Vec<_>>().join(" ");
    let options = Options::new(columns)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(&text, options).into_iter();
    lines.map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hung(text: &str) -> String {
        TextPage::default().hanging("", 2, text).text.clone()
    }

    #[test]
    fn lines_are_broken_by_the_columns_that_words_take() {
        let words = |word: &str, count| vec![word; count].join(" ");
        // 2 + 26 * 3 = 80, of which no blank ends the line.
        let lines: Vec<usize> = hung(&words("夜", 30))
            .lines()
            .map(|line| width(line.trim()))
            .collect();
        assert_eq!(lines, [77, 11]);
        let styled: Vec<String> = (0..30).map(|_| styled(Meaning::Odd, "ab")).collect();
        let lines = hung(&styled.join(" "));
        let lines: Vec<usize> = lines.lines().map(|line| width(line.trim())).collect();
        assert_eq!(lines, [77, 11]);
    }

    #[test]
    fn words_without_end_are_cut() {
        assert!(hung(&"x".repeat(100_000)).len() < 1_100);
    }
}
