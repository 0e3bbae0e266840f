//! Selectors are read, and refused, as the API server reads and refuses them.

use cronjob_doctor::internals::model::Texts;
use cronjob_doctor::internals::selector::{FieldSelector, LabelSelector};
use proptest::prelude::*;

fn selector(text: &str) -> LabelSelector {
    text.parse().unwrap()
}

fn labels<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Texts {
    pairs.into_iter().collect()
}

/// What holds for labels `a=1` and `b` without a value.
#[test]
fn each_operator() {
    let labels = labels([("a", "1"), ("b", "")]);
    let cases = [
        ("", true),
        ("a", true),
        ("c", false),
        ("!c", true),
        ("! a", false),
        ("a=1", true),
        ("a == 1", true),
        ("a=2", false),
        ("c=1", false),
        ("a!=1", false),
        ("a!=2", true),
        // A label that is not there is not equal to anything.
        ("c!=1", true),
        ("c notin (1)", true),
        ("b=", true),
        ("a=", false),
        ("c=", false),
        ("b in ()", true),
        ("a in (,1)", true),
        ("b in (1,)", true),
        ("b in (1,,2)", true),
        ("b notin (1,2)", true),
        ("a in(1,2)", true),
        ("a notin (1,2)", false),
        ("a>0", true),
        ("a > 1", false),
        ("a<2", true),
        ("b<2", false),
        ("c<2", false),
        ("a=1,b=,!c", true),
        ("a=1,b=,c", false),
        // In the place of a value these are words as others are.
        ("a=in", false),
        ("a in (in,1)", true),
        ("\ta\r\n=  1 ", true),
        ("example.com/a!=x", true),
    ];
    for (text, expected) in cases {
        assert_eq!(selector(text).matches(&labels), expected, "{text:?}");
    }
}

#[test]
fn mistakes_have_a_place_and_say_what_was_expected() {
    let cases = [
        "a=b, => 4..4: expected a label key or '!', found the end",
        ",a => 0..1: expected a label key or '!', found \",\"",
        "! => 1..1: expected a label key, found the end",
        "!!a => 1..2: expected a label key, found \"!\"",
        "a b => 2..3: expected '=', '==', '!=', 'in', 'notin', '>' or '<', found \"b\"",
        "a=b c => 4..5: expected ',' or the end, found \"c\"",
        "a===b => 3..4: expected a value, found \"=\"",
        "!a=b => 2..3: expected ',' or the end, found \"=\"",
        "a in b => 5..6: expected '(', found \"b\"",
        "a in (b => 7..7: expected ',' or ')', found the end",
        "a in (b c) => 8..9: expected ',' or ')', found \"c\"",
        "a in (=) => 6..7: expected a value, ',' or ')', found \"=\"",
        "a>b => 2..3: expected a whole number, found \"b\"",
        "in (a) => 0..2: expected a label key or '!', found \"in\"",
        "a,( => 2..3: expected a label key or '!', found \"(\"",
    ];
    for case in cases {
        let (text, expected) = case.split_once(" => ").unwrap();
        let error = text.parse::<LabelSelector>().unwrap_err();
        assert_eq!(format!("{:?}: {error}", error.span()), expected, "{text:?}");
    }
}

#[test]
fn keys_and_values_are_those_that_labels_can_have() {
    let long = "a".repeat(64);
    for key in ["-a", "a/b/c", "/a", "a/", "A.b/c", "a..b/c", "ä", &long] {
        let error = format!("{key}=x").parse::<LabelSelector>().unwrap_err();
        assert!(error.to_string().contains("invalid label key"), "{key}");
        assert_eq!(error.span(), 0..key.len());
    }
    for value in ["-a", "a.", "a/b", "ä", &long] {
        let error = format!("x={value}").parse::<LabelSelector>().unwrap_err();
        assert!(error.to_string().contains("invalid label value"), "{value}");
    }
    selector("app.kubernetes.io/Name_1.x=A-b_c.9");
}

#[test]
fn fields_are_compared() {
    let cases = [
        ("", true),
        ("metadata.name=nightly", true),
        ("metadata.name==nightly", true),
        ("metadata.name!=nightly", false),
        ("metadata.namespace=shop,metadata.name!=x", true),
        ("metadata.namespace=ops,metadata.name=nightly", false),
        // As the API server has it, what is empty requires nothing.
        (",metadata.name=nightly,", true),
        ("metadata.name=", false),
        ("metadata.name!=", true),
        ("metadata.name=a\\,b\\=c\\\\", false),
    ];
    for (text, expected) in cases {
        let selector: FieldSelector = text.parse().unwrap();
        assert_eq!(selector.matches("shop", "nightly"), expected, "{text:?}");
    }
    let escaped: FieldSelector = "metadata.name=a\\,b\\=c\\\\".parse().unwrap();
    assert!(escaped.matches("shop", "a,b=c\\"));
}

#[test]
fn mistakes_in_fields_have_a_place() {
    let operator = "expected '=', '==' or '!=' after the field, found the end";
    let equals = "'=' in a value must be escaped with a backslash";
    let escape = "a backslash can only escape ',', '=' or another backslash";
    let cases = [
        ("metadata.name", operator, 13..13),
        ("metadata.name=a,x", operator, 17..17),
        ("metadata.name=a=b", equals, 15..16),
        ("metadata.name=a\\b", escape, 15..16),
        ("metadata.name=a\\", escape, 15..16),
    ];
    for (text, message, span) in cases {
        let error = text.parse::<FieldSelector>().unwrap_err();
        let expected = (message.to_owned(), span);
        assert_eq!((error.to_string(), error.span()), expected);
    }
    let error = "metadata.uid=1".parse::<FieldSelector>().unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("field label not supported: metadata.uid"));
    assert_eq!(error.span(), 0..12);
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        parts in proptest::collection::vec("!?[a-c1-3]{1,2}|[ab](=|!=|==)[a-c]{0,2}|[ab] (not)?in \\([a-c]{0,2}(,[a-c]{0,2}){0,3}\\)|[ab][<>][0-9]{1,2}", 0..4),
        blank in "[ \t\r\n]{1,3}",
    ) {
        let selector = selector(&parts.join(","));
        let text = selector.to_string();
        prop_assert_eq!(text.parse(), Ok(selector.clone()));
        // Blanks between words mean nothing.
        let mut spaced = text.replace(' ', &blank);
        for sign in ["(", ")", ",", "!", "<", ">"] {
            spaced = spaced.replace(sign, &format!("{blank}{sign}{blank}"));
        }
        prop_assert_eq!(spaced.parse(), Ok(selector));
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place_in_it(text in "[a-c=!(),<> \\\\é\u{85}/.-]{0,24}") {
        if let Err(error) = text.parse::<LabelSelector>() {
            prop_assert!(text.get(error.span()).is_some());
        }
        let text = format!("metadata.name={text}");
        if let Err(error) = text.parse::<FieldSelector>() {
            prop_assert!(text.get(error.span()).is_some());
        }
    }
}
