use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;

use crate::lint::{Context, CronJobViolation, LintedCronJob, Violation};
use kube_cron::Schedule;

/// The number of CronJobs in one minute from which the rule reports them.
const MANY: usize = 10;

/// A week, so that weekly schedules are included.
const WINDOW: i64 = 7 * 86_400;

/// CronJobs that start more often than this are not counted.
const RARE: i64 = 3_600;

/// The number of proposals that are shown.
const SHOWN: usize = 5;

pub(super) fn check(cron_jobs: &[LintedCronJob], context: &Context<'_>) -> Vec<CronJobViolation> {
    let mut minutes: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    let mut known = HashMap::new();
    for (index, cron_job) in cron_jobs.iter().enumerate() {
        let Some((expression, _)) = cron_job.schedule.as_ref().filter(|_| !cron_job.suspended)
        else {
            continue;
        };
        let key = (expression.as_str(), cron_job.time_zone.as_deref());
        let starts: &Vec<i64> = known
            .entry(key)
            .or_insert_with(|| starts(key.0, key.1, context));
        for minute in starts {
            minutes.entry(*minute).or_default().push(index);
        }
    }
    let mut groups: Vec<(i64, Vec<usize>)> = minutes.into_iter().collect();
    // The largest group first, and of equal ones the earliest.
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.len()));
    let mut reported = HashSet::new();
    let mut violations = Vec::new();
    for (minute, mut group) in groups {
        group.retain(|index| !reported.contains(index));
        if group.len() >= MANY {
            reported.extend(group.iter().copied());
            violations.extend(violation_of(cron_jobs, minute, &group));
        }
    }
    violations
}

/// The minutes of a week in which a schedule starts something, if it does so rarely.
fn starts(expression: &str, time_zone: Option<&str>, context: &Context<'_>) -> Vec<i64> {
    let behavior = context.release.behavior();
    let zone = time_zone.filter(|_| behavior.time_zone_field);
    let schedule = Schedule::parse_in(expression, zone, behavior.dialect, context.zones);
    let rare = |schedule: &Schedule| schedule.period().is_some_and(|p| p.shortest >= RARE);
    let Some(schedule) = schedule.ok().filter(rare) else {
        return Vec::new();
    };
    let timetable = schedule.in_zone(&context.local);
    let until = context.now.as_second() + WINDOW;
    timetable
        .after(context.now)
        .map_while(Result::ok)
        .map(Timestamp::as_second)
        .take_while(|run| *run < until)
        .map(|run| run.div_euclid(60))
        .collect()
}

fn violation_of(
    cron_jobs: &[LintedCronJob],
    minute: i64,
    group: &[usize],
) -> Option<CronJobViolation> {
    let of = *group.first()?;
    let first = cron_jobs.get(of)?;
    let (_, location) = first.schedule.as_ref()?;
    let at = Timestamp::from_second(minute * 60).ok()?;
    let message = format!(
        "{} CronJobs start in the same minute, for example {}",
        group.len(),
        at.strftime("%a %Y-%m-%d %H:%M UTC")
    );
    let mut found = Violation::new("spec.schedule", location.place, message);
    let proposals: Vec<String> = proposals(cron_jobs, group);
    if !proposals.is_empty() {
        let more = if proposals.len() > SHOWN {
            ", and so on"
        } else {
            ""
        };
        let shown: Vec<&str> = proposals.iter().take(SHOWN).map(String::as_str).collect();
        found = found.help(format!(
            "Spread them over the hour: {}{more}.",
            shown.join(", ")
        ));
    }
    Some(CronJobViolation { of, found })
}

/// Proposes evenly spread minutes for the schedules that name one minute.
fn proposals(cron_jobs: &[LintedCronJob], group: &[usize]) -> Vec<String> {
    let spread = |(nth, index): (usize, &usize)| {
        let cron_job = cron_jobs.get(*index)?;
        let (expression, _) = cron_job.schedule.as_ref()?;
        let (minute, rest) = expression.split_once(' ')?;
        minute.parse::<u8>().ok()?;
        let minute = nth * 60 / group.len();
        (nth > 0).then(|| format!("{} at {minute} {rest}", cron_job.object.qualified()))
    };
    group.iter().enumerate().filter_map(spread).collect()
}
