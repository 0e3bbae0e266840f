//! Pieces of markup that all parts of the page have.

use std::fmt::{self, Display};
use std::io::{self, Write};

use jiff::Timestamp;

use crate::diagnose::Severity;
use crate::duration::human;
use crate::output::xml::Escaped;
use crate::survey::{Health, Row};

/// What somebody else wrote: a name, a schedule. It is kept apart from what stands around it, whichever
/// direction it is read in.
pub(super) struct Foreign<'a>(pub(super) &'a str);

impl Display for Foreign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<bdi>{}</bdi>", Escaped(self.0))
    }
}

/// Namespace and name.
pub(super) struct Named<'a>(pub(super) &'a Row);

impl Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(row) = self;
        let (namespace, name) = (Foreign(&row.namespace), Foreign(&row.name));
        write!(f, "<span class=\"ns\">{namespace}/</span>{name}")
    }
}

/// The cell of a number. One that is none is not what anybody looks for.
pub(super) struct Count(pub(super) u64);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = if self.0 == 0 { "n zero" } else { "n" };
        let (value, shown) = (self.0, number(self.0));
        write!(f, "<td class=\"{class}\" data-v=\"{value}\">{shown}</td>")
    }
}

/// A moment in UTC: to the minute, if it is a full one.
pub(super) struct Moment(pub(super) Timestamp);

impl Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.0;
        let second = Timestamp::from_second(at.as_second()).unwrap_or(at);
        let seconds = if at.as_second() % 60 == 0 { "" } else { ":%S" };
        let shown = at.strftime("%Y-%m-%d %H:%M").to_string();
        let rest = if seconds.is_empty() {
            String::new()
        } else {
            at.strftime(seconds).to_string()
        };
        write!(f, "<time datetime=\"{second}\">{shown}{rest}</time>")
    }
}

/// A moment, and how far away it is. What is due is due now.
pub(super) fn with_distance(now: Timestamp, at: Timestamp) -> String {
    format!("{} <small>{}</small>", Moment(at), distance(now, at))
}

/// `in 12m`, `12m ago`, `now`.
pub(super) fn distance(now: Timestamp, at: Timestamp) -> String {
    match at.as_second().saturating_sub(now.as_second()) {
        0 => "now".to_owned(),
        seconds if seconds > 0 => format!("in {}", human(seconds)),
        seconds => format!("{} ago", human(-seconds)),
    }
}

/// The word for a health or a severity, with a mark that tells it without colours.
pub(super) fn badge(word: &str) -> String {
    format!("<span class=\"badge {word}\">{word}</span>")
}

/// What to sort by: the worst is the greatest.
pub(super) fn rank(health: Health) -> u8 {
    match health {
        Health::Ok => 0,
        Health::Info => 1,
        Health::Warning => 2,
        Health::Error => 3,
    }
}

/// The same for what was found.
pub(super) fn severity_rank(severity: Severity) -> u8 {
    rank(Health::from(severity))
}

/// Something that can be unfolded.
pub(super) fn folded(
    out: &mut dyn Write,
    summary: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "<details><summary>{summary}</summary>")?;
    content(out)?;
    writeln!(out, "</details>")
}

/// `1 CronJob`, `2 CronJobs`: a number and what it counts.
pub(super) fn counted(count: usize, what: &str) -> String {
    crate::output::load::sentences::counted(count as u64, what)
}

/// A number, thousands apart.
pub(super) fn number(count: u64) -> String {
    crate::output::load::sentences::grouped(count)
}
