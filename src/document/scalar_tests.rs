use super::*;

/// What a scalar is, in a form that a table can hold; NaN equals nothing, hence the text.
fn shown(text: &str) -> String {
    format!("{:?}", resolve(text))
}

#[track_caller]
fn check(texts: &[&str], expected: &Value) {
    for text in texts {
        assert_eq!(shown(text), format!("{expected:?}"), "{text}");
    }
}

#[track_caller]
fn is_text(texts: &[&str]) {
    for text in texts {
        check(&[text], &Value::String(Arc::from(*text)));
    }
}

#[test]
fn booleans_are_those_of_yaml_1_1() {
    check(
        &["y", "Y", "yes", "Yes", "YES", "on", "ON", "true", "True"],
        &Value::Bool(true),
    );
    check(
        &["n", "N", "no", "No", "NO", "off", "OFF", "false", "FALSE"],
        &Value::Bool(false),
    );
    is_text(&["yEs", "tRUE", "oN", "T", "f"]);
}

#[test]
fn nulls() {
    check(&["", "~", "null", "Null", "NULL"], &Value::Null);
    is_text(&["nULL", "nil", "~~"]);
}

#[test]
fn whole_numbers_have_the_prefixes_of_go() {
    check(
        &[
            "17", "+17", "1_7", "1__7_", "0x11", "0X11", "0b10001", "021", "0o21", "0O21",
        ],
        &Value::Int(17),
    );
    check(
        &["-15", "-0xF", "-0b1111", "-017", "-0o17"],
        &Value::Int(-15),
    );
    check(&["0", "00", "0_", "-0", "+0"], &Value::Int(0));
    check(&["9223372036854775807"], &Value::Int(i64::MAX));
    check(&["-9223372036854775808"], &Value::Int(i64::MIN));
    is_text(&[
        "0x", "0b", "0b2", "0xG", "_1", "+-1", "--1", "0x-1", "1a", "+", "-",
    ]);
}

#[test]
fn an_eight_after_a_zero_makes_it_decimal() {
    // No octal number, so the rule for floats has it.
    check(&["08"], &Value::Float(8.0));
    check(&["018"], &Value::Float(18.0));
    check(&["0800"], &Value::Float(800.0));
}

#[test]
fn numbers_beyond_64_bits_are_floats_if_decimal() {
    check(
        &["9223372036854775808", "0x8000000000000000"],
        &Value::Float(9_223_372_036_854_775_808.0),
    );
    check(
        &["18446744073709551616"],
        &Value::Float(18_446_744_073_709_551_616.0),
    );
    check(
        &["-9223372036854775809"],
        &Value::Float(-9_223_372_036_854_775_808.0),
    );
    is_text(&["0x10000000000000000", "-0x8000000000000001"]);
}

#[test]
fn fractions_and_exponents() {
    check(
        &["1.5", "+1.5", "1.5e0", "15e-1", "1_.5"],
        &Value::Float(1.5),
    );
    check(&["1.", "1.0", "10e-1"], &Value::Float(1.0));
    check(&[".5", "+.5", "0.5", ".5e0", ".05e+1"], &Value::Float(0.5));
    check(&[".5_0"], &Value::Float(0.5));
    check(
        &["1e3", "1E3", "1e+3", "1.e3", "1_000.0"],
        &Value::Float(1000.0),
    );
    check(&["1e-999"], &Value::Float(0.0));
    is_text(&[
        ".", "..", "._5", ".5_", ".5__0", "1e", "1e+", "e3", "1.5.0", "1e999", "-1e999",
    ]);
}

#[test]
fn infinity_and_not_a_number() {
    check(&[".inf", ".Inf", "+.INF"], &Value::Float(f64::INFINITY));
    check(&["-.inf"], &Value::Float(f64::NEG_INFINITY));
    check(&[".nan", ".NaN"], &Value::Float(f64::NAN));
    is_text(&["inf", "nan", "NaN", "infinity", "-inf", ".iNf"]);
}

#[test]
fn times_versions_and_schedules_are_text() {
    is_text(&[
        "2026-11-21T02:10:06Z",
        "2026-11-21",
        "190:20:30",
        "1.2.3",
        "0 3 * * *",
        "=",
        "0 */5 * * *",
    ]);
}

#[track_caller]
fn tagged(tag: &str, text: &str) -> Option<Value> {
    resolve_tagged(tag, text).ok()
}

#[test]
fn tags_decide() {
    assert_eq!(tagged("str", "12"), Some(Value::String("12".into())));
    assert_eq!(tagged("str", "yes"), Some(Value::String("yes".into())));
    assert_eq!(tagged("int", "12"), Some(Value::Int(12)));
    assert_eq!(tagged("int", "0x10"), Some(Value::Int(16)));
    assert_eq!(tagged("int", "12.0"), None);
    assert_eq!(tagged("int", "abc"), None);
    assert_eq!(tagged("float", "3"), Some(Value::Float(3.0)));
    assert_eq!(tagged("float", "abc"), None);
    assert_eq!(tagged("bool", "yes"), Some(Value::Bool(true)));
    assert_eq!(tagged("bool", "1"), None);
    assert_eq!(tagged("null", ""), Some(Value::Null));
    assert_eq!(tagged("null", "abc"), None);
    assert_eq!(tagged("unheard-of", "12"), Some(Value::String("12".into())));
}

#[test]
fn binary_is_decoded() {
    // The examples of RFC 4648, section 10.
    for (encoded, decoded) in [
        ("", ""),
        ("Zg==", "f"),
        ("Zm8=", "fo"),
        ("Zm9v", "foo"),
        ("Zm9vYg==", "foob"),
        ("Zm9v\nYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ] {
        assert_eq!(
            tagged("binary", encoded),
            Some(Value::String(decoded.into()))
        );
    }
    for wrong in ["Z", "Zg=", "Zg", "@@@@", "====", "Z=g="] {
        assert_eq!(tagged("binary", wrong), None, "{wrong}");
    }
    assert_eq!(
        tagged("binary", "/w=="),
        Some(Value::String("\u{fffd}".into()))
    );
}
