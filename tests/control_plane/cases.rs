//! `CronJob`s that are put into a state, explained, and then given to the controller.

use crate::control_plane::comparison::{Prediction, Seen, differences};
use crate::control_plane::prelude::*;
use crate::support::control_plane::Events;

/// What makes the controller look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The `CronJob` is resumed.
    Resume,
    /// The `CronJob` is resumed in etcd, because the API server would not accept the object.
    ResumeBelow,
    /// It was never suspended, and gets an annotation.
    Annotate,
    /// It was never suspended, and the controller comes back.
    Nothing,
}

type Arrange<'a> = Box<dyn Fn(&Namespace<'_>, &str) + 'a>;
type Correct = fn(&mut Value, &Value);

/// A `CronJob` in a state.
pub(crate) struct Case<'a> {
    pub(crate) name: &'static str,
    /// What was worked out manually; empty where it depends on the date.
    pub(crate) outcome: &'static str,
    spec: Value,
    last: Option<Timestamp>,
    trigger: Trigger,
    arrange: Vec<Arrange<'a>>,
    /// Other CronJobs that are explained with it, and may tell something.
    beside: &'a [&'a str],
    correct: Option<Correct>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(name: &'static str, outcome: &'static str, schedule: &str) -> Case<'a> {
        Case {
            name,
            outcome,
            spec: json!({"schedule": schedule}),
            last: None,
            trigger: Trigger::Resume,
            arrange: Vec::new(),
            beside: &[],
            correct: None,
        }
    }

    /// With another field of the spec.
    pub(crate) fn with(mut self, field: &str, value: impl Into<Value>) -> Case<'a> {
        self.spec[field] = value.into();
        self
    }

    /// Last started then.
    pub(crate) fn last(mut self, last: Timestamp) -> Case<'a> {
        self.last = Some(last);
        self
    }

    pub(crate) fn trigger(mut self, trigger: Trigger) -> Case<'a> {
        self.trigger = trigger;
        self
    }

    /// Something that is done once the `CronJob` is there; it gets its name.
    pub(crate) fn arranged(mut self, arrange: impl Fn(&Namespace<'_>, &str) + 'a) -> Case<'a> {
        self.arrange.push(Box::new(arrange));
        self
    }

    /// Explained together with others.
    pub(crate) fn beside(mut self, others: &'a [&'a str]) -> Case<'a> {
        self.beside = others;
        self
    }

    /// Where the prediction is known to be wrong: what makes it right. It gets the decision, and
    /// the status before it.
    pub(crate) fn corrected(mut self, correct: Correct) -> Case<'a> {
        self.correct = Some(correct);
        self
    }

    /// Whether the edit that it waits for makes the controller look.
    fn is_suspended(&self) -> bool {
        matches!(self.trigger, Trigger::Resume | Trigger::ResumeBelow)
    }

    /// Puts it on the ns.
    pub(crate) fn set(&self, ns: &Namespace<'_>) {
        let mut spec = self.spec.clone();
        spec["suspend"] = json!(self.is_suspended());
        ns.create(self.name, &spec);
        if let Some(last) = self.last {
            ns.set_last(self.name, last);
        }
        for arrange in &self.arrange {
            arrange(ns, self.name);
        }
    }

    /// What the program says that the controller will do.
    pub(crate) fn predict(&self, ns: &Namespace<'_>) -> Prediction {
        let resumed: &[&str] = if self.is_suspended() {
            &["--what-if", "suspend=false"]
        } else {
            &[]
        };
        let item = ns.explain(self.name, [self.beside, resumed].concat());
        let decision = match item.get("whatIf") {
            Some(what_if) => {
                // The edit makes it look at once, and find what it would find now.
                assert_eq!(what_if["effect"]["syncsAt"], item["now"]);
                assert_eq!(what_if["effect"]["decisionThen"], what_if["decision"]);
                &what_if["decision"]
            }
            None => &item["decision"],
        };
        let mut decision = decision.clone();
        if let Some(correct) = self.correct {
            correct(&mut decision, &ns.cron_job(self.name)["status"]);
        }
        Prediction::new(&item["now"], decision)
    }

    /// Makes the controller look.
    pub(crate) fn pull(&self, ns: &Namespace<'_>) {
        let name = self.name;
        match self.trigger {
            Trigger::Resume => ns.edit(name, &json!({"spec": {"suspend": false}})),
            Trigger::ResumeBelow => ns.smuggle(name, &json!({"suspend": false})),
            Trigger::Annotate => {
                ns.annotate(name);
            }
            Trigger::Nothing => {}
        }
    }
}

/// Predicts what the controller does with each, lets it, and compares.
pub(crate) fn compare(ns: &Namespace<'_>, cases: &[Case<'_>]) {
    compare_once(ns, cases, || {});
}

/// Predicts what the controller does with each, lets something happen, and compares.
pub(crate) fn compare_once(ns: &Namespace<'_>, cases: &[Case<'_>], happen: impl FnOnce()) {
    for case in cases {
        case.set(ns);
    }
    let predictions: Vec<Prediction> = cases.iter().map(|case| case.predict(ns)).collect();
    let before = ns.jobs();
    let log = ns.plane.log();
    let mut events = ns.api.events(&ns.name);
    happen();
    for case in cases {
        case.pull(ns);
    }
    let recorded = start_sentinels(ns, cases[0].name, &mut events);
    let after = ns.jobs();
    let mut wrong = Vec::new();
    for (case, prediction) in cases.iter().zip(&predictions) {
        let name = case.name;
        let seen = Seen {
            events: &recorded,
            before: &before,
            after: &after,
            cron_job: &ns.cron_job(name),
            syncs: &log.syncs(&ns.name, name),
            notes_success_later: ns.plane.minor < 31,
        };
        for difference in differences(case.outcome, prediction, &seen) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (count, namespace) = (cases.len(), &ns.name);
    eprintln!("{namespace}: {count} predictions came true");
}

/// Starts two `CronJob`s, one after the other, and returns what was recorded until then. The queue
/// is first in, first out: when they have started, all that was in it has been looked at.
pub(crate) fn start_sentinels(ns: &Namespace<'_>, prefix: &str, events: &mut Events) -> Vec<Value> {
    let mut recorded = Vec::new();
    for suffix in ["a", "b"] {
        let name = format!("{prefix}-sentinel-{suffix}");
        let schedule = ns.clock.hourly(10);
        ns.create(&name, &json!({"schedule": schedule, "suspend": true}));
        ns.set_last(&name, ns.clock.hours_and_minutes_ago(1, 10));
        ns.edit(&name, &json!({"spec": {"suspend": false}}));
        recorded.extend(events.up_to("SuccessfulCreate", &name));
    }
    recorded
}
