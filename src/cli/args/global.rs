//! What every verb takes.

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use crate::schedule::{DatabaseChoice, ZoneDatabase};

/// What every verb takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(in crate::cli) struct Global {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_possible_values = true)]
    pub(in crate::cli) color: Color,
    /// No warnings and no hints
    #[arg(long, short, global = true)]
    pub(in crate::cli) quiet: bool,
    /// Tell of each request to the cluster, and how long it took
    #[arg(long, short, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(in crate::cli) verbose: u8,
    /// Which time zone database to use: newest, system or bundled
    #[arg(long, global = true, value_enum, default_value_t = Tzdb::Newest, value_name = "WHICH", hide_possible_values = true, hide_default_value = true)]
    pub(in crate::cli) tzdb: Tzdb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Sets the choice for both streams.
    pub(in crate::cli) fn apply(self) {
        let choice = match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::AlwaysAnsi,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Tzdb {
    Newest,
    System,
    Bundled,
}

impl Tzdb {
    /// Opens the time zone database.
    pub(in crate::cli) fn open(self) -> anyhow::Result<ZoneDatabase> {
        let choice = match self {
            Tzdb::Newest => DatabaseChoice::Newest,
            Tzdb::System => DatabaseChoice::System,
            Tzdb::Bundled => DatabaseChoice::Bundled,
        };
        ZoneDatabase::open(choice).map_err(|error| anyhow!("{error}; use --tzdb bundled"))
    }
}
