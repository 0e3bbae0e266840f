//! Reads fields from protobuf, and skips those that are not used.

use std::fmt::Display;
use std::sync::Arc;

use jiff::Timestamp;
use prost::DecodeError;
use prost::encoding::{self, DecodeContext, WireType};
use serde_json::Value;

use super::shared::SharedParts;
use super::source::{ApiObject as _, FieldSource, ObjectKind};
use super::template::template;
use kube_model::{ResourceQuota, SetFields, Texts};

/// Decodes a message. The numbers of its fields are those of `generated.proto` in `k8s.io/api`.
pub fn decode<K: ObjectKind>(
    message: &[u8],
    api_version: &str,
    parts: &mut SharedParts,
) -> Result<K, String> {
    let mut source = ProtobufSource {
        rest: message,
        number: 0,
        wire_type: WireType::LengthDelimited,
        is_read: false,
        error: None,
        parts,
    };
    let mut object = K::Fields::default();
    source.message(|source| object.fields(source));
    if let Some(error) = source.error {
        return Err(error);
    }
    let mut object = K::of_fields(object, api_version);
    object.share(parts);
    Ok(object)
}

struct ProtobufSource<'b> {
    /// What follows the key of the field, up to the end of its message.
    rest: &'b [u8],
    number: u32,
    wire_type: WireType,
    is_read: bool,
    error: Option<String>,
    parts: &'b mut SharedParts,
}

type Merge<'b, T> = fn(WireType, &mut T, &mut &'b [u8], DecodeContext) -> Result<(), DecodeError>;

impl<'b> ProtobufSource<'b> {
    fn value<T>(&mut self, value: &mut T, merge: Merge<'b, T>) {
        self.is_read = true;
        let read = merge(
            self.wire_type,
            value,
            &mut self.rest,
            DecodeContext::default(),
        );
        self.check(read);
    }

    /// The result; after an error, nothing is left to read.
    fn check<T>(&mut self, result: Result<T, impl Display>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.rest = &[];
                self.error = Some(error.to_string());
                None
            }
        }
    }

    /// Reads each field of the rest.
    fn message(&mut self, mut read: impl FnMut(&mut Self)) {
        while !self.rest.is_empty() {
            let key = encoding::decode_key(&mut self.rest);
            let Some((number, wire_type)) = self.check(key) else {
                return;
            };
            (self.number, self.wire_type, self.is_read) = (number, wire_type, false);
            read(self);
            if !self.is_read {
                let context = DecodeContext::default();
                let skipped = encoding::skip_field(self.wire_type, number, &mut self.rest, context);
                self.check(skipped);
            }
        }
    }

    /// The bytes of the value.
    fn delimited(&mut self) -> Option<&'b [u8]> {
        self.is_read = true;
        if self.wire_type != WireType::LengthDelimited {
            return self.check(Err("expected a field with a length"));
        }
        let length = encoding::decode_varint(&mut self.rest);
        let length = usize::try_from(self.check(length)?).unwrap_or(usize::MAX);
        let split = self.rest.split_at_checked(length);
        let (value, rest) = self.check(split.ok_or("a field is longer than its message"))?;
        self.rest = rest;
        Some(value)
    }
}

