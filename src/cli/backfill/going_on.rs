//! What is left of a backfill, and the command that goes on with it.

use super::Call;
use crate::cli::args::DEFAULT_MAX;
use crate::hands::backfill::{LeftOut, Step, Why};

impl Call<'_> {
    /// The command that runs the steps that are left.
    pub(super) fn command(&self, left: &[&Step]) -> String {
        let args = self.args;
        let mut command = format!(
            "kubectl cronjob-doctor backfill {}",
            self.facts.kubectl_args()
        );
        if args.slot.is_empty() {
            if let (Some(first), Some(last)) = (left.first(), left.last()) {
                command.push_str(&format!(" --since {} --until {}", first.slot, last.slot));
            }
        } else {
            for step in left {
                command.push_str(&format!(" --slot {}", step.slot));
            }
        }
        self.add_options(&mut command);
        command
    }

    /// The command that runs what `--max` left out.
    pub(super) fn command_beyond_max(&self) -> Option<(u64, String)> {
        let left = self.plan.left_out.iter();
        let left: Vec<&LeftOut> = left.filter(|left| left.why == Why::BeyondMax).collect();
        let (first, last) = (left.first()?, left.last()?);
        let count = left.iter().map(|left| left.count).sum();
        let args = self.facts.kubectl_args();
        let mut command = format!("kubectl cronjob-doctor backfill {args}");
        if self.args.slot.is_empty() {
            command.push_str(&format!(" --since {} --until {}", first.first, last.last));
        } else {
            let slots = self.args.slot.iter();
            let mut slots: Vec<_> = slots.filter(|slot| **slot >= first.first).collect();
            slots.sort_unstable();
            for slot in slots {
                command.push_str(&format!(" --slot {slot}"));
            }
        }
        self.add_options(&mut command);
        Some((count, command))
    }

    fn add_options(&self, command: &mut String) {
        let args = self.args;
        if args.include_unknown {
            command.push_str(" --include-unknown");
        }
        if args.max != DEFAULT_MAX {
            command.push_str(&format!(" --max {}", args.max));
        }
        if args.parallel > 1 {
            command.push_str(&format!(" --parallel {}", args.parallel));
        }
        if args.keep_going {
            command.push_str(" --keep-going");
        }
    }
}

/// `1 slot was`, `3 slots were`.
pub(super) fn slots_were(count: usize) -> String {
    match count {
        1 => "1 slot was".to_owned(),
        many => format!("{many} slots were"),
    }
}

/// `2026-03-10T07:00:00Z`, or the first and the last of several.
pub(super) fn span(steps: &[&Step]) -> String {
    match steps {
        [] => String::new(),
        [one] => one.slot.to_string(),
        [first, second] => format!("{} and {}", first.slot, second.slot),
        [first, .., last] => format!("{} to {}", first.slot, last.slot),
    }
}
