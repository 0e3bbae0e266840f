//! Mistakes in the command line.

use crate::errors::refused;

#[test]
fn completion_without_a_shell_lists_the_shells() {
    insta::assert_snapshot!(refused("completion"));
    // Other missing arguments have no tip.
    assert!(!refused("backfill").contains("tip:"));
}

#[test]
fn name_without_a_verb_suggests_explain() {
    insta::assert_snapshot!(refused("nightly"));
    // A misspelled command is not a name, and neither is a word that is not a valid object name.
    for word in ["triger", "Nightly"] {
        assert!(!refused([word]).contains("explain"), "{word}");
    }
}

/// Commands that people know from kubectl and other tools.
#[test]
fn words_of_other_tools_lead_to_the_command() {
    let cases = [
        ("scan", "get list ls status check health problems"),
        ("explain", "describe why diagnose events"),
        ("trigger", "run start create"),
        ("lint --fix", "fix"),
        ("explain --what-if", "what-if"),
        ("scan --watch or top", "watch dashboard"),
        ("serve", "metrics"),
        ("trigger --job", "rerun"),
        ("suspend", "pause stop disable"),
        ("resume", "enable unpause"),
        ("lint", "validate"),
        ("plan", "diff"),
        ("simulate --compare", "upgrade"),
    ];
    for (verb, words) in cases {
        for word in words.split(' ') {
            let help = format!("\nhelp: Did you mean {verb}?\n");
            for more in ["", "nightly -n shop"] {
                assert!(refused((word, more)).ends_with(&help), "{word} {more}");
            }
        }
    }
}

#[test]
fn flags_of_other_tools_lead_to_the_flag() {
    let cases = [
        "next-runs --from 2026-11-21",
        "scan --tz Europe/Berlin",
        "explain nightly --timezone=Europe/Berlin",
        "scan --no-color",
        "explain nightly -w",
        "explain nightly --follow",
        "explain nightly --brief",
        "scan --since last.json",
        "simulate nightly --fail-rate 0.5",
        "simulate nightly --seed=1",
        "explain --schedule @daily",
        "scan -k overlays/prod",
        "trigger nightly --timeout=5m",
        "backfill nightly --args x",
        "scan --severity=error",
        "scan --min-severity warning",
        "history nightly --limit 10",
        "history nightly --last 3",
        "history nightly --tail=5",
        "explain --all",
        "next-runs nightly --ahead 1d",
    ];
    insta::assert_snapshot!(cases.map(refused).concat());
}

#[test]
fn formats_of_other_tools_lead_to_json() {
    let jq = "\nhelp: Use -o json, and select the fields with a tool such as jq.\n";
    for arguments in [
        "scan -o jsonpath={.items[*].name}",
        "-o custom-columns=N:.metadata.name explain",
        "lint -o go-template={{.x}}",
        "suspend --output=custom-columns-file=x",
    ] {
        let refused = refused(arguments);
        assert_contains!(refused, jq);
        // A value that is similar only in spelling is not suggested.
        assert_lacks!(refused, "similar");
    }
    let exit_code = "\nhelp: Use --fail-on and the exit code, or -o json.\n";
    assert_contains!(refused("scan -o junit"), exit_code);
    // `alerts` has no JSON output.
    assert_lacks!(refused("alerts -o jsonpath={.x}"), "jq");
}

#[test]
fn schedule_in_place_of_a_name_is_an_error() {
    insta::assert_snapshot!(refused("explain '30 2 * * *' -f examples/cluster"));
}

#[test]
fn time_zone_without_a_schedule_is_an_error() {
    insta::assert_snapshot!(refused("next-runs nightly --time-zone=Etc/UTC"));
}

#[test]
fn invalid_whole_numbers_are_errors_with_their_range() {
    let cases: [&str; 9] = [
        "next-runs --count=x",
        "next-runs --count 0",
        "scan --chunk-size -1",
        "suspend --chunk-size -1",
        "backfill a --last -1",
        "backfill a --max 0",
        "backfill a --parallel 65536",
        "load --peaks many",
        "load --workers 0",
    ];
    insta::assert_snapshot!(cases.map(refused).concat());
}

#[test]
fn invalid_names_are_errors() {
    let names = ["", "/", "/nightly", "cj/", "cronjob/"];
    let errors = names.map(|name| refused(["explain", name, "-f", "examples/cluster"]));
    insta::assert_snapshot!(errors.concat());
}
