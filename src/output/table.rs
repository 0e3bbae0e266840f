//! Tables as kubectl prints them: capital headings, three spaces between the columns, no borders.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, Width};

use super::style::{Meaning, styled};
use crate::printable::{printable, shortened, width};

pub(super) const GAP: usize = 3;

/// The longest name that Kubernetes allows: nothing makes a column wider.
const COLUMN: usize = 253;
/// No schedule that anybody writes is longer.
pub(super) const SCHEDULE: usize = 80;
/// What ends a line may be longer.
const END: usize = 4_000;

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    meaning: Meaning,
    spans: bool,
}

impl Cell {
    /// A cell with a meaning of its own.
    pub fn new(text: impl AsRef<str>, meaning: Meaning) -> Self {
        Cell {
            text: printable(text.as_ref()),
            meaning,
            spans: false,
        }
    }

    /// A cell that runs on over the empty ones after it, and makes no column wider.
    pub fn spanning(text: impl AsRef<str>, meaning: Meaning) -> Self {
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

/// Rows below headings.
#[derive(Clone, Debug)]
pub struct Table {
    headings: Vec<&'static str>,
    rows: comfy_table::Table,
    /// The cells that span others, which `comfy_table` does not know: row, column and text.
    spanning: Vec<(usize, usize, String)>,
}

impl Table {
    /// An empty table.
    pub fn new(headings: impl IntoIterator<Item = &'static str>) -> Self {
        let mut rows = comfy_table::Table::new();
        // The width of a terminal is none of its business: nothing is wrapped.
        rows.load_style(NOTHING).force_no_tty();
        Table {
            headings: headings.into_iter().collect(),
            rows,
            spanning: Vec::new(),
        }
    }

    /// Adds a row with a cell for each heading.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.headings.len(), "a cell for each heading");
        let last = row.len().saturating_sub(1);
        let index = self.rows.row_count();
        let mut cells = Vec::with_capacity(row.len());
        for (column, cell) in row.into_iter().enumerate() {
            let ends = cell.spans || column == last;
            let text = cell.within(if ends { END } else { COLUMN });
            cells.push(comfy_table::Cell::new_owned(if text.spans {
                if !text.text.is_empty() {
                    self.spanning.push((index, column, text.styled()));
                }
                String::new()
            } else {
                text.styled()
            }));
        }
        self.rows.add_row(cells);
    }

    /// How many columns of a terminal each column takes with its heading, and with the gap after it.
    pub(super) fn widths(&self) -> Vec<usize> {
        let widths = self.rows.column_max_content_widths();
        let widths = widths.into_iter().zip(&self.headings);
        widths
            .map(|(cells, heading)| usize::from(cells).max(width(heading)) + GAP)
            .collect()
    }

    /// Hides the columns of which that is not true.
    pub(super) fn keep(&mut self, is_shown: impl Fn(usize) -> bool) {
        for (index, column) in self.rows.column_iter_mut().enumerate() {
            if !is_shown(index) {
                column.set_constraint(ColumnConstraint::Hidden);
            }
        }
    }

    /// Writes the table.
    pub fn write(self, out: &mut dyn Write, with_headings: bool) -> io::Result<()> {
        self.write_below(out, with_headings, &mut Vec::new())
    }

    /// Writes the table below another one, whose columns were so wide; they may become wider.
    pub fn write_below(
        mut self,
        out: &mut dyn Write,
        with_headings: bool,
        widths: &mut Vec<u16>,
    ) -> io::Result<()> {
        if with_headings {
            let headings = self.headings.iter();
            let headings = headings.map(|heading| styled(Meaning::Strong, heading));
            self.rows.set_header(headings.collect::<Vec<_>>());
        }
        let needed = self.rows.column_max_content_widths();
        widths.resize(needed.len(), 0);
        for (width, needed) in widths.iter_mut().zip(needed) {
            *width = needed.max(*width);
        }
        for (column, width) in self.rows.column_iter_mut().zip(&*widths) {
            if !column.is_hidden() {
                let gap = u16::try_from(GAP).unwrap_or_default();
                column.set_padding((0, gap));
                let fixed = Width::Fixed(width.saturating_add(gap));
                column.set_constraint(ColumnConstraint::Absolute(fixed));
            }
        }
        let mut spanning = self.spanning.into_iter().peekable();
        let first = usize::from(with_headings);
        for (index, line) in self.rows.lines().enumerate() {
            write!(out, "{}", line.trim_end_matches(' '))?;
            if let Some((_, column, text)) = spanning.next_if(|(row, ..)| row + first == index) {
                let before = widths.iter().take(column);
                let begin: usize = before.map(|width| usize::from(*width) + GAP).sum();
                let padding = begin.saturating_sub(width(line.trim_end_matches(' ')));
                write!(out, "{:padding$}{text}", "")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
