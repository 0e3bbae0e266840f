//! Errors in expressions, with upstream's messages.

use std::fmt;
use std::ops::Range;

use super::Blame;
use crate::dialect::Dialect;
use crate::field_name::FieldName;
use crate::zone::ZoneError;

/// An expression that upstream rejects.
///
/// Its `Display` is exactly upstream's message. The position and the hint are additions.
///
/// ```
/// use kube_cron::{BundledZones, Dialect, Schedule};
///
/// let error = Schedule::parse("0 2 * * 7", Dialect::V3_0, &BundledZones).unwrap_err();
/// assert_eq!(error.to_string(), "end of range (7) above maximum (6): 7");
/// assert_eq!(error.span(), 8..9);
/// assert_eq!(error.hint().unwrap(), "use 0 for Sunday, not 7");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    blame: Blame,
    text: String,
    dialect: Dialect,
}

/// Why an expression is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Empty,
    /// The number of fields is wrong.
    FieldCount {
        found: Vec<String>,
    },
    NotANumber {
        /// Whether it is a number that does not fit in 64 bits.
        out_of_range: bool,
    },
    Negative {
        value: i64,
    },
    TooManyHyphens,
    TooManySlashes,
    /// A range begins too low.
    BelowMinimum {
        start: u64,
        minimum: u64,
    },
    /// A range ends too high.
    AboveMaximum {
        end: u64,
        maximum: u64,
    },
    /// A range ends before it begins.
    Reversed {
        start: u64,
        end: u64,
    },
    StepZero,
    UnknownDescriptor,
    /// `@every` with an invalid Go duration, and Go's message.
    BadDuration {
        detail: String,
    },
    /// `TZ=` with an unknown zone.
    BadZone {
        name: String,
        error: ZoneError,
    },
    /// A step that is not smaller than its range, which only go-cron rejects.
    StepTooLarge {
        step: u64,
        /// The number of values in the range.
        size: u64,
    },
    /// Something else that only go-cron rejects, with its message.
    GoCron(String),
    /// `TZ=` without a space after the zone: upstream panics.
    NoBlankAfterZone,
}

impl ParseError {
    pub(super) fn new(blame: Blame, text: &str, dialect: Dialect) -> Self {
        ParseError {
            blame,
            text: text.to_owned(),
            dialect,
        }
    }

    pub(super) fn reason(&self) -> &Reason {
        &self.blame.reason
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The part of the expression that upstream's message cites.
    pub(super) fn cited(&self) -> &str {
        self.text.get(self.blame.cited.clone()).unwrap_or_default()
    }

    /// The bytes of the expression that cause the error; empty if something is missing.
    pub fn span(&self) -> Range<usize> {
        self.blame.span.clone()
    }

    /// The expression.
    pub fn expression(&self) -> &str {
        &self.text
    }

    /// Whether upstream panics instead of rejecting the expression.
    pub fn is_panic(&self) -> bool {
        self.blame.reason == Reason::NoBlankAfterZone
    }

    /// This error without the first `prefix` bytes of the expression.
    pub(crate) fn without_prefix(mut self, prefix: usize) -> Self {
        self.text = self.text.get(prefix..).unwrap_or_default().to_owned();
        for range in [&mut self.blame.span, &mut self.blame.cited] {
            *range = range.start.saturating_sub(prefix)..range.end.saturating_sub(prefix);
        }
        self
    }

    /// The field that causes the error.
    pub fn field(&self) -> Option<FieldName> {
        let before = self.text.get(..self.blame.span.start)?;
        let fields_from = before
            .find("TZ=")
            .map_or(0, |at| before[at..].find(' ').map_or(0, |blank| at + blank));
        let in_fields = &before[fields_from..];
        let mut count = in_fields.split_whitespace().count();
        count -= usize::from(
            !in_fields.is_empty() && !in_fields.ends_with(char::is_whitespace) && count > 0,
        );
        self.dialect.fields().get(count).copied()
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message();
        if !self.dialect.traits().capital_errors {
            return f.write_str(&message);
        }
        let mut rest = message.chars();
        let first = rest.next().map(|c| c.to_ascii_uppercase());
        write!(
            f,
            "{}{}",
            first.map(String::from).unwrap_or_default(),
            rest.as_str()
        )
    }
}

impl ParseError {
    fn message(&self) -> String {
        let traits = self.dialect.traits();
        let quoted = go_quote(self.cited());
        let cited = if traits.go_cron_errors {
            &quoted
        } else {
            self.cited()
        };
        match &self.blame.reason {
            Reason::Empty => "empty spec string".to_owned(),
            Reason::FieldCount { found } => {
                let count = found.len();
                let shown = if traits.lists_found_fields {
                    format!("[{}]", found.join(" "))
                } else {
                    self.text.clone()
                };
                let expected = if traits.seconds_field {
                    "5 to 6"
                } else {
                    "exactly 5"
                };
                format!("expected {expected} fields, found {count}: {shown}")
            }
            Reason::NotANumber { out_of_range } => {
                let why = if *out_of_range {
                    "value out of range"
                } else {
                    "invalid syntax"
                };
                format!("failed to parse int from {cited}: strconv.Atoi: parsing {quoted}: {why}")
            }
            Reason::Negative { value } => format!("negative number ({value}) not allowed: {cited}"),
            Reason::TooManyHyphens => format!("too many hyphens: {cited}"),
            Reason::TooManySlashes => format!("too many slashes: {cited}"),
            Reason::BelowMinimum { start, minimum } => {
                format!("beginning of range ({start}) below minimum ({minimum}): {cited}")
            }
            Reason::AboveMaximum { end, maximum } => {
                format!("end of range ({end}) above maximum ({maximum}): {cited}")
            }
            Reason::Reversed { start, end } => {
                format!("beginning of range ({start}) beyond end of range ({end}): {cited}")
            }
            Reason::StepZero => {
                let verb = if traits.go_cron_errors {
                    "must"
                } else {
                    "should"
                };
                format!("step of range {verb} be a positive number: {cited}")
            }
            Reason::UnknownDescriptor => format!("unrecognized descriptor: {cited}"),
            Reason::BadDuration { detail } => {
                format!("failed to parse duration {cited}: {detail}")
            }
            Reason::StepTooLarge { step, size } => {
                format!("step ({step}) must be less than range size ({size}): {cited}")
            }
            Reason::GoCron(message) => message.clone(),
            Reason::BadZone { name, error } if traits.go_cron_errors => {
                format!("unknown time zone {}: {error}", go_quote(name))
            }
            Reason::BadZone { name, error } => format!("provided bad location {name}: {error}"),
            Reason::NoBlankAfterZone => "invalid schedule format: runtime error: \
                                         slice bounds out of range [:-1]"
                .to_owned(),
        }
    }
}

/// Go's `strconv.Quote`.
pub fn go_quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            ' '..='~' => quoted.push(c),
            c if is_printable(c) => quoted.push(c),
            c => quoted.push_str(&escape(c)),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(c: char) -> String {
    match u32::from(c) {
        code @ (0..0x20 | 0x7f) => format!("\\x{code:02x}"),
        code @ 0..0x1_0000 => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    }
}

/// Letters, marks, numbers, punctuation and symbols. The standard library knows which these are,
/// but tells only by escaping the others; a character in front keeps it from escaping marks too.
fn is_printable(c: char) -> bool {
    ['a', c].iter().collect::<String>().escape_debug().count() == 2
}
