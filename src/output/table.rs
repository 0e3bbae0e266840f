//! Tables as kubectl prints them: capital headings, three blanks between the columns.

use std::io::{self, Write};

use super::style::{Meaning, styled};
use crate::printable::{printable, shortened, width};

pub(super) const GAP: usize = 3;

/// The longest name that Kubernetes allows: nothing makes a column wider.
const COLUMN: usize = 253;
/// No schedule that anybody writes is longer.
pub(super) const SCHEDULE: usize = 80;
/// What ends a line may be longer.
const END: usize = 4_000;

/// How wide a column is, without the gap after it.
pub(super) fn column_width<'c>(cells: impl Iterator<Item = &'c Cell>, heading: &str) -> usize {
    let widths = cells.map(|cell| cell.width.min(COLUMN));
    widths.max().unwrap_or(0).max(width(heading))
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    width: usize,
    meaning: Meaning,
    spans: bool,
}

impl Cell {
    /// A cell with a meaning of its own.
    pub fn new(text: impl AsRef<str>, meaning: Meaning) -> Self {
        let text = printable(text.as_ref());
        Cell {
            width: width(&text),
            text,
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
        if self.width > columns {
            self.text = shortened(&self.text, columns);
            self.width = width(&self.text);
        }
        self
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
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub fn new(headings: impl IntoIterator<Item = &'static str>) -> Self {
        Table {
            headings: headings.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell for each heading.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.headings.len(), "a cell for each heading");
        let last = row.len().saturating_sub(1);
        let cells = row.into_iter().enumerate().map(|(column, cell)| {
            let ends = cell.spans || column == last;
            cell.within(if ends { END } else { COLUMN })
        });
        self.rows.push(cells.collect());
    }

    /// Writes the table.
    pub fn write(&self, out: &mut dyn Write, with_headings: bool) -> io::Result<()> {
        self.write_below(out, with_headings, &mut Vec::new())
    }

    /// Writes the table below another one, whose columns were so wide; they may become wider.
    pub fn write_below(
        &self,
        out: &mut dyn Write,
        with_headings: bool,
        widths: &mut Vec<usize>,
    ) -> io::Result<()> {
        let headings: Vec<Cell> = self
            .headings
            .iter()
            .map(|heading| Cell::new(*heading, Meaning::Strong))
            .collect();
        let lines = || {
            with_headings
                .then_some(&headings)
                .into_iter()
                .chain(&self.rows)
        };
        widths.resize(self.headings.len(), 0);
        for line in lines() {
            for (width, cell) in widths.iter_mut().zip(line).filter(|(_, cell)| !cell.spans) {
                *width = (*width).max(cell.width);
            }
        }
        for line in lines() {
            let last = line
                .iter()
                .rposition(|cell| !cell.text.is_empty())
                .unwrap_or(0);
            for (column, (cell, width)) in line.iter().zip(widths.iter()).enumerate().take(last + 1)
            {
                write!(out, "{}", styled(cell.meaning, &cell.text))?;
                if column < last {
                    let padding = (width + GAP).saturating_sub(cell.width);
                    write!(out, "{}", " ".repeat(padding))?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
