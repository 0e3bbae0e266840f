//! Sentences about a load, shared by the text, the SVG and the report.

use jiff::Timestamp;

use super::ShownLoad;
use cronjob_controller::upcoming::CRON_JOB;
use cronjob_diagnosis::change::ExtraKind;
use cronjob_diagnosis::load::{Load, LoadWindow, Peak, PeakParticipant, rounded};
use cronjob_text::duration::{exact, human};
use cronjob_text::text::{LocalTime, Text};
use cronjob_text::words::{counted_in_groups, grouped, occurring, plural, some_of};
use kube_cron::Zone;

/// A start is late from this delay on, in seconds.
const LATE: f64 = 1.0;

fn delay(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation)] // a delay of two years at most
    let whole = seconds.round() as i64;
    human(whole)
}

/// The length of a bucket: `one minute`, `15m`.
pub(crate) fn bucket(seconds: i64) -> String {
    match unit(seconds) {
        Some(unit) => format!("one {unit}"),
        None => exact(seconds),
    }
}

/// The length of a bucket after "each" or "per": `minute`, or `15m`.
pub(super) fn each_bucket(seconds: i64) -> String {
    unit(seconds).map_or_else(|| exact(seconds), str::to_owned)
}

fn unit(seconds: i64) -> Option<&'static str> {
    match seconds {
        1 => Some("second"),
        60 => Some("minute"),
        3_600 => Some("hour"),
        86_400 => Some("day"),
        _ => None,
    }
}

/// A time in the time zone in which the load is shown.
pub(crate) fn local(zone: &Zone, at: Timestamp) -> LocalTime {
    LocalTime::new(at, zone.time_zone(), zone.name())
}

/// `Mon 2026-03-02 00:00 UTC to Mon 2026-03-09 00:00 UTC`
pub(super) fn period(window: LoadWindow, zone: &Zone) -> Text {
    text!(
        "{} to {}",
        local(zone, window.from()),
        local(zone, window.to())
    )
}

/// `12 CronJobs start 345 Jobs`, and which CronJobs are not counted.
pub(crate) fn summary(load: &Load) -> String {
    let sums = &load.summary;
    let verb = plural(sums.cron_jobs, "starts", "start");
    let counted_jobs = counted_in_groups(sums.cron_jobs, "CronJob");
    let mut text = match (sums.cron_jobs, sums.starts) {
        (0, _) => "No CronJob starts a Job".to_owned(),
        (_, 0) => format!("{counted_jobs} {verb} no Job"),
        (_, starts) => format!("{counted_jobs} {verb} {}", counted_in_groups(starts, "Job")),
    };
    if sums.other_schedules > 0 {
        let others = counted_in_groups(sums.other_schedules as u64, "schedule");
        let starts = counted_in_groups(sums.starts, "start");
        let of_cron_jobs = match sums.cron_jobs {
            0 => String::new(),
            _ => format!("{counted_jobs} and "),
        };
        text = format!("{of_cron_jobs}{others} of other kinds: {starts}");
    }
    let left_out = occurring([
        (sums.suspended, "suspended"),
        (sums.held, "broken"),
        (sums.unreadable, "with an unusable schedule"),
    ]);
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        notes.push(format!("not counted: {}", left_out.join(", ")));
    }
    notes.extend(occurring([(sums.blocked, "blocked")]));
    if !notes.is_empty() {
        text.push_str(&format!(" ({})", notes.join("; ")));
    }
    text
}

/// `the last one starts about 46s late; 7 times in this period`.
pub(crate) fn lateness(load: &Load, peak: &Peak) -> String {
    let last = last_start(load, peak);
    match peak.occurrences {
        0 | 1 => last,
        times => format!("{last}; {} times in this period", grouped(times)),
    }
}

/// `55 Jobs due at Mon 2026-03-02 01:00 UTC (first of 7 times); the last one starts about 16s late`.
pub(super) fn peak_line(shown: &ShownLoad<'_>, peak: &Peak) -> Text {
    let times = first_of(peak);
    let is_other = |one: &PeakParticipant| one.kind.is_some_and(|kind| kind != CRON_JOB);
    let what = if peak.cron_jobs.iter().any(is_other) {
        "start"
    } else {
        "Job"
    };
    text!(
        "{} due at {}{}; {}",
        counted_in_groups(peak.count, what),
        local(&shown.zone, peak.time),
        times,
        last_start(shown.load, peak)
    )
}

/// ` (first of 7 times)`
pub(super) fn first_of(peak: &Peak) -> String {
    match peak.occurrences {
        0 | 1 => String::new(),
        many => format!(" (first of {} times)", grouped(many)),
    }
}

fn last_start(load: &Load, peak: &Peak) -> String {
    let about = if load.work.poll_seconds.is_some() {
        "up to"
    } else {
        "about"
    };
    if peak.last_start_delay < LATE {
        "all start on time".to_owned()
    } else {
        let late = delay(peak.last_start_delay);
        format!("the last one starts {about} {late} late")
    }
}

/// The CronJobs of a peak, at most `most` of them.
pub(crate) fn who(peak: &Peak, most: usize) -> String {
    let name = |one: &PeakParticipant| {
        let often = match one.starts {
            1 => String::new(),
            starts => format!(" ({starts} times)"),
        };
        let kind = match one.kind {
            Some(kind) if kind != CRON_JOB => format!("{kind} "),
            _ => String::new(),
        };
        format!("{kind}{}/{}{often}", one.namespace, one.name)
    };
    let names: Vec<String> = peak.cron_jobs.iter().map(name).collect();
    some_of(&names, most)
}

