//! What is left of a backfill, and the command that goes on with it.

use jiff::Timestamp;

use super::Call;
use crate::change::backfill::{BackfillRun, LeftOut, LeftOutReason};
use crate::cli::args::DEFAULT_MAX;
use crate::kubectl::Command;

impl Call<'_> {
    /// The command that runs the steps that are left.
    pub(super) fn command(&self, left: &[&BackfillRun]) -> String {
        let args = self.args;
        let mut command = self.facts.doctor("backfill");
        if args.slot.is_empty() {
            if let (Some(first), Some(last)) = (left.first(), left.last()) {
                command = from_to(command, first.slot, last.slot);
            }
        } else {
            for step in left {
                command = command.value("--slot", &step.slot.to_string());
            }
        }
        self.with_options(command).into()
    }

    /// The command that runs what `--max` left out.
    pub(super) fn command_beyond_max(&self) -> Option<(u64, String)> {
        let left = self.plan.left_out.iter();
        let left: Vec<&LeftOut> = left
            .filter(|left| left.why == LeftOutReason::BeyondMax)
            .collect();
        let (first, last) = (left.first()?, left.last()?);
        let count = left.iter().map(|left| left.count).sum();
        let mut command = self.facts.doctor("backfill");
        if self.args.slot.is_empty() {
            command = from_to(command, first.first, last.last);
        } else {
            let slots = self.args.slot.iter();
            let mut slots: Vec<_> = slots.filter(|slot| **slot >= first.first).collect();
            slots.sort_unstable();
            for slot in slots {
                command = command.value("--slot", &slot.to_string());
            }
        }
        Some((count, self.with_options(command).into()))
    }

    fn with_options(&self, mut command: Command) -> Command {
        let args = self.args;
        if args.include_unknown {
            command = command.with("--include-unknown");
        }
        if args.max != DEFAULT_MAX {
            command = command.value("--max", &args.max.to_string());
        }
        if args.parallel > 1 {
            command = command.value("--parallel", &args.parallel.to_string());
        }
        if args.keep_going {
            command = command.with("--keep-going");
        }
        command
    }
}

fn from_to(command: Command, first: Timestamp, last: Timestamp) -> Command {
    let command = command.value("--since", &first.to_string());
    command.value("--until", &last.to_string())
}

/// `1 slot was`, `3 slots were`.
pub(super) fn slots_were(count: usize) -> String {
    match count {
        1 => "1 slot was".to_owned(),
        many => format!("{many} slots were"),
    }
}

/// `2026-03-10T07:00:00Z`, or the first and the last of several.
pub(super) fn span(steps: &[&BackfillRun]) -> String {
    match steps {
        [] => String::new(),
        [one] => one.slot.to_string(),
        [first, second] => format!("{} and {}", first.slot, second.slot),
        [first, .., last] => format!("{} to {}", first.slot, last.slot),
    }
}
