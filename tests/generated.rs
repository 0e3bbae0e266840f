//! What documents say of the code is generated from the code. `UPDATE=1` writes it anew.

mod fields;
mod releases;
mod rules;
pub(crate) mod schemas;

use std::fs;
use std::path::Path;

#[test]
fn the_table_of_releases_in_the_documents_is_that_of_the_code() {
    check("docs/controller.md", "releases", &releases::table());
}

#[test]
fn the_table_of_checked_releases_in_the_documents_is_that_of_the_code() {
    check("docs/controller.md", "checked", &releases::checked());
}

#[test]
fn the_findings_in_the_documents_are_those_of_the_code() {
    check("docs/findings.md", "findings", &rules::findings());
}

#[test]
fn the_rules_in_the_documents_are_those_of_the_code() {
    check("docs/rules.md", "rules", &rules::book());
}

#[test]
fn the_keys_in_the_documents_are_those_of_the_code() {
    let mut table = "| key | action |\n|---|---|\n".to_owned();
    for (keys, what) in cronjob_doctor::top::KEYS {
        table += &format!("| {keys} | {what} |\n");
    }
    check("docs/top.md", "keys", &table);
}

#[test]
fn the_fields_in_the_documents_are_those_of_the_code() {
    check("docs/json.md", "fields", &fields::documentation());
}

/// Compares what stands between two marks in a document with what was generated.
fn check(file: &str, mark: &str, generated: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = (
        format!("<!-- generated: {mark} -->\n"),
        "<!-- end -->".to_owned(),
    );
    let start = text.find(&begin).expect("the mark where it begins") + begin.len();
    let length = text[start..].find(&end).expect("the mark where it ends");
    if text[start..start + length] == *generated {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        let updated = format!("{}{generated}{}", &text[..start], &text[start + length..]);
        fs::write(&path, updated).unwrap();
        return;
    }
    panic!(
        "{file}: the part {mark:?} is not what the code says; UPDATE=1 cargo test writes it anew"
    );
}
