//! The columns of a listing. Each is described once: its value, and the heading in each format that shows it.

use std::borrow::Cow;
use std::io::{self, Write};

use jiff::Timestamp;

use super::table::{Cell, Table};

/// A row of a listing that formats show in columns, with all that its cells depend on.
///
/// The columns of a row that borrows are those of its type with `'static`.
pub(super) trait Listing: Sized + 'static {
    /// The row with any lifetime.
    type Row<'a>;
    /// When a column is in the text.
    type Shown: Copy + 'static;
    /// In the order of the text.
    const COLUMNS: &'static [ListingColumn<Self>];
}

pub(super) struct ListingColumn<L: Listing> {
    value: ValueOf<L>,
    /// Its heading in the text, when that has it, and the cell if the value itself is not what text shows.
    text: Option<TextOf<L>>,
    /// Its place in CSV, and its heading. Scripts count columns, so new ones come last.
    csv: Option<(usize, &'static str)>,
    /// Its heading and its cell in Markdown.
    markdown: Option<(&'static str, MarkdownOf<L>)>,
}

type ValueOf<L> = for<'r, 'a> fn(&'r <L as Listing>::Row<'a>) -> Value<'r>;
type TextOf<L> = (&'static str, <L as Listing>::Shown, Option<CellOf<L>>);
type CellOf<L> = fn(&<L as Listing>::Row<'_>) -> Cell;
type MarkdownOf<L> = fn(&<L as Listing>::Row<'_>) -> String;

impl<L: Listing> ListingColumn<L> {
    pub(super) const fn new(value: ValueOf<L>) -> Self {
        ListingColumn {
            value,
            text: None,
            csv: None,
            markdown: None,
        }
    }

    /// Text shows the value.
    pub(super) const fn text(self, heading: &'static str, shown: L::Shown) -> Self {
        let text = Some((heading, shown, None));
        ListingColumn { text, ..self }
    }

    /// Text shows a cell of its own.
    pub(super) const fn cell(
        self,
        heading: &'static str,
        shown: L::Shown,
        cell: CellOf<L>,
    ) -> Self {
        let text = Some((heading, shown, Some(cell)));
        ListingColumn { text, ..self }
    }

    /// CSV has the value, in this place counted from 0. A new column is the last one, because scripts count them.
    pub(super) const fn csv(self, place: usize, heading: &'static str) -> Self {
        let csv = Some((place, heading));
        ListingColumn { csv, ..self }
    }

    pub(super) const fn markdown(self, heading: &'static str, cell: MarkdownOf<L>) -> Self {
        let markdown = Some((heading, cell));
        ListingColumn { markdown, ..self }
    }

    /// The heading of the text.
    pub(super) fn heading(&self) -> &'static str {
        self.text.map_or("", |(heading, ..)| heading)
    }

    /// When the text has it.
    pub(super) fn shown(&self) -> Option<L::Shown> {
        self.text.map(|(_, shown, _)| shown)
    }

    /// The heading of CSV, if that has it.
    pub(super) fn in_csv(&self) -> Option<&'static str> {
        self.csv.map(|(_, heading)| heading)
    }

    pub(super) fn value<'r>(&self, row: &'r L::Row<'_>) -> Value<'r> {
        (self.value)(row)
    }

    /// The cell of the text.
    pub(super) fn cell_of(&self, row: &L::Row<'_>) -> Cell {
        match self.text.and_then(|(.., cell)| cell) {
            Some(cell) => cell(row),
            None => self.value(row).cell(),
        }
    }
}

/// The columns of the text that are shown.
pub(super) fn text_columns<L: Listing>(
    mut is_shown: impl FnMut(L::Shown) -> bool,
) -> Vec<&'static ListingColumn<L>> {
    let columns = L::COLUMNS.iter();
    let shown = columns.filter(|column| column.shown().is_some_and(&mut is_shown));
    shown.collect()
}

/// A table of these columns.
pub(super) fn text_table<'a, L: Listing>(
    columns: &[&ListingColumn<L>],
    rows: impl IntoIterator<Item = L::Row<'a>>,
) -> Table {
    let mut table = Table::new(columns.iter().map(|column| column.heading()));
    for row in rows {
        table.push(columns.iter().map(|column| column.cell_of(&row)).collect());
    }
    table
}

/// The heading and the cells of a column that only text has.
pub(super) type CellColumn<'c, R> = (&'static str, &'c dyn Fn(&R) -> Cell);

/// A table of rows whose columns only text has.
pub(super) fn table_of<R>(
    rows: impl IntoIterator<Item = R>,
    columns: &[CellColumn<'_, R>],
) -> Table {
    let mut table = Table::new(columns.iter().map(|(heading, _)| *heading));
    for row in rows {
        table.push(columns.iter().map(|(_, cell)| cell(&row)).collect());
    }
    table
}

/// The most rows that are kept together: a cell takes much memory until it is written.
const TOGETHER: usize = 1_000;

/// Writes a table of these columns, whose rows are made twice if they are many: for the widths, and to be written.
pub(super) fn write_table<'a, L: Listing>(
    out: &mut dyn Write,
    columns: &[&ListingColumn<L>],
    rows: impl Iterator<Item = L::Row<'a>> + Clone,
    with_headings: bool,
) -> io::Result<()> {
    let mut widths = Vec::new();
    if rows.clone().nth(TOGETHER).is_some() {
        let mut left = rows.clone().peekable();
        while left.peek().is_some() {
            text_table(columns, left.by_ref().take(TOGETHER)).widen(&mut widths, with_headings);
        }
    }
    let mut left = rows.peekable();
    let mut with_headings = with_headings;
    loop {
        let table = text_table(columns, left.by_ref().take(TOGETHER));
        let text = table.text(std::mem::take(&mut with_headings), &mut widths);
        out.write_all(text.as_bytes())?;
        if left.peek().is_none() {
            return Ok(());
        }
    }
}

/// The columns of CSV in their places.
pub(super) fn csv_columns<L: Listing>() -> Vec<&'static ListingColumn<L>> {
    let mut columns: Vec<_> = L::COLUMNS
        .iter()
        .filter_map(|column| Some((column.csv?.0, column)))
        .collect();
    columns.sort_by_key(|(place, _)| *place);
    debug_assert!(
        columns.iter().map(|(place, _)| *place).eq(0..columns.len()),
        "each column of CSV has its own place"
    );
    columns.into_iter().map(|(_, column)| column).collect()
}

