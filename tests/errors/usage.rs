//! Mistakes in the call itself.

use crate::errors::refused;

#[test]
fn the_shells_that_there_are() {
    insta::assert_snapshot!(refused(&["completion"]));
    // Of what else is missing there is nothing more to say.
    assert!(!refused(&["backfill"]).contains("tip:"));
}

#[test]
fn a_name_where_a_verb_was_expected() {
    insta::assert_snapshot!(refused(&["nightly"]));
    // A misspelled command is not a name, and neither is what cannot be the name of an object.
    for word in ["triger", "help", "Nightly"] {
        assert!(!refused(&[word]).contains("explain"), "{word}");
    }
}

#[test]
fn whole_numbers() {
    let cases: [&[&str]; 10] = [
        &["next-runs", "--count=x"],
        &["next-runs", "--count", "0"],
        &["scan", "--chunk-size", "-1"],
        &["suspend", "--chunk-size", "-1"],
        &["simulate", "--seed", "1.5"],
        &["backfill", "a", "--last", "-1"],
        &["backfill", "a", "--max", "0"],
        &["backfill", "a", "--parallel", "65536"],
        &["load", "--peaks", "many"],
        &["load", "--workers", "0"],
    ];
    insta::assert_snapshot!(cases.map(refused).concat());
}

#[test]
fn what_is_no_name() {
    let names = ["", "/", "/nightly", "cj/", "cronjob/"];
    let errors = names.map(|name| refused(&["explain", name, "-f", "examples/cluster"]));
    insta::assert_snapshot!(errors.concat());
}
