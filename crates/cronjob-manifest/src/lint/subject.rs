//! The `CronJob` that a rule checks.

use std::cell::OnceCell;
use std::sync::Arc;

use jiff::Timestamp;

use super::finding::{ObjectIdentity, Violation};
use super::fix::{Fix, apply};
use super::manifest::cron_jobs;
use super::path::{self, follow};
use crate::validation::{ValidationCause, validate};
use cronjob_controller::controller::{Behavior, Release};
use kube_cron::{Period, Schedule, Timetable, Zone, Zones};
use located_yaml::{self, Node, Value};

/// The settings for all manifests that are checked together.
#[derive(Clone)]
pub(super) struct Context<'a> {
    /// The Kubernetes release. With a range of releases, each `CronJob` is checked once for every release
    /// in it that differs from the previous one.
    pub release: Release,
    /// The time from which future dates are searched.
    pub now: Timestamp,
    pub zones: &'a (dyn Zones + Sync),
    /// The zone of schedules without one.
    pub local: Arc<Zone>,
}

/// A `CronJob` in a text, with its context. Fields are addressed by their paths, such as
/// `spec.jobTemplate.spec.backoffLimit`; null means unset, as everywhere in the API.
pub(super) struct LintSubject<'a> {
    pub node: &'a Node,
    /// The text that the tree was read from.
    pub text: &'a str,
    /// The name of the file, or `stdin`.
    pub file: &'a Arc<str>,
    pub context: &'a Context<'a>,
    schedule: OnceCell<Option<Schedule>>,
    period: OnceCell<Option<Period>>,
}

/// The path of the pod's spec, where the containers are.
pub(super) const POD: &str = "spec.jobTemplate.spec.template.spec";

impl<'a> LintSubject<'a> {
    /// The object at the top of a tree.
    pub(super) fn new(
        node: &'a Node,
        text: &'a str,
        file: &'a Arc<str>,
        context: &'a Context<'a>,
    ) -> Self {
        LintSubject {
            node,
            text,
            file,
            context,
            schedule: OnceCell::new(),
            period: OnceCell::new(),
        }
    }

    /// The value of a field, if it is set.
    pub(super) fn get(&self, path: &str) -> Option<&'a Node> {
        follow(self.node, self.text, path)
            .node
            .filter(|node| !node.is_null())
    }

    /// The text of a field, if it is a string.
    pub(super) fn str(&self, path: &str) -> Option<&'a str> {
        self.get(path)?.as_str()
    }

    /// The number of a field, if it is a whole number.
    pub(super) fn whole_number(&self, path: &str) -> Option<i64> {
        self.get(path)?.value.as_whole_number()
    }

    /// The value of a field, if it is a boolean.
    pub(super) fn boolean(&self, path: &str) -> Option<bool> {
        match self.get(path)?.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The behavior of the controller and the API server of the release.
    pub(super) fn behavior(&self) -> Behavior {
        self.context.release.behavior()
    }

    /// The kind, the namespace and the name of the object.
    pub(super) fn object(&self) -> ObjectIdentity {
        let text = |path: &str| self.str(path).map(str::to_owned);
        ObjectIdentity {
            api_version: text("apiVersion"),
            kind: text("kind"),
            namespace: text("metadata.namespace"),
            name: text("metadata.name"),
        }
    }

    /// The schedule as the release's controller parses it, with the zone of the `CronJob`; `None` if it is
    /// invalid, which the rules of the API server report.
    pub(super) fn schedule(&self) -> Option<&Schedule> {
        let read = || {
            let behavior = self.behavior();
            let text = self.str("spec.schedule")?;
            let zone = self.str("spec.timeZone");
            let zone = zone.filter(|_| behavior.time_zone_field);
            Schedule::parse_in(text, zone, behavior.dialect, self.context.zones).ok()
        };
        self.schedule.get_or_init(read).as_ref()
    }

    /// The schedule, if its text contains something. Most do not, and need not be parsed.
    pub(super) fn schedule_with(&self, part: &str) -> Option<&Schedule> {
        let text = self.str("spec.schedule")?;
        text.contains(part).then(|| self.schedule())?
    }

    /// The schedule in the zone it runs in.
    pub(super) fn timetable(&self) -> Option<Timetable> {
        Some(self.schedule()?.in_zone(&self.context.local))
    }

    /// The intervals between the runs of the schedule.
    pub(super) fn period(&self) -> Option<Period> {
        let read = || self.schedule()?.period();
        *self.period.get_or_init(read)
    }

    /// A violation of a field, at its value or where it would be.
    pub(super) fn found(&self, path: &str, message: impl Into<String>) -> Violation {
        Violation::new(path, self.follow(path).place(), message)
    }

    /// Whether the API server accepts a field after a fix.
    pub(super) fn is_taken_after(&self, fix: &Fix, field: &str) -> bool {
        let Context { release, zones, .. } = *self.context;
        let answer = self.after(fix, |object| validate(object, &[], release, zones));
        answer.is_some_and(|answer| !answer.causes.iter().any(|cause| cause.field == field))
    }

    /// Whether the API server reports more errors for the object after a fix, or drops the time zone that it sets.
    pub(super) fn is_worse_after(&self, fix: &Fix) -> bool {
        let Context { release, zones, .. } = *self.context;
        let has_zone = |object: &Node| {
            let spec = object.get("spec");
            spec.is_some_and(|spec| spec.get("timeZone").is_some())
        };
        let read = |object: &Node| (validate(object, &[], release, zones), has_zone(object));
        let Some((after, has_zone_after)) = self.after(fix, read) else {
            return true;
        };
        if has_zone_after && !has_zone(self.node) && !self.behavior().time_zone_field {
            return true;
        }
        let before = validate(self.node, &[], release, zones);
        // A server that did not come to its rules may have hidden what they say.
        let hid = before
            .causes
            .iter()
            .any(|cause| cause.reason.precludes_validation());
        let is_old = |cause: &ValidationCause| {
            let mut old = before.causes.iter();
            old.any(|old| (old.reason, &old.field) == (cause.reason, &cause.field))
        };
        let is_new = |cause: &ValidationCause| {
            let was_hidden = hid && !cause.reason.precludes_validation();
            !was_hidden && !is_old(cause)
        };
        after.causes.iter().any(is_new)
    }

    /// What a function reads from the object after a fix.
    fn after<T>(&self, fix: &Fix, read: impl FnOnce(&Node) -> T) -> Option<T> {
        let fixed = apply(self.text, [fix]).text;
        let parsed = located_yaml::parse(&fixed);
        // The object begins where it began, unless something before it has changed.
        let start = self.node.place.span.start;
        let documents = parsed.documents.iter();
        let mut objects = documents.flat_map(|document| cron_jobs(&document.root));
        let object = objects.find(|object| object.place.span.start == start)?;
        Some(read(object))
    }

    pub(super) fn follow(&self, path: &str) -> path::PathTarget<'a> {
        follow(self.node, self.text, path)
    }
}
