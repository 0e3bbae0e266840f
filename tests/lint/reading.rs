//! What is found in a text.

use super::{GOOD, NEVER, NOW, lint, short};
use crate::support::prelude::*;

/// `line:column severity code` of each finding in a text.
fn found_with(arguments: impl CommandLine, text: &str) -> Vec<String> {
    let arguments = ("lint - -o short --severity=info", NOW, arguments);
    let ran = doctor_with_stdin(&arguments, text);
    assert!(ran.code < 2, "{ran:?}");
    let lines = ran.stdout.lines().map(|line| {
        let rest = line.strip_prefix("stdin:").unwrap();
        let (place, rest) = rest.split_once(": ").unwrap();
        let (severity, rest) = rest.split_once(": ").unwrap();
        let code = rest.rsplit_once('[').unwrap().1.split(' ').next().unwrap();
        format!("{place} {severity} {code}")
    });
    lines.collect()
}

fn found(text: &str) -> Vec<String> {
    found_with("", text)
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    let broken = NEVER.replace("0 6 30 2 *", "*/5 * * * *");
    let text = format!(
        "{NEVER}---\n{broken}---\nkind: Other\na: [\n---\n{}",
        short(2)
    );
    let lines = NEVER.lines().count() + 1;
    let expected = [
        "7:13 error CJD201".to_owned(),
        format!("{}:13 error CJD001", lines + 7),
        format!("{}:13 error CJD201", 2 * lines + 3 + 7),
    ];
    assert_eq!(found(&text), expected);
}

