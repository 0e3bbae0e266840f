//! Command-line arguments, with kubectl's own names where kubectl has them.

pub(super) mod common;
pub(super) mod connection;
mod time;

pub(super) use common::{
    BasisArgs, Common, CronJobArgs, FAIL_ON, FAIL_ON_HELP, FailOn, Selection, Shell, format_of,
    kubectl_help, one_of, one_word, positive_seconds, whole,
};
pub(super) use connection::{Connection, cluster_name};
pub(super) use time::{
    FUTURE_TIME, PAST_TIME, Side, TIME_FORMS, TimeArg, TimeReference, begun, check_time_zone,
    later, out_of_range, resolve, zone_of,
};

pub(super) use cronjob_text::duration::parse as duration;
