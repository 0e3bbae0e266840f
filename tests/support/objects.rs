//! Objects as a line of text: `object | object …`.
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
//! All times are in November 2026, unless they are complete.

use serde_json::{Value, json};

use super::files::{self, yaml};
use super::json::{Json as _, merge, owner_reference};

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
        ("file", [path]) => return yaml(&files::text(path)),
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

/// The sets of a file, and the objects of a heading.
#[derive(Default)]
pub(crate) struct Objects {
    sets: Vec<(String, Vec<Value>)>,
}

impl Objects {
    pub(crate) fn read(&mut self, heading: &str) -> Vec<Value> {
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
