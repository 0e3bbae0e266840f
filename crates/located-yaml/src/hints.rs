//! Guesses the cause of a YAML error from its line.

use granit_parser::ErrorKind as Scan;

use super::error::ErrorKind;

/// Whether a text that begins with a bracket is probably JSON. A YAML flow mapping usually has no
/// quotes around its keys, and a template has two braces.
pub(super) fn looks_like_json(text: &str) -> bool {
    let mut after = text.trim_start().chars();
    let open = after.next();
    match (open, after.as_str().trim_start().chars().next()) {
        (Some('{'), next) => matches!(next, None | Some('"' | '}')),
        (Some('['), next) => matches!(next, None | Some('{' | '"' | ']')),
        _ => false,
    }
}

/// Whether text contains actions of a Go template, as Helm charts do.
pub(super) fn is_template(text: &str) -> bool {
    text.find("{{")
        .is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains("}}")))
}

/// The error behind the scanner's. `line` is the line that the scanner stopped on, and `before`
/// the document up to there.
pub(super) fn explain(scan: &Scan, before: &str, line: &str) -> ErrorKind {
    // Templates of other programs may be in quotes; an action on its own line is Helm's.
    let action = |line: &str| line.trim_start().starts_with("{{");
    if is_template(line) || before.lines().any(action) {
        return ErrorKind::Template;
    }
    if let Some(unquoted) = unquoted(line) {
        return unquoted;
    }
    if matches!(scan, Scan::RecursionLimitExceeded) {
        return ErrorKind::TooDeep;
    }
    let way_out = match scan {
        Scan::TabNotAllowed
        | Scan::TabInBlockIndentation
        | Scan::TabInIndentation
        | Scan::TabAtBlockScalarStart
        | Scan::TabInPlainScalar => "indent with spaces, not tabs",
        Scan::MappingValueNotAllowed => {
            "check the indentation, and put a value that contains `: ` in quotes"
        }
        Scan::UnclosedQuotedScalar
        | Scan::InvalidQuotedScalarIndent
        | Scan::DocumentIndicatorInQuotedScalar => "look for the quote that is not closed",
        Scan::UnclosedFlowCollection { .. }
        | Scan::MismatchedFlowCollectionEnd { .. }
        | Scan::MisplacedFlowCollectionEnd
        | Scan::InvalidColonPlacement
        | Scan::ExpectedFlowMappingSeparator
        | Scan::ExpectedFlowSequenceSeparator => "look for the bracket that is not closed",
        Scan::UnexpectedCharacter { .. } => "put the value in quotes",
        Scan::UnknownQuotedScalarEscape => "write `\\\\` for a backslash, or use single quotes",
        _ => "check the indentation and the quotes here and on the line above",
    };
    ErrorKind::Yaml {
        message: format!("{scan}; {way_out}"),
    }
}

/// A value that begins with a reserved character of YAML, as cron expressions do.
pub(super) fn unquoted(line: &str) -> Option<ErrorKind> {
    let mut content = line.trim();
    while let Some(item) = content.strip_prefix("- ") {
        content = item.trim_start();
    }
    let (key, value) = match content.split_once(": ") {
        Some((key, value)) if !key.contains(['*', '"', '\'', '{', '[']) => {
            (Some(key.trim()), value.trim())
        }
        _ => (None, content),
    };
    let value = value.split(" #").next().unwrap_or_default().trim_end();
    let reading = match value.chars().next()? {
        // `*name` alone is probably an alias.
        '*' if value.contains(['/', ' ', ',', '-']) || value == "*" => {
            "reads a leading `*` as an alias"
        }
        '@' => "does not let a value begin with `@`",
        '`' => "does not let a value begin with a backtick",
        '%' => "does not let a value begin with `%`",
        _ => return None,
    };
    Some(ErrorKind::Unquoted {
        key: key.map(str::to_owned),
        value: value.to_owned(),
        reading,
    })
}
