//! Changes documents at random, mostly so that they can still be read.

use std::sync::Arc;

use cronjob_controller::controller::{Controller, Model};
use cronjob_diagnosis::history::HistoryWindow;
use jiff::{SignedDuration, Timestamp};
use kube_cron::{BundledZones, Zone, Zones as _};
use kube_objects::snapshot::{Evidence, Options, SourceText};
use serde_json::{Value, json};

use super::files::text;
use super::random::Random;
use super::recorded::controller;

/// A controller of one of some releases, or of Kubebuilder's tutorial, with the time zone UTC.
pub(crate) fn any_controller(random: &mut Random, releases: &[&str]) -> Controller {
    let model = if random.one_in(5) {
        Model::Kubebuilder
    } else {
        Model::Kubernetes
    };
    Controller {
        model,
        ..controller(random.pick::<&str>(releases))
    }
}

/// A moment after the recording, or very far from it.
pub(crate) fn any_now(random: &mut Random) -> Timestamp {
    let near: Timestamp = "2026-11-21T02:13:08Z".parse().unwrap();
    match random.below(6) {
        0 => Timestamp::MIN,
        1 => Timestamp::MAX,
        2 => near + SignedDuration::from_hours(24 * 365 * 20),
        _ => near,
    }
}

/// A zone of this machine.
pub(crate) fn any_zone(random: &mut Random) -> Arc<Zone> {
    let zones = "UTC America/Sao_Paulo Pacific/Chatham Asia/Kolkata".split(' ');
    let name = *random.pick(&zones.collect::<Vec<_>>());
    BundledZones.load(name).unwrap()
}

/// A window of a history, with or without a beginning and an end.
pub(crate) fn any_window(random: &mut Random, now: Timestamp) -> HistoryWindow {
    let mut moment = || {
        let days = random.between(-40, 1);
        match random.below(5) {
            0 | 1 => None,
            2 if random.one_in(10) => Some(Timestamp::MIN),
            _ => now.checked_add(SignedDuration::from_hours(24 * days)).ok(),
        }
    };
    HistoryWindow {
        since: moment(),
        until: moment(),
    }
}

/// The recorded lists of these kinds.
pub(crate) fn recorded_lists(kinds: &str) -> Vec<Value> {
    let files = kinds
        .split(' ')
        .map(|kind| format!("tests/fixtures/{kind}.json"));
    let lists = files.map(|file| serde_json::from_str(&text(&file)).unwrap());
    lists.collect()
}

/// The evidence of lists in which values were changed, up to forty in each.
pub(crate) fn mangled(random: &mut Random, lists: &[Value]) -> Evidence {
    let mut evidence = Evidence::default();
    for list in lists {
        let mut list = list.clone();
        for _ in 0..=random.below(40) {
            mutate(random, &mut list["items"]);
        }
        let source = SourceText::new("mutated".into(), list.to_string().into_bytes()).unwrap();
        // Objects that cannot be read are errors, and the others are used.
        let _ = evidence.add(&source, &Options::default());
    }
    evidence
}

/// Changes one value somewhere in a tree.
fn mutate(random: &mut Random, value: &mut Value) {
    match value {
        Value::Array(items) if !items.is_empty() && !random.one_in(30) => {
            let index = random.below(items.len());
            mutate(random, &mut items[index]);
        }
        Value::Object(fields) if !fields.is_empty() && !random.one_in(30) => {
            let index = random.below(fields.len());
            let name = fields.keys().nth(index).unwrap().clone();
            if random.one_in(12) {
                fields.remove(&name);
            } else {
                mutate(random, &mut fields[&name]);
            }
        }
        leaf => *leaf = strange(random, leaf),
    }
}

/// Mostly another value of the same type: others are refused when they are read.
fn strange(random: &mut Random, old: &Value) -> Value {
    const TEXTS: [&str; 22] = [
        "",
        " ",
        "* * * * *",
        "*/7 9-17 * * 1-5",
        "0 0 29 2 *",
        "0 0 31 2 *",
        "@every 1s",
        "@every 290y",
        "TZ=x",
        "TZ=Europe/Berlin 0 2 * * *",
        "53 3 * * *",
        "Pacific/Chatham",
        "Mars/Base",
        "Local",
        "Forbid",
        "Replace",
        "True",
        "2026-11-21T02:13:08Z",
        "0001-01-01T00:00:00Z",
        "9999-12-30T22:00:00Z",
        "blocked-99999999999999999999",
        "\u{1b}[2J\u{202e}\u{0}",
    ];
    const NUMBERS: [i64; 9] = [
        0,
        1,
        -1,
        100,
        86_400,
        9_223_372_036,
        -9_223_372_037,
        i64::MAX,
        i64::MIN,
    ];
    match old {
        Value::Number(_) => json!(random.pick(&NUMBERS)),
        Value::Bool(old) => json!(!old),
        Value::String(_) if !random.one_in(20) => json!(random.pick(&TEXTS)),
        _ => match random.below(5) {
            0 => Value::Null,
            1 => json!([]),
            2 => json!({}),
            3 => json!(random.pick(&NUMBERS)),
            _ => json!(random.pick(&TEXTS)),
        },
    }
}
