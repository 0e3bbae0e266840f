//! Answers about objects, as tables of text: each file in `tests/answers/` begins with what is special about its objects.
//!
//! A line `[object | object …]` begins the cases about some objects:
//!
//! - `cronjob NAME SPEC`: its schedule, every two minutes if there is none, and further fields
//! - `job NAME TIME`: created then, and running; `pod NAME JOB TIME`
//! - `failed NAME TIME TIME COUNT`: the first and the last attempt to create a Job of a CronJob
//! - `event KIND/NAME REASON TIME MESSAGE`, `seen TIME`: the time up to which there is evidence; `NOW` is that
//!   of the case
//! - `file PATH`, or `@set` with all objects of a line that begins with `@set = `
//! - `*9 cronjob …`: nine of them, with a number in place of each `#`
//! - `object KIND NAME`, of which the fields follow
//! - `edit NAME`, `drop NAME`: an object before it
//!
//! Behind each can be, after semicolons: `last TIME` and `success TIME`, as in the status; `active JOB`, in the status;
//! `created TIME`; `edited MANAGER TIME`, the schedule; `resumed`, in the same edit; `was SPEC`, the spec that was last
//! applied; `finished TIME`, `ended CONDITION TIME`, `of CRONJOB`, `manual` and `unowned` of Jobs; `with JSON`, fields.
//!
//! A line `CALL TIME => EXPECTED` is a case; several times are separated by commas, and versions other than 1.36.2 are in
//! front of them. All times are in November 2026, unless they are complete.
//!
//! - `scan -o wide 22T10:00:00 => words | !words`: words that the output has, or lacks
//! - `scan /nextRun //summary/cronJobs TIME => VALUE | VALUE`: fields of the first item and of the document. `*` is each
//!   entry of an array, `field=value` the first with that field, `field==value` all of them, `last` the last, `#` their number, and `-` nothing. `~` is in front of a
//!   part of a text, `^` of its start, `!` of what it lacks, and `*` of what each entry is.
//! - `CALL TIME =>`: the output or the fields are in the snapshot of the file
//! - `TIME => ENTRY | ENTRY`: what the forecast begins with, as `at outcome job condition`; all of it if `end` is the last.
//!   So are `notes` those of the next runs, and `findings` the codes of all findings.
//! - `verdict` and `finding`: parts of the verdict, and of the detail of a finding

use crate::support::files::{below, text, yaml};
use crate::support::json::merge;
use crate::support::prelude::*;
use crate::support::tables::sections;

const NAMESPACE: &str = "ops";

/// A complete time, or one of the month.
pub(crate) fn moment(time: &str) -> String {
    if time.ends_with('Z') {
        return time.to_owned();
    }
    format!("2026-11-{time}Z")
}

fn owner(kind: &str, name: &str) -> Value {
    owner_reference(kind, name, &format!("uid-{name}"))
}

fn object(kind: &str, name: &str, created: &str) -> Value {
    let version = if ["CronJob", "Job"].contains(&kind) {
        "batch/v1"
    } else {
        "v1"
    };
    json!({
        "apiVersion": version, "kind": kind,
        "metadata": {
            "namespace": NAMESPACE, "name": name, "uid": format!("uid-{name}"), "creationTimestamp": moment(created),
        },
    })
}

fn cron_job(name: &str, spec: &str) -> Value {
    let (fields, schedule): (Vec<&str>, Vec<&str>) =
        spec.split_whitespace().partition(|word| word.contains('='));
    let schedule = match schedule.join(" ") {
        none if none.is_empty() => "*/2 * * * *".to_owned(),
        schedule => schedule,
    };
    let mut object = object("CronJob", name, "21T23:00:00");
    object["metadata"]["generation"] = json!(1);
    object["spec"] = json!({"schedule": schedule, "jobTemplate": {}});
    object["status"] = json!({});
    for (field, value) in fields.iter().filter_map(|field| field.split_once('=')) {
        object["spec"][field] = serde_json::from_str(value).unwrap_or(json!(value));
    }
    object
}

fn job(name: &str, created: &str) -> Value {
    let mut object = object("Job", name, created);
    let cron_job = name.rsplit_once('-').map_or(name, |(cron_job, _)| cron_job);
    object["metadata"]["ownerReferences"] = json!([owner("CronJob", cron_job)]);
    object["spec"] = json!({});
    object["status"] = json!({"active": 1, "startTime": moment(created)});
    object
}

fn event(about: &str, reason: &str, [first, last]: [&str; 2], count: u64, message: &str) -> Value {
    let (kind, name) = about.split_once('/').unwrap();
    let mut event = object("Event", &format!("{name}.{reason}.{first}"), first);
    event["involvedObject"] = object(kind, name, first)["metadata"].clone();
    event["involvedObject"]["kind"] = json!(kind);
    let fields = json!({
        "type": "Normal", "reason": reason, "message": message, "count": count,
        "firstTimestamp": moment(first), "lastTimestamp": moment(last),
    });
    merge(&mut event, &fields);
    event
}

