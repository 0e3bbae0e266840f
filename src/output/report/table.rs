//! Tables of which there may be thousands of rows, which a script sorts, filters and shows bit by bit.

use std::io::{self, Write};

/// So many rows are in a block. With a script only the first block is shown at once, so that nobody
/// waits for rows that nobody looks at; without one, all are.
const BLOCK: usize = 100;

/// A column.
pub(super) struct Column {
    /// What stands above it.
    pub(super) heading: &'static str,
    /// Whether rows can be sorted by it, and which order is the first to be had.
    pub(super) sorted: Option<Order>,
    /// How it is laid out.
    pub(super) class: &'static str,
}

/// Which order a column is sorted in first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Up,
    Down,
}

impl Column {
    pub(super) const fn new(heading: &'static str, class: &'static str) -> Self {
        Column {
            heading,
            sorted: None,
            class,
        }
    }

    pub(super) const fn up(heading: &'static str, class: &'static str) -> Self {
        Column {
            sorted: Some(Order::Up),
            ..Column::new(heading, class)
        }
    }

    pub(super) const fn down(heading: &'static str, class: &'static str) -> Self {
        Column {
            sorted: Some(Order::Down),
            ..Column::new(heading, class)
        }
    }
}

/// A table that is open for rows.
pub(super) struct Table<'o> {
    out: &'o mut dyn Write,
    rows: usize,
}

impl<'o> Table<'o> {
    /// Begins a table of the rows of a list. `extra` is markup that stands in the last heading.
    pub(super) fn begin(
        out: &'o mut dyn Write,
        list: &str,
        caption: &str,
        columns: &[Column],
        extra: &str,
    ) -> io::Result<Self> {
        write!(
            out,
            "<div class=\"wide\"><table class=\"list {list}\" data-list=\"{list}\"><caption>{caption}\
             </caption><thead><tr>"
        )?;
        for (index, column) in columns.iter().enumerate() {
            let Column { heading, class, .. } = column;
            let extra = if index + 1 == columns.len() {
                extra
            } else {
                ""
            };
            let Some(order) = column.sorted else {
                write!(
                    out,
                    "<th scope=\"col\" class=\"{class}\">{heading}{extra}</th>"
                )?;
                continue;
            };
            let first = if order == Order::Up { "up" } else { "down" };
            write!(
                out,
                "<th scope=\"col\" class=\"{class}\" data-first=\"{first}\"><button type=\"button\" \
                 class=\"sort\">{heading}</button>{extra}</th>"
            )?;
        }
        writeln!(out, "</tr></thead>")?;
        Ok(Table { out, rows: 0 })
    }

    /// Where the next row is written.
    pub(super) fn row(&mut self) -> io::Result<&mut dyn Write> {
        if self.rows.is_multiple_of(BLOCK) {
            let (end, later) = match self.rows {
                0 => ("", ""),
                _ => ("</tbody>", " class=\"later\""),
            };
            writeln!(self.out, "{end}<tbody{later}>")?;
        }
        self.rows += 1;
        Ok(&mut *self.out)
    }

    /// Ends the table.
    pub(super) fn end(self) -> io::Result<()> {
        let end = if self.rows == 0 { "" } else { "</tbody>" };
        writeln!(self.out, "{end}</table></div>")
    }
}
