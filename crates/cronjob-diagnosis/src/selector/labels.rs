//! Label selectors.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::error::SelectorError;
use kube_model::Texts;

/// A label selector: all requirements must match.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(BTreeSet<String>),
    /// None of these, or the label does not exist.
    NotIn(BTreeSet<String>),
    Greater(i64),
    Less(i64),
}

impl LabelSelector {
    pub fn matches(&self, labels: &Texts) -> bool {
        self.requirements
            .iter()
            .all(|required| required.test.holds(labels.get(&required.key)))
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Test::Exists => value.is_some(),
            Test::Absent => value.is_none(),
            Test::In(values) => value.is_some_and(|value| values.contains(value)),
            Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Test::Greater(limit) => number().is_some_and(|number| number > *limit),
            Test::Less(limit) => number().is_some_and(|number| number < *limit),
        }
    }
}

/// In the form of the API server.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Requirement { key, test }) in self.requirements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match test {
                Test::Exists => write!(f, "{key}")?,
                Test::Absent => write!(f, "!{key}")?,
                Test::In(values) => write!(f, "{key} in ({})", listed(values))?,
                Test::NotIn(values) => write!(f, "{key} notin ({})", listed(values))?,
                Test::Greater(limit) => write!(f, "{key}>{limit}")?,
                Test::Less(limit) => write!(f, "{key}<{limit}")?,
            }
        }
        Ok(())
    }
}

fn listed(values: &BTreeSet<String>) -> String {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.join(",")
}

impl FromStr for LabelSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        parse(text).map(|requirements| LabelSelector { requirements })
    }
}

/// A token: an operator, a bracket, a comma or a word; empty at the end.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    at: usize,
}

impl Token<'_> {
    fn is_end(self) -> bool {
        self.text.is_empty()
    }

    fn is_word(self) -> bool {
        !self.is_end() && !self.text.starts_with(is_special)
    }

    fn span(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn instead_of<T>(self, expected: &str) -> Result<T, SelectorError> {
        Err(SelectorError::expected(expected, self.text, self.at))
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

/// Whether the API server treats a character as whitespace.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

struct Parser<'a> {
    text: &'a str,
    next: usize,
}

/// Parses all requirements. An empty text has none.
fn parse(text: &str) -> Result<Vec<Requirement>, SelectorError> {
    let mut parser = Parser { text, next: 0 };
    let mut requirements = Vec::new();
    if parser.peek().is_end() {
        return Ok(requirements);
    }
    loop {
        requirements.push(parser.requirement()?);
        let token = parser.take();
        match token.text {
            "" => return Ok(requirements),
            "," => {}
            _ => return token.instead_of("',' or the end"),
        }
    }
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        let rest = self.text.get(self.next..).unwrap_or_default();
        let begun = rest.trim_start_matches(is_blank);
        let at = self.text.len() - begun.len();
        let length = if begun.starts_with("==") || begun.starts_with("!=") {
            2
        } else if begun.starts_with(is_special) {
            1
        } else {
            let end = begun.find(|c| is_special(c) || is_blank(c));
            end.unwrap_or(begun.len())
        };
        let text = begun.get(..length).unwrap_or_default();
        Token { text, at }
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next = token.span().end;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let required = |key: &str, test| Requirement {
            key: key.to_owned(),
            test,
        };
        if self.peek().text == "!" {
            self.take();
            return Ok(required(self.key("a label key")?, Test::Absent));
        }
        let key = self.key("a label key or '!'")?;
        if matches!(self.peek().text, "" | ",") {
            return Ok(required(key, Test::Exists));
        }
        let operator = self.take();
        let test = match operator.text {
            "=" | "==" => Test::In(BTreeSet::from([self.value()?])),
            "!=" => Test::NotIn(BTreeSet::from([self.value()?])),
            "in" => Test::In(self.values()?),
            "notin" => Test::NotIn(self.values()?),
            ">" => Test::Greater(self.number()?),
            "<" => Test::Less(self.number()?),
            _ => return operator.instead_of("'=', '==', '!=', 'in', 'notin', '>' or '<'"),
        };
        Ok(required(key, test))
    }

    fn key(&mut self, expected: &str) -> Result<&'a str, SelectorError> {
        let token = self.take();
        if !token.is_word() || matches!(token.text, "in" | "notin") {
            return token.instead_of(expected);
        }
        check_key(token)?;
        Ok(token.text)
    }

    /// One value; it may be empty.
    fn value(&mut self) -> Result<String, SelectorError> {
        if matches!(self.peek().text, "" | ",") {
            return Ok(String::new());
        }
        let token = self.take();
        if !token.is_word() {
            return token.instead_of("a value");
        }
        check_value(token)?;
        Ok(token.text.to_owned())
    }

    /// Values in parentheses; a value may be empty.
    fn values(&mut self) -> Result<BTreeSet<String>, SelectorError> {
        let open = self.take();
        if open.text != "(" {
            return open.instead_of("'('");
        }
        let mut values = BTreeSet::new();
        loop {
            let mut token = self.take();
            let mut value = "";
            if token.is_word() {
                check_value(token)?;
                value = token.text;
                token = self.take();
            }
            values.insert(value.to_owned());
            match token.text {
                "," => {}
                ")" => return Ok(values),
                _ if value.is_empty() => return token.instead_of("a value, ',' or ')'"),
                _ => return token.instead_of("',' or ')'"),
            }
        }
    }

    fn number(&mut self) -> Result<i64, SelectorError> {
        let token = self.take();
        match token.text.parse() {
            Ok(number) => Ok(number),
            Err(_) => token.instead_of("a whole number"),
        }
    }
}

/// Checks a label key: `NAME` or `PREFIX/NAME`.
fn check_key(token: Token<'_>) -> Result<(), SelectorError> {
    let (prefix, name) = match token.text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, token.text),
    };
    if is_name(name) && prefix.is_none_or(is_domain) {
        return Ok(());
    }
    let message = format!(
        "invalid label key {:?}: must be up to 63 alphanumeric characters, '-', '_' or '.', with an \
         optional DNS domain and '/' before them",
        token.text
    );
    Err(SelectorError::new(message, token.span()))
}

fn check_value(token: Token<'_>) -> Result<(), SelectorError> {
    if is_name(token.text) {
        return Ok(());
    }
    let message = format!(
        "invalid label value {:?}: must be up to 63 alphanumeric characters, '-', '_' or '.', and \
         must start and end with an alphanumeric character",
        token.text
    );
    Err(SelectorError::new(message, token.span()))
}

/// The part of a label key after the prefix, and any value that is not empty.
fn is_name(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= 63
        && ends(text.chars().next())
        && ends(text.chars().next_back())
        && text.chars().all(inside)
}

/// A subdomain of RFC 1123.
fn is_domain(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(inside)
    };
    text.len() <= 253 && text.split('.').all(is_part)
}
