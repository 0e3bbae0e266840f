use crate::document::{ErrorKind, Place, Span};
use crate::lint::{Edit, Fix, Found};

/// An error of a document.
pub(in crate::lint) fn found(text: &str, place: Place, kind: &ErrorKind) -> Found {
    let mut place = place;
    let mut fix = None;
    if let ErrorKind::Unquoted { value, .. } = kind
        && let Some(span) = find(text, place, value)
    {
        // From the first character of the value on, wherever the parser stopped.
        let passed = text.get(span.range().start..place.span.range().start);
        let passed = passed.unwrap_or_default().chars().count();
        let passed = u32::try_from(passed).unwrap_or(u32::MAX);
        place.column = place.column.saturating_sub(passed).max(1);
        place.span = span;
        let replacement = format!("'{}'", value.replace('\'', "''"));
        fix = Some(Fix::new(
            "Put the value in quotes",
            Edit { span, replacement },
        ));
    }
    Found::new("", place, kind.to_string()).fix(fix)
}

/// Where on the line of a place a value stands.
fn find(text: &str, place: Place, value: &str) -> Option<Span> {
    let at = place.span.range().start;
    let start = text.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let begin = u32::try_from(start + line.find(value)?).ok()?;
    let end = begin.checked_add(u32::try_from(value.len()).ok()?)?;
    Some(Span { start: begin, end })
}

#[cfg(test)]
mod tests {
    use crate::document;

    /// An umlaut is two bytes and one column.
    #[test]
    fn columns_are_counted_in_characters() {
        let text = "*a\u{e9}kind: CronJob\n";
        let errors = document::parse(text).errors;
        assert!(!errors.is_empty());
        for error in errors {
            let found = super::found(text, error.place, &error.kind);
            assert_eq!((found.place.line, found.place.column), (1, 1));
        }
    }
}
