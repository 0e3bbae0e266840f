//! Reads JSON, also several documents one after the other.
//!
//! JSON is nearly YAML, and the YAML parser could read it. But `\/` and surrogate pairs are
//! errors in go-yaml and valid in kubectl, which checks the first character and then uses Go's
//! `encoding/json`; and most snapshots are JSON, which is read several times faster this way.

use std::sync::Arc;

use super::builder::{Interner, MappingBuilder};
use super::error::{DocumentError, ErrorKind, Failure, Problem};
use super::node::{MappingKey, Node, NodeStyle, Place, Span, Value, narrow};
use super::{MAX_DEPTH, ParsedDocument, ParsedText, Part};

pub(super) fn parse(text: &str, part: Part) -> ParsedText {
    let mut reader = JsonReader::new(text, part);
    let mut parsed = ParsedText::default();
    for index in 0.. {
        reader.skip_space();
        if reader.peek().is_none() {
            break;
        }
        match reader.value(0) {
            Ok(root) => parsed.documents.push(ParsedDocument {
                index,
                root,
                comments: Vec::new(),
                problems: std::mem::take(&mut reader.problems),
            }),
            // In invalid JSON, the start of the next document is unknown.
            Err((place, kind)) => {
                let document = index;
                parsed.errors.push(DocumentError {
                    document,
                    place,
                    kind,
                });
                break;
            }
        }
    }
    parsed
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    /// A position on the current line whose column is known, so that columns in a long line are not
    /// counted from its beginning each time.
    known: (usize, u32),
    keys: Interner,
    problems: Vec<Problem>,
    scratch: String,
}