/// The objects of a part of a heading.
fn described(text: &str) -> Vec<Value> {
    let (kind, more) = text.split_once(' ').unwrap();
    let words: Vec<&str> = more.split(' ').collect();
    let made = match (kind, &words[..]) {
        ("cronjob", [name, spec @ ..]) => cron_job(name, &spec.join(" ")),
        ("job", [name, created]) => job(name, created),
        ("pod", [name, job, created]) => {
            let mut pod = object("Pod", name, created);
            pod["metadata"]["ownerReferences"] = json!([owner("Job", job)]);
            pod["spec"] = json!({"containers": [{"name": "main"}]});
            pod
        }
        ("failed", [name, first, last, count]) => {
            let message =
                format!("Error creating job: jobs.batch \"{name}\" is forbidden: exceeded quota");
            let about = format!("CronJob/{name}");
            let count = count.parse().unwrap();
            let mut event = event(&about, "FailedCreate", [first, last], count, &message);
            event["type"] = json!("Warning");
            event
        }
        ("event", [about, reason, at, message @ ..]) => {
            event(about, reason, [at, at], 1, &message.join(" "))
        }
        ("object", [kind, name]) => object(kind, name, "21T23:00:00"),
        ("seen", [at]) => event("Pod/other", "Pulled", [at, at], 1, ""),
        ("file", [path]) => return yaml(&self::text(path)),
        _ => panic!("{text}"),
    };
    vec![made]
}

fn set(object: &mut Value, setting: &str) {
    let (setting, value) = setting.split_once(' ').unwrap_or((setting, ""));
    let name = object["metadata"]["name"].text().to_owned();
    let fields = match setting {
        "last" => json!({"status": {"lastScheduleTime": moment(value)}}),
        "success" => json!({"status": {"lastSuccessfulTime": moment(value)}}),
        "active" => {
            let uid = format!("uid-{value}");
            json!({"status": {"active": [{"namespace": NAMESPACE, "name": value, "uid": uid}]}})
        }
        "created" => json!({"metadata": {"creationTimestamp": moment(value)}}),
        "edited" => {
            let (manager, time) = value.split_once(' ').unwrap();
            json!({"metadata": {"generation": 2, "managedFields": [{
                "manager": manager, "operation": "Update", "time": moment(time), "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:schedule": {}}},
            }]}})
        }
        "resumed" => {
            let fields = &mut object["metadata"]["managedFields"][0]["fieldsV1"];
            fields["f:spec"]["f:suspend"] = json!({});
            json!({})
        }
        "was" => {
            let before = json!({"spec": cron_job(&name, value)["spec"]}).to_string();
            let applied = "kubectl.kubernetes.io/last-applied-configuration";
            json!({"metadata": {"annotations": {applied: before}}})
        }
        "of" => json!({"metadata": {"ownerReferences": [owner("CronJob", value)]}}),
        "manual" => {
            json!({"metadata": {"annotations": {"cronjob.kubernetes.io/instantiate": "manual"}}})
        }
        "unowned" => json!({"metadata": {"ownerReferences": []}}),
        "finished" | "ended" => {
            let (condition, time) = value.split_once(' ').unwrap_or(("Complete", value));
            let at = moment(time);
            let mut status = json!({
                "startTime": object["metadata"]["creationTimestamp"],
                "conditions": [{"type": condition, "status": "True", "lastTransitionTime": at}],
            });
            if condition == "Complete" {
                merge(&mut status, &json!({"completionTime": at, "succeeded": 1}));
            }
            object["status"] = Value::Null;
            json!({"status": status})
        }
        "with" => serde_json::from_str(value).unwrap_or_else(|error| panic!("{error}: {value}")),
        _ => panic!("{setting} {value}"),
    };
    merge(object, &fields);
}

/// The objects of a text as it is in a heading.
pub(crate) fn objects(text: &str) -> Vec<Value> {
    Objects::default().read(text)
}

/// The sets of a file, and the objects of a heading.
#[derive(Default)]
struct Objects {
    sets: Vec<(String, Vec<Value>)>,
}

