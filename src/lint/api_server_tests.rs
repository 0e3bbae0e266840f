use crate::lint::testing::{fixed, found, helps, spec};

/// What the fixes of a rule make of some lines of a spec.
fn fixed_lines(rule: &str, lines: &str) -> Option<String> {
    let text = fixed(rule, "1.36", &spec(lines))?;
    let start = text.find("spec:\n").unwrap() + "spec:\n".len();
    let end = text.find("  jobTemplate:").unwrap();
    let after = text.find("1.4.2\n").unwrap() + "1.4.2\n".len();
    let all = format!("{}{}", &text[start..end], &text[after..]);
    Some(
        all.lines()
            .map(str::trim_start)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

#[test]
fn sunday_is_zero() {
    for (before, after) in [
        ("schedule: 0 2 * * 7", "schedule: 0 2 * * 0"),
        ("schedule: '0 2 * * 1,7'", "schedule: '0 2 * * 1,0'"),
        ("schedule: 0 2 * * 5-7", "schedule: 0 2 * * 5-6,0"),
        ("schedule: \"0 2 * * 6-7\"", "schedule: \"0 2 * * 6,0\""),
    ] {
        assert_eq!(fixed_lines("invalid-value", before).as_deref(), Some(after));
    }
    // Every day of the week is better said with a star, and a step over Sunday means nothing here.
    for left in [
        "schedule: 0 2 * * 0-7",
        "schedule: 0 2 * * 1-7/2",
        "schedule: 0 2 * * 8",
    ] {
        assert_eq!(fixed_lines("invalid-value", left), None, "{left}");
    }
}

#[test]
fn a_zone_goes_where_it_belongs() {
    assert_eq!(
        fixed_lines("invalid-value", "schedule: CRON_TZ=Europe/Berlin 0 2 * * *").as_deref(),
        Some("schedule: 0 2 * * *\ntimeZone: Europe/Berlin")
    );
    for left in [
        "schedule: TZ=Europe/Nowhere 0 2 * * *",
        "schedule: TZ=Europe/Berlin 0 2 * *",
        "schedule: TZ=Europe/Berlin 0 2 * * *\ntimeZone: Etc/UTC",
    ] {
        assert_eq!(fixed_lines("invalid-value", left), None, "{left}");
    }
}

#[test]
fn letters_of_the_wrong_case() {
    for (rule, before, after) in [
        (
            "invalid-value",
            "schedule: 0 2 * * *\ntimeZone: europe/berlin",
            "schedule: 0 2 * * *\ntimeZone: Europe/Berlin",
        ),
        (
            "unsupported-value",
            "schedule: 0 2 * * *\nconcurrencyPolicy: 'forbid'",
            "schedule: 0 2 * * *\nconcurrencyPolicy: 'Forbid'",
        ),
        (
            "unknown-field",
            "Schedule: 0 2 * * *",
            "schedule: 0 2 * * *",
        ),
    ] {
        assert_eq!(fixed_lines(rule, before).as_deref(), Some(after));
    }
    // The right one is there already.
    let both = "schedule: 0 2 * * *\nSchedule: 0 3 * * *";
    assert_eq!(fixed_lines("unknown-field", both), None);
    // Another word is a guess.
    assert_eq!(fixed_lines("unknown-field", "shedule: 0 2 * * *"), None);
}

#[test]
fn quotes_where_they_belong() {
    for (before, after) in [
        (
            "schedule: 0 2 * * *\nstartingDeadlineSeconds: \"300\"",
            "schedule: 0 2 * * *\nstartingDeadlineSeconds: 300",
        ),
        (
            "schedule: 0 2 * * *\nsuspend: 'true'",
            "schedule: 0 2 * * *\nsuspend: true",
        ),
    ] {
        assert_eq!(fixed_lines("wrong-type", before).as_deref(), Some(after));
    }
    // Quotes alone do not make a schedule of a number.
    assert_eq!(fixed_lines("wrong-type", "schedule: 5"), None);
    let left = "schedule: 0 2 * * *\nsuspend: 'yes'";
    assert_eq!(fixed_lines("wrong-type", left), None);
}

#[test]
fn versions_that_are_gone() {
    let old = spec("schedule: 0 2 * * *").replace("batch/v1", "batch/v1beta1");
    let new = spec("schedule: 0 2 * * *");
    assert_eq!(fixed("unserved-version", "1.25", &old), Some(new));
    assert_eq!(fixed("unserved-version", "1.24", &old), None);
    let alpha = old.replace("v1beta1", "v2alpha1");
    assert_eq!(fixed("unserved-version", "1.20", &alpha), None);
}

#[test]
fn restart_policy_is_changed_where_only_one_is_valid() {
    let with = |policy: &str| {
        spec("schedule: 0 2 * * *")
            .replace("restartPolicy: Never", &format!("restartPolicy: {policy}"))
    };
    let never = with("Never");
    for (release, rule) in [("1.36", "missing-value"), ("1.21", "unsupported-value")] {
        let text = with("Always");
        assert_eq!(fixed(rule, release, &text), None, "{release}");
        let expected =
            "Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.";
        assert_eq!(helps(rule, release, &text), [expected], "{release}");
    }
    let text = with("Always").replace(
        "    spec:\n      template",
        "    spec:\n      podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A, status: 'True'}]}]}\n      template",
    );
    let expected = "Set restartPolicy: Never, the only value that podFailurePolicy allows.";
    assert_eq!(helps("missing-value", "1.36", &text), [expected]);
    let fixed_text = fixed("missing-value", "1.36", &text).unwrap();
    assert!(fixed_text.contains("restartPolicy: Never"), "{fixed_text}");
    // The default, Always, is not valid either.
    let missing = spec("schedule: 0 2 * * *").replace("restartPolicy: Never\n          ", "");
    assert_eq!(fixed("missing-value", "1.36", &missing), None);
    let expected = "Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.";
    assert_eq!(helps("missing-value", "1.36", &missing), [expected]);
    // Another word in the wrong case is that word.
    assert_eq!(
        fixed("unsupported-value", "1.36", &with("never")),
        Some(never)
    );
    assert_eq!(fixed("unsupported-value", "1.36", &with("Sometimes")), None);
}

/// kubectl looks for the version first, the API server then decodes the object, and only then checks rules.
#[test]
fn errors_of_all_stages_are_found_in_one_run() {
    let text = spec("schedule: 0 2 * * *\nconcurrencyPolicy: Sometimes")
        .replace("batch/v1", "batch/v1beta1")
        .replace("image:", "imag:");
    assert_eq!(found("unserved-version", "1.36", &text).len(), 1);
    assert_eq!(found("unknown-field", "1.36", &text).len(), 1);
    assert_eq!(found("unsupported-value", "1.36", &text).len(), 1);
    // The misspelled field is not reported as missing, too.
    assert!(found("missing-value", "1.36", &text).is_empty());
}
