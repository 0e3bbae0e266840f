//! How many values lie where, as a picture with its numbers below it.

use std::io::{self, Write};

use super::markup::{folded, number};
use crate::duration::{exact, human};
use crate::history::Percentiles;
use crate::report::{BOUNDS, Histogram};

/// Measures of the picture.
const WIDTH: u64 = 520;
const BOTTOM: u64 = 150;
const HIGHEST: u64 = 120;
const STEP: u64 = 64;
const BAR: u64 = 48;
const HEIGHT: u64 = 172;

/// A histogram, and what it is of.
pub(super) struct Bars<'a> {
    /// A word that names its parts.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// What is counted.
    pub(super) what: &'static str,
    pub(super) histogram: &'a Histogram,
    pub(super) spread: Percentiles,
}

impl Bars<'_> {
    /// Writes the picture and its numbers.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Bars {
            id, title, what, ..
        } = self;
        let spread = in_words(self.spread);
        let counts = self.histogram.counts;
        let parts = labels().into_iter().zip(counts);
        let parts: Vec<String> = parts.map(|(label, n)| format!("{label}: {n}")).collect();
        writeln!(
            out,
            "<figure><figcaption><b>{title}</b> <small>{spread}</small></figcaption><svg class=\"bars\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\"><title \
             id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{}</desc>",
            parts.join("; ")
        )?;
        let most = counts.into_iter().max().unwrap_or(0).max(1);
        for ((index, label), count) in (0..).zip(labels()).zip(counts) {
            let x = 4 + index * STEP;
            // What is there can be seen, however small it is.
            let height = (count * HIGHEST / most).max(u64::from(count > 0) * 2);
            let middle = x + BAR / 2;
            writeln!(
                out,
                "<rect data-count=\"{count}\" x=\"{x}\" y=\"{}\" width=\"{BAR}\" height=\"{height}\"/><text \
                 x=\"{middle}\" y=\"{}\">{}</text><text class=\"faint\" x=\"{middle}\" y=\"{HEIGHT}\" \
                 dy=\"-4\">{label}</text>",
                BOTTOM - height,
                BOTTOM - height - 5,
                number(count)
            )?;
        }
        writeln!(
            out,
            "<path class=\"ground\" d=\"M0 {BOTTOM}h{WIDTH}\"/></svg></figure>"
        )?;
        folded(out, &format!("Numbers of: {title}"), |out| {
            writeln!(
                out,
                "<table><caption>{title}</caption><thead><tr><th scope=\"col\">Length</th><th scope=\"col\" \
                 class=\"n\">{what}</th></tr></thead><tbody>"
            )?;
            for (label, count) in labels().into_iter().zip(counts) {
                writeln!(
                    out,
                    "<tr><th scope=\"row\">{label}</th><td class=\"n\">{}</td></tr>",
                    number(count)
                )?;
            }
            writeln!(out, "</tbody></table>")
        })
    }
}

/// What the classes are called.
fn labels() -> Vec<String> {
    let bound = |bound: &i64| format!("≤ {}", exact(*bound));
    let beyond = BOUNDS.last().map(|bound| format!("&gt; {}", exact(*bound)));
    BOUNDS.iter().map(bound).chain(beyond).collect()
}

/// `p50 2s, p95 1m10s, max 3m`.
pub(super) fn in_words(spread: Percentiles) -> String {
    match (spread.p50, spread.p95, spread.max) {
        (Some(p50), Some(p95), Some(max)) => {
            format!("p50 {}, p95 {}, max {}", human(p50), human(p95), human(max))
        }
        _ => "none is known".to_owned(),
    }
}
