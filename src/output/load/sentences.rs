//! Sentences about a load that the text, the picture and the report share.

use super::ShownLoad;
use crate::change::{ExtraKind, ExtraRun};
use crate::duration::human;
use crate::load::{Load, Peak, PeakParticipant, Throughput, rounded};

/// From then on a start is late, in seconds.
const LATE: f64 = 1.0;

/// A delay for people, in whole seconds.
fn delay(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation)] // a delay of two years at most
    let whole = seconds.round() as i64;
    human(whole)
}

/// `1 start`, `1,200 starts`.
pub(in crate::output) fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count))
}

/// Thousands apart.
pub(in crate::output) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a bucket is called: a minute, 15m.
pub(in crate::output) fn bucket(seconds: i64) -> String {
    match seconds {
        1 => "one second".to_owned(),
        60 => "one minute".to_owned(),
        3_600 => "one hour".to_owned(),
        86_400 => "one day".to_owned(),
        _ => crate::duration::exact(seconds),
    }
}

/// `12 CronJobs start 345 Jobs`, and what is left out.
pub(in crate::output) fn summary(load: &Load) -> String {
    let sums = &load.summary;
    let verb = if sums.cron_jobs == 1 {
        "starts"
    } else {
        "start"
    };
    let counted_jobs = counted(sums.cron_jobs as u64, "CronJob");
    let mut text = format!("{counted_jobs} {verb} {}", counted(sums.starts, "Job"));
    let mut left_out = Vec::new();
    if sums.suspended > 0 {
        left_out.push(format!("{} suspended", sums.suspended));
    }
    if sums.held > 0 {
        left_out.push(format!("{} that start nothing", sums.held));
    }
    if sums.unreadable > 0 {
        left_out.push(format!("{} that cannot be told", sums.unreadable));
    }
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        notes.push(format!("left out: {}", left_out.join(", ")));
    }
    if sums.blocked > 0 {
        let blocked = sums.blocked;
        notes.push(format!("blocked until a running Job finishes: {blocked}"));
    }
    if !notes.is_empty() {
        text.push_str(&format!(" ({})", notes.join("; ")));
    }
    text
}

/// `the last one 46s late; 7 times`.
pub(in crate::output) fn lateness(load: &Load, peak: &Peak) -> String {
    let up_to = if load.work.poll_seconds.is_some() {
        "up to "
    } else {
        ""
    };
    let mut text = if peak.last_start_delay < LATE {
        "none of them late".to_owned()
    } else {
        let late = delay(peak.last_start_delay);
        format!("the last of them {up_to}{late} late")
    };
    if peak.occurrences > 1 {
        let times = counted(peak.occurrences as u64, "time");
        text.push_str(&format!("; {times} in the window"));
    }
    text
}

/// Who takes part, as many as fit.
pub(in crate::output) fn who(peak: &Peak, most: usize) -> String {
    let name = |one: &PeakParticipant| {
        let PeakParticipant {
            namespace,
            name,
            starts,
        } = one;
        let often = match starts {
            1 => String::new(),
            starts => format!(" ({starts} times)"),
        };
        format!("{namespace}/{name}{often}")
    };
    let names: Vec<String> = peak.cron_jobs.iter().take(most).map(name).collect();
    let mut text = names.join(", ");
    let more = peak.cron_jobs.len().saturating_sub(most);
    if more > 0 {
        text.push_str(&format!(" and {} more", grouped(more as u64)));
    }
    text
}

/// Why the last start of many is late.
pub(in crate::output) fn reason(load: &Load) -> String {
    let Throughput {
        limits,
        requests_per_look,
        requests_per_start,
        events_per_start,
        poll_seconds,
        starts_at_once,
        starts_per_second,
        looked_at,
    } = load.work;
    let mut events = match events_per_start {
        0 => String::new(),
        events => format!(" and {}", counted(u64::from(events), "event")),
    };
    let client = format!(
        "the controller's client makes {} requests a second, and {} at once after a rest",
        limits.qps, limits.burst
    );
    if let Some(pause) = poll_seconds {
        let looks = counted(looked_at as u64, "CronJob");
        return format!(
            "The controller looks at all {looks} one after the other, with {} for each, and rests \
             {pause}s between two passes; a start costs {} more{events}. {client}.",
            counted(u64::from(requests_per_look), "request"),
            requests_per_start,
            client = capital(&client)
        );
    }
    if !events.is_empty() {
        events.push_str(", which is sent beside them");
    }
    let workers = counted(u64::from(limits.workers), "worker");
    let free = match starts_at_once {
        1 => "1 start at a time waits".to_owned(),
        many => format!("up to {many} starts at once wait"),
    };
    format!(
        "A start costs {}{events}; {client}. With {workers} {free} for nothing; where more are due, \
         {} start in a second.",
        counted(u64::from(requests_per_look + requests_per_start), "request"),
        rounded(starts_per_second)
    )
}

