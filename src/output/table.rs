//! Tables as kubectl prints them: capital headings, three spaces between the columns, no borders.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, Width};

use super::lines::wrapped_within;
use super::style::{Meaning, styled};
use cronjob_text::printable::{printable, shortened, width};

pub(super) const GAP: usize = 3;

/// The longest name that Kubernetes allows: nothing makes a column wider.
const COLUMN: usize = 253;
pub(super) const SCHEDULE: usize = 80;
/// The last column may be longer.
const END: usize = 4_000;

/// What stands where there is nothing to show.
pub(super) const NONE: &str = "<none>";

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    meaning: Meaning,
    spans: bool,
}

impl Cell {
    /// A cell with a meaning of its own.
    pub(crate) fn new(text: impl AsRef<str>, meaning: Meaning) -> Self {
        Cell {
            text: printable(text.as_ref()),
            meaning,
            spans: false,
        }
    }

    /// A cell that may have nothing to show.
    pub(crate) fn or_none(text: Option<impl AsRef<str>>) -> Self {
        text.map_or_else(|| NONE.into(), Cell::from)
    }

    /// A number, which only has its meaning if it is not zero.
    pub(crate) fn count(count: &impl ToString, meaning: Meaning) -> Self {
        let text = count.to_string();
        let is_zero = text == "0";
        Cell::new(text, if is_zero { Meaning::Plain } else { meaning })
    }

    /// A cell that extends over the empty cells after it, and widens no column.
    pub(crate) fn spanning(text: impl AsRef<str>, meaning: Meaning) -> Self {
        Cell {
            spans: true,
            ..Cell::new(text, meaning)
        }
    }

    /// The cell, cut where it is wider than that.
    pub(super) fn within(mut self, columns: usize) -> Self {
        self.text = shortened(&self.text, columns);
        self
    }

    fn styled(&self) -> String {
        if self.text.is_empty() {
            return String::new();
        }
        styled(self.meaning, &self.text)
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell::new(text, Meaning::Plain)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    headings: Vec<&'static str>,
    rows: comfy_table::Table,
    /// What each row ends with, and in which column that begins. It needs no width, and `comfy_table` knows no
    /// cells that span others.
    ends: Vec<(usize, String)>,
    /// The cells of each row that have a meaning, or more bytes than columns. `comfy_table` measures only plain text.
    marks: Vec<Vec<CellMark>>,
    widths: Vec<usize>,
    /// How wide a line may be before its end continues in another one.
    line_width: Option<usize>,
}

/// What is to be known about a cell to style it in a line.
#[derive(Clone, Debug)]
struct CellMark {
    column: usize,
    bytes: usize,
    /// The bytes beyond its columns.
    excess: usize,
    meaning: Meaning,
}

impl CellMark {
    fn of(column: usize, text: &str, meaning: Meaning) -> Option<Self> {
        let excess = text.len().saturating_sub(width(text));
        (meaning != Meaning::Plain || excess > 0).then_some(CellMark {
            column,
            bytes: text.len(),
            excess,
            meaning,
        })
    }
}

impl Table {
    pub(crate) fn new(headings: impl IntoIterator<Item = &'static str>) -> Self {
        let headings: Vec<&str> = headings.into_iter().collect();
        let mut rows = comfy_table::Table::new();
        rows.load_style(NOTHING);
        Table {
            widths: vec![0; headings.len()],
            headings,
            rows,
            ends: Vec::new(),
            marks: Vec::new(),
            line_width: None,
        }
    }

