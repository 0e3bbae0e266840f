//! `CronJob`s that are put into a state, explained, and then given to the controller.

use std::time::Instant;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::comparison::{Prediction, Seen, differences};
use crate::stage::Stage;

/// What makes the controller look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The `CronJob` is resumed.
    Resume,
    /// The same, past the API server, which would not let the object pass.
    ResumeBelow,
    /// It was never suspended, and gets an annotation.
    Annotate,
}

type Arrange<'a> = Box<dyn Fn(&Stage<'_>, &str) + 'a>;

/// A `CronJob` in a state.
pub(crate) struct Trial<'a> {
    pub(crate) name: &'static str,
    /// What was worked out by hand; empty where it depends on the date.
    pub(crate) outcome: &'static str,
    spec: Value,
    last: Option<Timestamp>,
    trigger: Trigger,
    arrange: Vec<Arrange<'a>>,
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

    /// Puts it on the stage.
    pub(crate) fn set(&self, stage: &Stage<'_>) {
        let mut spec = self.spec.clone();
        spec["suspend"] = json!(self.trigger != Trigger::Annotate);
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
        let resumed = ["--what-if", "suspend=false"];
        let item = if self.trigger == Trigger::Annotate {
            stage.explain(self.name, &[])
        } else {
            stage.explain(self.name, &resumed)
        };
        let decision = match item.get("whatIf") {
            Some(what_if) => {
                // The edit makes it look at once, and find what it would find now.
                assert_eq!(what_if["effect"]["looksAt"], item["now"]);
                &what_if["decision"]
            }
            None => &item["decision"],
        };
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
        }
    }
}

/// Predicts what the controller does with each, lets it, and compares.
pub(crate) fn compare(stage: &Stage<'_>, trials: &[Trial<'_>]) {
    for trial in trials {
        trial.set(stage);
    }
    let sentinels = ["sentinel", "second-sentinel"];
    for name in sentinels {
        sentinel(stage, name);
    }
    let predictions: Vec<Prediction> = trials.iter().map(|trial| trial.predict(stage)).collect();
    let before = stage.jobs();
    let log = stage.plane.log();
    let mut events = stage.api.events(&stage.namespace);
    let began = Instant::now();
    for trial in trials {
        trial.pull(stage);
    }
    // The queue is first in, first out: when these have started, the others have been looked at.
    let mut recorded = Vec::new();
    for name in sentinels {
        stage.edit(name, &json!({"spec": {"suspend": false}}));
        recorded.extend(events.up_to("SuccessfulCreate", name));
    }
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
            took: began.elapsed(),
        };
        for difference in differences(trial.outcome, prediction, &seen) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A `CronJob` that starts a Job as soon as it is resumed.
fn sentinel(stage: &Stage<'_>, name: &str) {
    let schedule = stage.clock.hourly(10);
    stage.create(name, &json!({"schedule": schedule, "suspend": true}));
    stage.set_last(name, stage.clock.hours_and_minutes_ago(1, 10));
}
