//! The arguments of `version`.

use clap::Args;

use super::DocumentFormat;

/// Show the version of this program and of the data it computes with
#[derive(Debug, Args)]
pub(in crate::cli) struct Version {
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
