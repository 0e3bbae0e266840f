use super::*;

/// Spellings, and what they mean; `text` is what is written.
#[test]
fn plain_scalars_mean_what_go_yaml_reads() {
    for row in [
        // The booleans are those of YAML 1.1.
        "y Y yes Yes YES on ON true True => Bool(true)",
        "n N no No NO off OFF false FALSE => Bool(false)",
        "yEs tRUE oN T f => text",
        "~ null Null NULL => Null",
        "nULL nil ~~ => text",
        // Whole numbers have the prefixes of Go.
        "17 +17 1_7 1__7_ 0x11 0X11 0b10001 021 0o21 0O21 => Int(17)",
        "-15 -0xF -0b1111 -017 -0o17 => Int(-15)",
        "0 00 0_ -0 +0 => Int(0)",
        "9223372036854775807 => Int(9223372036854775807)",
        "-9223372036854775808 => Int(-9223372036854775808)",
        "0x 0b 0b2 0xG _1 +-1 --1 0x-1 1a + - => text",
        // No octal number, so the rule for floats has it.
        "08 => Float(8.0)",
        "018 => Float(18.0)",
        "0800 => Float(800.0)",
        // Beyond 64 bits, decimal numbers are floats.
        "9223372036854775808 0x8000000000000000 => Float(9.223372036854776e18)",
        "18446744073709551616 => Float(1.8446744073709552e19)",
        "-9223372036854775809 => Float(-9.223372036854776e18)",
        "0x10000000000000000 -0x8000000000000001 => text",
        "1.5 +1.5 1.5e0 15e-1 1_.5 => Float(1.5)",
        "1. 1.0 10e-1 => Float(1.0)",
        ".5 +.5 0.5 .5e0 .05e+1 .5_0 => Float(0.5)",
        "1e3 1E3 1e+3 1.e3 1_000.0 => Float(1000.0)",
        "1e-999 => Float(0.0)",
        ". .. ._5 .5_ .5__0 1e 1e+ e3 1.5.0 1e999 -1e999 => text",
        ".inf .Inf +.INF => Float(inf)",
        "-.inf => Float(-inf)",
        ".nan .NaN => Float(NaN)",
        "inf nan NaN infinity -inf .iNf => text",
        "2026-11-21T02:10:06Z 2026-11-21 190:20:30 1.2.3 = => text",
    ] {
        let (spellings, meaning) = row.split_once(" => ").unwrap();
        for spelling in spellings.split(' ') {
            let expected = match meaning {
                "text" => format!("String({spelling:?})"),
                _ => meaning.to_owned(),
            };
            assert_eq!(format!("{:?}", resolve(spelling)), expected, "{spelling}");
        }
    }
    assert_eq!(resolve(""), Value::Null);
    for schedule in ["0 3 * * *", "0 */5 * * *"] {
        assert_eq!(resolve(schedule), Value::String(schedule.into()));
    }
}

#[test]
fn tags_decide_the_type_of_a_scalar() {
    let text = |text: &str| Some(Value::String(text.into()));
    for (tag, written, expected) in [
        ("str", "12", text("12")),
        ("str", "yes", text("yes")),
        ("int", "12", Some(Value::Int(12))),
        ("int", "0x10", Some(Value::Int(16))),
        ("int", "12.0", None),
        ("int", "abc", None),
        ("float", "3", Some(Value::Float(3.0))),
        ("float", "abc", None),
        ("bool", "yes", Some(Value::Bool(true))),
        ("bool", "1", None),
        ("null", "", Some(Value::Null)),
        ("null", "abc", None),
        ("unheard-of", "12", text("12")),
        // The examples of RFC 4648, section 10.
        ("binary", "", text("")),
        ("binary", "Zg==", text("f")),
        ("binary", "Zm8=", text("fo")),
        ("binary", "Zm9v", text("foo")),
        ("binary", "Zm9vYg==", text("foob")),
        ("binary", "Zm9v\nYmE=", text("fooba")),
        ("binary", "Zm9vYmFy", text("foobar")),
        ("binary", "/w==", text("\u{fffd}")),
    ] {
        assert_eq!(
            resolve_tagged(tag, written).ok(),
            expected,
            "{tag} {written}"
        );
    }
    for wrong in ["Z", "Zg=", "Zg", "@@@@", "====", "Z=g="] {
        assert!(resolve_tagged("binary", wrong).is_err(), "{wrong}");
    }
}