/// The headings and the cells of a table in Markdown.
pub(super) fn markdown_table<'a, L: Listing>(
    rows: impl IntoIterator<Item = L::Row<'a>>,
) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let columns = L::COLUMNS.iter().filter_map(|column| column.markdown);
    let (headings, cells): (Vec<_>, Vec<MarkdownOf<L>>) = columns.unzip();
    let row = |row: L::Row<'a>| cells.iter().map(|cell| cell(&row)).collect();
    (headings, rows.into_iter().map(row).collect())
}

/// A value of a row, before a format decides how to write it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'a> {
    None,
    Text(Cow<'a, str>),
    Flag(bool),
    Number(i128),
    Time(Timestamp),
}

impl<'a> Value<'a> {
    /// As CSV has it: empty if there is none.
    pub(super) fn csv(self) -> Cow<'a, str> {
        match self {
            Value::None => Cow::Borrowed(""),
            Value::Text(text) => text,
            Value::Flag(true) => Cow::Borrowed("true"),
            Value::Flag(false) => Cow::Borrowed("false"),
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Time(at) => Cow::Owned(at.to_string()),
        }
    }

    /// As a table has it.
    fn cell(self) -> Cell {
        match self {
            Value::None => Cell::or_none(None::<&str>),
            Value::Flag(true) => "True".into(),
            Value::Flag(false) => "False".into(),
            other => other.csv().into(),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Flag(flag)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Number(number.into())
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Value::Number(number.into())
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        // Both have at most 64 bits.
        Value::Number(i128::try_from(number).unwrap_or(i128::MAX))
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        Value::Time(at)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::None, Into::into)
    }
}
