//! Ten thousand `CronJob`s with their Jobs, each of about three kilobytes, that need next to no memory: they are
//! copies of a few models, from which they differ in one number.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::objects::Object;
use super::protobuf;
use super::resources::Resource;
use super::store::Store;

/// How many kinds of `CronJob`s there are; each has a namespace of its own.
const KINDS: usize = 50;
/// The placeholder in models that each copy replaces by its number, which has as many digits.
const NUMBER: &str = "@@@@@";
/// Above the resource versions of all copies.
const REVISION: u64 = 2_000_000;
/// Minutes since 1970, at 2026-11-21T02:12Z: the last Jobs are of this minute.
const NEWEST_MINUTE: usize = 29_920_452;
const SCHEDULES: [&str; 10] = [
    "*/5 * * * *",
    "0 * * * *",
    "0 2 * * *",
    "30 6-16/4 * * 1-5",
    "15 3 * * 0",
    "0 0 1 * *",
    "@hourly",
    "*/15 9-17 * * mon-fri",
    "* * * * *",
    "7 4 * * *",
];
const ZONES: [Option<&str>; 6] = [
    None,
    None,
    Some("Europe/Berlin"),
    Some("America/New_York"),
    Some("Asia/Tokyo"),
    Some("Etc/UTC"),
];

/// One of very many objects.
pub(crate) struct Synthetic {
    model: Arc<Model>,
    /// Which `CronJob` it is, or belongs to.
    number: usize,
}

/// An object with `NUMBER` in it.
struct Model {
    json: String,
    protobuf: Vec<u8>,
    /// Where `NUMBER` is in the message.
    places: Vec<usize>,
}

impl Synthetic {
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&numbered(&self.model.json, self.number)).unwrap()
    }

    pub(crate) fn protobuf(&self) -> Vec<u8> {
        let number = numbered(NUMBER, self.number);
        let mut bytes = self.model.protobuf.clone();
        for place in &self.model.places {
            bytes[*place..][..number.len()].copy_from_slice(number.as_bytes());
        }
        bytes
    }
}

impl Model {
    fn new(value: &Value) -> Model {
        let protobuf = protobuf::encode(value["kind"].as_str().unwrap(), value);
        let windows = protobuf.windows(NUMBER.len()).enumerate();
        let places = windows.filter(|(_, bytes)| *bytes == NUMBER.as_bytes());
        Model {
            json: value.to_string(),
            places: places.map(|(place, _)| place).collect(),
            protobuf,
        }
    }
}

/// Adds many `CronJob`s with as many Jobs each, which watches do not receive.
pub(crate) fn populate(store: &mut Store, resources: &[Resource], count: usize, jobs_each: usize) {
    for kind in 0..KINDS.min(count) {
        for run in 0..=jobs_each {
            let value = model(kind, run);
            let is_its = |resource: &&Resource| value["kind"] == resource.kind;
            let resource = resources.iter().find(is_its).unwrap();
            let text = |name: &str| value["metadata"][name].as_str().unwrap();
            let key = resource.key(text("namespace"), text("name"));
            let model = Arc::new(Model::new(&value));
            for number in (kind..count).step_by(KINDS) {
                let model = Arc::clone(&model);
                let object = Object::Synthetic(Synthetic { model, number });
                store.insert(&numbered(&key, number), Arc::new(object));
            }
        }
    }
    store.raise_revision(REVISION);
}

fn numbered(text: &str, number: usize) -> String {
    text.replace(NUMBER, &format!("{number:05}"))
}

/// The model of a `CronJob` for run 0, otherwise of that Job of it.
fn model(kind: usize, run: usize) -> Value {
    let minute = NEWEST_MINUTE + 1 - run.max(1);
    let time = |second| Timestamp::from_second(i64::try_from(minute * 60 + second).unwrap());
    let text = include_str!("synthetic.json")
        .replace("{kind}", &format!("{kind:02}"))
        .replace("{run}", &run.to_string())
        .replace("{minute}", &minute.to_string())
        .replace("{scheduled}", &time(0).unwrap().to_string())
        .replace("{finished}", &time(7).unwrap().to_string());
    let mut models: [Value; 2] = serde_json::from_str(&text).unwrap();
    let spec = &mut models[0]["spec"];
    spec["schedule"] = json!(SCHEDULES[kind % 10]);
    spec["concurrencyPolicy"] = json!(["Allow", "Forbid", "Replace"][kind % 3]);
    spec["suspend"] = json!(kind.is_multiple_of(17));
    if let Some(zone) = ZONES[kind % 6] {
        spec["timeZone"] = json!(zone);
    }
    if kind.is_multiple_of(4) {
        spec["startingDeadlineSeconds"] = json!([30, 300, 3600][kind % 3]);
    }
    models[run.min(1)].take()
}
