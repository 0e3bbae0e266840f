//! What every verb that computes takes.

use clap::Args;
use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;

use super::ControllerKind;
use crate::controller::Release;

/// What every verb that computes takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "What if")]
pub(in crate::cli) struct WhatIf {
    /// The moment taken for now, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(in crate::cli) now: Option<Timestamp>,
    /// The controller's release: 1.N or 1.N.P (default: the server's; without one the newest known)
    #[arg(long, value_name = "VERSION")]
    pub(in crate::cli) kubernetes_version: Option<Release>,
    /// The controller: kubernetes, or the one of the kubebuilder book
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true)]
    pub(in crate::cli) controller: Option<ControllerKind>,
    /// The zone that the controller manager runs in (default: UTC)
    #[arg(long, value_name = "ZONE")]
    pub(in crate::cli) controller_time_zone: Option<String>,
}

/// A moment in RFC 3339.
pub(in crate::cli) fn time(text: &str) -> Result<Timestamp, String> {
    let why = || {
        "expected a time in RFC 3339, such as 2026-03-29T02:30:00Z or 2026-03-29T02:30:00+01:00"
            .to_owned()
    };
    text.parse().map_err(|_| too_late(text).unwrap_or_else(why))
}

/// What is wrong with a time that is in RFC 3339 but later than the last one that can be computed with.
pub(super) fn too_late(text: &str) -> Option<String> {
    let pieces = Pieces::parse(text).ok()?;
    pieces.time().and(pieces.offset())?;
    text.parse::<Timestamp>().is_err().then(out_of_range)
}

pub(super) fn out_of_range() -> String {
    let last = Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or(Timestamp::MAX);
    format!("out of range: the last time that is supported is {last}")
}
