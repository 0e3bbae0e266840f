//! Parsing a text into a tree, through the library.

#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "short beats fast here"
)]

use std::time::Duration;

use located_yaml::{ErrorKind, Node, NodeStyle, ParsedDocument, Problem, Value, parse};

use crate::support::moments::cpu_time;

fn one(text: &str) -> ParsedDocument {
    let mut parsed = parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    assert_eq!(parsed.documents.len(), 1, "{text}");
    parsed.documents.remove(0)
}

fn json(text: &str) -> String {
    one(text).root.to_json().unwrap().to_string()
}

fn errors(text: &str) -> Vec<String> {
    parse(text).errors.iter().map(ToString::to_string).collect()
}

fn error(text: &str) -> String {
    let errors = errors(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].clone()
}

fn position(node: &Node) -> (u32, u32) {
    (node.place.line, node.place.column)
}

#[test]
fn every_node_knows_its_place() {
    let text = "\u{feff}# é\nkind: CronJob\nspec:\n  \"sché\": '* * * * *'   # why\n  list:\n  - 1\n  - {a: b}\n";
    let document = one(text);
    let spec = document.root.get("spec").unwrap();
    let schedule = spec.as_mapping().unwrap().entry("sché").unwrap();
    assert_eq!((schedule.key.place.line, schedule.key.place.column), (4, 3));
    assert_eq!(schedule.key.style, NodeStyle::DoubleQuoted);
    assert_eq!(position(&schedule.value), (4, 11));
    assert_eq!(schedule.value.style, NodeStyle::SingleQuoted);
    assert_eq!(schedule.value.raw(text), Some("'* * * * *'"));
    assert_eq!(schedule.value.as_str(), Some("* * * * *"));
    let list = spec.get("list").unwrap();
    assert_eq!(list.raw(text), Some("- 1\n  - {a: b}"));
    let item = &list.as_sequence().unwrap()[1];
    assert_eq!(position(item), (7, 5));
    assert_eq!(item.raw(text), Some("{a: b}"));
    assert_eq!(position(&document.root), (2, 1));
}

#[test]
fn lists_begin_at_their_dash() {
    for (text, expected) in [
        ("a:\n- 1\n- 2\nb: 3\n", "- 1\n- 2"),
        ("a:\n  - 1\n", "- 1"),
        ("a:\n- [1, 2]\n", "- [1, 2]"),
        ("a:\n- b: 1\n  c: 2\n", "- b: 1\n  c: 2"),
        ("a: [1]\n", "[1]"),
    ] {
        assert_eq!(one(text).root.get("a").unwrap().raw(text), Some(expected));
    }
    let text = "- - 1\n  - [2]\n";
    let outer = one(text).root;
    let inner = &outer.as_sequence().unwrap()[0];
    assert_eq!(position(&outer), (1, 1));
    assert_eq!(position(inner), (1, 3));
    assert_eq!(inner.as_sequence().unwrap()[1].raw(text), Some("[2]"));
}

#[test]
fn comments_are_kept_with_their_document() {
    let parsed = parse("# one\na: 1 # two\n---\n# three\nb: 2\n# four\n");
    let documents = parsed.documents.iter();
    let comments = documents.flat_map(|document| &document.comments);
    let found: Vec<_> = comments
        .map(|c| (c.place.line, &*c.text, c.trailing))
        .collect();
    assert_eq!(found[..2], [(1, " one", false), (2, " two", true)]);
    assert_eq!(found[2..], [(4, " three", false), (6, " four", false)]);
    assert_eq!(parsed.documents[0].comments.len(), 2);
}

#[test]
fn long_blocks_of_comments_are_not_an_error() {
    let comments = "  # disabled: true\n".repeat(5_000);
    let document = one(&format!("spec:\n{comments}  a: 1\n{comments}  b: 2\n"));
    assert_eq!(document.comments.len(), 10_000);
}

