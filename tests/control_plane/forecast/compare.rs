//! A forecast compared with what happened afterwards.

use super::history::{History, Sync};
use crate::control_plane::prelude::*;

/// A start up to this late matches the forecast, on a machine that is otherwise idle.
pub(crate) const PROMPT: SignedDuration = SignedDuration::from_secs(2);
/// Tolerance for load: on a busy machine the controller may sync this late. Starts that needed it are
/// counted.
pub(crate) const LATE_UNDER_LOAD: SignedDuration = SignedDuration::from_secs(5);
/// How often the first controller syncs.
const POLL: SignedDuration = SignedDuration::from_secs(10);
/// Anything this close to an act may have happened before or after it.
pub(crate) const MARGIN: SignedDuration = SignedDuration::from_millis(1_500);
/// The clocks of the log, the API server and this test differ by the time that an answer takes.
const EARLY: SignedDuration = SignedDuration::from_millis(300);
/// An estimate may be off by this, and by a tenth of how far ahead it is.
const ESTIMATE: SignedDuration = SignedDuration::from_secs(2);
/// A forecast ends with this many runs.
const RUNS: usize = 5;

/// What a sync depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Fact,
    JobFinishesFirst,
    JobStillRuns,
    CreationSucceeds,
    SyncsInTime,
    EstimatedTime,
    Unknown,
}

/// The names of the kinds in documents.
const KINDS: [(Kind, &str); 7] = [
    (Kind::Fact, "facts"),
    (Kind::JobFinishesFirst, "jobFinishesFirst"),
    (Kind::JobStillRuns, "jobStillRuns"),
    (Kind::CreationSucceeds, "creationSucceeds"),
    (Kind::SyncsInTime, "syncsInTime"),
    (Kind::EstimatedTime, "estimatedTime"),
    (Kind::Unknown, "unknown"),
];

impl Kind {
    fn of(word: &Value) -> Kind {
        let word = word.as_str().unwrap_or("facts");
        let found = KINDS.iter().find(|(_, known)| *known == word);
        found.unwrap_or_else(|| panic!("conditionKind {word}")).0
    }

    pub(crate) fn as_str(self) -> &'static str {
        KINDS[self as usize].1
    }
}

/// An element of `forecast[]`.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    at: Option<Timestamp>,
    outcome: String,
    scheduled: Option<Timestamp>,
    job: Option<String>,
    kind: Kind,
    /// The Job that the condition is about.
    about: Option<String>,
    until: Option<Timestamp>,
    /// Whether the time follows from an edit of the schedule.
    pub(crate) is_edited: bool,
}

impl Entry {
    fn read(value: &Value) -> Entry {
        let time = |field: &str| value[field].as_str().map(|text| text.parse().unwrap());
        Entry {
            at: time("at"),
            outcome: value["outcome"].text().to_owned(),
            scheduled: time("scheduledTime"),
            job: value["jobName"].as_str().map(str::to_owned),
            kind: Kind::of(&value["conditionKind"]),
            about: value["conditionJob"].as_str().map(str::to_owned),
            until: time("conditionUntil"),
            is_edited: value["because"]
                .as_str()
                .is_some_and(|why| why.contains("was edited")),
        }
    }

    /// Whether a Job is created, or is to be.
    fn creates(&self) -> bool {
        ["start", "replace", "retry"].contains(&self.outcome.as_str())
    }

    fn slack(&self, made: Timestamp) -> SignedDuration {
        let ahead = self.at.map(|at| at.duration_since(made));
        match (self.kind, ahead) {
            (Kind::EstimatedTime, Some(ahead)) => ESTIMATE + ahead.abs() / 10,
            _ => SignedDuration::ZERO,
        }
    }
}

/// What `explain` forecast for a `CronJob`.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    /// The time from which it is compared.
    pub(crate) made: Timestamp,
    pub(crate) entries: Vec<Entry>,
    pub(crate) evidence: Evidence,
}

/// What the cluster showed of attempts that failed when a forecast was made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// The last refusal that was recorded, unless a Job was created after it.
    pub(crate) refused_at: Option<Timestamp>,
    /// Whether a Job has the name of the one that is due.
    pub(crate) name_taken: bool,
    /// Whether something was done since that run was due. That may have begun the back-off again.
    pub(crate) was_disturbed: bool,
    /// Whether the controller is the first one.
    pub(crate) polls: bool,
    /// `startingDeadlineSeconds`.
    pub(crate) deadline: Option<SignedDuration>,
}

