//! Parts of the documentation are generated from the code. `UPDATE=1` updates them.

mod fields;
mod releases;
mod rules;
pub(crate) mod schemas;

use std::fs;
use std::path::Path;

#[test]
fn release_table_in_docs_matches_code() {
    check("docs/upgrade.md", "releases", &releases::table());
}

#[test]
fn checked_release_table_in_docs_matches_code() {
    check("docs/controller.md", "checked", &releases::checked());
}

#[test]
fn rules_in_docs_match_code() {
    check("docs/rules.md", "rules", &rules::index());
    check_pages("rules", &rules::pages().collect::<Vec<_>>());
}

#[test]
fn keys_in_docs_match_code() {
    let mut table = "| key | action |\n|---|---|\n".to_owned();
    for (keys, what) in cronjob_doctor::top::KEYS {
        table += &format!("| {keys} | {what} |\n");
    }
    check("docs/top.md", "keys", &table);
}

#[test]
fn fields_in_docs_match_code() {
    check("docs/json.md", "kinds", &fields::index());
    check_pages("json", &fields::pages());
}

/// Compares whole pages of a folder of docs/ with the generated ones, and with those that the book lists.
fn check_pages(folder: &str, pages: &[(String, String)]) {
    let is_updated = std::env::var_os("UPDATE").is_some();
    let path = |page: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("docs")
            .join(page)
    };
    fs::create_dir_all(path(folder)).unwrap();
    for (page, text) in pages {
        let file = path(&format!("{page}.md"));
        if is_updated {
            fs::write(&file, text).unwrap();
        }
        let found = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            found == *text,
            "docs/{page}.md differs from the code; UPDATE=1 cargo test updates it"
        );
    }
    let files = fs::read_dir(path(folder)).unwrap().count();
    assert_eq!(
        files,
        pages.len(),
        "docs/{folder} has a page that is not generated"
    );
}

/// Compares the text between two marks in a document with the generated text.
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
    panic!("{file}: the part {mark:?} differs from the code; UPDATE=1 cargo test updates it");
}
