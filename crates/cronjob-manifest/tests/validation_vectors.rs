//! The validation of a manifest, compared with the answers of real API servers of several releases.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use crate::support::cases;
use crate::support::differences::assert_none;
use crate::support::json::Json;
use crate::support::random::Random;
use cronjob_controller::controller::Release;
use cronjob_manifest::validation::{self, CauseReason, ValidationResult};
use kube_cron::{BundledZones, Zone, ZoneError, Zones};
use located_yaml::{self as document, ParsedDocument};
use serde_json::Value;

/// The tz database of the machine that the server ran on: some packages have names beyond those
/// of the database itself.
struct ServersZones;

impl Zones for ServersZones {
    fn load(&self, name: &str) -> Result<Arc<Zone>, ZoneError> {
        let name = match name {
            "posixrules" => "America/New_York",
            "right/UTC" => "UTC",
            _ => name,
        };
        BundledZones.load(name)
    }
}

/// What is compared of an answer: the causes by field, reason and message, the warnings, and the
/// message as a whole.
type Compared = (Vec<[String; 3]>, Vec<String>, Option<String>);

const NEWEST: &str = "1.36";

fn judge(text: &str) -> ValidationResult {
    judge_for(NEWEST, &read(text))
}

fn read(text: &str) -> ParsedDocument {
    let mut parsed = document::parse(text);
    assert_eq!(parsed.errors, [], "{text}");
    parsed.documents.remove(0)
}

fn judge_for(release: &str, document: &ParsedDocument) -> ValidationResult {
    let release: Release = release.parse().unwrap();
    validation::validate(&document.root, &document.problems, release, &ServersZones)
}

/// Without what only kubectl rejects: up to 1.24 servers ignore unknown and duplicate fields.
fn of_server(release: &str, mut answer: ValidationResult) -> ValidationResult {
    let ignored = [CauseReason::UnknownField, CauseReason::DuplicateField];
    if ["1.21.1", "1.23.1"].contains(&release) {
        answer
            .causes
            .retain(|cause| !ignored.contains(&cause.reason));
        answer.message = answer.message.filter(|_| !answer.causes.is_empty());
    }
    answer
}

/// To the server, decoding errors are not causes: there is only the message.
fn compared(answer: &ValidationResult) -> Compared {
    let causes = answer.causes.iter();
    let causes = causes
        .filter(|cause| !cause.reason.precludes_validation())
        .map(|cause| [&cause.field, &cause.reason.to_string(), &cause.message].map(Clone::clone));
    let warnings = answer.warnings.iter();
    let warnings = warnings.map(|warning| warning.message.clone());
    (causes.collect(), warnings.collect(), answer.message.clone())
}

fn expected(case: &Value) -> Compared {
    let text = |value: &Value| value.text().to_owned();
    let causes = case["causes"].items().iter();
    let causes = causes.map(|cause| match cause.as_array() {
        Some(cause) => std::array::from_fn(|index| text(&cause[index])),
        None => ["field", "reason", "message"].map(|name| text(&cause[name])),
    });
    let warnings = case["warnings"].items().iter().map(text);
    let message = case["message"].as_str().map(str::to_owned);
    (causes.collect(), warnings.collect(), message)
}

/// Go iterates over maps in any order, so that causes and warnings about several entries of a map
/// are in any order, too.
fn in_any_order((mut causes, mut warnings, message): Compared) -> Compared {
    causes.sort();
    warnings.sort();
    let several = causes.len() > 1;
    (causes, warnings, message.filter(|_| !several))
}

