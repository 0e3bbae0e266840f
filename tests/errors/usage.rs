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
    // A verb that is misspelt is no name, and neither is what no object can be called.
    for word in ["triger", "help", "Nightly"] {
        assert!(!refused(&[word]).contains("explain"), "{word}");
    }
}

#[test]
fn whole_numbers() {
    let cases: [(&[&str], &str); 10] = [
        (
            &["next-runs", "--count=x"],
            "invalid value 'x' for '--count <N>': expected a whole number from 1 on",
        ),
        (
            &["next-runs", "--count", "0"],
            "invalid value '0' for '--count <N>': expected a whole number from 1 on",
        ),
        (
            &["scan", "--chunk-size", "-1"],
            "invalid value '-1' for '--chunk-size <N>': expected a whole number",
        ),
        (
            &["suspend", "--chunk-size", "-1"],
            "invalid value '-1' for '--chunk-size <N>': expected a whole number",
        ),
        (
            &["simulate", "--seed", "1.5"],
            "invalid value '1.5' for '--seed <NUMBER>': expected a whole number",
        ),
        (
            &["backfill", "a", "--last", "-1"],
            "invalid value '-1' for '--last <N>': expected a whole number from 1 on",
        ),
        (
            &["backfill", "a", "--max", "0"],
            "invalid value '0' for '--max <N>': expected a whole number from 1 on",
        ),
        (
            &["backfill", "a", "--parallel", "65536"],
            "invalid value '65536' for '--parallel <N>': expected a whole number from 1 to 65535",
        ),
        (
            &["load", "--peaks", "many"],
            "invalid value 'many' for '--peaks <N>': expected a whole number",
        ),
        (
            &["load", "--workers", "0"],
            "invalid value '0' for '--workers <N>': expected a whole number from 1 to 100000",
        ),
    ];
    for (arguments, why) in cases {
        let expected = format!("error: {why}\n\nFor more information, try '--help'.\n");
        assert_eq!(refused(arguments), expected);
    }
}

#[test]
fn what_is_no_name() {
    for name in ["", "/", "/nightly", "cj/", "cronjob/"] {
        assert_eq!(
            refused(&["explain", name, "-f", "examples/cluster"]),
            format!("error: {name:?} names no CronJob: expected NAME, cronjob/NAME or cj/NAME\n")
        );
    }
}
