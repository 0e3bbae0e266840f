//! Explains and predicts what the `CronJob` controller will do.
//!
//! A private library: [`run`] is the program. A pure core computes the answer; `evidence`, `recorder`, `output` and
//! `cli` are the edges, with the crates kube-objects and kube-access. docs/design.md has the purpose of each module.
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the library is private, and its documentation is for those who change it"
)]
#![cfg_attr(
    not(all(
        feature = "cluster",
        feature = "fleet",
        feature = "recorder",
        feature = "report",
        feature = "tui"
    )),
    allow(
        dead_code,
        unused_imports,
        clippy::default_constructed_unit_structs,
        clippy::needless_update,
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "what a feature uses stays, and stand-ins are as what they stand for, so that conditions are few"
    )
)]

#[macro_use]
extern crate cronjob_text;

mod alerts;
mod change;
mod cli;
#[cfg(not(feature = "cluster"))]
#[path = "without_cluster.rs"]
mod cluster;
mod diagnose;
mod evidence;
mod history;
mod kubectl;
mod load;
mod output;
mod plan;
mod recorder;
mod report;
mod selector;
mod survey;
#[cfg(test)]
#[path = "../crates/cronjob-controller/src/model/testing.rs"]
mod testing;
#[cfg(feature = "tui")]
mod top;

use cronjob_controller::{controller, forecast, kinds, model, simulate, upcoming};
use cronjob_manifest::{lint, rules, validation};
use cronjob_text::{duration, printable, spelling, text, words};
#[cfg(feature = "cluster")]
use kube_access::{cluster, process};
use kube_cron as schedule;
use kube_objects::snapshot;
use located_yaml as document;

pub use cli::run;

/// What the tests and benchmarks of this repository use. Not an interface.
#[doc(hidden)]
pub mod internals {
    pub mod change {
        pub use crate::change::{
            Application, CatchUp, ExtraKind, ExtraRun, FirstStart, JobConsequences, JobDifferences,
            MovedSchedule, NextRun, NoStart, Overlap, Rescheduling, Resumption, Suspension,
            TriggerPrediction, predict_trigger, quiet_deadline, trigger_refusal,
        };
        pub mod backfill {
            pub use crate::change::backfill::{
                BackfillPlan, BackfillRefusal, BackfillSelection, plan,
            };
        }
    }
    pub mod cli {
        pub use crate::cli::{command, side_by_side};
    }
    pub mod diagnose {
        pub use crate::diagnose::{
            Facts, Finding, Severity, causes, diagnose, finding_rules, verdict,
        };
    }
    pub mod evidence {
        pub use crate::evidence::evidence_by_cron_job;
    }
    /// Bytes from elsewhere, for crates/fuzz/targets.rs.
    #[cfg(feature = "cluster")]
    pub mod fuzz {
        /// The query of a request for stored runs.
        pub fn history_query(query: &str) {
            let _ = crate::cli::check_history_query(query);
        }

        /// A page of stored runs from a recorder.
        pub fn history_page(body: &[u8]) {
            let _ = crate::recorder::read_page(body);
        }
    }
    pub mod history {
        pub use crate::history::{
            CronJobHistory, DueRuns, History, HistoryError, HistoryWindow, Reliability, RunStatus,
            history,
        };
    }
    pub mod kubectl {
        pub use crate::kubectl::{Kubectl, Note, PLAIN, Remedy};
    }
    pub mod load {
        pub use crate::load::{
            ClientLimits, Load, LoadMember, LoadQuestion, LoadWindow, ScheduleSuggestion, load,
            nth_start_delay,
        };
    }
    pub mod output {
        pub use crate::output::{DocumentBody, Envelope};
        pub mod documents {
            pub use crate::output::actions::ActionsDocument;
            pub use crate::output::contexts::ContextDocument;
            pub use crate::output::explain::Explanations;
            pub use crate::output::history::HistoryDocument;
            pub use crate::output::kinds::ScheduleExplanations;
            pub use crate::output::lint::LintDocument;
            pub use crate::output::load::LoadDocument;
            pub use crate::output::next_runs::NextRuns;
            pub use crate::output::plan::PlanDocument;
            pub use crate::output::report::ReportDocument;
            pub use crate::output::scan::Scan;
            pub use crate::output::simulate::SimulationDocument;
            pub use crate::output::version::VersionDocument;
        }
        pub mod history {
            pub use crate::output::history::{csv, text};
        }
        pub mod lint {
            pub use crate::output::lint::{difference, example, github, sarif, short, text};
        }
        #[cfg(feature = "tui")]
        pub mod top {
            pub use crate::output::top::{Capabilities, draw};
        }
    }
    pub mod recorder {
        pub use crate::recorder::{
            ClockReading, CronJobUpdate, Recorder, RecordingBasis, RecordingScope, RunStore,
            StoreError, StoreLocation, StoredSpec,
        };
    }
    pub mod selector {
        pub use crate::selector::{FieldSelector, LabelSelector};
    }
    pub mod survey {
        pub use crate::survey::{LiveSurvey, RowSelection, SurveyReport, rows};
    }
    #[cfg(feature = "tui")]
    pub mod top {
        pub use crate::top::{App, DashboardContext, Effect, KEYS, Key, Page, Size};
    }
}