fn all_texts((causes, warnings, message): &Compared) -> String {
    let texts = causes.iter().flatten().chain(warnings).chain(message);
    texts.map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// How many answers accepted and refused a manifest, how many of those had another order, and how many requests
/// failed because the server panicked.
type Tally = [usize; 4];

/// Releases, and for each text, how many of their answers contain it, and why they differ.
const DIFFERENCES: &str = include_str!("vectors/differences.txt");

const FILES: [(&str, &str); 2] = [
    ("manifests", include_str!("vectors/manifests.jsonl")),
    ("admission", include_str!("vectors/admission.jsonl")),
];

/// The answers that are not those of 1.36, by release, file and line.
fn answers() -> HashMap<(String, String, usize), Value> {
    let bytes = include_bytes!("vectors/releases.jsonl.gz");
    let mut text = String::new();
    let mut reader = flate2::read::GzDecoder::new(&bytes[..]);
    reader.read_to_string(&mut text).unwrap();
    let by_line = cases(&text).map(|(_, case)| {
        let line = usize::try_from(case["line"].as_u64().unwrap()).unwrap();
        let [release, file] = ["release", "file"].map(|name| case[name].text().to_owned());
        ((release, file, line), case)
    });
    by_line.collect()
}

/// A manifest by file and line, and the answer of 1.36.
struct Recorded {
    file: &'static str,
    line: usize,
    document: ParsedDocument,
    case: Value,
}

/// Compares all answers of a release; `column` has its counts in [`DIFFERENCES`].
fn compare(
    release: &str,
    column: usize,
    recorded: &[Recorded],
    answers: &HashMap<(String, String, usize), Value>,
) -> Tally {
    let [mut accepted, mut refused, mut reordered, mut panics] = Tally::default();
    let mut wrong = Vec::new();
    let exceptions = DIFFERENCES.lines().skip(1).map(|line| {
        let (counts, rest) = line.split_once(" | ").unwrap();
        let part = rest.split(" | ").next().unwrap();
        (part, counts.split(' ').nth(column).unwrap())
    });
    let exceptions: Vec<(&str, &str)> = exceptions.collect();
    let mut used = vec![0; exceptions.len()];
    for one in recorded {
        let (manifest, line) = (one.case["manifest"].text(), one.line);
        let answer = of_server(release, judge_for(release, &one.document));
        let of_release = answers.get(&(release.to_owned(), one.file.to_owned(), line));
        let case = of_release.unwrap_or(&one.case);
        if case["panics"] == true {
            let reasons: Vec<_> = answer.causes.iter().map(|cause| cause.reason).collect();
            assert_eq!(reasons, [CauseReason::Internal], "{manifest}");
            panics += 1;
            continue;
        }
        let (got, expected) = (compared(&answer), expected(case));
        let agrees = answer.accepts() == (case["accepted"] == true);
        if agrees && in_any_order(got.clone()) == in_any_order(expected.clone()) {
            if answer.accepts() {
                accepted += 1;
            } else {
                refused += 1;
            }
            reordered += usize::from(got != expected);
            continue;
        }
        let both = format!("{} {}", all_texts(&expected), all_texts(&got));
        let mut known = exceptions.iter();
        if let Some(index) = known.position(|(part, _)| both.contains(part)) {
            used[index] += 1;
            continue;
        }
        wrong.push(format!(
            "line {line}: {manifest}\n  got      {got:?}\n  expected {expected:?}"
        ));
    }
    assert_none(&wrong);
    for ((part, count), used) in exceptions.iter().zip(used) {
        assert_eq!(used.to_string(), *count, "{release} {part}");
    }
    [accepted, refused, reordered, panics]
}

/// The cases break each rule by itself, and several rules together.
#[test]
fn validation_matches_every_answer_of_real_servers() {
    let (releases, _) = DIFFERENCES.split_once(" | ").unwrap();
    let files = FILES.iter();
    let recorded = files.flat_map(|(file, text)| {
        cases(text).map(|(line, case)| Recorded {
            file,
            line,
            document: read(case["manifest"].text()),
            case,
        })
    });
    let (recorded, answers) = (recorded.collect::<Vec<_>>(), answers());
    let seen = releases.split(' ').enumerate().map(|(column, release)| {
        let tally = compare(release, column, &recorded, &answers);
        format!("{release} {tally:?}")
    });
    insta::assert_snapshot!(seen.collect::<Vec<_>>().join("\n"), @r"
    1.36 [579, 1505, 2, 0]
    1.35.3 [579, 1497, 0, 0]
    1.33.3 [592, 1444, 0, 6]
    1.30.1 [587, 1455, 0, 6]
    1.29.0 [574, 1470, 1, 5]
    1.27.1 [536, 1504, 0, 5]
    1.25.2 [526, 1496, 1, 5]
    1.23.1 [821, 1145, 10, 6]
    1.21.1 [838, 1011, 9, 0]
    ");
}

/// This manifest would be too long for a file of answers. The server accepted 262144 bytes, and not one more.
#[test]
fn annotations_have_a_total_size_limit() {
    let text = |size: usize| {
        let value = "x".repeat(size);
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a, annotations: {{a: {value}}}}}\n\
             spec: {{schedule: '* * * * *', jobTemplate: {{spec: {{template: {{spec: {{\
             restartPolicy: Never, containers: [{{name: a, image: b}}]}}}}}}}}}}\n"
        )
    };
    assert_eq!(judge(&text(262_143)).causes, []);
    let expected = Some(
        "CronJob.batch \"a\" is invalid: metadata.annotations: Too long: may not be more \
         than 262144 bytes",
    );
    assert_eq!(judge(&text(262_144)).message.as_deref(), expected);
}

/// Every manifest gets an answer: lines are replaced by lines of other manifests, and every location
/// in the answer is within the text.
#[test]
fn mangled_manifests_get_an_answer() {
    let some = cases(include_str!("vectors/admission.jsonl")).step_by(7);
    let pieces: Vec<String> = some
        .map(|(_, case)| case["manifest"].text().to_owned())
        .collect();
    let mut random = Random::new(20_261_121);
    let mut judged = 0;
    for _ in 0..5_000 {
        let mut lines: Vec<&str> = random.pick(&pieces).lines().collect();
        for _ in 0..random.between(1, 4) {
            let others: Vec<&str> = random.pick(&pieces).lines().collect();
            let at = random.below(lines.len());
            lines[at] = *random.pick::<&str>(&others);
        }
        let text = lines.join("\n");
        let release = *random.pick(&["1.4", "1.19", "1.24", "1.30", "1.34", "1.36", "1.37"]);
        for document in document::parse(&text).documents {
            let release: Release = release.parse().unwrap();
            let problems = &document.problems;
            let answer = validation::validate(&document.root, problems, release, &ServersZones);
            assert_eq!(answer.accepts(), answer.message.is_none(), "{text}");
            for cause in &answer.causes {
                assert!(cause.place.span.slice(&text).is_some(), "{text}\n{cause:?}");
            }
            judged += 1;
        }
    }
    assert!(judged > 1_500, "{judged}");
}
