//! Label and field selectors, as far as the program sends them.

use serde_json::Value;

use super::request::Request;

/// What a list or a watch is limited to.
pub(crate) struct Selectors {
    labels: Vec<Term>,
    fields: Vec<Term>,
}

/// What a label or a field must be, or must not be.
struct Term {
    key: String,
    /// The value must be one of these; any value if there are none.
    values: Vec<String>,
    is_negated: bool,
}

impl Selectors {
    pub(crate) fn of(request: &Request) -> Selectors {
        let terms = |name| split_terms(request.parameter(name).unwrap_or_default());
        Selectors {
            labels: terms("labelSelector"),
            fields: terms("fieldSelector"),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether an object, in the shape it is stored in, is among the selected.
    pub(crate) fn match_object(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        let field = |path: &str| object.pointer(&format!("/{}", path.replace('.', "/")));
        self.labels
            .iter()
            .all(|term| term.fits(labels.get(&term.key)))
            && self.fields.iter().all(|term| term.fits(field(&term.key)))
    }
}

impl Term {
    /// Parses `a in (b, c)`, `a!=b`, `a=b` and `a`.
    fn parse(term: &str) -> Term {
        let positive = || term.split_once(" in ").or(term.split_once('='));
        let negative = term.split_once("!=");
        let (key, values) = negative.or_else(positive).unwrap_or((term, ""));
        let values = values.split(['(', ',', ')']).map(str::trim);
        let values = values.filter(|value| !value.is_empty());
        Term {
            key: key.to_owned(),
            values: values.map(str::to_owned).collect(),
            is_negated: negative.is_some(),
        }
    }

    fn fits(&self, value: Option<&Value>) -> bool {
        let is_one_of =
            |value| self.values.is_empty() || self.values.iter().any(|one| value == one);
        value.is_some_and(is_one_of) != self.is_negated
    }
}

/// Commas divide terms, but not inside parentheses.
fn split_terms(text: &str) -> Vec<Term> {
    let mut depth = 0_u32;
    let divides = |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    let terms = text.split(divides).filter(|term| !term.is_empty());
    terms.map(Term::parse).collect()
}
