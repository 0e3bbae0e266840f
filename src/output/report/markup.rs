//! Markup that several sections of the page share.

use std::io::{self, Write};
use std::mem;

use base64::prelude::BASE64_STANDARD;
use base64::write::EncoderStringWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use maud::{Markup, PreEscaped, html};

use crate::output::xml::Escaped;
use cronjob_diagnosis::diagnose::is_link;
use cronjob_diagnosis::kubectl::Remedy;
use cronjob_diagnosis::survey::Row;
use cronjob_text::duration::{from_now, human, whole_second};
use cronjob_text::printable::shortened;
use cronjob_text::words::grouped;

/// Text from a cluster or a file, such as a name or a schedule. Its direction of writing does not affect the
/// text around it.
pub(super) fn foreign(text: &str) -> Markup {
    html! { bdi { (Escaped(text)) } }
}

/// A longer runbook is cut; a link still leads to all of it.
const LONGEST_RUNBOOK: usize = 500;

/// The runbook of a `CronJob`: a link if it is an `http` or `https` URL, and text otherwise.
pub(super) fn runbook_link(text: &str) -> Markup {
    let shown = foreign(&shortened(text, LONGEST_RUNBOOK));
    html! {
        @if is_link(text) {
            a href=(text) rel="noopener noreferrer" { (shown) }
        } @else {
            (shown)
        }
    }
}

/// `NAMESPACE/NAME`
pub(super) fn name(row: &Row) -> Markup {
    html! {
        span class="ns" { (foreign(&row.namespace)) "/" }
        (foreign(&row.name))
    }
}

/// A link to the row of a `CronJob`.
pub(super) fn link(index: usize, row: &Row) -> Markup {
    html! { a href={ "#c" (index) } { (name(row)) } }
}

/// A cell with a number. Zero is faint.
pub(super) fn count_cell(count: u64) -> Markup {
    let class = if count == 0 { "n zero" } else { "n" };
    html! { td class=(class) data-v=(count) { (grouped(count)) } }
}

/// A cell with a number of seconds, if it is known.
pub(super) fn seconds_cell(seconds: Option<i64>) -> Markup {
    html! {
        @if let Some(seconds) = seconds {
            td class="n" data-v=(seconds) { (human(seconds)) }
        } @else {
            td class="n" { (missing("none")) }
        }
    }
}

/// A cell with a time. A cell without one is sorted last.
pub(super) fn time_cell(now: Timestamp, at: Option<Timestamp>, none: &str) -> Markup {
    html! {
        @if let Some(at) = at {
            td data-v=(at.as_second()) { (time(at)) " " small { (from_now(now, at)) } }
        } @else {
            td { (missing(none)) }
        }
    }
}

/// What a cell shows instead of a value.
pub(super) fn missing(word: &str) -> Markup {
    html! { span class="none" { (word) } }
}

/// A time in UTC: with seconds only if there are any.
pub(super) fn time(at: Timestamp) -> Markup {
    let second = whole_second(at);
    let format = if at.as_second() % 60 == 0 {
        "%Y-%m-%d %H:%M"
    } else {
        "%Y-%m-%d %H:%M:%S"
    };
    html! { time datetime=(second) { (at.strftime(format)) } }
}

/// A health or a severity. The style sheet adds a sign, so that it can be read without colors.
pub(super) fn badge(word: &str) -> Markup {
    html! { span class={ "badge " (word) } { (word) } }
}

pub(super) fn folded(summary: &str, content: &Markup) -> Markup {
    html! { details { summary { (summary) } (content) } }
}

/// A part of a bar that shows proportions: its class, its label and its count.
pub(super) type Share = (&'static str, &'static str, u64);

/// A bar whose parts are as wide as their shares of the total.
pub(super) fn proportions(id: &str, title: &str, shares: &[Share], total: u64) -> Markup {
    let described: Vec<String> = shares
        .iter()
        .map(|(_, label, count)| format!("{} {label}", grouped(*count)))
        .collect();
    let mut before = 0;
    let place = |sum: u64| sum * 1000 / total.max(1);
    let mut parts = Vec::new();
    for (class, _, count) in shares.iter().filter(|(_, _, count)| *count > 0) {
        let x = place(before);
        before += count;
        parts.push((class, count, x, place(before) - x));
    }
    html! {
        svg class="proportions" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img"
            aria-labelledby={ (id) "-title " (id) "-desc" } {
            title id={ (id) "-title" } { (title) }
            desc id={ (id) "-desc" } { (described.join(", ")) }
            @for (class, count, x, width) in parts {
                rect class={ "fill-" (class) } data-count=(count) x=(x) width=(width) height="10" {}
            }
        }
    }
}

/// The number of rows in a table body. With a script only the first body is shown at first, because a browser
/// needs long to lay out thousands of rows; without a script all are shown.
const ROWS_PER_BODY: usize = 100;

pub(super) struct Column {
    heading: &'static str,
    class: &'static str,
    /// The order of the first click on the heading; `None` if the list cannot be sorted by the column.
    first_order: Option<&'static str>,
}

impl Column {
    pub(super) const fn new(heading: &'static str, class: &'static str) -> Self {
        Column {
            heading,
            class,
            first_order: None,
        }
    }