    /// Adds a row with a cell for each heading.
    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.headings.len(), "a cell for each heading");
        let last = row.len().saturating_sub(1);
        let mut end = (0, String::new());
        let mut cells = Vec::with_capacity(row.len());
        let mut marks = Vec::new();
        for ((column, cell), widest) in row.into_iter().enumerate().zip(&mut self.widths) {
            let (is_end, spans) = (cell.spans || column == last, cell.spans);
            let cell = cell.within(if is_end { END } else { COLUMN });
            if !spans {
                *widest = width(&cell.text).min(COLUMN).max(*widest);
            }
            if is_end && !cell.text.is_empty() {
                end = (column, cell.styled());
                cells.push(comfy_table::Cell::new(""));
            } else {
                marks.extend(CellMark::of(column, &cell.text, cell.meaning));
                cells.push(comfy_table::Cell::new_owned(cell.text));
            }
        }
        self.rows.add_row(cells);
        self.marks.push(marks);
        self.ends.push(end);
    }

    /// How many columns of a terminal each column takes with its heading, and with the gap after it.
    pub(super) fn widths(&self) -> impl Iterator<Item = usize> {
        let widths = self.widths.iter().zip(&self.headings);
        widths.map(|(cells, heading)| width(heading).max(*cells) + GAP)
    }

    /// Makes columns as wide as this table needs them.
    pub(super) fn widen(&self, widths: &mut Vec<usize>, with_headings: bool) {
        widths.resize(self.headings.len(), 0);
        let needed = self.widths.iter().zip(&self.headings);
        for (widest, (cells, heading)) in widths.iter_mut().zip(needed) {
            let heading = if with_headings { width(heading) } else { 0 };
            *widest = heading.max(*cells).max(*widest);
        }
    }

    /// Hides all columns that do not match.
    pub(super) fn keep(&mut self, is_shown: impl Fn(usize) -> bool) {
        for (index, column) in self.rows.column_iter_mut().enumerate() {
            if !is_shown(index) {
                column.set_constraint(ColumnConstraint::Hidden);
            }
        }
    }

    /// Breaks what rows end with between words, so that a terminal of this width does not break it within one.
    pub(super) fn wrap(&mut self, line_width: usize) {
        self.line_width = Some(line_width);
    }

    /// Writes nothing without rows.
    pub(crate) fn write(self, out: &mut dyn Write, with_headings: bool) -> io::Result<()> {
        if self.marks.is_empty() {
            return Ok(());
        }
        out.write_all(self.text(with_headings, &mut Vec::new()).as_bytes())
    }

    /// The table below another one, whose columns were so wide; they may become wider.
    pub(super) fn text(mut self, with_headings: bool, widths: &mut Vec<usize>) -> String {
        let fixed = |width: usize| Width::Fixed(u16::try_from(width).unwrap_or(u16::MAX));
        self.widen(widths, with_headings);
        if with_headings {
            self.rows.set_header(self.headings.iter().copied());
            let headings = self.headings.iter().enumerate();
            let marks = headings
                .filter_map(|(column, heading)| CellMark::of(column, heading, Meaning::Strong));
            self.marks.insert(0, marks.collect());
        }
        // Where each column begins.
        let mut begins = Vec::with_capacity(widths.len());
        let mut hidden = vec![false; widths.len()];
        let mut begin = 0;
        let columns = self.rows.column_iter_mut();
        for ((column, width), hidden) in columns.zip(&*widths).zip(&mut hidden) {
            begins.push(begin);
            *hidden = column.is_hidden();
            if !*hidden {
                column.set_padding((0, 0));
                column.set_constraint(ColumnConstraint::Absolute(fixed(*width + GAP)));
                begin += *width + GAP;
            }
        }
        let headings = with_headings.then_some((0, String::new()));
        let ends = headings.into_iter().chain(self.ends);
        let mut text = String::new();
        for ((line, (column, end)), marks) in self.rows.lines().zip(ends).zip(&self.marks) {
            let line = line.trim_end_matches(' ');
            let begin = begins.get(column).filter(|_| !end.is_empty());
            let padding = begin.map_or(0, |begin| begin.saturating_sub(width(line)));
            let end = match (self.line_width, begin) {
                (Some(line_width), Some(begin)) => broken(&end, *begin, line_width),
                _ => end,
            };
            let is_shown = |mark: &&CellMark| hidden.get(mark.column) == Some(&false);
            let line = marked(line, &begins, marks.iter().filter(is_shown));
            let padding = if end.starts_with('\n') { 0 } else { padding };
            text.push_str(&format!("{line}{:padding$}{end}\n", ""));
        }
        text
    }
}

/// Text that begins in a column, in lines that begin there and end at the width of a line. If a word of it is wider than
/// what is left of the line, it begins below.
fn broken(text: &str, begin: usize, line_width: usize) -> String {
    const BELOW: usize = 4;
    let columns = line_width.saturating_sub(begin);
    let is_wider = |word: &str| width(word) > columns;
    if !text.split(' ').any(is_wider) {
        return wrapped_within(columns, text).join(&format!("\n{:begin$}", ""));
    }
    let lines = wrapped_within(line_width.saturating_sub(BELOW), text);
    let lines = lines.iter().map(|line| format!("\n{:BELOW$}{line}", ""));
    lines.collect()
}

/// The line with the styles of its cells.
fn marked<'a>(line: &str, begins: &[usize], marks: impl Iterator<Item = &'a CellMark>) -> String {
    let mut text = String::with_capacity(line.len());
    let (mut at, mut excess) = (0, 0);
    for mark in marks {
        let begin = begins.get(mark.column).map_or(0, |begin| begin + excess);
        excess += mark.excess;
        let end = begin + mark.bytes;
        let parts = line.get(at..begin).zip(line.get(begin..end));
        if let Some((before, cell)) = parts {
            text.push_str(before);
            text.push_str(&styled(mark.meaning, cell));
            at = end;
        }
    }
    text.push_str(line.get(at..).unwrap_or_default());
    text
}