#[test]
fn text_without_a_cron_job_has_no_findings() {
    for text in [
        "",
        "\n---\n---\n",
        "# CronJob\n",
        "a: [ # CronJob\n",
        "kind: CronJob\napiVersion: example.com/v1\nspec: {schedule: 5}\n",
        "{\"kind\": \"Deployment\", \"metadata\": {\"name\": \"CronJob\"}}",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn lists_and_json_are_read() {
    let item = "{\"apiVersion\": \"batch/v1\", \"kind\": \"CronJob\", \"metadata\": {\"name\": \"a\"},\n\
                \"spec\": {\"schedule\": \"0 0 30 2 *\", \"jobTemplate\": {\"spec\": {\"template\": {\"spec\": {\n\
                \"restartPolicy\": \"Never\", \"containers\": [{\"name\": \"a\", \"image\": \"b\"}]}}}}}}";
    let list =
        format!("{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n{item},\n{item}]}}");
    let of_rule = |text: &str| {
        let mut found = found(text);
        found.retain(|one| one.ends_with("CJD201"));
        found
    };
    assert_eq!(of_rule(item), ["2:22 error CJD201"]);
    assert_eq!(of_rule(&list), ["3:22 error CJD201", "6:22 error CJD201"]);
    let typed = "apiVersion: batch/v1\nkind: CronJobList\nitems:\n- metadata: {name: a}\n  spec: {schedule: 0 0 30 2 *}\n";
    assert_eq!(of_rule(typed), ["5:20 error CJD201"]);
}

#[test]
fn template_is_reported_once_and_not_checked_further() {
    let template = "{{- range .Values.jobs }}\n---\nkind: CronJob\nspec:\n  schedule: {{ .schedule }}\n{{- end }}\n";
    assert_eq!(found(template), ["1:1 info CJD002"]);
    let quoted = NEVER.replace("name: report", "name: \"{{ .Release.Name }}\"");
    assert_eq!(found(&quoted), ["4:9 info CJD002"]);
    // The arguments of a program may contain templates for the program itself.
    let foreign = GOOD.replace(
        "            image:",
        "            args: ['{{ .Format }}']\n            image:",
    );
    assert!(found(&foreign).is_empty());
}

#[test]
fn comments_and_annotations_suppress_findings() {
    let with = |line: &str, comment: &str| NEVER.replace(line, comment);
    for ignored in [
        with(
            "30 2 *",
            "30 2 * # cronjob-doctor: ignore[never-scheduled] by hand only",
        ),
        with(
            "  schedule:",
            "  # cronjob-doctor: ignore[CJD201]\n  schedule:",
        ),
        with(
            "  schedule:",
            "  # cronjob-doctor: ignore[starting-deadline-zero, Never-Scheduled]\n  # more\n\n  schedule:",
        )
        .replace(
            "Seconds: 600",
            "Seconds: 0 # cronjob-doctor: ignore[starting-deadline-zero]",
        ),
        format!("# cronjob-doctor: ignore[never-scheduled] by hand only\n---\n{NEVER}"),
        with(
            "metadata:",
            "metadata:\n  annotations:\n    cronjob-doctor/ignore: CJD201",
        ),
    ] {
        let mut found = found(&ignored);
        // The third names a rule that its line does not break.
        found.retain(|one| !(ignored.contains("Never-Scheduled") && one == "7:3 warning CJD004"));
        assert!(found.is_empty(), "{ignored}{found:?}");
    }
    // A comment does not apply to the next object, whose finding is reported.
    let two = format!(
        "# cronjob-doctor: ignore[never-scheduled]\n{NEVER}---\n{}",
        short(2)
    );
    let line = NEVER.lines().count() + 2 + 7;
    assert_eq!(found(&two), [format!("{line}:13 error CJD201")]);
}

#[test]
fn ignore_without_effect_is_reported() {
    let with = |comment: &str| {
        GOOD.replace(
            "spec:\n  schedule",
            &format!("spec: # cronjob-doctor: {comment}\n  schedule"),
        )
    };
    for comment in
        "ignore[never-scheduled] ignore[no-such-rule] ignore ignore[] ignroe[x]".split(' ')
    {
        assert_eq!(found(&with(comment)), ["6:7 warning CJD004"], "{comment}");
    }
    let annotated = GOOD.replace(
        "metadata:\n",
        "metadata:\n  annotations:\n    cronjob-doctor/ignore: never-scheduled, x\n",
    );
    let expected = ["5:28 warning CJD004", "5:28 warning CJD004"];
    assert_eq!(found(&annotated), expected);
    // The maximum number of findings, and one for all others.
    let many: Vec<String> = (0..10_000).map(|nth| format!("never-runz{nth}")).collect();
    let many = many.join(",");
    assert_eq!(found(&with(&format!("ignore[{many}]"))).len(), 201);
}

#[test]
fn a_range_of_releases_reports_what_fails_anywhere_in_it() {
    let old = GOOD.replace("batch/v1", "batch/v1beta1");
    // timeZone was added in 1.24, behind a feature gate that is on since 1.25.
    let old = old.replace("  timeZone: Etc/UTC\n", "");
    let expected = ["1:13 warning CJD601"];
    assert_eq!(found_with("--kubernetes-version=1.21-1.24", &old), expected);
    let arguments = format!("lint - {NOW} --kubernetes-version 1.23-1.26 -o json");
    let report = doctor_with_stdin(arguments, &old).json();
    let findings = report["findings"].items();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(findings[0]["code"], "CJD101");
    assert_eq!(findings[0]["kubernetesVersions"], "1.25 to 1.26");
    // In earlier releases, there is still time to change the version.
    assert_eq!(findings[1]["code"], "CJD601");
    assert_eq!(findings[1]["kubernetesVersions"], "1.23 to 1.24");
}

#[test]
fn manifest_in_utf_16_or_32_cannot_be_read() {
    let little = |text: &str, width: usize| -> Vec<u8> {
        let units = text
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes().into_iter().take(width));
        units.collect()
    };
    let big = |text: &str, width: usize| {
        let mut bytes = little(text, width);
        bytes.chunks_mut(width).for_each(<[u8]>::reverse);
        bytes
    };
    for (text, width, encoding) in [
        (NEVER.to_owned(), 2, "UTF-16"),
        (format!("\u{feff}{NEVER}"), 2, "UTF-16"),
        (NEVER.to_owned(), 4, "UTF-32"),
        (format!("\u{feff}{NEVER}"), 4, "UTF-32"),
    ] {
        for bytes in [little(&text, width), big(&text, width)] {
            let folder = Folder::new("wide", &[]);
            folder.write("a.yaml", bytes);
            folder.write("other.yaml", little("kind: Pod", width));
            let refused = lint([folder.path()]).refused();
            let start =
                format!("error: a.yaml: the encoding is {encoding}; save the file as UTF-8");
            let refused = folder.shortened(&refused);
            assert_starts!(refused, &start);
            assert_eq!(refused.lines().count(), 1, "{refused}");
        }
    }
}

#[test]
fn odd_bytes_are_read_or_reported() {
    let crlf = NEVER.replace('\n', "\r\n");
    assert_eq!(found(&crlf), ["7:13 error CJD201"]);
    assert_eq!(found(&format!("\u{feff}{NEVER}")), ["7:13 error CJD201"]);
    let tab = GOOD.replace("  schedule:", "\tschedule:");
    assert_eq!(found(&tab).len(), 1);
    let nul = GOOD.replace("name: report", "name: re\0port");
    assert_eq!(found(&nul).len(), 1);
}
