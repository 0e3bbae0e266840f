//! `CronJob`s that are put into a state, explained, and then given to the controller.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::control_plane::comparison::{Prediction, Seen, differences};
use crate::control_plane::stage::Stage;
use crate::support::control_plane::Events;

/// What makes the controller look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The `CronJob` is resumed.
    Resume,
    /// The same, past the API server, which would not let the object pass.
    ResumeBelow,
    /// It was never suspended, and gets an annotation.
    Annotate,
    /// It was never suspended, and the controller comes back.
    Nothing,
}

type Arrange<'a> = Box<dyn Fn(&Stage<'_>, &str) + 'a>;
type Correct = fn(&mut Value, &Value);

/// A `CronJob` in a state.
pub(crate) struct Trial<'a> {
    pub(crate) name: &'static str,
    /// What was worked out by hand; empty where it depends on the date.
    pub(crate) outcome: &'static str,
    spec: Value,
    last: Option<Timestamp>,
    trigger: Trigger,
    arrange: Vec<Arrange<'a>>,
    /// Other CronJobs that are explained with it, and may tell something.
    beside: &'a [&'a str],
    correct: Option<Correct>,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(name: &'static str, outcome: &'static str, schedule: &str) -> Trial<'a> {
        Trial {
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
    pub(crate) fn with(mut self, field: &str, value: impl Into<Value>) -> Trial<'a> {
        self.spec[field] = value.into();
        self
    }

    /// Last started then.
    pub(crate) fn last(mut self, last: Timestamp) -> Trial<'a> {
        self.last = Some(last);
        self
    }

    pub(crate) fn trigger(mut self, trigger: Trigger) -> Trial<'a> {
        self.trigger = trigger;
        self
    }

    /// Something that is done once the `CronJob` is there; it gets its name.
    pub(crate) fn arranged(mut self, arrange: impl Fn(&Stage<'_>, &str) + 'a) -> Trial<'a> {
        self.arrange.push(Box::new(arrange));
        self
    }

    /// Explained together with others.
    pub(crate) fn beside(mut self, others: &'a [&'a str]) -> Trial<'a> {
        self.beside = others;
        self
    }

    /// Where the prediction is known to be wrong: what makes it right. It gets the decision, and
    /// the status before it.
    pub(crate) fn corrected(mut self, correct: Correct) -> Trial<'a> {
        self.correct = Some(correct);
        self
    }

    /// Whether the edit that it waits for makes the controller look.
    fn is_suspended(&self) -> bool {
        matches!(self.trigger, Trigger::Resume | Trigger::ResumeBelow)
    }

    /// Puts it on the stage.
    pub(crate) fn set(&self, stage: &Stage<'_>) {
        let mut spec = self.spec.clone();
        spec["suspend"] = json!(self.is_suspended());
        stage.create(self.name, &spec);
        if let Some(last) = self.last {
            stage.set_last(self.name, last);
        }
        for arrange in &self.arrange {
            arrange(stage, self.name);
        }
    }

    /// What the program says that the controller will do.
    pub(crate) fn predict(&self, stage: &Stage<'_>) -> Prediction {
        let resumed: &[&str] = if self.is_suspended() {
            &["--what-if", "suspend=false"]
        } else {
            &[]
        };
        let item = stage.explain(self.name, &[self.beside, resumed].concat());
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
            correct(&mut decision, &stage.cron_job(self.name)["status"]);
        }
        Prediction::new(&item["now"], decision)
    }

    /// Makes the controller look.
    pub(crate) fn pull(&self, stage: &Stage<'_>) {
        let name = self.name;
        match self.trigger {
            Trigger::Resume => stage.edit(name, &json!({"spec": {"suspend": false}})),
            Trigger::ResumeBelow => stage.smuggle(name, &json!({"suspend": false})),
            Trigger::Annotate => {
                stage.edit(
                    name,
                    &json!({"metadata": {"annotations": {"look": "again"}}}),
                );
            }
            Trigger::Nothing => {}
        }
    }
}

/// Predicts what the controller does with each, lets it, and compares.
pub(crate) fn compare(stage: &Stage<'_>, trials: &[Trial<'_>]) {
    compare_once(stage, trials, || {});
}

/// The same, and something happens once all is predicted.
pub(crate) fn compare_once(stage: &Stage<'_>, trials: &[Trial<'_>], happen: impl FnOnce()) {
    for trial in trials {
        trial.set(stage);
    }
    let predictions: Vec<Prediction> = trials.iter().map(|trial| trial.predict(stage)).collect();
    let before = stage.jobs();
    let log = stage.plane.log();
    let mut events = stage.api.events(&stage.namespace);
    happen();
    for trial in trials {
        trial.pull(stage);
    }
    let recorded = start_sentinels(stage, trials[0].name, &mut events);
    let after = stage.jobs();
    let mut wrong = Vec::new();
    for (trial, prediction) in trials.iter().zip(&predictions) {
        let name = trial.name;
        let seen = Seen {
            events: &recorded,
            before: &before,
            after: &after,
            cron_job: &stage.cron_job(name),
            looks: &log.looks(&stage.namespace, name),
        };
        for difference in differences(trial.outcome, prediction, &seen) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (count, namespace) = (trials.len(), &stage.namespace);
    eprintln!("{namespace}: {count} predictions came true");
}

/// Starts two `CronJob`s, one after the other, and returns what was recorded until then. The queue
/// is first in, first out: when they have started, all that was in it has been looked at.
pub(crate) fn start_sentinels(stage: &Stage<'_>, prefix: &str, events: &mut Events) -> Vec<Value> {
    let mut recorded = Vec::new();
    for suffix in ["a", "b"] {
        let name = format!("{prefix}-sentinel-{suffix}");
        let schedule = stage.clock.hourly(10);
        stage.create(&name, &json!({"schedule": schedule, "suspend": true}));
        stage.set_last(&name, stage.clock.hours_and_minutes_ago(1, 10));
        stage.edit(&name, &json!({"spec": {"suspend": false}}));
        recorded.extend(events.up_to("SuccessfulCreate", &name));
    }
    recorded
}
