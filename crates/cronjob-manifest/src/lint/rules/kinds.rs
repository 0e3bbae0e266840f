//! Objects of other kinds with a schedule.

use crate::lint::{LintSubject, Violation};
use crate::rules::{
    FIRST_FIELD_IS_SECONDS, MANUAL_TRIGGER_WINS, REJECTED_BY_OPERATOR, RESUME_STARTS_MISSED_RUN,
    Rule, SCHEDULE_NEVER_MATCHES,
};
use cronjob_controller::kinds::{KindCatchUp, ScheduledKind, ScheduledObject};
use kube_cron::{Dialect, Zone};

/// What is wrong or risky with an object.
pub(crate) fn check(
    kind: &'static ScheduledKind,
    subject: &LintSubject<'_>,
) -> Vec<(&'static Rule, Violation)> {
    let Ok(whole) = subject.node.to_json() else {
        return Vec::new();
    };
    let object = ScheduledObject::of(kind, &whole, "");
    let mut fields = kind.schedules(&whole);
    let schedules = fields.next().unwrap_or_default();
    let mut found = Vec::new();
    if let (Some((path, _)), Some((schedule, _))) = (object.manual, schedules.first()) {
        let message = format!("VolSync ignores {schedule} because {path} is set");
        found.push((&MANUAL_TRIGGER_WINS, subject.found(schedule, message)));
    }
    if let Some((path, _)) = fields.next().as_deref().and_then(<[_]>::first) {
        let message = "Argo Workflows rejects it: cron workflow cant be configured with both \
                       Spec.Schedule and Spec.Schedules";
        let violation = subject.found(path, message);
        let violation = violation.note("From 4.0 on, it ignores spec.schedule.");
        found.push((&REJECTED_BY_OPERATOR, violation));
    }
    if let Some((path, _)) = object.paused
        && kind.catch_up != KindCatchUp::LastWithinDeadline
        && object.manual.is_none()
        && !object.skips_missed
    {
        let starts = kind.starts;
        let message = format!(
            "resuming starts a {starts} immediately if a scheduled time has passed by then"
        );
        found.push((&RESUME_STARTS_MISSED_RUN, subject.found(path, message)));
    }
    let read = schedules
        .iter()
        .filter_map(|(path, value)| match value.as_str() {
            // Another tool replaces it later.
            Some(text) if text.contains("{{") || text.contains('$') => None,
            Some(text) => check_schedule(&object, subject, path, text),
            None => {
                let message = "the API server rejects it: must be a string";
                Some((&REJECTED_BY_OPERATOR, subject.found(path, message)))
            }
        });
    found.extend(read);
    found
}

fn check_schedule(
    object: &ScheduledObject,
    subject: &LintSubject<'_>,
    path: &str,
    text: &str,
) -> Option<(&'static Rule, Violation)> {
    let (kind, zones) = (object.kind, subject.context.zones);
    let zone_path = kind.time_zone.filter(|path| subject.get(path).is_some());
    let zone = zone_path.and_then(|path| subject.str(path));
    let zone = zone.filter(|zone| !zone.is_empty() && !zone.contains('$'));
    let schedule = match kind.read(text, zone, zones) {
        Ok(schedule) => schedule,
        Err(rejection) => {
            let path = zone_path.filter(|_| rejection.of_time_zone).unwrap_or(path);
            let message = format!("{} rejects it: {}", kind.controller, rejection.message);
            let mut violation = subject.found(path, message);
            if let Some(hint) = rejection.hint {
                violation = violation.note(hint);
            }
            return Some((&REJECTED_BY_OPERATOR, violation));
        }
    };
    let starts_nothing = object.paused.is_some() || object.manual.is_some();
    let timetable = schedule.in_zone(&Zone::utc());
    let never = timetable.why_never(subject.context.now);
    if let Some(why) = never.filter(|_| !starts_nothing) {
        let consequence = match kind.catch_up {
            KindCatchUp::One => "it starts again and again",
            KindCatchUp::First | KindCatchUp::LastWithinDeadline => "nothing ever starts",
        };
        let controller = kind.controller;
        let message = format!("{controller} finds no next run, and {consequence}: {why}");
        return Some((&SCHEDULE_NEVER_MATCHES, subject.found(path, message)));
    }
    let is_short = text.split_whitespace().count() == 5 && !text.starts_with('@');
    if kind.dialect != Dialect::V1_2Seconds || !is_short {
        return None;
    }
    let message = format!("it runs {}", schedule.describe().sentence);
    let fixed = format!("0 {text}");
    // Not everything that was meant for five fields is valid in six.
    let fix = kind.read(&fixed, zone, zones).ok();
    let fix = fix.and_then(|_| subject.replace(path, &fixed));
    let violation = subject.found(path, message).fix(fix);
    Some((&FIRST_FIELD_IS_SECONDS, violation))
}