impl Forecast {
    pub(crate) fn read(made: Timestamp, forecast: &Value, evidence: Evidence) -> Forecast {
        let entries = forecast.items().iter().map(Entry::read);
        Forecast {
            made,
            entries: entries.collect(),
            evidence,
        }
    }

    /// The moment after which the forecast makes no claim, because it lists only a limited number of runs.
    fn horizon(&self) -> Option<Timestamp> {
        let runs = |entry: &&Entry| entry.creates() && entry.kind != Kind::JobStillRuns;
        if self.entries.iter().filter(runs).count() < RUNS {
            return None;
        }
        self.entries.iter().filter_map(|entry| entry.at).max()
    }
}

/// How an entry turned out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    CameTrue,
    /// It came true, but only with the tolerance for load.
    CameLate,
    ConditionNotMet,
    Undecided(&'static str),
    Wrong(String),
}

/// The result of comparing a forecast.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) entries: Vec<(Kind, Verdict)>,
    /// What happened although it was not forecast.
    pub(crate) unexpected: Vec<String>,
    /// Creations that were not forecast, and could not be, because nothing shows what caused them.
    pub(crate) hidden: usize,
}

impl Comparison {
    pub(crate) fn mismatches(&self) -> Vec<String> {
        let wrong = self
            .entries
            .iter()
            .filter_map(|(_, verdict)| match verdict {
                Verdict::Wrong(why) => Some(why.clone()),
                _ => None,
            });
        wrong.chain(self.unexpected.iter().cloned()).collect()
    }
}

/// Compares a forecast with what happened until a moment.
pub(crate) fn compare(forecast: &Forecast, history: &History, until: Timestamp) -> Comparison {
    let judge = Judge {
        forecast,
        history,
        until,
    };
    let mut comparison = Comparison::default();
    for (index, entry) in forecast.entries.iter().enumerate() {
        comparison
            .entries
            .push((entry.kind, judge.entry(index, entry)));
    }
    let end = forecast.horizon().map_or(until, |end| end.min(until));
    for created in &history.created {
        if created.at <= forecast.made
            || created.at > end
            || judge.permits(created.at, &created.job)
        {
            continue;
        }
        let late = judge.late();
        if judge.is_hidden()
            || (forecast.evidence.polls && history.is_refused(created.at - late, created.at))
        {
            comparison.hidden += 1;
            continue;
        }
        let (job, at) = (&created.job, created.at);
        let text = format!("{job} was created at {at}, which the forecast does not allow");
        comparison.unexpected.push(text);
    }
    comparison
}

struct Judge<'a> {
    forecast: &'a Forecast,
    history: &'a History,
    until: Timestamp,
}