impl Objects {
    fn read(&mut self, heading: &str) -> Vec<Value> {
        let (name, heading) = match heading.split_once(" = ") {
            Some((name, rest)) if name.starts_with('@') => (Some(name), rest),
            _ => (None, heading),
        };
        let mut objects: Vec<Value> = Vec::new();
        let repeated = |part: &str| -> Vec<String> {
            let Some((count, part)) = part.strip_prefix('*').and_then(|part| part.split_once(' '))
            else {
                return vec![part.to_owned()];
            };
            let numbers = 0..count.parse::<usize>().unwrap();
            numbers
                .map(|number| part.replace('#', &number.to_string()))
                .collect()
        };
        for part in heading.split(" | ").flat_map(repeated) {
            let mut settings = part.split("; ");
            let what = settings.next().unwrap();
            let is_named = |object: &Value, name: &str| object["metadata"]["name"] == name;
            if let Some(name) = what.strip_prefix("drop ") {
                let before = objects.len();
                objects.retain(|object| !is_named(object, name));
                assert!(objects.len() < before, "{what}");
                continue;
            }
            let name = what.strip_prefix("edit ");
            if name.is_none() {
                let set = self.sets.iter().find(|(name, _)| name == what);
                objects.extend(set.map_or_else(|| described(what), |(_, set)| set.clone()));
            }
            let changed = match name {
                Some(name) => objects.iter_mut().find(|object| is_named(object, name)),
                None => objects.last_mut(),
            };
            let changed = changed.unwrap_or_else(|| panic!("{what}"));
            settings.for_each(|setting| set(changed, setting));
        }
        if let Some(name) = name {
            self.sets.push((name.to_owned(), objects.clone()));
        }
        objects
    }
}

/// A call about objects at a time.
pub(crate) struct Question<'a> {
    pub(crate) objects: &'a [Value],
    pub(crate) version: &'a str,
    pub(crate) now: &'a str,
}

impl Question<'_> {
    pub(crate) fn output(&self, call: impl CommandLine) -> String {
        let version = self.version;
        let now = moment(self.now);
        let fixed = format!("-q -f - --kubernetes-version={version} --now={now}");
        let objects = list(self.objects).replace(&moment("NOW"), &now);
        doctor_with_stdin((call, &fixed), &objects).fine()
    }

    pub(crate) fn document(&self, call: impl CommandLine) -> Value {
        serde_json::from_str(&self.output((call, "-o json"))).unwrap()
    }

    fn explained(&self) -> Value {
        self.document("explain")["items"][0].take()
    }

    /// The outcome of a case: entries that are compared in order, or texts.
    fn answer(&self, words: &[String]) -> Answer {
        let is_field = |word: &&String| word.starts_with('/');
        let (fields, call): (Vec<&String>, Vec<&String>) = words.iter().partition(is_field);
        let call: Vec<&str> = call.into_iter().map(String::as_str).collect();
        match call[..] {
            _ if !fields.is_empty() => {
                let document = self.document(&call[..]);
                let value = |field: &&String| match field.strip_prefix("//") {
                    Some(path) => found(&document, path),
                    None => found(&document["items"][0], &field[1..]),
                };
                Answer::Fields(fields.iter().map(value).collect())
            }
            [] => Answer::Begins(entries(&self.explained())),
            ["notes"] => {
                let runs = self.explained()["nextRuns"].take();
                let of_run = |notes: &Value| {
                    let notes: Vec<&str> = notes.items().iter().map(Json::text).collect();
                    notes.join("; ")
                };
                Answer::Begins(runs.each("notes").into_iter().map(of_run).collect())
            }
            ["findings"] => {
                let item = self.explained();
                let codes = item["findings"].texts("code").into_iter();
                Answer::Begins(codes.map(str::to_owned).collect())
            }
            ["because" | "scheduledTime"] => {
                let item = self.explained();
                let values = item["forecast"].each(call[0]).into_iter();
                let value = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                Answer::Begins(values.map(value).collect())
            }
            ["verdict"] => Answer::Text(self.explained()["verdict"].text().to_owned()),
            ["finding"] => {
                let item = self.explained();
                Answer::Text(item["findings"].texts("detail").join("\n"))
            }
            _ => Answer::Text(self.output(&call[..])),
        }
    }
}

enum Answer {
    /// Compared as far as expected.
    Begins(Vec<String>),
    Fields(Vec<String>),
    Text(String),
}

impl Answer {
    /// What is wrong about it.
    fn differs(&self, expected: &str) -> Option<String> {
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

fn shown(value: &Value) -> String {
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

/// Checks the cases of a file, and returns what its snapshot has.
fn check(path: &str) -> String {
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
                };
                let answer = question.answer(&words);
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

/// A test of each file, and that there are no others.
macro_rules! files {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let shown = check(concat!("tests/answers/", stringify!($name), ".txt"));
            if !shown.is_empty() {
                insta::assert_snapshot!(shown);
            }
        })*

        #[test]
        fn every_file_is_read() {
            let files = [$(concat!("tests/answers/", stringify!($name), ".txt")),*];
            assert_eq!(below("tests/answers"), files);
        }
    };
}

files! {
    attempts ending forecast last_run outage waiting
}
