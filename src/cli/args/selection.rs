//! Which CronJobs a call is about.

use std::path::PathBuf;

use clap::Args;

use super::whole::whole;

/// Which CronJobs, for verbs that read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which CronJobs")]
pub(in crate::cli) struct Selection {
    /// CronJobs by name: NAME, cronjob/NAME or cj/NAME
    #[arg(value_name = "NAME")]
    pub(in crate::cli) names: Vec<String>,
    /// CronJobs of all namespaces, which is so for files anyway
    #[arg(long, short = 'A')]
    pub(in crate::cli) all_namespaces: bool,
    /// Only CronJobs with these labels, such as app=shop,tier!=test
    #[arg(long, short = 'l', value_name = "SELECTOR", conflicts_with = "names")]
    pub(in crate::cli) selector: Option<String>,
    /// Only CronJobs with these fields: metadata.name and metadata.namespace
    #[arg(long, value_name = "SELECTOR", conflicts_with = "names")]
    pub(in crate::cli) field_selector: Option<String>,
    /// Read a file, a folder or - for standard input instead of the cluster
    #[arg(long, short, value_name = "FILE|DIR|-")]
    pub(in crate::cli) filename: Vec<PathBuf>,
    /// Look into the folders of a folder, too
    #[arg(long, short = 'R', requires = "filename")]
    pub(in crate::cli) recursive: bool,
    /// Ask the server for so many objects at a time; 0 for all at once
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole::<u32>(0..=u64::MAX), allow_negative_numbers = true, hide_short_help = true)]
    pub(in crate::cli) chunk_size: u32,
    /// Another resource of CronJobs, such as cronjobs.v1.batch.tutorial.kubebuilder.io
    #[arg(
        long,
        value_name = "RESOURCE.VERSION.GROUP",
        conflicts_with = "filename",
        hide_short_help = true
    )]
    pub(in crate::cli) resource: Option<String>,
}
