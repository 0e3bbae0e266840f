use crate::document::Problem;
use crate::lint::rule::example;
use crate::lint::{Check, Found, Rule, Severity};

pub(in crate::lint) const RULE: Rule = Rule {
    code: "CJD003",
    name: "duplicate-key",
    severity: Severity::Warning,
    title: "a key stands twice",
    reason: "kubectl takes the last of two equal keys and says nothing, so that a change of the \
             first has no effect. Strict tools refuse the file.",
    remedy: "Leave one of them.",
    example: example!("duplicate-key"),
    check: Check::Reader,
};

/// What is odd about a document.
pub(in crate::lint) fn found(problem: &Problem) -> Found {
    let place = problem.place();
    match problem {
        Problem::DuplicateKey { key, first, .. } => Found::new(
            "",
            place,
            format!(
                "`{key}` stands on line {} already; this one counts",
                first.line
            ),
        ),
        Problem::MergeReplacesKey { key, explicit, .. } => Found::new(
            "",
            place,
            format!("the merge key replaces `{key}` of line {}", explicit.line),
        )
        .help("Put the merge key first."),
    }
}
