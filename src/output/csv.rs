//! Comma-separated values (RFC 4180).

use std::io::{self, Write};

use super::columns::{Listing, ListingColumn};
use super::contexts::ContextAnswers;
use cronjob_text::printable::printable;

/// Writes the rows of a listing with a line of headings, for several contexts with their names in the first column.
/// `rows` pushes the rows of an answer.
pub(super) fn write<L: Listing, T>(
    out: &mut dyn Write,
    columns: &[&'static ListingColumn<L>],
    answers: &ContextAnswers<T>,
    with_headings: bool,
    mut rows: impl FnMut(&T, &mut Records<'_, L>) -> io::Result<()>,
) -> io::Result<()> {
    for (index, (context, answer)) in answers.each().enumerate() {
        if with_headings && index == 0 {
            let headings = columns.iter().filter_map(|column| column.in_csv());
            record(out, context.map(|_| "context").into_iter().chain(headings))?;
        }
        let mut records = Records {
            out: &mut *out,
            context,
            columns,
        };
        rows(answer, &mut records)?;
    }
    Ok(())
}

/// The records of a listing.
pub(super) struct Records<'a, L: Listing> {
    out: &'a mut dyn Write,
    context: Option<&'a str>,
    columns: &'a [&'static ListingColumn<L>],
}

impl<L: Listing> Records<'_, L> {
    pub(super) fn push(&mut self, row: &L::Row<'_>) -> io::Result<()> {
        let values = self.columns.iter().map(|column| column.value(row).csv());
        let values: Vec<_> = values.collect();
        let values = values.iter().map(|value| &**value);
        record(self.out, self.context.into_iter().chain(values))
    }
}

/// Writes a record. What a spreadsheet would calculate is shown instead: an apostrophe makes it text.
fn record<'a>(out: &mut dyn Write, values: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
    // Every write is filtered by itself, which takes time.
    let mut record = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            record.push(b',');
        }
        self::value(&mut record, value)?;
    }
    record.extend(b"\r\n");
    out.write_all(&record)
}

fn value(out: &mut dyn Write, value: &str) -> io::Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b',' && byte != b'"';
    if value.bytes().all(is_plain) && !is_formula(value) {
        return out.write_all(value.as_bytes());
    }
    let apostrophe = if is_formula(value) { "'" } else { "" };
    let value = printable(value);
    if value.contains([',', '"']) {
        write!(out, "\"{apostrophe}{}\"", value.replace('"', "\"\""))
    } else {
        write!(out, "{apostrophe}{value}")
    }
}

/// Whether a spreadsheet would take a value for a formula: also a schedule such as `@every 1h`, and the wide signs
/// that some spreadsheets read as the usual ones. Numbers are none.
fn is_formula(value: &str) -> bool {
    match value.chars().next() {
        Some('=' | '@' | '\u{ff1d}' | '\u{ff0b}' | '\u{ff0d}' | '\u{ff20}') => true,
        Some('+' | '-') => value.len() > 1 && value.parse::<f64>().is_err(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    fn recorded<const N: usize>(values: [&str; N]) -> String {
        let mut out = Vec::new();
        super::record(&mut out, values).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let record = recorded(["a", "b,c", "say \"no\"", "", "x\ny"]);
        assert_eq!(record, "a,\"b,c\",\"say \"\"no\"\"\",,x\\ny\r\n");
    }

    #[test]
    fn formulas_become_text() {
        assert_eq!(
            recorded(["=HYPERLINK(\"x\")", "-2+3", "+cmd|x!A0", "@SUM(1)", "=1\t"]),
            "\"'=HYPERLINK(\"\"x\"\")\",'-2+3,'+cmd|x!A0,'@SUM(1),'=1\\t\r\n"
        );
        // A tab or carriage return in front of a formula is not one any more.
        assert_eq!(recorded(["\t=1", "\r=1"]), "\\t=1,\\r=1\r\n");
        // Excel would show an error instead of the schedule.
        let schedules = ["@daily", "@every 1h30m", "\u{ff1d}1", "\u{ff20}x"];
        assert_eq!(
            recorded(schedules),
            "'@daily,'@every 1h30m,'\u{ff1d}1,'\u{ff20}x\r\n"
        );
        let harmless = ["-5", "-0.5", "*/5 * * * *", "-"];
        assert_eq!(recorded(harmless), "-5,-0.5,*/5 * * * *,-\r\n");
    }
}
