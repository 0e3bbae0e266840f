//! Selectors are read, and refused, as the API server reads and refuses them.

use cronjob_diagnosis::selector::{FieldSelector, LabelSelector};
use kube_model::Texts;
use proptest::prelude::*;

use crate::support::tables::section;

const TABLE: &str = "tests/selectors.txt";

fn selector(text: &str) -> LabelSelector {
    text.parse().unwrap()
}

fn labels<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Texts {
    pairs.into_iter().collect()
}

#[test]
fn label_selector_operators_match_as_in_the_table() {
    let labels = labels([("a", "1"), ("b", "")]);
    for (text, expected) in section(TABLE, "labels a=1 and b without a value") {
        let matches = selector(&text).matches(&labels).to_string();
        assert_eq!(matches, expected, "{text:?}");
    }
    assert!(selector("\ta\r\n=  1 ").matches(&labels));
}

#[test]
fn mistakes_have_a_place_and_say_what_was_expected() {
    for (text, expected) in section(TABLE, "mistakes in labels") {
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
fn field_selectors_match_as_in_the_table() {
    for (text, expected) in section(TABLE, "fields of shop/nightly") {
        let selector: FieldSelector = text.parse().unwrap();
        let matches = selector.matches("shop", "nightly").to_string();
        assert_eq!(matches, expected, "{text:?}");
    }
    let escaped: FieldSelector = "metadata.name=a\\,b\\=c\\\\".parse().unwrap();
    assert!(escaped.matches("shop", "a,b=c\\"));
}

#[test]
fn mistakes_in_fields_have_a_place() {
    for (text, expected) in section(TABLE, "mistakes in fields") {
        let error = text.parse::<FieldSelector>().unwrap_err();
        assert_eq!(format!("{:?}: {error}", error.span()), expected, "{text:?}");
    }
    let error = "metadata.uid=1".parse::<FieldSelector>().unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("field label not supported: metadata.uid"));
    assert_eq!(error.span(), 0..12);
}

proptest! {
    #[test]
    fn label_selector_is_equal_after_display_and_parse(
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
