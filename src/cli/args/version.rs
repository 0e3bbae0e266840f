//! The arguments of `version`.

use clap::Args;

use super::DocumentFormat;

/// Show the versions of this program, of the data it computes with, and of the cluster
#[derive(Debug, Args)]
pub(in crate::cli) struct Version {
    /// Only this program: no server is asked
    #[arg(long, help_heading = "Output")]
    pub(in crate::cli) client: bool,
    /// Output format: json or yaml
    #[arg(
        long,
        short,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(in crate::cli) output: Option<DocumentFormat>,
}