impl FieldSource for ProtobufSource<'_> {
    fn enter(&mut self, _: &'static str, number: u32, read: impl FnOnce(&mut Self)) -> bool {
        let is_it = !self.is_read && self.number == number;
        if is_it {
            read(self);
        }
        is_it
    }

    fn fields(&mut self, read: impl FnMut(&mut Self)) {
        if let Some(value) = self.delimited() {
            let rest = std::mem::replace(&mut self.rest, value);
            self.message(read);
            if self.error.is_none() {
                (self.rest, self.is_read) = (rest, true);
            }
        }
    }

    /// Each item is a field.
    fn items(&mut self, mut read: impl FnMut(&mut Self)) {
        read(self);
    }

    fn text(&mut self, text: &mut String) {
        self.value(text, encoding::string::merge);
    }

    fn boolean(&mut self, value: &mut bool) {
        self.value(value, encoding::bool::merge);
    }

    fn int32(&mut self, number: &mut i32) {
        self.value(number, encoding::int32::merge);
    }

    fn int64(&mut self, number: &mut i64) {
        self.value(number, encoding::int64::merge);
    }

    fn time(&mut self, time: &mut Option<Timestamp>) {
        let (mut seconds, mut nanos) = (0, 0);
        self.fields(|source| {
            source.field("seconds", 1, &mut seconds);
            source.field("nanos", 2, &mut nanos);
        });
        // The server sends an unset time as an empty message.
        *time = Timestamp::new(seconds, nanos)
            .ok()
            .filter(|time| *time != Timestamp::UNIX_EPOCH);
    }

    fn texts(&mut self, texts: &mut Texts) {
        let (mut name, mut text) = (String::new(), String::new());
        self.fields(|source| {
            source.field("key", 1, &mut name);
            source.field("value", 2, &mut text);
        });
        texts.insert(name, text);
    }

    fn set_fields(&mut self, fields: &mut SetFields) {
        self.fields(|source| {
            source.enter("raw", 1, |source| {
                let raw = source.delimited().unwrap_or_default();
                *fields = serde_json::from_slice(raw).unwrap_or_default();
            });
        });
    }

    fn template(&mut self, shared: &mut Arc<Value>) {
        let template = template(self);
        *shared = self.parts.template(template);
    }

    fn quantity_text(&mut self, resource: &'static str, quantity: &mut Option<String>) {
        let (mut name, mut text) = (String::new(), String::new());
        self.fields(|source| {
            source.field("key", 1, &mut name);
            source.object("value", 2, |source| {
                source.field("string", 1, &mut text);
            });
        });
        if name == resource {
            *quantity = Some(text);
        }
    }

    fn quantity(&mut self, resource: &'static str, quantity: &mut Option<i64>) {
        let mut text = None;
        self.quantity_text(resource, &mut text);
        if let Some(text) = text {
            *quantity = ResourceQuota::count(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prost::encoding::{bytes, int32, int64, string};
    use serde_json::json;

    use super::{SharedParts, decode};
    use kube_model::{CronJob, Job, Pod};

    fn message(number: u32, content: &[u8]) -> Vec<u8> {
        let mut field = Vec::new();
        bytes::encode(number, &content.to_vec(), &mut field);
        field
    }

    fn text(number: u32, text: &str) -> Vec<u8> {
        let mut field = Vec::new();
        string::encode(number, &text.to_owned(), &mut field);
        field
    }

    /// As a 1.36 API server sends it: field 4, of no bytes.
    #[test]
    fn condition_without_a_transition_has_no_time() {
        let condition = [text(1, "Ready"), text(2, "False"), message(4, b"")].concat();
        let status = message(3, &message(2, &condition));
        let pod: Pod = decode(&status, "v1", &mut SharedParts::default()).unwrap();
        let condition = &pod.conditions[0];
        assert_eq!((&*condition.r#type, &*condition.status), ("Ready", "False"));
        assert_eq!(condition.last_transition_time, None);
    }

    #[test]
    fn message_that_is_cut_off_is_an_error() {
        let status = message(3, &message(2, &text(1, "Ready")));
        for length in 1..status.len() {
            let read = decode::<Pod>(&status[..length], "v1", &mut SharedParts::default());
            assert!(read.is_err(), "{length}");
        }
    }

    /// Annotations that say nothing about eviction would only make templates differ.
    #[test]
    fn template_keeps_what_findings_and_remedies_use() {
        let mut codes = text(2, "In");
        for code in [3, 143] {
            int32::encode(3, &code, &mut codes);
        }
        let rule = [text(1, "FailJob"), message(2, &codes)].concat();
        let annotation = |name, value| message(12, &[text(1, name), text(2, value)].concat());
        let annotations = [
            annotation("checksum", "1"),
            annotation("karpenter.sh/do-not-disrupt", "true"),
        ];
        let limit =
            |name, quantity| message(1, &[text(1, name), message(2, &text(1, quantity))].concat());
        let resources = message(8, &[limit("cpu", "1"), limit("memory", "128Mi")].concat());
        let container = message(2, &[text(1, "only"), resources.clone()].concat());
        let first = message(20, &[text(1, "first"), resources].concat());
        let second = message(20, &text(1, "second"));
        let gate = message(38, &text(1, "example.com/wait"));
        let pods = [
            message(1, &annotations.concat()),
            message(2, &[container, text(3, ""), first, second, gate].concat()),
        ];
        let job = [
            message(6, &pods.concat()),
            message(11, &message(1, &rule)),
            text(15, "example.com/queue"),
        ];
        let template = [message(1, b""), message(2, &job.concat())].concat();
        let cron_job = message(2, &message(5, &template));
        let expected = json!({"spec": {
            "podFailurePolicy": {"rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3, 143]}},
            ]},
            "managedBy": "example.com/queue",
            "template": {
                "metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}},
                "spec": {
                    "containers": [{"resources": {"limits": {"memory": "128Mi"}}}],
                    "initContainers": [
                        {"name": "first", "resources": {"limits": {"memory": "128Mi"}}},
                    ],
                    "schedulingGates": [{"name": "example.com/wait"}],
                },
            },
        }});
        let mut parts = SharedParts::default();
        let mut read = || decode::<CronJob>(&cron_job, "batch/v1", &mut parts).unwrap();
        let (one, other) = (read().spec.job_template, read().spec.job_template);
        assert_eq!(*one, expected);
        assert!(Arc::ptr_eq(&one, &other));
    }

    #[test]
    fn limits_of_a_job_and_of_its_pod_are_read() {
        let mut spec = Vec::new();
        int32::encode(3, &20, &mut spec);
        int32::encode(7, &2, &mut spec);
        let job: Job = decode(&message(2, &spec), "batch/v1", &mut SharedParts::default()).unwrap();
        assert_eq!(job.active_deadline_seconds, Some(20));
        assert_eq!(job.backoff_limit, Some(2));
        let limit =
            |name, quantity| message(1, &[text(1, name), message(2, &text(1, quantity))].concat());
        let limits = [limit("memory", "128Mi"), limit("cpu", "1")].concat();
        let container = message(2, &[text(1, "main"), message(8, &limits)].concat());
        let status = message(3, &message(8, &text(1, "main")));
        let pod = [message(2, &container), status].concat();
        let pod: Pod = decode(&pod, "v1", &mut SharedParts::default()).unwrap();
        assert_eq!(pod.containers[0].memory_limit.as_deref(), Some("128Mi"));
    }

    /// The reason is in the condition of the end.
    #[test]
    fn time_of_a_failure_is_kept_if_its_pods_ended_later() {
        let condition = |r#type, at: i64| {
            let mut time = Vec::new();
            int64::encode(1, &at, &mut time);
            let reason = text(5, "DeadlineExceeded");
            message(
                1,
                &[text(1, r#type), text(2, "True"), message(4, &time), reason].concat(),
            )
        };
        let read = |conditions: &[Vec<u8>]| {
            let status = message(3, &conditions.concat());
            decode::<Job>(&status, "batch/v1", &mut SharedParts::default()).unwrap()
        };
        let late = read(&[condition("FailureTarget", 30), condition("Failed", 1_032)]);
        assert_eq!(late.failed_at().map(jiff::Timestamp::as_second), Some(30));
        assert_eq!(
            late.finished_at().map(jiff::Timestamp::as_second),
            Some(1_032)
        );
        assert_eq!(late.failure().unwrap().reason, "DeadlineExceeded");
        let same = read(&[condition("FailureTarget", 30), condition("Failed", 30)]);
        assert_eq!(same.conditions.len(), 1);
    }

    #[test]
    fn jobs_that_follow_each_other_share_their_owners() {
        let job = |owner| {
            message(
                1,
                &message(13, &[text(1, "CronJob"), text(3, owner)].concat()),
            )
        };
        let mut parts = SharedParts::default();
        let mut owners = |owner| {
            let job: Job = decode(&job(owner), "batch/v1", &mut parts).unwrap();
            job.owner_references
        };
        let (one, same, other) = (owners("a"), owners("a"), owners("b"));
        assert!(Arc::ptr_eq(&one, &same));
        assert_eq!([&one, &other].map(|owners| &*owners[0].name), ["a", "b"]);
    }
}
