//! Puts `CronJob`s into a state, predicts what happens to them, and then makes the controller sync them.

use crate::control_plane::comparison::{Prediction, Seen, differences};
use crate::control_plane::prelude::*;
use crate::support::control_plane::Events;

/// What makes the controller sync.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The `CronJob` is resumed.
    Resume,
    /// The `CronJob` is resumed in etcd, because the API server would not accept the object.
    ResumeInEtcd,
    /// The `CronJob` was never suspended, and an annotation is added.
    Annotate,
    /// The `CronJob` was never suspended, and the controllers restart.
    Nothing,
}

type Arrange<'a> = Box<dyn Fn(&Namespace<'_>, &str) + 'a>;
type Correct = fn(&mut Value, &Value);

/// A `CronJob` in a state.
pub(crate) struct Case<'a> {
    pub(crate) name: &'static str,
    /// The outcome as derived manually; empty if it depends on the date.
    pub(crate) outcome: &'static str,
    spec: Value,
    last: Option<Timestamp>,
    trigger: Trigger,
    arrange: Vec<Arrange<'a>>,
    /// Other CronJobs that are explained with it, and may serve as evidence.
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

    /// Sets another field of the spec.
    pub(crate) fn with(mut self, field: &str, value: impl Into<Value>) -> Case<'a> {
        self.spec[field] = value.into();
        self
    }

    /// Sets `status.lastScheduleTime`.
    pub(crate) fn last(mut self, last: Timestamp) -> Case<'a> {
        self.last = Some(last);
        self
    }

    pub(crate) fn trigger(mut self, trigger: Trigger) -> Case<'a> {
        self.trigger = trigger;
        self
    }

    /// Adds a step that follows the creation of the `CronJob`, and receives its name.
    pub(crate) fn arranged(mut self, arrange: impl Fn(&Namespace<'_>, &str) + 'a) -> Case<'a> {
        self.arrange.push(Box::new(arrange));
        self
    }

    /// Explains the `CronJob` together with others.
    pub(crate) fn beside(mut self, others: &'a [&'a str]) -> Case<'a> {
        self.beside = others;
        self
    }

    /// Corrects a prediction that is known to be wrong. The function receives the decision, and the status before it.
    pub(crate) fn corrected(mut self, correct: Correct) -> Case<'a> {
        self.correct = Some(correct);
        self
    }

    /// Whether the `CronJob` is suspended until its trigger resumes it.
    fn is_suspended(&self) -> bool {
        matches!(self.trigger, Trigger::Resume | Trigger::ResumeInEtcd)
    }

    /// Creates the `CronJob` in its state.
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

    /// What the program predicts that the controller will do.
    pub(crate) fn predict(&self, ns: &Namespace<'_>) -> Prediction {
        let resumed: &[&str] = if self.is_suspended() {
            &["--what-if", "suspend=false"]
        } else {
            &[]
        };
        let item = ns.explain(self.name, [self.beside, resumed].concat());
        let decision = match item.get("whatIf") {
            Some(what_if) => {
                // The edit makes the controller sync immediately, with the decision that it would make now.
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

    /// Makes the controller sync.
    pub(crate) fn pull(&self, ns: &Namespace<'_>) {
        let name = self.name;
        match self.trigger {
            Trigger::Resume => ns.edit(name, &json!({"spec": {"suspend": false}})),
            Trigger::ResumeInEtcd => ns.smuggle(name, &json!({"suspend": false})),
            Trigger::Annotate => {
                ns.annotate(name);
            }
            Trigger::Nothing => {}
        }
    }
}

/// Predicts what the controller does with each case, makes it sync, and compares.
pub(crate) fn compare(ns: &Namespace<'_>, cases: &[Case<'_>]) {
    compare_once(ns, cases, || {});
}

/// Like [`compare`], but calls `happen` between the predictions and the syncs.
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
            records_success_later: ns.plane.minor < 31,
        };
        for difference in differences(case.outcome, prediction, &seen) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (count, namespace) = (cases.len(), &ns.name);
    eprintln!("{namespace}: {count} predictions came true");
}

/// Starts two `CronJob`s, one after the other, and returns the events that were recorded until then. The controller's
/// queue is first in, first out: when both have started, everything that was queued before them has been synced.
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