    pub(super) const fn ascending(heading: &'static str, class: &'static str) -> Self {
        Column {
            first_order: Some("up"),
            ..Column::new(heading, class)
        }
    }

    pub(super) const fn descending(heading: &'static str, class: &'static str) -> Self {
        Column {
            first_order: Some("down"),
            ..Column::new(heading, class)
        }
    }
}

/// A list: a table that the script sorts, filters and shows part by part.
pub(super) struct ReportList<'a> {
    id: &'static str,
    caption: &'static str,
    columns: &'a [Column],
    /// What the last heading contains besides its text.
    axis: Option<Markup>,
    rows: Box<dyn Iterator<Item = Markup> + 'a>,
    /// How many rows are shown at first.
    first: usize,
}

/// Lists with more rows than these are packed, apart from the first body: they would be megabytes of markup.
const MOST_UNPACKED: usize = 1_000;

impl<'a> ReportList<'a> {
    pub(super) fn new(
        [id, caption]: [&'static str; 2],
        columns: &'a [Column],
        rows: impl Iterator<Item = Markup> + 'a,
    ) -> Self {
        ReportList {
            id,
            caption,
            columns,
            axis: None,
            rows: Box::new(rows),
            first: ROWS_PER_BODY,
        }
    }

    /// Limits the rows that the script shows at first: the others matter less.
    pub(super) fn first(self, rows: usize) -> Self {
        let first = rows.clamp(1, ROWS_PER_BODY);
        ReportList { first, ..self }
    }

    pub(super) fn with_axis(self, axis: Markup) -> Self {
        let axis = Some(axis);
        ReportList { axis, ..self }
    }

    /// The table. What the script unpacks follows it.
    pub(super) fn markup(mut self) -> io::Result<Markup> {
        let last = self.columns.len().saturating_sub(1);
        let is_usual = self.first == ROWS_PER_BODY;
        let shown: Vec<Markup> = self.rows.by_ref().take(self.first).collect();
        let first = shown.len();
        let later = self.rows.by_ref().take(MOST_UNPACKED - first);
        let mut later: Vec<Markup> = later.collect();
        let mut total = first + later.len();
        let next = self.rows.next();
        let packed = next.map(|next| {
            let packed = mem::take(&mut later).into_iter().chain([next]);
            gzipped(|out| {
                total = first;
                for row in packed.chain(self.rows) {
                    total += 1;
                    out.write_all(row.0.as_bytes())?;
                }
                Ok(())
            })
        });
        let packed = packed.transpose()?;
        let bodies = [shown.as_slice()].into_iter();
        let bodies = bodies.chain(later.chunks(ROWS_PER_BODY));
        Ok(html! {
            div class="wide" {
                table class={ "list " (self.id) } data-list=(self.id)
                    data-first=[(!is_usual).then_some(self.first)] {
                    caption { (self.caption) }
                    thead {
                        tr {
                            @for (index, column) in self.columns.iter().enumerate() {
                                th scope="col" class=(column.class) data-first=[column.first_order] {
                                    @if column.first_order.is_some() {
                                        button type="button" class="sort" { (column.heading) }
                                    } @else {
                                        (column.heading)
                                    }
                                    @if let (true, Some(axis)) = (index == last, &self.axis) { (axis) }
                                }
                            }
                        }
                    }
                    @for (index, rows) in bodies.enumerate() {
                        tbody class=[(index > 0).then_some("later")] {
                            @for row in rows { (row) }
                        }
                    }
                }
                @if let Some(packed) = packed {
                    p class="hint unscripted" {
                        "Scripts are off, so only " (grouped(first)) " of "
                        (grouped(total)) " rows are shown."
                    }
                    script type="application/gzip+base64" class="rows" { (PreEscaped(packed)) }
                }
            }
        })
    }
}

/// A table that cannot be sorted; a heading with `true` is one of numbers.
pub(super) fn table(
    class: &str,
    caption: &str,
    headings: &[(&str, bool)],
    rows: &Markup,
) -> Markup {
    html! {
        div class="wide" {
            table class=(class) {
                caption { (caption) }
                thead {
                    tr {
                        @for (heading, is_number) in headings {
                            th scope="col" class=[is_number.then_some("n")] { (heading) }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// What to do: each command alone, so that it can be copied.
pub(super) fn remedy(remedy: &Remedy) -> Markup {
    let code = |command: &str| html! { code { (foreign(command)) } };
    html! {
        @if let Some(command) = &remedy.command {
            (code(command))
            @for note in &remedy.notes {
                span class="note" {
                    (foreign(&note.text))
                    @if let Some(command) = &note.command { ": " (code(command)) }
                }
            }
        } @else {
            (foreign(&remedy.text))
        }
    }
}

/// What a function writes, compressed by gzip, in base64.
pub(super) fn gzipped(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<String> {
    let encoder = EncoderStringWriter::new(&BASE64_STANDARD);
    Ok(compressed(encoder, write)?.into_inner())
}

/// Compresses what a function writes by gzip. The same text gives the same result.
pub(super) fn compressed<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<W> {
    let mut packer = io::BufWriter::new(GzEncoder::new(out, Compression::default()));
    write(&mut packer)?;
    let packer = packer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    packer.finish()
}
