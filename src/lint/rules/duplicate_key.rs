use crate::document::Problem;
use crate::lint::Found;

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