impl<'t> JsonReader<'t> {
    fn new(text: &'t str, part: Part) -> Self {
        let (text, body) = part.of(text);
        let at = text.len() - body.len();
        Self {
            text,
            at,
            line: part.line,
            known: (at, 1),
            keys: Interner::default(),
            problems: Vec::new(),
            scratch: String::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips a byte if it is one of these, and returns whether it is.
    fn take(&mut self, wanted: &[u8]) -> bool {
        let found = self.peek().is_some_and(|byte| wanted.contains(&byte));
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.known = (self.at, 1);
                }
                _ => break,
            }
        }
    }

    /// The position of what begins here; its end is set later.
    fn here(&mut self) -> Place {
        let (from, column) = self.known;
        let passed = self.text.as_bytes().get(from..self.at).unwrap_or_default();
        let passed = passed.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        let column = column.saturating_add(narrow(passed));
        self.known = (self.at, column);
        Place {
            span: Span::new(self.at, self.at),
            line: self.line,
            column,
        }
    }

    fn closed(&self, mut place: Place) -> Place {
        place.span.end = narrow(self.at);
        place
    }

    fn fail(&mut self, expected: &'static str) -> Failure {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = match rest.chars().next() {
            None => "the end of the text".to_owned(),
            Some(c) if c.is_control() => format!("the control character {}", c.escape_debug()),
            Some(c) => {
                let word = rest.split(|c: char| !c.is_alphanumeric()).next();
                match word.filter(|word| !word.is_empty() && word.len() <= 20) {
                    Some(word) => format!("`{word}`"),
                    None => format!("`{c}`"),
                }
            }
        };
        (self.here(), ErrorKind::Json { expected, found })
    }

    fn value(&mut self, depth: usize) -> Result<Node, Failure> {
        let place = self.here();
        if depth >= MAX_DEPTH {
            return Err((place, ErrorKind::TooDeep));
        }
        let (style, value) = match self.peek() {
            Some(b'{') => (NodeStyle::Flow, self.object(depth)?),
            Some(b'[') => (NodeStyle::Flow, self.array(depth)?),
            Some(b'"') => {
                self.string()?;
                (
                    NodeStyle::DoubleQuoted,
                    Value::String(Arc::from(self.scratch.as_str())),
                )
            }
            Some(b'-' | b'0'..=b'9') => (NodeStyle::Plain, self.number()?),
            Some(b't') => (NodeStyle::Plain, self.word("true", Value::Bool(true))?),
            Some(b'f') => (NodeStyle::Plain, self.word("false", Value::Bool(false))?),
            Some(b'n') => (NodeStyle::Plain, self.word("null", Value::Null)?),
            _ => return Err(self.fail("a value")),
        };
        Ok(Node {
            place: self.closed(place),
            style,
            value,
        })
    }

    fn object(&mut self, depth: usize) -> Result<Value, Failure> {
        let mut mapping = MappingBuilder::default();
        self.items(b"}", "`,` or `}`", |reader| {
            if reader.peek() != Some(b'"') {
                return Err(reader.fail("a key in double quotes"));
            }
            let place = reader.here();
            reader.string()?;
            let key = MappingKey {
                text: reader.keys.intern(&reader.scratch),
                place: reader.closed(place),
                style: NodeStyle::DoubleQuoted,
            };
            reader.skip_space();
            if !reader.take(b":") {
                return Err(reader.fail("`:` after the key"));
            }
            reader.skip_space();
            let value = reader.value(depth + 1)?;
            mapping.insert(key, value, &mut reader.problems);
            Ok(())
        })?;
        Ok(Value::Mapping(Arc::new(mapping.finish())))
    }

    fn array(&mut self, depth: usize) -> Result<Value, Failure> {
        let mut items = Vec::new();
        self.items(b"]", "`,` or `]`", |reader| {
            items.push(reader.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Value::Sequence(items.into()))
    }

    /// Reads items with commas between them, from the opening bracket to the closing one.
    fn items(
        &mut self,
        close: &[u8],
        expected: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.at += 1;
        self.skip_space();
        if self.take(close) {
            return Ok(());
        }
        loop {
            self.skip_space();
            item(self)?;
            self.skip_space();
            if self.take(close) {
                return Ok(());
            }
            if !self.take(b",") {
                return Err(self.fail(expected));
            }
        }
    }

    /// Reads a string into `scratch`.
    fn string(&mut self) -> Result<(), Failure> {
        self.scratch.clear();
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
            let plain = rest.bytes().position(|byte| special(&byte));
            let plain = plain.unwrap_or(rest.len());
            self.scratch.push_str(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.fail("a string without control characters")),
                None => return Err(self.fail("`\"` at the end of a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Failure> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'u') => {
                let Some(unit) = self.unicode(start) else {
                    return Err(self.fail("four hexadecimal digits after `\\u`"));
                };
                self.at = start + 6;
                let low = (0xD800..0xDC00)
                    .contains(&unit)
                    .then(|| self.unicode(self.at));
                let pair = low
                    .flatten()
                    .filter(|low| (0xDC00..0xE000).contains(low))
                    .map(|low| 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
                if pair.is_some() {
                    self.at += 6;
                }
                // Go reads half a pair as the replacement character.
                let c = char::from_u32(pair.unwrap_or(unit)).unwrap_or('\u{fffd}');
                self.scratch.push(c);
                return Ok(());
            }
            _ => return Err(self.fail("an escape sequence after `\\`")),
        };
        self.at += 1;
        self.scratch.push(plain);
        Ok(())
    }

    /// The code unit of the `\uXXXX` that begins at `start`.
    fn unicode(&self, start: usize) -> Option<u32> {
        let digits = self.text.get(start..start + 6)?.strip_prefix("\\u")?;
        let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
    }

    fn number(&mut self) -> Result<Value, Failure> {
        let start = self.at;
        self.take(b"-");
        if !self.take(b"0") {
            self.digits()?;
        }
        let mut whole = true;
        if self.take(b".") {
            whole = false;
            self.digits()?;
        }
        if self.take(b"eE") {
            whole = false;
            self.take(b"+-");
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        if let Some(int) = whole.then(|| text.parse().ok()).flatten() {
            return Ok(Value::Int(int));
        }
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() => Ok(Value::Float(float)),
            _ => {
                self.at = start;
                Err(self.fail("a number that fits 64 bits"))
            }
        }
    }

    fn digits(&mut self) -> Result<(), Failure> {
        const DIGITS: &[u8] = b"0123456789";
        if !self.take(DIGITS) {
            return Err(self.fail("a digit"));
        }
        while self.take(DIGITS) {}
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Failure> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(self.fail("a value"));
        }
        self.at += word.len();
        Ok(value)
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
