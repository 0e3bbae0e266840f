use std::sync::Arc;

use crate::lint::LintSubject;
use crate::lint::{Context, Fix, apply};
use cronjob_controller::controller::Release;
use kube_cron::{BundledZones, Zone};
use located_yaml::parse;

/// The text after a change of its only object.
fn changed(text: &str, change: impl FnOnce(&LintSubject<'_>) -> Option<Fix>) -> Option<String> {
    let context = Context {
        release: Release::NEWEST,
        now: "2026-11-21T08:00:00Z".parse().unwrap(),
        zones: &BundledZones,
        local: Zone::utc(),
    };
    let parsed = parse(text);
    let file = Arc::from("test.yaml");
    let subject = LintSubject::new(&parsed.documents[0].root, text, &file, &context);
    let fixed = apply(text, [&change(&subject)?]).text;
    // What is written means what it should, and nothing else is gone.
    assert_eq!(parse(&fixed).errors, [], "{fixed}");
    Some(fixed)
}

#[test]
fn a_value_keeps_its_quotes() {
    for (before, value, after) in [
        ("a: b # why\n", "c d", "a: c d # why\n"),
        ("a: 'b'\n", "it's", "a: 'it''s'\n"),
        ("a: \"b\"\r\n", "c\"d", "a: \"c\\\"d\"\r\n"),
        // What would mean something else without quotes gets them.
        ("a: b\n", "*/5 * * * *", "a: '*/5 * * * *'\n"),
        ("a: b\n", "1", "a: '1'\n"),
        ("a: b\n", "yes", "a: 'yes'\n"),
        ("a: 1\n", "2", "a: 2\n"),
        (
            "{a: b, c: d}\n",
            "0 0 1,2 * *",
            "{a: '0 0 1,2 * *', c: d}\n",
        ),
        ("{\"a\": 1}", "2", "{\"a\": 2}"),
    ] {
        let fixed = changed(before, |subject| subject.replace("a", value));
        assert_eq!(fixed.as_deref(), Some(after), "{before}");
    }
    for left in [
        "a: |\n  b\n",
        "b: 1\n",
        "x: &x b\na: *x\n",
        "x: &x {a: b}\n<<: *x\n",
    ] {
        assert_eq!(
            changed(left, |subject| subject.replace("a", "c")),
            None,
            "{left}"
        );
    }
}

#[test]
fn a_field_is_added_below_the_others() {
    // What is added is between strokes.
    for case in [
        "s:\n  a: 1 # one\n|  k: v w\n|t: 2\n",
        "s:\r\n  a: 1\r\n|  k: v w\r\n|",
        "s:\n  a: 1|\n  k: v w|",
        "s:\n  a:\n    b: 1\n|  k: v w\n|\n# end\n",
        "s:\n  a: >\n    b\n|  k: v w\n|t: 1\n",
        "s: {a: 1|, k: v w|}\n",
        "{\"s\": {\"a\": 1|, \"k\": \"v w\"|}}",
        "{\n  \"s\": {\n    \"a\": 1|,\n    \"k\": \"v w\"|\n  }\n}\n",
    ] {
        let before: String = case.split('|').step_by(2).collect();
        let fixed = changed(&before, |subject| subject.add("s", "k", "v w"));
        assert_eq!(fixed, Some(case.replace('|', "")), "{before}");
    }
    for left in [
        "s: {}\n",
        "s:\n",
        "s: 1\n",
        "s: {a: 1, k: 2}\n",
        "x: &x {a: 1}\ns: *x\n",
    ] {
        assert_eq!(
            changed(left, |subject| subject.add("s", "k", "v")),
            None,
            "{left}"
        );
    }
}

#[test]
fn a_field_in_a_list_is_added_behind_the_dash() {
    let before = "l:\n- a: 1\n- b: 2\n";
    let fixed = changed(before, |subject| subject.add("l[0]", "k", "3"));
    assert_eq!(fixed.as_deref(), Some("l:\n- a: 1\n  k: 3\n- b: 2\n"));
}
