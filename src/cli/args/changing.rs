//! What the verbs take that change a cluster.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Selection;
use super::whole::whole;

/// Which CronJobs, for verbs that change them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which CronJobs")]
pub(in crate::cli) struct Targets {
    /// CronJobs by name: NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME")]
    pub(in crate::cli) names: Vec<String>,
    /// All CronJobs of the namespace
    #[arg(long, conflicts_with_all = ["names", "selector"])]
    pub(in crate::cli) all: bool,
    /// CronJobs of all namespaces
    #[arg(long, short = 'A')]
    pub(in crate::cli) all_namespaces: bool,
    /// Only CronJobs with these labels, such as app=shop,tier!=test
    #[arg(long, short = 'l', value_name = "SELECTOR", conflicts_with = "names")]
    pub(in crate::cli) selector: Option<String>,
    /// The CronJobs that a file, a folder or - for standard input names
    #[arg(long, short, value_name = "FILE|DIR|-", conflicts_with_all = ["names", "selector", "all", "all_namespaces"])]
    pub(in crate::cli) filename: Vec<PathBuf>,
    /// Look into the folders of a folder, too
    #[arg(long, short = 'R', requires = "filename")]
    pub(in crate::cli) recursive: bool,
    /// Ask the server for so many objects at a time; 0 for all at once
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole::<u32>(0..=u64::MAX), allow_negative_numbers = true, hide_short_help = true)]
    pub(in crate::cli) chunk_size: u32,
    /// Another resource of CronJobs, such as cronjobs.v1.batch.tutorial.kubebuilder.io
    #[arg(long, value_name = "RESOURCE.VERSION.GROUP", hide_short_help = true)]
    pub(in crate::cli) resource: Option<String>,
}

impl Targets {
    /// The same for what reads the cluster; files are not among it.
    pub(in crate::cli) fn selection(&self) -> Selection {
        Selection {
            names: self.names.clone(),
            all_namespaces: self.all_namespaces,
            selector: self.selector.clone(),
            field_selector: None,
            filename: Vec::new(),
            recursive: false,
            chunk_size: self.chunk_size,
            resource: self.resource.clone(),
        }
    }
}

/// How the change is made and told.
#[derive(Debug, Args)]
#[command(next_help_heading = "Change")]
pub(in crate::cli) struct Changing {
    /// Do not ask
    #[arg(long, short)]
    pub(in crate::cli) yes: bool,
    /// Only show what would happen: none, client (nothing is sent) or server (it checks the change)
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        num_args = 0..=1,
        require_equals = true,
        default_value = "none",
        default_missing_value = "client",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub(in crate::cli) dry_run: DryRun,
    /// Output format: json, yaml or name
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<ChangeFormat>,
    /// The name that the changed fields are noted down under
    #[arg(
        long,
        value_name = "NAME",
        default_value = "kubectl-cronjob-doctor",
        hide_short_help = true
    )]
    pub(in crate::cli) field_manager: String,
}

/// How far a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DryRun {
    None,
    Client,
    Server,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ChangeFormat {
    Json,
    Yaml,
    Name,
}
