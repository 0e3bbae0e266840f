//! All integration tests in one binary, with one module for each subject: the crate is linked once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test may fail in any way, and report why"
)]
#![cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "the tests of clusters use the rest"
    )
)]

#[macro_use]
mod support;

mod agreement;
mod alerts;
mod answers;
mod bounds;
mod causes;
#[cfg(target_os = "linux")]
mod changing;
mod clock_zone;
#[cfg(target_os = "linux")]
mod cluster_memory;
mod command_line;
mod completion;
#[cfg(target_os = "linux")]
mod control_plane;
mod crates;
#[cfg(unix)]
mod docs;
#[cfg(target_os = "linux")]
mod docs_live;
mod errors;
mod explain;
mod explain_fleet;
mod explain_outcomes;
mod explain_text;
mod flag_values;
mod fuzzed;
mod generated;
mod history;
mod history_properties;
mod hostile;
mod kinds;
mod last_run;
mod links;
mod lint;
mod lint_properties;
mod lint_rules;
#[cfg(target_os = "linux")]
mod live;
mod load;
mod markdown;
mod next_runs;
mod packaging;
#[cfg(target_os = "linux")]
mod permissions;
mod pictures;
mod plan;
mod recorder;
mod recorder_clocks;
mod recorder_deletions;
mod recorder_example;
mod recorder_jobs;
mod reliability;
mod report;
#[cfg(target_os = "linux")]
mod report_browser;
mod same_answer;
mod samples;
mod scan;
mod schemas;
mod shipped;
mod simulate;
mod since_success;
mod situations;
#[cfg(target_os = "linux")]
mod top;
mod top_screens;
mod upgrade_writes;
mod wording;
mod writers;
