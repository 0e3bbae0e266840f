//! Tables of answers about objects: a line `[object | object …]` ([`super::objects`]) begins the cases about them.
//!
//! A line `CALL TIME => EXPECTED` is a case; several times are separated by commas, and versions other than 1.36.2 are in
//! front of them.
//!
//! - `scan -o wide 22T10:00:00 => words | !words`: words that the output has, or lacks
//! - `scan /nextRun //summary/cronJobs TIME => VALUE | VALUE`: fields of the first item and of the document. `*` is each
//!   entry of an array, `field=value` the first with that field, `field==value` all of them, `last` the last, `#` their number, and `-` nothing. `~` is in front of a
//!   part of a text, `^` of its start, `!` of what it lacks, and `*` of what each entry is.
//! - `CALL TIME =>`: the output or the fields are in the snapshot of the file
//! - `TIME => ENTRY | ENTRY`: what the forecast begins with, as `at outcome job condition`; all of it if `end` is the last.
//! - `next`, `notes` and `pending`: what to expect of the next run, as `state time`; the notes of the next runs; what is said
//!   of a run that was due. `judged` and `judged-notes`: the forecast and the notes with what several CronJobs show together.
//!   `findings`: the codes of all findings.
//! - `verdict` and `finding`: parts of the verdict, and of the detail of a finding
//!
//! What `explain`, `history` and `scan` without flags say, apart from their texts, is asked of the library, and the rest of the program.

use serde_json::Value;

use super::json::{Json as _, list};
use super::objects::{Objects, moment};
use super::tables::sections;

/// What is asked about objects at a time.
pub(crate) struct Question<'a> {
    objects: &'a [Value],
    pub(crate) version: &'a str,
    now: &'a str,
    pub(crate) call: Call,
}

impl Question<'_> {
    pub(crate) fn now(&self) -> String {
        moment(self.now)
    }

    /// The objects as a manifest.
    pub(crate) fn manifest(&self) -> String {
        list(self.objects).replace(&moment("NOW"), &self.now())
    }
}

/// A call of a verb, of whose document fields are compared if any are given, or a short form.
pub(crate) struct Call {
    pub(crate) fields: Vec<String>,
    pub(crate) words: Vec<String>,
}

impl Call {
    pub(crate) fn new(words: Vec<String>) -> Self {
        let (fields, words) = words.into_iter().partition(|word| word.starts_with('/'));
        Call { fields, words }
    }

    /// What of the library has the answer; `None` if only the program has it.
    pub(crate) fn answered_by(&self) -> Option<Document> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let is_of_document = |field: &String| field.starts_with("//");
        let are_of_item = !self.fields.is_empty() && !self.fields.iter().any(is_of_document);
        match words[..] {
            ["explain"] if are_of_item => Some(Document::Explanation),
            ["history"] if are_of_item => Some(Document::History),
            ["scan"] if !self.fields.is_empty() => Some(Document::Survey),
            [] | ["because" | "next" | "notes" | "pending" | "scheduledTime"] => {
                Some(Document::Forecast)
            }
            [form] if FORMS.contains(&form) => Some(Document::Explanation),
            _ => None,
        }
    }

    /// The values of the fields in a document.
    pub(crate) fn fields_of(&self, document: &Value) -> Answer {
        let value = |field: &String| match field.strip_prefix("//") {
            Some(path) => found(document, path),
            None => found(&document["items"][0], &field[1..]),
        };
        Answer::Fields(self.fields.iter().map(value).collect())
    }

    /// The answer that a document has.
    pub(crate) fn of_document(&self, document: &Value) -> Answer {
        if !self.fields.is_empty() {
            return self.fields_of(document);
        }
        let item = &document["items"][0];
        let texts = |list: &str, field: &str| {
            let texts = item[list].each(field).into_iter();
            let texts = texts.map(|text| text.as_str().unwrap_or_default().to_owned());
            texts.collect::<Vec<_>>()
        };
        match self.words.first().map_or("", String::as_str) {
            "" | "judged" => Answer::Begins(entries(item)),
            "judged-notes" => {
                let of_run = |notes: &Value| {
                    let notes: Vec<&str> = notes.items().iter().map(Value::text).collect();
                    notes.join("; ")
                };
                let notes = item["nextRuns"].each("notes").into_iter();
                Answer::Begins(notes.map(of_run).collect())
            }
            "findings" => Answer::Begins(texts("findings", "code")),
            "verdict" => Answer::Text(item["verdict"].text().to_owned()),
            "finding" => Answer::Text(texts("findings", "detail").join("\n")),
            field => Answer::Begins(texts("forecast", field)),
        }
    }
}

/// The part of the library that has an answer.
pub(crate) enum Document {
    /// The forecast for the first CronJob, as an explanation has it.
    Forecast,
    /// The explanation of the first CronJob.
    Explanation,
    /// The past runs of the first CronJob.
    History,
    /// The rows of all CronJobs.
    Survey,
}

const FORMS: [&str; 5] = ["judged", "judged-notes", "findings", "verdict", "finding"];

/// The outcome of a case: entries that are compared in order, or texts.
pub(crate) enum Answer {
    /// Compared as far as expected.
    Begins(Vec<String>),
    Fields(Vec<String>),
    Text(String),
}

