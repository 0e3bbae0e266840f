//! Suspended CronJobs.

use super::super::suspension::{
    SuspensionRecord, stale_annotations, suspend_owner, undone_by_sync,
};
use super::super::{Facts, FindingDetails, action_time, for_run, one_line};
use super::missed::finds_none;
use crate::kubectl::Command;
use cronjob_controller::controller::Decision;
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural};
use kube_model::{SUSPEND_REASON, Tool};

const LONG: i64 = 7 * 86_400;

pub(super) fn suspended_long(facts: &Facts<'_>) -> Option<FindingDetails> {
    // A CronJob whose schedule never runs is probably suspended on purpose.
    facts.next_run().filter(|_| facts.input.is_suspended())?;
    let first = facts.missed.and_then(|missed| missed.first);
    let record = SuspensionRecord::of(&facts.input.cron_job)?;
    let since = record.since(&facts.input);
    let set_long_ago = since.is_some_and(|since| facts.input.ago(since) >= LONG);
    let missed_long_ago = first.is_some_and(|first| facts.input.ago(first) >= LONG);
    if !set_long_ago && !missed_long_ago {
        return None;
    }
    let by_whom = record.sentence(&facts.input);
    let mut detail = Text::aside(by_whom.unwrap_or_else(|| "It is suspended.".into()));
    let not_run = facts.not_run().filter(|not_run| *not_run > 0);
    if let (Some(not_run), Some(first)) = (not_run, first) {
        let first = facts.past_time(first);
        let (runs, have) = (counted(not_run, "run"), plural(not_run, "has", "have"));
        detail += Text::aside(" ");
        detail += text!("{} since {} {} not been started.", runs, first, have);
    }
    Some(FindingDetails::new(detail).remedy(ways_on(facts)))
}

/// It misses runs, and no end of the suspension is planned.
pub(super) fn suspended(facts: &Facts<'_>) -> Option<FindingDetails> {
    facts.next_run().filter(|_| facts.input.is_suspended())?;
    let missed = facts.not_run().filter(|missed| *missed > 0)?;
    let record = SuspensionRecord::of(&facts.input.cron_job)?;
    let is_known = suspended_long(facts).is_some() || resume_skips_missed_runs(facts).is_some();
    if record.until.is_some() || is_known {
        return None;
    }
    let first = facts.missed?.first?;
    let detail = text!(
        "It has missed {} since {}, and no end of the suspension is planned.",
        counted(missed, "run"),
        facts.past_time(first)
    );
    let detail = text!("{}{}", detail, by_whom(facts, &record));
    Some(FindingDetails::new(detail).remedy(ways_on(facts)))
}

pub(super) fn suspended_past_until(facts: &Facts<'_>) -> Option<FindingDetails> {
    let record = SuspensionRecord::of(&facts.input.cron_job)?;
    let until = record.until?;
    let ago = facts.input.ago(until);
    if ago <= 0 {
        return None;
    }
    let detail = text!(
        "It is still suspended. The planned end was {} ({} ago).",
        action_time(&facts.input, until),
        human(ago)
    );
    let detail = text!("{}{}", detail, by_whom(facts, &record));
    Some(FindingDetails::new(detail).remedy(ways_on(facts)))
}

/// Argo CD or Flux manages it, and another client suspended it.
pub(super) fn suspended_outside_gitops(facts: &Facts<'_>) -> Option<FindingDetails> {
    let cron_job = &*facts.input.cron_job;
    let tool = cron_job.managed_by().map(|managed| managed.tool)?;
    if !facts.input.is_suspended() || !tool.is_gitops() || cron_job.states_suspended(tool) {
        return None;
    }
    let manager = &suspend_owner(cron_job)?.manager;
    // Another tool that applies manifests.
    if Tool::of_manager(manager).is_some_and(|other| other != Tool::Kubectl) {
        return None;
    }
    let sync = undone_by_sync(cron_job, true, "resumes it", manager)?;
    let by_whom = SuspensionRecord::of(cron_job)?.sentence(&facts.input)?;
    let detail = text!("{} {}", by_whom, sync);
    let remedy = "Set spec.suspend: true in Git, or resume it.";
    Some(FindingDetails::new(detail).remedy(remedy))
}

