//! What will the `CronJob` controller of this cluster do with this `CronJob`, when, and why?
//!
//! The house has a pure core that computes the answer and thin edges that touch the world.
//!
//! - [`schedule`]: a cron expression becomes times, exactly as the library inside Kubernetes
//!   computes them. Knows no Kubernetes, no clock, no files.
//! - [`controller`]: a `CronJob`, its Jobs and a moment become the decision of a release's
//!   controller: which Job it starts, which events it records, when it looks again.
//! - [`validation`]: what the API server of a release refuses in a manifest and warns about, with
//!   the place of each.
//! - [`diagnose`]: evidence and decision become findings, a verdict, and the causes of missed runs.
//! - [`forecast`]: what the controller will do from now on if nobody does anything.
//! - [`survey`]: the health of many `CronJob`s at a moment: a small row for each.
//! - [`top`]: a dashboard as a state: what is shown, and what keys and changes do to it.
//! - [`history`]: what happened at each past scheduled time, as far as the evidence shows.
//! - [`simulate`]: a controller run over time, with outages, suspensions, edits and long Jobs.
//! - [`change`]: what a change would lead to, before it is made, and what is sent to make it.
//! - [`load`]: what many `CronJob`s start together, how late the last of them is, and how to spread them.
//! - [`report`]: all of that about many `CronJob`s, put side by side.
//! - [`upcoming`]: the coming runs of `CronJob`s, and what is unusual about each.
//! - [`model`]: the slim `CronJob`, `Job`, `Pod` and `Event` that everyone passes around.
//! - [`document`]: YAML or JSON text becomes a tree in which every node knows its place.
//! - [`cluster`]: the only room that talks to a Kubernetes API.
//! - [`snapshot`]: files and folders become the evidence of [`model`].
//! - `evidence`: from a cluster or from files to one immutable `World`.
//! - [`lint`]: what is wrong or risky in manifests, with the place and the fix.
//! - [`rules`]: what each rule for findings and for manifests is: names, texts, severities.
//! - [`selector`]: kubectl's selectors, for what comes from files.
//! - [`output`]: every format; the only room that prints.
//! - [`cli`]: one file a verb: gather, compute, hand over.
//! - [`spelling`]: words that were probably meant.
//! - [`duration`]: distances in time as kubectl writes them.
//! - [`kubectl`]: commands to paste into a shell.
//! - [`printable`]: text as it can be shown safely, and how wide it is.

#[macro_use]
mod string_enum;

mod change;
mod cli;
mod cluster;
mod controller;
mod diagnose;
mod document;
mod duration;
pub(crate) mod evidence;
mod forecast;
mod history;
mod kubectl;
mod lint;
mod load;
mod model;
mod output;
mod printable;
mod report;
mod rules;
mod selector;
mod simulate;
mod snapshot;
mod spelling;
mod survey;
mod top;
mod upcoming;
mod validation;

use kube_cron as schedule;

pub use cli::run;

/// What the tests and benchmarks of this repository use. Not an interface.
#[doc(hidden)]
#[allow(missing_docs, reason = "not an interface")]
pub mod internals {
    pub mod change {
        pub use crate::change::{
            After, Application, CatchUp, ExtraKind, ExtraRun, FirstStart, Later, Meeting, NextRun,
            NoStart, Rescheduling, Resumption, Suspension, TriggerPrediction, predict_trigger,
            quiet_deadline, trigger_refusal,
        };
        pub mod backfill {
            pub use crate::change::backfill::{
                BackfillPlan, BackfillRefusal, BackfillSelection, plan,
            };
        }
    }
    pub mod cli {
        pub use crate::cli::command;
    }
    pub mod controller {
        pub use crate::controller::{
            Controller, Decision, EditEffect, Generation, Model, Outcome, Release, RepeatedSync,
            decide, edit_effect, table,
        };
    }
    pub mod diagnose {
        pub use crate::diagnose::{
            BACKFILLED, Coverage, Facts, Finding, Severity, causes, diagnose, evidence_by_cron_job,
            finding_rules, pods_wanted, verdict,
        };
    }
    pub mod document {
        pub use crate::document::{
            ErrorKind, Node, NodeStyle, ParsedDocument, Problem, Value, parse,
        };
    }
    pub mod history {
        pub use crate::history::{
            CronJobHistory, History, HistoryError, HistoryWindow, RunStatus, history,
        };
    }
    pub mod kubectl {
        pub use crate::kubectl::{Kubectl, PLAIN};
    }
    pub mod lint {
        pub use crate::lint::{
            LintFinding, LintReport, LintSettings, Linter, Severity, apply, wide_manifest,
        };
    }
    pub mod load {
        pub use crate::load::{
            ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, ScheduleSuggestion,
            StartBurst, load, nth_start_delay,
        };
    }
    pub mod model {
        pub use crate::model::{
            ConcurrencyPolicy, ContainerEnd, ContainerReason, CronJob, CronJobEvidence,
            CronJobSpec, CronJobStatus, Event, Job, JobCondition, ManagedField, ObjectReference,
            OwnerReference, Pod, QUEUE_LABEL, RelatedObjects, SpecChange, Texts,
        };
    }
    pub mod output {
        pub use crate::output::schemas;
        pub mod actions {
            pub use crate::output::actions::{resumption, suspension};
        }
        pub mod history {
            pub use crate::output::history::{csv, text};
        }
        pub mod lint {
            pub use crate::output::lint::{github, sarif, short, text};
        }
        pub mod rules {
            pub use crate::output::rules::{book, findings};
        }
        pub mod top {
            pub use crate::output::top::{Capabilities, documentation, draw};
        }
    }
    pub mod printable {
        pub use crate::printable::is_hidden;
    }
    pub mod rules {
        pub use crate::rules::{LintSource, RULES, lint_rules};
    }
    pub mod simulate {
        pub use crate::simulate::{
            Durations, InitialState, PlannedEdit, SimulatedStatus, Simulation, SimulationPlan,
            TimeSpans, initial_state, parallel_map, simulate,
        };
    }
    pub mod snapshot {
        pub use crate::snapshot::{
            Evidence, Input, Options, SnapshotError, SourceText, find, read,
        };
    }
    pub mod survey {
        pub use crate::survey::{LiveSurvey, RowSelection, SurveyReport, rows};
    }
    pub mod top {
        pub use crate::top::{About, App, Effect, Key, Page, Size};
    }
    pub mod upcoming {
        pub use crate::upcoming::{Subject, read, timetable};
    }
    pub mod validation {
        pub use crate::validation::{CauseReason, Suggestion, ValidationResult, validate};
    }
    pub use kube_cron as schedule;
}
