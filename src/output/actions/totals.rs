//! What suspending or resuming many `CronJob`s leads to, in one sentence.

use jiff::Timestamp;

use cronjob_diagnosis::change::{
    FirstStart, NoStart, Resumption, Suspension, unfinished, unless_finished,
};
use cronjob_diagnosis::diagnose::{Facts, action_time, local};
use cronjob_text::duration::human;
use cronjob_text::text::Text;
use cronjob_text::words::{counted, plural};

/// What suspending many CronJobs leads to.
#[derive(Debug, Default)]
pub(crate) struct SuspensionTotals {
    cron_jobs: usize,
    /// The CronJobs that miss runs until the end, and the number of these runs.
    missing: usize,
    missed: u64,
    /// The end, if one is given.
    until: Option<Text>,
    /// The first missed run, in words.
    first: Option<(Timestamp, Text)>,
    /// The Jobs that keep running, and those that keep waiting.
    unfinished: [Vec<String>; 2],
    unless_finished: &'static str,
}

impl SuspensionTotals {
    pub(crate) fn add(&mut self, facts: &Facts<'_>, suspension: &Suspension) {
        self.cron_jobs += 1;
        let unfinished = unfinished(facts, &suspension.running);
        for (all, (_, names)) in self.unfinished.iter_mut().zip(unfinished) {
            all.extend(names.into_iter().map(str::to_owned));
        }
        self.unless_finished = unless_finished(&facts.input);
        if let (Some(missed), Some(until)) = (suspension.missed, suspension.resumed_at) {
            self.missing += usize::from(missed > 0);
            self.missed = self.missed.saturating_add(missed);
            self.until
                .get_or_insert_with(|| action_time(&facts.input, until).into());
        }
        if let Some(next) = suspension.next_run
            && self.first.as_ref().is_none_or(|(first, _)| next < *first)
        {
            let away = human(next.as_second() - facts.input.now.as_second());
            self.first = Some((next, text!("{} (in {})", local(facts, next), away)));
        }
    }

    /// `suspended` is the number of CronJobs that are suspended already.
    pub(crate) fn in_words(&self, suspended: usize) -> Text {
        let mut parts = vec![all_and_some(
            self.cron_jobs,
            suspended,
            "will be suspended",
            "already suspended",
        )];
        match (&self.until, &self.first) {
            (_, None) => parts.push("none of them would have started anything".into()),
            (Some(until), _) if self.missed == 0 => {
                parts.push(text!("no run will be missed until {}", until));
            }
            (Some(until), _) => parts.push(text!(
                "{} will miss {} until {}",
                self.missing,
                counted(self.missed, "run"),
                until
            )),
            (None, Some((_, first))) => parts.push(text!("the first missed run is at {}", first)),
        }
        for (jobs, what) in self.unfinished.iter().zip(["running", "waiting"]) {
            let names = match jobs.as_slice() {
                [] => continue,
                few @ ([_] | [_, _] | [_, _, _]) => text!(": {}", few.join(", ")),
                _ => Text::default(),
            };
            let keep = plural(jobs.len(), "keeps", "keep");
            parts.push(text!(
                "{} {} {}{}{}",
                counted(jobs.len(), "Job"),
                keep,
                what,
                self.unless_finished,
                names
            ));
        }
        text!("{}.", Text::join(parts, "; "))
    }
}

/// What resuming many CronJobs leads to. `running` is the number of CronJobs that are not suspended.
pub(crate) fn resumption_totals(resumptions: &[&Resumption], running: usize) -> Text {
    let all = || resumptions.iter();
    let late = all().filter(|one| one.first_start.late_time().is_some());
    let given_up = FirstStart::NoStart(NoStart::TooManyMissed);
    let given_up = all().filter(|one| one.first_start == given_up).count();
    let skipped = all().fold(0_u64, |sum, one| sum.saturating_add(one.skipped));
    let mut parts = vec![all_and_some(
        resumptions.len(),
        running,
        "will be resumed",
        "not suspended",
    )];
    let late = late.count();
    if late > 0 {
        parts.push(text!("{} will start a missed run late", late));
    }
    if given_up > 0 {
        parts.push(text!("{} will never start a run again", given_up));
    }
    match (skipped, late) {
        (0, 0) => parts.push("no run was missed".into()),
        (0, _) => {}
        _ => {
            let runs = counted(skipped, "missed run");
            parts.push(text!("{} will not be started", runs));
        }
    }
    text!("{}.", Text::join(parts, "; "))
}

/// `40 CronJobs: 38 will be suspended, 2 are already suspended`, or `3 CronJobs will be suspended`.
fn all_and_some(changed: usize, others: usize, will: &str, already: &str) -> Text {
    if others == 0 {
        return text!("{} CronJobs {}", changed, will);
    }
    let are = plural(others, "is", "are");
    let total = changed + others;
    text!(
        "{} CronJobs: {} {}, {} {} {}",
        total,
        changed,
        will,
        others,
        are,
        already
    )
}