/// Another client resumed it, and left the annotations of `suspend`.
pub(super) fn stale_suspension_annotations(facts: &Facts<'_>) -> Option<FindingDetails> {
    let names = stale_annotations(&facts.input.cron_job);
    if names.is_empty() {
        return None;
    }
    let shown = names.iter().map(|name| {
        let text = facts
            .input
            .cron_job
            .annotations
            .get(name)
            .unwrap_or_default();
        format!("{name} ({})", one_line(text))
    });
    let detail = format!(
        "It is not suspended, and still has annotations about an earlier suspension: {}.",
        shown.collect::<Vec<_>>().join(", ")
    );
    let annotate = facts.input.kubectl("annotate cronjob");
    let mut remove = annotate.name(&facts.input.cron_job.name);
    for name in names {
        remove = remove.argument(&format!("{name}-"));
    }
    Some(FindingDetails::new(detail).remedy(remove))
}

/// A run that is slightly late is expected.
const LATE: i64 = 60;

/// When the CronJob is resumed, the controller would start a run that is long overdue.
pub(super) fn resume_starts_immediately(facts: &Facts<'_>) -> Option<FindingDetails> {
    let decision = facts.if_resumed.as_ref()?;
    if !decision.starts() {
        return None;
    }
    let (scheduled_time, job) = (decision.scheduled_time?, decision.job_name.as_deref()?);
    if facts.input.ago(scheduled_time) <= LATE {
        return None;
    }
    let immediately = if facts.controller_is_down() {
        ", once it is running again,"
    } else {
        " immediately"
    };
    let mut detail = text!(
        "If it is resumed now, the controller{} starts {} {}.",
        immediately,
        one_line(job),
        for_run(facts, scheduled_time, facts.input.now)
    );
    let killed = decision.replaced(&facts.input.cron_job);
    let killed: Vec<String> = killed.iter().map(|job| one_line(job)).collect();
    if !killed.is_empty() {
        detail += text!(" Before that it deletes {}.", killed.join(", "));
    }
    match facts.never_started(Some(scheduled_time)) {
        0 => {}
        1 => detail += Text::from(" It will not start the other missed run."),
        many => detail += text!(" It will not start the other {} missed runs.", many),
    }
    Some(FindingDetails::new(detail).remedy(ways_on(facts)))
}

/// The sentence that says who suspended it, which the verdict says as well.
fn by_whom(facts: &Facts<'_>, record: &SuspensionRecord) -> Option<Text> {
    let by_whom = record.sentence(&facts.input)?;
    Some(Text::aside(text!(" {}", by_whom)))
}

/// Resumes a suspended CronJob without a missed run, or with it, deletes it, or keeps it as it is: one answer to all that
/// findings say of a suspension.
pub(super) fn ways_on(facts: &Facts<'_>) -> Command {
    let resume = || facts.input.doctor("resume");
    let starts = facts.if_resumed.as_ref().is_some_and(Decision::starts);
    let resume = if starts {
        let run = resume().with("--catch-up=run");
        let skip = resume().with("--catch-up=skip");
        skip.or("with the missed run", run)
    } else {
        resume()
    };
    let delete = facts.input.kubectl("delete cronjob");
    let delete = delete.name(&facts.input.cron_job.name);
    let ways = resume.or("if nothing needs it", delete);
    let record = SuspensionRecord::of(&facts.input.cron_job);
    if record.is_some_and(|record| record.reason.is_some()) {
        return ways;
    }
    ways.comment(text!(
        "or state why it is suspended (annotation {})",
        SUSPEND_REASON
    ))
}

/// Runs were missed, and when the CronJob is resumed the controller would find none of them.
pub(super) fn resume_skips_missed_runs(facts: &Facts<'_>) -> Option<FindingDetails> {
    let resumed = facts.if_resumed.as_ref()?;
    let found = finds_none(
        facts,
        resumed,
        "If it is resumed now, ",
        "The next run would be",
    )?;
    let backfill = facts.input.backfill();
    Some(found.remedy(ways_on(facts).or("to run the last missed run", backfill)))
}