/// That more is due than can be started.
pub(in crate::output) fn lost(load: &Load) -> String {
    let number = counted(load.summary.lost, "start");
    let are = if load.summary.lost == 1 { "is" } else { "are" };
    format!(
        "More is due than can be started: about {number} {are} lost, since the CronJob is due again \
         before the controller comes to it."
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// What the proposal comes to.
pub(crate) fn effect(load: &Load) -> String {
    let proposal = &load.proposal;
    let (before, after) = (proposal.effect.before, proposal.effect.after);
    if proposal.suggestions.is_empty() {
        return if before.most_in_a_minute < 2 {
            "Nothing to spread: no two start in the same minute.".to_owned()
        } else {
            "None: no later minutes inside the same hours would make the fullest minute emptier."
                .to_owned()
        };
    }
    let moved = proposal.suggestions.len() as u64;
    let gets = if moved == 1 { "starts" } else { "start" };
    let mut text = format!(
        "{} {gets} some minutes later, in the same hours of the same days, and nothing of a \
         namespace overtakes anything. That makes at most {} in a minute instead of {}",
        counted(moved, "CronJob"),
        counted(after.most_in_a_minute, "start"),
        grouped(before.most_in_a_minute)
    );
    if before.last_start_delay < LATE {
        text.push('.');
    } else if after.last_start_delay < LATE {
        let was = delay(before.last_start_delay);
        text.push_str(&format!(
            ", and none is late instead of the last one {was}."
        ));
    } else {
        let (was, is) = (
            delay(before.last_start_delay),
            delay(after.last_start_delay),
        );
        text.push_str(&format!(", and the last one {is} late instead of {was}."));
    }
    text
}

/// What it leads to to apply the proposal now; nothing where that is about manifests alone.
pub(crate) fn applied(shown: &ShownLoad<'_>) -> Option<String> {
    let application = shown.application;
    if application.in_cluster == 0 {
        return None;
    }
    let all = shown.load.proposal.suggestions.len() as u64;
    let mut whom = format!(" of {}", counted(all, "CronJob"));
    let mut parts = Vec::new();
    for (kind, one, more, what) in [
        (ExtraKind::Repeated, "runs", "run", "a second time"),
        (
            ExtraKind::Retroactive,
            "starts",
            "start",
            "a missed run late",
        ),
    ] {
        let count = application.count(kind);
        if count > 0 {
            let verb = if count == 1 { one } else { more };
            let whom = std::mem::take(&mut whom);
            parts.push(format!("{}{whom} {verb} {what}", grouped(count as u64)));
        }
    }
    if parts.is_empty() {
        return Some("Applying it now starts no extra run.".to_owned());
    }
    let now = format!("If applied now, {}.", parts.join(" and "));
    let never = "No time in the next 24 hours was found at which none does";
    Some(
        match (application.quiet_at, application.without_deadline as u64) {
            (Some(at), _) => format!("{now} If applied at {at}, none does."),
            (None, 0) => format!("{now} {never}."),
            (None, without) => {
                let have = if without == 1 { "has" } else { "have" };
                format!(
                    "{now} {never}: {} {have} no startingDeadlineSeconds, so the controller makes up \
                 for the new time of the last run.",
                    grouped(without)
                )
            }
        },
    )
}

/// The extra run of a suggestion, if it is applied now.
pub(in crate::output) fn extra_run(shown: &ShownLoad<'_>, suggestion: usize) -> Option<String> {
    let run = shown.application.extra_runs.get(&suggestion)?;
    let member = shown.load.proposal.suggestions.get(suggestion)?.member;
    let (namespace, name) = shown.name(member);
    Some(format!("{namespace}/{name} {}", in_words(run)))
}

/// `runs a second time at 2026-11-21T00:49:00Z (nightly-29921809)`.
pub(in crate::output) fn in_words(run: &ExtraRun) -> String {
    let ExtraRun {
        kind,
        scheduled_time,
        job_name,
        starts_at,
        running,
    } = run;
    match kind {
        ExtraKind::Repeated => format!("runs a second time at {scheduled_time} ({job_name})"),
        ExtraKind::Retroactive => {
            let sooner = match running.as_slice() {
                [] => String::new(),
                names => format!("when {} ends, or ", names.join(" or ")),
            };
            format!(
                "starts {job_name} late, scheduled at {scheduled_time}, {sooner}at {starts_at} at \
                 the latest"
            )
        }
    }
}
