//! Tables of cases in text files.

use std::path::Path;

/// The input of a case, and what is expected.
pub(crate) type Case = (String, String);

/// The sections of a table: the text of a line in brackets, and the cases below it, in which ` => ` is in front of
/// what is expected. Other lines are comments, which begin with `#`.
#[track_caller]
pub(crate) fn sections(path: &str) -> Vec<(String, Vec<Case>)> {
    let mut sections: Vec<(String, Vec<Case>)> = Vec::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{path}: {error}"));
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(heading) = line.strip_prefix('[') {
            let heading = heading.strip_suffix(']').unwrap().to_owned();
            sections.push((heading, Vec::new()));
            continue;
        }
        let case = line.split_once(" =>");
        let (given, expected) = case.unwrap_or_else(|| panic!("{path}: {line}"));
        let case = (given.to_owned(), expected.trim_start().to_owned());
        sections.last_mut().unwrap().1.push(case);
    }
    sections
}

/// The cases of one section.
#[track_caller]
pub(crate) fn section(path: &str, heading: &str) -> Vec<Case> {
    let mut sections = sections(path).into_iter();
    let section = sections.find(|(found, _)| found == heading);
    section
        .unwrap_or_else(|| panic!("{path} has no {heading}"))
        .1
}