/// Why the last of many simultaneous starts is late.
pub(crate) fn reason(load: &Load) -> String {
    let work = &load.work;
    let mut events = match work.events_per_start {
        0 => String::new(),
        events => format!(" and {}", counted_in_groups(events, "event")),
    };
    let client = format!(
        "The controller may send {} requests per second, with bursts of {}.",
        work.limits.qps, work.limits.burst
    );
    if let Some(pause) = work.poll_seconds {
        let cron_jobs = counted_in_groups(work.cron_jobs_per_pass, "CronJob");
        return format!(
            "The controller syncs all {cron_jobs} one after the other, with {} each, and pauses \
             {pause}s between two passes. Each start takes {} more{events}. {client}",
            counted_in_groups(work.requests_per_sync, "request"),
            work.requests_per_start,
        );
    }
    if !events.is_empty() {
        events.push_str(" (sent in parallel)");
    }
    let workers = counted_in_groups(work.limits.workers, "worker");
    let undelayed = match work.starts_at_once {
        1 => "a single start is not delayed".to_owned(),
        many => format!("up to {many} simultaneous starts are not delayed"),
    };
    format!(
        "Each start takes {}{events}. {client} With {workers}, {undelayed}; beyond that, {} Jobs start \
         per second.",
        counted_in_groups(work.requests_per_sync + work.requests_per_start, "request"),
        rounded(work.starts_per_second)
    )
}

/// That more runs are due than can be started.
pub(crate) fn lost(load: &Load) -> String {
    let number = counted_in_groups(load.summary.lost, "run");
    let are = plural(load.summary.lost, "is", "are");
    format!(
        "More runs are due than the controller can start: about {number} {are} missed because the next \
         run of the same CronJob is due before the controller gets to it."
    )
}

pub(crate) fn effect(load: &Load) -> String {
    let proposal = &load.proposal;
    let (before, after) = (proposal.effect.before, proposal.effect.after);
    if proposal.suggestions.is_empty() {
        return if before.most_in_a_minute < 2 {
            "Nothing to spread: no two Jobs start in the same minute.".to_owned()
        } else {
            "None: no later minutes within the same hours were found that relieve the busiest minute."
                .to_owned()
        };
    }
    let moved = proposal.suggestions.len();
    let mut text = format!(
        "Schedule {} some minutes later, in the same hours of the same days and in the same order within \
         each namespace. Then at most {} in the same minute (now {})",
        counted_in_groups(moved, "CronJob"),
        match after.most_in_a_minute {
            1 => "1 Job starts".to_owned(),
            many => format!("{} Jobs start", grouped(many)),
        },
        grouped(before.most_in_a_minute)
    );
    let [was, is] = [before, after].map(|effect| delay(effect.last_start_delay));
    text += &if before.last_start_delay < LATE {
        ".".to_owned()
    } else if after.last_start_delay < LATE {
        format!(", all of them on time (now up to {was} late).")
    } else {
        format!(", up to {is} late (now {was}).")
    };
    text
}

/// The effect of applying the proposal now; `None` if it is only about manifests.
pub(crate) fn applied(shown: &ShownLoad<'_>) -> Option<Text> {
    let application = shown.application;
    if application.in_cluster == 0 {
        return None;
    }
    let all = shown.load.proposal.suggestions.len();
    let mut of_all = format!(" of {}", counted_in_groups(all, "CronJob"));
    let mut parts = Vec::new();
    for (kind, verb, what) in [
        (ExtraKind::Repeated, "run", "a second time"),
        (ExtraKind::Retroactive, "start", "a missed run late"),
    ] {
        let count = application.count(kind);
        if count > 0 {
            let s = plural(count, "s", "");
            let of_all = std::mem::take(&mut of_all);
            parts.push(format!("{}{of_all} {verb}{s} {what}", grouped(count)));
        }
    }
    if parts.is_empty() {
        return Some("Applying it now starts no extra runs.".into());
    }
    let now = format!("If applied now, {}.", parts.join(" and "));
    let never = "No time without extra runs was found in the next 24 hours";
    Some(match (application.quiet_at, application.without_deadline) {
        (Some(at), _) => {
            let at = local(&shown.zone, at);
            text!("{} If applied at {}, there are no extra runs.", now, at)
        }
        (None, 0) => text!("{} {}.", now, never),
        (None, without) => {
            let have = plural(without, "CronJob has", "CronJobs have");
            text!(
                "{} {}: {} {} no startingDeadlineSeconds, so the controller starts the last run \
                 again for its new time.",
                now,
                never,
                grouped(without),
                have
            )
        }
    })
}

/// The extra run of a suggestion, if it is applied now.
pub(crate) fn extra_run(shown: &ShownLoad<'_>, suggestion: usize) -> Option<Text> {
    let run = shown.application.extra_runs.get(&suggestion)?;
    let member = shown.load.proposal.suggestions.get(suggestion)?.member;
    let (namespace, name) = shown.name(member);
    let run = run.in_words(&|at| local(&shown.zone, at));
    Some(text!("{}/{} {}", namespace, name, run))
}