#[test]
fn one_broken_document_does_not_hide_the_others() {
    let parsed = parse("a: 1\n---\nb: [1, 2\n---\n---\nc: 3\n---\nd: e: f\n---\ne: 5\n");
    let indexes: Vec<_> = parsed.documents.iter().map(|d| d.index).collect();
    assert_eq!(indexes, [0, 3, 5]);
    let broken: Vec<_> = parsed.errors.iter().map(|e| e.document).collect();
    assert_eq!(broken, [1, 4]);
}

#[test]
fn empty_documents_are_left_out() {
    let markers = ["---\n", "---\n---\n...\n"];
    let blank = ["", "\n", "# only a comment\n", "\u{feff}"];
    for text in markers.into_iter().chain(blank) {
        let parsed = parse(text);
        assert_eq!(parsed.documents, [], "{text:?}");
        assert_eq!(parsed.errors, [], "{text:?}");
    }
}

#[test]
fn aliases_expand_to_their_anchors() {
    let text = "a: &x {k: [1]}\nb: *x\nc: &x 2\nd: *x\n*x : e\n";
    let expected = r#"{"a":{"k":[1]},"b":{"k":[1]},"c":2,"d":2,"2":"e"}"#;
    assert_eq!(json(text), expected);
    let document = one(text);
    // An error about it should point at the text that would have to change.
    assert_eq!(position(document.root.get("b").unwrap()), (1, 7));
    assert!(error("a: &x [*x]\n").contains("must not be inside"));
}

#[test]
fn anchors_end_with_their_document() {
    insta::assert_snapshot!(error("a: &x 1\n---\nb: *x\n"));
}