impl Answer {
    /// What is wrong about it.
    pub(crate) fn differs(&self, expected: &str) -> Option<String> {
        let parts: Vec<&str> = expected.split(" | ").collect();
        match self {
            Answer::Begins(found) => {
                let (parts, is_all) = match parts.split_last() {
                    Some((&"end", all)) => (all, true),
                    _ => (&parts[..], false),
                };
                let shown = found
                    .iter()
                    .map(|one| if one.is_empty() { "-" } else { one });
                let shown: Vec<&str> = shown.collect();
                let begins = shown.starts_with(parts);
                let is_fine = begins && (!is_all || shown.len() == parts.len());
                (!is_fine).then(|| format!("{shown:#?}"))
            }
            Answer::Fields(found) => {
                let is_fine = |(found, part): (&String, &&str)| match part.split_at_checked(1) {
                    Some(("~", words)) => found.contains(words),
                    Some(("^", words)) => found.starts_with(words),
                    Some(("!", words)) => !found.contains(words),
                    Some(("*", word)) => found.split(' ').all(|one| one == word),
                    _ => found == part,
                };
                let all = found.len() == parts.len() && found.iter().zip(&parts).all(is_fine);
                (!all).then(|| format!("{found:#?}"))
            }
            Answer::Text(text) => {
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_wrong = |part: &&str| match part.strip_prefix('!') {
                    Some(words) => text.contains(words),
                    None => !text.contains(part),
                };
                parts.iter().any(is_wrong).then_some(text)
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Answer::Begins(texts) | Answer::Fields(texts) => texts.join("\n"),
            Answer::Text(text) => text.clone(),
        }
    }
}

/// The value of a path in a document.
fn found(value: &Value, path: &str) -> String {
    let (step, rest) = match path.split_once('/') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    };
    let next = |value: &Value| match rest {
        Some(rest) => found(value, rest),
        None => shown(value),
    };
    match (step, value.as_array()) {
        ("#", Some(entries)) => entries.len().to_string(),
        ("last", Some(entries)) => next(entries.last().unwrap_or(&Value::Null)),
        ("*", Some(entries)) => all(&mut entries.iter().map(next)),
        (step, Some(entries)) => match (step.parse::<usize>(), step.split_once("==")) {
            (Ok(index), _) => next(entries.get(index).unwrap_or(&Value::Null)),
            (_, Some((field, wanted))) => {
                let entries = entries
                    .iter()
                    .filter(|entry| shown(&entry[field]) == wanted);
                match rest {
                    Some("#") => entries.count().to_string(),
                    _ => all(&mut entries.map(next)),
                }
            }
            _ => {
                let (field, wanted) = step.split_once('=').expect(path);
                let mut entries = entries.iter();
                let entry = entries.find(|entry| shown(&entry[field]) == wanted);
                next(entry.unwrap_or(&Value::Null))
            }
        },
        (step, None) => next(&value[step]),
    }
}

fn all(values: &mut dyn Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    match values[..] {
        [] => "-".to_owned(),
        _ => values.join(" "),
    }
}

pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => {
            let time = text.strip_prefix("2026-11-");
            let time = time.and_then(|time| time.strip_suffix('Z'));
            time.unwrap_or(text).to_owned()
        }
        Value::Array(values) => all(&mut values.iter().map(shown)),
        other => other.to_string(),
    }
}

/// Each entry of a forecast as `at outcome job kind-of-condition`.
fn entries(item: &Value) -> Vec<String> {
    let fields = ["at", "outcome", "jobName", "conditionKind"];
    let line = |entry: &Value| fields.map(|field| shown(&entry[field])).join(" ");
    item["forecast"].items().iter().map(line).collect()
}

/// Checks the cases of a file that are answered, and returns what its snapshot has.
pub(crate) fn check(path: &str, answer: impl Fn(&Question<'_>) -> Option<Answer>) -> String {
    let mut sets = Objects::default();
    let (mut wrong, mut snapshot) = (Vec::new(), Vec::new());
    for (heading, cases) in sections(path) {
        let objects = sets.read(&heading);
        for (given, expected) in cases {
            let mut words = shlex::split(&given).unwrap();
            let times = words.pop().unwrap();
            let is_version = |word: &mut String| {
                word.starts_with("1.")
                    && word
                        .split(['.', ','])
                        .all(|part| part.parse::<u8>().is_ok())
            };
            let versions = words.pop_if(is_version);
            let versions = versions.unwrap_or_else(|| "1.36.2".to_owned());
            for (version, now) in versions
                .split(',')
                .flat_map(|version| times.split(',').map(move |now| (version, now)))
            {
                let question = Question {
                    objects: &objects,
                    version,
                    now,
                    call: Call::new(words.clone()),
                };
                let Some(answer) = answer(&question) else {
                    continue;
                };
                if expected.is_empty() {
                    snapshot.push(format!("{given}\n{}\n", answer.shown().trim_end()));
                } else if let Some(found) = answer.differs(&expected) {
                    wrong.push(format!(
                        "[{heading}]\n{given} ({version} {now})\n  expected {expected}\n  found {found}\n"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{path}:\n{}", wrong.join("\n"));
    snapshot.join("\n")
}

/// A test of each file in `tests/answers/`, by the path of that folder, and that there are no others.
macro_rules! answers {
    ($folder:literal, $answer:ident: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            let path = concat!($folder, stringify!($name), ".txt");
            let shown = crate::support::answers::check(path, $answer);
            if !shown.is_empty() {
                insta::assert_snapshot!(shown);
            }
        })*

        #[test]
        fn every_file_is_read() {
            let files = [$(concat!("tests/answers/", stringify!($name), ".txt")),*];
            assert_eq!(crate::support::files::below("tests/answers"), files);
        }
    };
}
