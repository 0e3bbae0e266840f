//! Tables as kubectl prints them: capital headings, three blanks between the columns.

use std::io::{self, Write};

use super::style::{Meaning, styled};

pub(super) const GAP: usize = 3;

/// How wide a column is, without the gap after it.
pub(super) fn column_width<'c>(cells: impl Iterator<Item = &'c Cell>, heading: &str) -> usize {
    let widths = cells.map(|cell| cell.text.chars().count());
    widths.max().unwrap_or(0).max(heading.chars().count())
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    meaning: Meaning,
    spans: bool,
}

impl Cell {
    /// A cell with a meaning of its own.
    pub fn new(text: impl Into<String>, meaning: Meaning) -> Self {
        Cell {
            text: printable(&text.into()),
            meaning,
            spans: false,
        }
    }

    /// A cell that runs on over the empty ones after it, and makes no column wider.
    pub fn spanning(text: impl Into<String>, meaning: Meaning) -> Self {
        Cell {
            spans: true,
            ..Cell::new(text, meaning)
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell::new(text, Meaning::Plain)
    }
}

/// Names come from files and clusters: what could move the cursor of a terminal is made visible.
pub fn printable(text: &str) -> String {
    if text.chars().any(char::is_control) {
        text.chars()
            .flat_map(|c| {
                if c.is_control() {
                    c.escape_default().collect()
                } else {
                    vec![c]
                }
            })
            .collect()
    } else {
        text.to_owned()
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
        self.rows.push(row);
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
                *width = (*width).max(cell.text.chars().count());
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
                    let padding = (width + GAP).saturating_sub(cell.text.chars().count());
                    write!(out, "{:padding$}", "")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
