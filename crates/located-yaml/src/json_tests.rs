use super::*;

fn parse(text: &str) -> ParsedText {
    super::parse(text, Part::whole(text).unwrap())
}

fn one(text: &str) -> Value {
    let parsed = parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    assert_eq!(parsed.documents.len(), 1, "{text}");
    parsed.documents[0].root.value.clone()
}

fn text(text: &str) -> Value {
    Value::String(Arc::from(text))
}

fn failure(text: &str) -> String {
    let parsed = parse(text);
    assert_eq!(parsed.errors.len(), 1, "{text}");
    parsed.errors[0].to_string()
}

#[test]
fn values_are_parsed_as_json() {
    for (written, expected) in [
        ("true", Value::Bool(true)),
        (" null ", Value::Null),
        ("-12", Value::Int(-12)),
        ("0", Value::Int(0)),
        ("1.0", Value::Float(1.0)),
        ("1E2", Value::Float(100.0)),
        (
            "9223372036854775808",
            Value::Float(9_223_372_036_854_775_808.0),
        ),
        (r#""\"\\\/\b\f\n\r\t""#, text("\"\\/\u{8}\u{c}\n\r\t")),
        (r#""\u00e9\ud83d\ude00""#, text("é😀")),
        // Half a pair is the replacement character.
        (r#""\ud83d!""#, text("\u{fffd}!")),
        (r#""\ude00""#, text("\u{fffd}")),
        (r#""\ud83d\u0041""#, text("\u{fffd}A")),
    ] {
        assert_eq!(one(written), expected);
    }
}

#[test]
fn yaml_syntax_is_refused_as_json() {
    for wrong in "yes;{a: 1};[1,];{\"a\":1,};[01];+1;.5;1.;'a';\"\t\"".split(';') {
        assert_eq!(parse(wrong).errors.len(), 1, "{wrong}");
    }
}

#[test]
fn concatenated_json_documents_are_read() {
    let parsed = parse("{\"a\":1}{\"a\":2}\n[3]\n");
    assert_eq!(parsed.errors, []);
    let lines: Vec<_> = parsed.documents.iter().map(|d| d.root.place.line).collect();
    assert_eq!(lines, [1, 1, 2]);
}

#[test]
fn columns_count_characters() {
    let parsed = parse("\u{feff}{\"é😀\": 1,\n \"b\":\t[2]}");
    let root = &parsed.documents[0].root;
    let place = root.get("é😀").unwrap().place;
    assert_eq!((place.line, place.column), (1, 8));
    let place = root.get("b").unwrap().as_sequence().unwrap()[0].place;
    assert_eq!((place.line, place.column), (2, 8));
}

#[test]
fn errors_name_the_place_and_what_was_expected() {
    for case in [
        "{\"a\": nope} => line 1, column 7: invalid JSON: expected a value, found `nope`",
        "{\"a\": 1 => line 1, column 8: invalid JSON: expected `,` or `}`, found the end of the text",
        "[1 2] => line 1, column 4: invalid JSON: expected `,` or `]`, found `2`",
    ] {
        let (text, expected) = case.split_once(" => ").unwrap();
        assert_eq!(failure(text), expected);
    }
}

#[test]
fn depth_is_bounded() {
    let deep = "[".repeat(100_000);
    assert!(failure(&deep).contains("nested more than 255 levels deep"));
    let fine = format!("{}{}", "[".repeat(255), "]".repeat(255));
    assert_eq!(parse(&fine).errors, []);
}
