//! Bytes with holes of fixed sizes.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;

use super::super::gojson;
use super::super::objects;
use super::super::protobuf;
use super::super::resources::Resource;

/// What stands where a hole is. Each is as long as what it stands for.
pub(crate) const NAMESPACE: &str = "ns-@@";
pub(crate) const NUMBER: &str = "job-@@@@@";
pub(crate) const MINUTE: &str = "@@@@@@@@";
pub(crate) const UID: &str = "@own@@@@-0000-4000-8000-@@@@@@@@@@@@";
pub(crate) const OWNER: &str = "@owner@@-0000-4000-8000-@@@@@@@@@@@@";
pub(crate) const REVISION: &str = "@@rev@@";
pub(crate) const SLOT: &str = "2001-02-03T04:05:00Z";
pub(crate) const FINISHED: &str = "2001-02-03T04:05:06Z";

/// What the holes are filled with, in this order: the longer placeholders come first, since the
/// short ones could be found in them.
pub(crate) struct Filling {
    pub(crate) texts: [(&'static str, String); 6],
    pub(crate) times: [(&'static str, Timestamp); 2],
}

/// One kind of object, in both languages.
pub(crate) struct Prototype {
    pub(crate) json: Template,
    pub(crate) protobuf: Template,
    resource: Resource,
}

impl Prototype {
    /// The value has the placeholders in it.
    pub(crate) fn new(resource: &Resource, value: &Value) -> Prototype {
        let message = resource.message.unwrap();
        Prototype {
            json: Template::new(gojson::compact(value).into_bytes()),
            protobuf: Template::new(protobuf::encode(message, value)),
            resource: resource.clone(),
        }
    }

    pub(crate) fn typed(&self, value: Value) -> Value {
        objects::typed(&self.resource, value)
    }
}

/// Bytes, and where in them which placeholder is.
pub(crate) struct Template {
    bytes: Vec<u8>,
    holes: Vec<(usize, Hole)>,
}

#[derive(Clone, Copy)]
enum Hole {
    Text(&'static str),
    /// A time as text.
    Time(&'static str),
    /// Its seconds, as a number of five bytes on the wire.
    Seconds(&'static str),
}

impl Template {
    fn new(bytes: Vec<u8>) -> Template {
        let mut wanted: Vec<(Vec<u8>, Hole)> = [UID, OWNER, NUMBER, MINUTE, REVISION, NAMESPACE]
            .into_iter()
            .map(|text| (text.as_bytes().to_vec(), Hole::Text(text)))
            .collect();
        for time in [SLOT, FINISHED] {
            wanted.push((time.as_bytes().to_vec(), Hole::Time(time)));
            let seconds: Timestamp = time.parse().unwrap();
            wanted.push((varint(seconds), Hole::Seconds(time)));
        }
        let mut holes = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            match wanted.iter().find(|(text, _)| rest.starts_with(text)) {
                Some((text, hole)) => {
                    holes.push((at, *hole));
                    at += text.len();
                }
                None => at += 1,
            }
        }
        Template { bytes, holes }
    }

    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn filled(&self, filling: &Filling) -> Vec<u8> {
        let texts: HashMap<&str, &String> = filling
            .texts
            .iter()
            .map(|(hole, text)| (*hole, text))
            .collect();
        let times: HashMap<&str, Timestamp> = filling.times.iter().copied().collect();
        let mut bytes = self.bytes.clone();
        for (at, hole) in &self.holes {
            let put = match hole {
                Hole::Text(hole) => texts[hole].clone().into_bytes(),
                Hole::Time(hole) => times[hole].to_string().into_bytes(),
                Hole::Seconds(hole) => varint(times[hole]),
            };
            bytes[*at..*at + put.len()].copy_from_slice(&put);
        }
        bytes
    }
}

fn varint(time: Timestamp) -> Vec<u8> {
    let mut bytes = Vec::new();
    protobuf::varint(u64::try_from(time.as_second()).unwrap(), &mut bytes);
    bytes
}
