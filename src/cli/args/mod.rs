//! Command-line arguments, with kubectl's own names where kubectl has them.

mod changing;
mod common;
mod connection;

pub(super) use changing::{
    Backfill, CatchUpFlag, ChangeFormat, Changing, DEFAULT_MAX, DryRun, Limit, Resume, SkipMethod,
    Suspend, Targets, Trigger,
};
pub(super) use common::{
    BasisArgs, Common, DocumentFormat, FailOn, Selection, Shell, Since, kubectl_help, out_of_range,
    time, too_late, whole,
};
pub(super) use connection::Connection;

pub(super) use crate::duration::parse as duration;
