//! Field selectors.

use std::str::FromStr;

use super::error::SelectorError;

/// A field selector. For `CronJob`s the API server supports two fields.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldSelector {
    terms: Vec<FieldTerm>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldTerm {
    field: Field,
    equal: bool,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Namespace,
}

impl FieldSelector {
    pub fn matches(&self, namespace: &str, name: &str) -> bool {
        self.terms.iter().all(|term| {
            let actual = match term.field {
                Field::Name => name,
                Field::Namespace => namespace,
            };
            (actual == term.value) == term.equal
        })
    }
}

impl FromStr for FieldSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let mut terms = Vec::new();
        let mut at = 0;
        for part in split(text) {
            if !part.is_empty() {
                terms.push(term(part, at)?);
            }
            at += part.len() + 1;
        }
        Ok(FieldSelector { terms })
    }
}

/// Splits at commas that are not escaped.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    text.split(move |c| {
        let ends = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })
}

fn term(text: &str, at: usize) -> Result<FieldTerm, SelectorError> {
    let begin = text.find(['=', '!']);
    let (label, rest) = text.split_at(begin.unwrap_or(text.len()));
    let operators = [("!=", false), ("==", true), ("=", true)];
    let found = operators
        .into_iter()
        .find_map(|(operator, equal)| Some((rest.strip_prefix(operator)?, equal)));
    let Some((value, equal)) = found else {
        let found = rest.get(..1).unwrap_or_default();
        return Err(SelectorError::expected(
            "'=', '==' or '!=' after the field",
            found,
            at + label.len(),
        ));
    };
    let field = match label {
        "metadata.name" => Field::Name,
        "metadata.namespace" => Field::Namespace,
        other => {
            let message = format!(
                "field label not supported: {other}; CronJobs support metadata.name and \
                 metadata.namespace"
            );
            return Err(SelectorError::new(message, at..at + label.len()));
        }
    };
    Ok(FieldTerm {
        field,
        equal,
        value: unescaped(value, at + text.len() - value.len())?,
    })
}

fn unescaped(text: &str, at: usize) -> Result<String, SelectorError> {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        let wrong = |message| SelectorError::new(message, at + index..at + index + 1);
        let meant = match c {
            '\\' => chars.next().map(|(_, c)| c).filter(|c| is_escaped(*c)),
            '=' => return Err(wrong("'=' in a value must be escaped with a backslash")),
            c => Some(c),
        };
        let alone = "a backslash can only escape ',', '=' or another backslash";
        value.push(meant.ok_or_else(|| wrong(alone))?);
    }
    Ok(value)
}

fn is_escaped(c: char) -> bool {
    matches!(c, '\\' | ',' | '=')
}
