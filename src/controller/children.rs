//! The first step of every look: which Jobs run, which are finished, which are gone.

use super::behaviour::{Generation, Success};
use super::decision::Verdict;
use super::look::{Child, Finish, Look};
use crate::model::{Job, ObjectReference};

/// Compares the Jobs that are there with those that the status lists as active.
pub(super) fn reconcile(look: &mut Look<'_>) {
    let children = std::mem::take(&mut look.children);
    let mut running = 0;
    let mut in_step = InStep::default();
    for Child { job, finish } in &children {
        let listed = in_step.finds(&look.active, |active| active.uid == job.uid);
        let Some(finish) = *finish else {
            running += 1;
            if !listed {
                let name = &job.name;
                look.warning(
                    "UnexpectedJob",
                    format_args!("Saw a job that the controller did not create or forgot: {name}"),
                );
            }
            continue;
        };
        if listed {
            look.forget(&job.uid);
            look.updates_status = true;
            let (name, condition) = (&job.name, finish.as_str());
            let reason = "SawCompletedJob";
            match look.behaviour.wording.completed {
                "" => look.normal(reason, format_args!("Saw completed job: {name}")),
                label => look.normal(
                    reason,
                    format_args!("Saw completed job: {name}, {label}: {condition}"),
                ),
            }
        }
        note_success(look, job, finish == Finish::Complete, listed);
    }
    remove_missing(look, &children);
    look.children = children;
    let (known, active) = (look.children.len(), look.active.len());
    look.step(
        "Jobs",
        Verdict::Pass,
        format_args!(
            "{known} of its Jobs known, {running} of them unfinished; {active} count as active"
        ),
    );
}

fn note_success(look: &mut Look<'_>, job: &Job, succeeded: bool, listed: bool) {
    let counts = match look.behaviour.success {
        Success::Never => false,
        Success::FinishedEarlier => !listed,
        Success::SucceededEarlier => !listed && succeeded,
        Success::Succeeded => succeeded,
    };
    if !counts {
        return;
    }
    // The very first is noted even if it has no time of completion, as a failed one has none.
    if look.last_successful_time.is_none() {
        look.last_successful_time = job.completion_time;
        look.updates_status = true;
    }
    if job.completion_time > look.last_successful_time {
        look.last_successful_time = job.completion_time;
        look.updates_status = true;
    }
}

/// Active Jobs that are gone no longer count; the second generation asks for each by name first.
fn remove_missing(look: &mut Look<'_>, children: &[Child<'_>]) {
    if look.active.is_empty() {
        return;
    }
    let asks = look.behaviour.generation == Generation::V2;
    let mut in_step = InStep::default();
    let is_gone = |active: &&ObjectReference| {
        let known = in_step.finds(children, |child| child.job.uid == active.uid);
        !(known || asks && look.job_named(&active.name).is_some())
    };
    let gone: Vec<ObjectReference> = look.active.iter().filter(is_gone).cloned().collect();
    for active in gone {
        let name = &active.name;
        look.normal(
            "MissingJob",
            format_args!("Active job went missing: {name}"),
        );
        look.forget(&active.uid);
        look.updates_status = true;
    }
}

/// Finds one after the other in a list that is mostly in the same order. Where thousands of Jobs run,
/// to compare each with each takes longer than all the rest.
#[derive(Default)]
struct InStep {
    /// Where the next one is likely to be.
    place: usize,
}

impl InStep {
    fn finds<T>(&mut self, list: &[T], is_it: impl Fn(&T) -> bool) -> bool {
        let found = if list.get(self.place).is_some_and(&is_it) {
            Some(self.place)
        } else {
            list.iter().position(is_it)
        };
        self.place = found.map_or(self.place, |place| place + 1);
        found.is_some()
    }
}