#[test]
fn merge_keys_follow_go_yaml() {
    let alias = "a: &x {k: 1}\nb:\n  <<: *x\n  m: 2";
    for (text, expected) in [
        ("b: {<<: {k: 1, l: 2}, k: 9}", r#"{"b":{"k":9,"l":2}}"#),
        (alias, r#"{"a":{"k":1},"b":{"k":1,"m":2}}"#),
        // Of a list, the first one wins.
        ("b: {<<: [{k: 1}, {k: 2, m: 3}]}", r#"{"b":{"k":1,"m":3}}"#),
        // Of several merge keys, the last one.
        ("b: {<<: {k: 1}, <<: {k: 2}}", r#"{"b":{"k":2}}"#),
        ("b: {!!merge <<: {k: 1}}", r#"{"b":{"k":1}}"#),
        ("b: {\"<<\": {k: 1}}", r#"{"b":{"<<":{"k":1}}}"#),
    ] {
        let value: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(one(text).root.to_json().unwrap(), value, "{text}");
        assert_eq!(one(text).problems, [], "{text}");
    }
    for wrong in [
        "b: {<<: 1}",
        "b: {<<: [1]}",
        "b: {<<: [[{k: 1}]]}",
        "a: &x [{k: 1}]\nb: {<<: *x}",
    ] {
        assert!(error(wrong).contains("to merge, found"), "{wrong}");
    }
}

#[test]
fn merge_key_after_an_explicit_key_replaces_it_and_is_reported() {
    let document = one("a: &x {k: 1}\nb:\n  k: 9\n  <<: *x\n");
    assert_eq!(document.root.to_json().unwrap()["b"]["k"], 1);
    insta::assert_snapshot!(document.problems[0].to_string());
}

#[test]
fn the_last_of_two_equal_keys_counts_and_both_are_named() {
    for text in ["a: 1\nb: 2\na: 3\n", "{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"] {
        let document = one(text);
        assert_eq!(document.root.get("a").unwrap().value, Value::Int(3));
        let [Problem::DuplicateKey { key, first, second }] = &document.problems[..] else {
            panic!("{:?}", document.problems);
        };
        assert_eq!((key.as_str(), first.line, second.line), ("a", 1, 3));
    }
    let many: String = (0..100).map(|n| format!("k{n}: 1\n")).collect();
    assert_eq!(one(&format!("{many}k50: 2\n")).problems.len(), 1);
}

#[test]
fn tags_change_the_type_of_values_and_wrong_ones_are_errors() {
    let text = "[!!str 1, !!int '2', !!float 3, ! 4, !custom 5, !!binary aGk=, !!bool yes]";
    assert_eq!(json(text), r#"["1",2,3,"4","5","hi",true]"#);
    insta::assert_snapshot!(error("a: !!int abc"));
}

#[test]
fn json_is_as_kubectl_sends_it() {
    let types = json("b: [1, 2.5, ~, yes, 'yes']\na: {}\n");
    assert_eq!(types, r#"{"b":[1,2.5,null,true,"yes"],"a":{}}"#);
    let whole = json("[60.0, 1e3, -0.5]");
    assert_eq!(whole, "[60,1000,-0.5]");
    // Keys are written as Go writes them.
    for (key, expected) in [
        ("1", "1"),
        ("0x10", "16"),
        ("yes", "true"),
        ("1.5", "1.5"),
        ("1e3", "1000"),
        ("1e6", "1e+06"),
        ("1234567.5", "1.2345675e+06"),
        ("1.0e-5", "1e-05"),
        (".inf", ".inf"),
        ("2026-11-21", "2026-11-21"),
    ] {
        let expected = format!("{{\"{expected}\":\"a\"}}");
        assert_eq!(json(&format!("{key}: a")), expected);
    }
    let infinite = one("a:\n  - .inf\n").root.to_json().unwrap_err();
    assert_eq!((infinite.place.line, infinite.place.column), (2, 5));
}

#[test]
fn quoted_and_block_scalars_are_text() {
    let read = json("a: 'yes'\nb: \"12\"\nc: |\n  on\nd: >\n  x\n  y\n");
    assert_eq!(read, r#"{"a":"yes","b":"12","c":"on\n","d":"x y\n"}"#);
}

#[test]
fn a_block_scalar_has_the_line_break_only_if_the_text_has_it() {
    assert_eq!(json("a: |\n  x"), r#"{"a":"x"}"#);
    assert_eq!(json("a: >\n  x"), r#"{"a":"x"}"#);
    assert_eq!(json("a: |\n  x\n"), r#"{"a":"x\n"}"#);
    assert_eq!(json("a: |-\n  x\n"), r#"{"a":"x"}"#);
    assert_eq!(json("a: |\n  x\nb: 1"), r#"{"a":"x\n","b":1}"#);
}

#[test]
fn keys_must_be_text() {
    for wrong in ["~: 1", "null: 1", "{[1]: 2}", "? {a: b}\n: c\n"] {
        let error = error(wrong);
        assert!(
            error.contains("expected text as a key, found"),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn unquoted_schedules_get_their_own_error() {
    let often = "schedule: '*/5 * * * *'";
    let always = "schedule: '* * * * *'";
    for (text, way_out, column) in [
        ("schedule: */5 * * * *\n", often, 11),
        ("schedule: */5 * * * *   # often\n", often, 11),
        ("spec:\n  schedule: * * * * *\n", always, 13),
        ("- schedule: *,5 1 * * *\n", "schedule: '*,5 1 * * *'", 13),
        ("schedule: @daily\n", "schedule: '@daily'", 11),
        ("- @every 5m\n", "write '@every 5m'", 3),
    ] {
        let error = error(text);
        assert_contains!(error, "must be quoted");
        assert_ends!(error, way_out);
        assert_contains!(error, &format!("column {column}: "));
    }
}

#[test]
fn templates_are_named() {
    for text in [
        "schedule: {{ .Values.schedule }}\n",
        "schedule: \"{{ .Values.schedule }}\"\n{{- if .Values.on }}\nsuspend: true\n{{- end }}\n",
        "{{- define \"x\" }}\na: 1\n{{- end }}\n",
        "metadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n",
    ] {
        let errors = parse(text).errors;
        assert_eq!(errors.len(), 1, "{text}");
        assert_eq!(errors[0].kind, ErrorKind::Template, "{text}");
    }
    // A template of another program has nothing to do with the error further down.
    let errors = parse("summary: \"{{ $labels.job }}\"\na: b: c\n").errors;
    let is_yaml = matches!(errors[0].kind, ErrorKind::Yaml { .. });
    assert!(is_yaml, "{errors:?}");
}

#[test]
fn other_errors_say_what_to_do() {
    for (text, way_out) in [
        ("a:\n\tb: 1\n", "indent with spaces, not tabs"),
        ("a: b: c\n", "put a value that contains `: ` in quotes"),
        ("a: 'b\n", "look for the quote that is not closed"),
        ("a: [b\nc: d\n", "look for the bracket that is not closed"),
        ("a: 1\n b: 2\n", "check the indentation"),
    ] {
        let error = error(text);
        assert!(error.contains(way_out), "{text:?}: {error}");
    }
}

#[test]
fn json_is_read_as_json_and_flow_yaml_as_yaml() {
    assert_eq!(json("{\"a\":\t\"\\/ \\ud83d\\ude00\"}"), "{\"a\":\"/ 😀\"}");
    assert_eq!(json("{a: yes, b: [on]}"), r#"{"a":true,"b":[true]}"#);
    assert_eq!(parse("{\"a\": 1}\n---\n{\"a\": 2}\n").documents.len(), 2);
    assert_eq!(parse("{\"a\": 1}{\"a\": 2}").documents.len(), 2);
    let parsed = parse("{\"a\": 1}\n{\"a\": }\n");
    assert_eq!(parsed.documents.len(), 1);
    insta::assert_snapshot!(parsed.errors[0].to_string());
}

#[test]
fn a_billion_laughs_are_an_error() {
    let mut text = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..40 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        text += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    assert!(error(&text).contains("expand to too many"));
    // Copies of a long text are bounded in the same way.
    let long = "x".repeat(1_000_000);
    let aliases = "- *x\n".repeat(100_000);
    assert!(error(&format!("- &x {long}\n{aliases}")).contains("expand to too many"));
    // Ordinary documents are far from the bound.
    let expected = [] as [String; 0];
    assert_eq!(errors(&format!("- &x {{a: 1}}\n{aliases}")), expected);
}

#[test]
fn depth_is_bounded_also_through_aliases() {
    assert!(error(&"- ".repeat(300)).contains("nested more than 255 levels deep"));
    assert!(error(&"[".repeat(100_000)).contains("nested"));
    let mut text = String::from("a0: &a0 []\n");
    for level in 1..10_000 {
        text += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
    }
    assert!(error(&text).contains("nested more than 255 levels deep"));
}

#[test]
fn reading_takes_time_in_proportion_to_the_text() {
    // Each of these is easily made quadratic; at this size that would take many seconds.
    let size = 30_000;
    let wide: String = (0..size).map(|n| format!("k{n}: 1\n")).collect();
    let anchors: String = (0..size).map(|n| format!("- &a{n} 1\n- *a{n}\n")).collect();
    let one_line = format!("[{}1]", "{\"é\": 1}, ".repeat(size));
    let indented = wide.replace('\n', "\n  ");
    let texts = [
        wide,
        format!("a: &x\n  {indented}\nb: {{<<: *x, k7: 2}}\n"),
        anchors,
        one_line.clone(),
        one_line.replace('"', ""),
        "---\na: 1\n".repeat(size),
        "---\n[\n".repeat(size),
        "a: 1\n---\n{{ x }}\n---\n".repeat(size),
        "# c\n".repeat(size),
        format!("a: |\n{}", "  line\n".repeat(size)),
        format!("a: \"{}\"", "\\n".repeat(size)),
        "&a ".repeat(size),
        "? ".repeat(size),
        "{".repeat(size),
        "{\"a\":".repeat(size),
        "'\n".repeat(size),
    ];
    for text in texts {
        let start = cpu_time();
        let _ = parse(&text);
        let took = cpu_time().saturating_sub(start);
        let head: String = text.chars().take(20).collect();
        assert!(took < Duration::from_secs(3), "{head:?}: {took:?}");
    }
}