impl Judge<'_> {
    /// How long after a moment the controller may sync.
    fn poll(&self) -> SignedDuration {
        let polls = self.forecast.evidence.polls;
        if polls { POLL } else { SignedDuration::ZERO }
    }

    fn late(&self) -> SignedDuration {
        LATE_UNDER_LOAD + self.poll()
    }

    fn entry(&self, index: usize, entry: &Entry) -> Verdict {
        if entry.kind == Kind::Unknown {
            return Verdict::Undecided("the forecast makes no claim");
        }
        let Some(at) = entry.at else {
            return self.entry_without_time(entry);
        };
        let made = self.forecast.made;
        let slack = entry.slack(made);
        let earliest = at - slack - EARLY;
        let prompt = at.max(made) + slack + PROMPT + self.poll();
        let latest = at.max(made) + slack + self.late();
        if latest > self.until {
            return Verdict::Undecided("the window ends first");
        }
        if entry.kind == Kind::EstimatedTime && self.history.job_finishes(made, latest) {
            return Verdict::Undecided("a Job that finished made the controller sync earlier");
        }
        let before = &self.forecast.entries[..index];
        if entry.outcome != "retry" && before.iter().any(|entry| entry.outcome == "retry") {
            // All that follows depends on the attempt before it.
            let succeeded = |at_of: Timestamp| at_of > made && at_of < earliest;
            if !self.history.created.iter().any(|one| succeeded(one.at)) {
                return Verdict::ConditionNotMet;
            }
        }
        // A quota that was set to zero can be seen; the first controller does not report that it tries again.
        let may_fail = entry.kind == Kind::CreationSucceeds || self.forecast.evidence.polls;
        if may_fail && self.history.is_refused(earliest, latest) {
            return Verdict::ConditionNotMet;
        }
        match self.condition(entry, at) {
            Some(true) => {}
            Some(false) => return Verdict::ConditionNotMet,
            None => return Verdict::Undecided("a Job or a sync ended at that moment"),
        }
        let happened = Happened {
            entry,
            earliest,
            prompt,
            latest,
        };
        let verdict = self.outcome(&happened);
        if matches!(verdict, Verdict::Wrong(_)) && self.is_hidden() {
            return Verdict::Undecided("creating Jobs failed, and nothing showed it");
        }
        verdict
    }

    /// A sync whose time is not known.
    fn entry_without_time(&self, entry: &Entry) -> Verdict {
        if entry.kind != Kind::JobFinishesFirst {
            // The entry predicts that no Job is created; any Job that is created is unexpected.
            return Verdict::CameTrue;
        }
        let made = self.forecast.made;
        let Some(finished) = self.history.all_finished(made, self.until) else {
            return Verdict::ConditionNotMet;
        };
        let Some(until) = entry.until else {
            return Verdict::Undecided("the forecast does not say until when");
        };
        if finished > until {
            return Verdict::ConditionNotMet;
        }
        if until < finished + self.late() {
            return Verdict::Undecided("a Job ended at that moment");
        }
        let latest = finished + self.late();
        if latest > self.until {
            return Verdict::Undecided("the window ends first");
        }
        let verdict = self.outcome(&Happened {
            entry,
            earliest: finished - MARGIN,
            prompt: finished + PROMPT + self.poll(),
            latest,
        });
        if matches!(verdict, Verdict::Wrong(_)) && self.is_hidden() {
            return Verdict::Undecided("creating Jobs failed, and nothing showed it");
        }
        verdict
    }

    /// Whether the condition of an entry held at a moment, as far as that is certain.
    fn condition(&self, entry: &Entry, at: Timestamp) -> Option<bool> {
        let created = |to| self.history.created_in(at - EARLY, to, |_| true);
        let synced = |to| self.history.is_synced(at - EARLY, to) || created(to).is_some();
        let evidence = self.forecast.evidence;
        let deadline = evidence.deadline.filter(|_| evidence.polls);
        if deadline.is_some_and(|deadline| entry.creates() && !synced(at + deadline)) {
            // The next sync was too late.
            return Some(false);
        }
        if entry.kind == Kind::SyncsInTime {
            // A sync that ends just after that time may have begun before it.
            let until = entry.until?;
            return (synced(until) == synced(until + MARGIN)).then(|| synced(until));
        }
        if ![Kind::JobFinishesFirst, Kind::JobStillRuns].contains(&entry.kind) {
            return Some(true);
        }
        if self.history.finishes_in(at - MARGIN, at + self.late()) {
            return None;
        }
        let running = self.history.running(at);
        Some(match (entry.kind, &entry.about) {
            // If that Job has finished and the next one runs, the forecast makes no claim.
            (Kind::JobStillRuns, Some(job)) => running.contains(&job.as_str()),
            (Kind::JobStillRuns, None) => !running.is_empty(),
            _ => running.is_empty(),
        })
    }

    fn outcome(&self, happened: &Happened<'_>) -> Verdict {
        let Happened {
            entry,
            earliest,
            latest,
            ..
        } = *happened;
        let (history, outcome) = (self.history, entry.outcome.as_str());
        let created = history.created_in(earliest, latest, |job| Self::is_job_of(happened, job));
        let at = entry.at.unwrap_or(earliest);
        let wrong = |what: &str| {
            let job = entry.job.as_deref().unwrap_or("no Job");
            let kind = entry.kind.as_str();
            Verdict::Wrong(format!("{outcome} of {job} at {at} ({kind}): {what}"))
        };
        let in_time = |at: Timestamp| {
            if at <= happened.prompt {
                Verdict::CameTrue
            } else {
                Verdict::CameLate
            }
        };
        match outcome {
            "retry" => {
                let failed = history.syncs_in(Sync::Failed, earliest, latest);
                match created.or(failed) {
                    Some(at) => in_time(at),
                    None => wrong("no attempt was made"),
                }
            }
            "start" | "replace" => {
                let Some(created) = created else {
                    let others = history.created_in(earliest, latest, |_| true);
                    return wrong(if others.is_some() {
                        "another Job was created"
                    } else {
                        "no Job was created"
                    });
                };
                if outcome == "replace" && !history.all_deleted(at, latest) {
                    return wrong("the running Jobs were not deleted");
                }
                in_time(created)
            }
            "blocked" | "nameTaken" => {
                if created.is_some() {
                    return wrong("the Job was created");
                }
                let kind = if outcome == "blocked" {
                    Sync::Blocked
                } else {
                    Sync::Failed
                };
                match history.syncs_in(kind, earliest, latest) {
                    Some(at) => in_time(at),
                    // A sync may be after the deadline, and then logs nothing.
                    None if self.forecast.evidence.polls => Verdict::CameTrue,
                    None => wrong("no such sync"),
                }
            }
            "deadlineExceeded" => {
                let job = entry.scheduled.map(|time| history.job_name(time));
                let end = self.until;
                match history.created_in(earliest, end, |name| job.as_deref() == Some(name)) {
                    Some(_) => wrong("the Job was created"),
                    None => Verdict::CameTrue,
                }
            }
            _ => Verdict::CameTrue,
        }
    }

    /// Whether a Job is the one that an entry is about. An estimate that is off by some seconds can
    /// be off by a scheduled time.
    fn is_job_of(happened: &Happened<'_>, job: &str) -> bool {
        let Happened {
            entry,
            earliest,
            latest,
            ..
        } = *happened;
        // Which run starts in the end is not known for every schedule.
        if entry.job.as_deref().is_none_or(|expected| expected == job) {
            return true;
        }
        let minute = |at: Timestamp| at.as_second().div_euclid(60);
        entry.kind == Kind::EstimatedTime && minute(earliest) != minute(latest)
    }

    /// Whether the forecast allows a Job to be created at a moment.
    fn permits(&self, at: Timestamp, job: &str) -> bool {
        let mut entries = self.forecast.entries.iter();
        entries.any(|entry| self.allows(entry, at, job))
    }

    fn allows(&self, entry: &Entry, at: Timestamp, job: &str) -> bool {
        let named = entry.job.as_deref() == Some(job);
        if entry.kind == Kind::Unknown {
            return named;
        }
        // Which run starts in the end is not known for every schedule.
        let waits = entry.outcome == "blocked" || entry.kind == Kind::JobFinishesFirst;
        let named = named || (waits && entry.job.is_none());
        let none_runs = || {
            let finished = self.history.finishes_in(at - MARGIN - self.late(), at);
            finished || self.history.running(at - EARLY).is_empty()
        };
        if waits && named && entry.at.is_some_and(|since| since - EARLY <= at) && none_runs() {
            // A run that is blocked starts when the Job that blocks it finishes.
            return true;
        }
        if !entry.creates() {
            return false;
        }
        let finished = || self.history.job_finishes(at - self.late(), at);
        if entry.kind == Kind::EstimatedTime && finished() {
            return true;
        }
        let Some(expected) = entry.at else {
            let in_time = entry.until.is_none_or(|until| at <= until + self.late());
            return named && in_time && none_runs();
        };
        let slack = entry.slack(self.forecast.made);
        let happened = Happened {
            entry,
            earliest: expected - slack - EARLY,
            prompt: expected,
            latest: expected.max(self.forecast.made) + slack + self.late(),
        };
        Self::is_job_of(&happened, job)
            && (happened.earliest..=happened.latest).contains(&at)
            && self.condition(entry, expected) != Some(false)
    }

    /// Whether attempts failed when the forecast was made, and the cluster did not show when the next one is due: the
    /// controller dropped events, a name that was taken is free again, or a restart, which nothing shows, began the
    /// back-off again.
    fn is_hidden(&self) -> bool {
        let (made, evidence) = (self.forecast.made, self.forecast.evidence);
        let unrecorded = |at| {
            self.history
                .syncs_in(Sync::Failed, at + MARGIN, made)
                .is_some()
        };
        let is_shown = if evidence.name_taken {
            !evidence.was_disturbed
        } else {
            evidence.refused_at.is_some_and(|at| !unrecorded(at))
        };
        self.history.fails_at(made) && !is_shown
    }
}

/// When something has to happen for an entry to come true.
struct Happened<'a> {
    entry: &'a Entry,
    earliest: Timestamp,
    prompt: Timestamp,
    latest: Timestamp,
}
