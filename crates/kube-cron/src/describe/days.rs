//! Days, months and weekdays in words, and how the two day fields are combined.

use jiff::civil::Weekday;

use super::numbers::{Numbers, Shape};
use crate::FieldName;
use crate::civil::days_in_month;
use crate::fields::Fields;
use crate::words::{month_name, ordinal, weekday_name, weekday_of};

/// Which days the two day fields allow together.
///
/// Upstream requires both fields to match if one of them is an asterisk, and otherwise only one of
/// them. Fields that make no difference are left out here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DayRule {
    /// Every day, or no day if a field is empty.
    Any,
    /// Only the day of the month matters.
    DayOfMonth {
        /// The days, 1 to 31, in order.
        days: Vec<u32>,
    },
    /// Only the day of the week matters.
    DayOfWeek {
        /// The weekdays, Sunday first.
        weekdays: Vec<Weekday>,
    },
    /// A day of the month OR a day of the week: one match is enough.
    Either {
        /// The days, 1 to 31, in order.
        days: Vec<u32>,
        /// The weekdays, Sunday first.
        weekdays: Vec<Weekday>,
    },
    /// A day of the month AND a day of the week: both must match.
    Both {
        /// The days, 1 to 31, in order.
        days: Vec<u32>,
        /// The weekdays, Sunday first.
        weekdays: Vec<Weekday>,
    },
}

fn days_of(fields: &Fields) -> Numbers {
    Numbers::of(fields, FieldName::DayOfMonth)
}

fn months_of(fields: &Fields) -> Numbers {
    Numbers::of(fields, FieldName::Month)
}

fn weekdays_of(fields: &Fields) -> Numbers {
    Numbers::of(fields, FieldName::DayOfWeek)
}

/// Which of the two day fields matter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deciding {
    Neither,
    /// One match is enough, and one of the fields matches every day: the other one has no effect.
    Overruled,
    Month,
    Week,
    Either,
    Both,
}

pub(super) fn deciding(fields: &Fields) -> Deciding {
    let (days, weekdays) = (days_of(fields), weekdays_of(fields));
    let (all_days, all_weekdays) = (days.is_all(), weekdays.is_all());
    if fields.both_day_fields() {
        return match (all_days, all_weekdays) {
            (true, true) => Deciding::Neither,
            (true, false) => Deciding::Week,
            (false, true) => Deciding::Month,
            (false, false) => Deciding::Both,
        };
    }
    match (days.count(), weekdays.count()) {
        _ if all_days && all_weekdays => Deciding::Neither,
        _ if all_days || all_weekdays => Deciding::Overruled,
        (_, 0) => Deciding::Month,
        (0, _) => Deciding::Week,
        _ => Deciding::Either,
    }
}

pub(super) fn rule(fields: &Fields) -> DayRule {
    let days = days_of(fields).members().collect();
    let weekdays = weekdays_of(fields).members().map(weekday_of).collect();
    match deciding(fields) {
        Deciding::Neither | Deciding::Overruled => DayRule::Any,
        Deciding::Month => DayRule::DayOfMonth { days },
        Deciding::Week => DayRule::DayOfWeek { weekdays },
        Deciding::Either => DayRule::Either { days, weekdays },
        Deciding::Both => DayRule::Both { days, weekdays },
    }
}

/// The phrase after the times: `, on Monday through Friday`; empty for every day of every month.
pub(super) fn phrase(fields: &Fields) -> String {
    let months = months_of(fields);
    let in_months = if months.is_all() {
        String::new()
    } else {
        format!(", in {}", month_names(months))
    };
    let weekdays = weekdays_of(fields);
    match deciding(fields) {
        Deciding::Neither => in_months,
        Deciding::Overruled => {
            let (idle, all) = if weekdays.is_all() {
                ("day of month", "day of week")
            } else {
                ("day of week", "day of month")
            };
            format!(
                ", on every day (the {all} field matches every day and a match of either field is \
                 enough, so the {idle} field has no effect){in_months}"
            )
        }
        Deciding::Month => format!(", {}", on_days_of_months(fields)),
        Deciding::Week => format!(", on {}{in_months}", weekday_names(weekdays)),
        Deciding::Either => {
            let days = on_days(fields, "of the month");
            let weekdays = format!("and also on {}", every_weekday(weekdays));
            if months.is_all() {
                format!(", {days} {weekdays}")
            } else {
                format!(", only in {}: {days} {weekdays}", month_names(months))
            }
        }
        Deciding::Both => {
            let it = if days_of(fields).count() == 1 || is_every_nth(days_of(fields)) {
                "it"
            } else {
                "the day"
            };
            let weekdays = weekdays.each("or", |weekday| weekday_name(weekday).to_owned());
            format!(", {} if {it} is a {weekdays}", on_days_of_months(fields))
        }
    }
}

fn on_days_of_months(fields: &Fields) -> String {
    let (days, months) = (days_of(fields), months_of(fields));
    if let (Shape::One(day), Shape::One(month)) = (days.shape(), months.shape()) {
        let leap = if (day, month) == (29, 2) {
            " (only in leap years)"
        } else {
            ""
        };
        return format!("on {} {day}{leap}", month_name(month));
    }
    let of = if months.is_all() {
        "the month".to_owned()
    } else {
        month_names(months)
    };
    on_days(fields, &format!("of {of}"))
}

fn on_days(fields: &Fields, of: &str) -> String {
    let days = days_of(fields);
    match days.shape() {
        Shape::One(day) => {
            let too_short = |month| days_in_month(2000, month) < day;
            let rare = months_of(fields).members().any(too_short);
            let rare = if rare {
                " (only in months that have it)"
            } else {
                ""
            };
            format!("on day {day} {of}{rare}")
        }
        Shape::Steps(steps) if is_every_nth(days) => {
            let list = days.list_with(|day| day.to_string(), 2);
            format!("on every {} day {of} ({list})", ordinal(steps.step))
        }
        _ => format!("on days {} {of}", days.list(|day| day.to_string())),
    }
}

/// Whether the days are those of `*/n`, and more than three.
fn is_every_nth(days: Numbers) -> bool {
    days.steps_through().is_some_and(|steps| steps.count > 3)
}

fn month_names(months: Numbers) -> String {
    let name = |month| month_name(month).to_owned();
    match months.steps_through() {
        Some(steps) if steps.count > 4 => {
            let all: Vec<String> = months.members().take(2).map(name).collect();
            let last = month_name(steps.last);
            format!(
                "every {} month ({}, … {last})",
                ordinal(steps.step),
                all.join(", ")
            )
        }
        _ => months.list(name),
    }
}

/// `Monday through Friday`, `Saturday and Sunday`: the week begins on Monday here.
fn weekday_names(weekdays: Numbers) -> String {
    if let Some((first, last)) = week_run(weekdays) {
        return format!("{} through {}", weekday_name(first), weekday_name(last));
    }
    monday_first(weekdays).list(|weekday| weekday_name(weekday).to_owned())
}

/// `every Friday`, `every day from Monday through Friday`.
fn every_weekday(weekdays: Numbers) -> String {
    if week_run(weekdays).is_some() {
        return format!("every day from {}", weekday_names(weekdays));
    }
    let name = |weekday| weekday_name(weekday).to_owned();
    format!("every {}", monday_first(weekdays).each("and", name))
}

fn monday_first(weekdays: Numbers) -> Numbers {
    let bits = weekdays
        .members()
        .map(|weekday| 1_u64 << if weekday == 0 { 7 } else { weekday })
        .sum::<u64>();
    Numbers::new(bits, 1, 7)
}

/// The ends of three or more weekdays in a row, across the end of the week too.
fn week_run(weekdays: Numbers) -> Option<(u32, u32)> {
    let has = |weekday: u32| weekdays.members().any(|member| member == weekday % 7);
    let mut starts = (0..7).filter(|weekday| has(*weekday) && !has(weekday + 6));
    let first = starts.next()?;
    let count = weekdays.count();
    (starts.next().is_none() && count > 2).then_some((first, first + count - 1))
}

/// The day of month field by itself.
pub(super) fn day_field(fields: &Fields) -> String {
    if days_of(fields).is_all() {
        return idle_or(fields, fields.days_star, "every day of the month");
    }
    match days_of(fields).shape() {
        Shape::Nothing => "nothing".to_owned(),
        _ => on_days(fields, "of the month"),
    }
}

/// The month field by itself.
pub(super) fn month_field(fields: &Fields) -> String {
    let months = months_of(fields);
    match months.shape() {
        Shape::Nothing => "nothing".to_owned(),
        Shape::All => "every month".to_owned(),
        _ => format!("in {}", month_names(months)),
    }
}

/// The day of week field by itself.
pub(super) fn weekday_field(fields: &Fields) -> String {
    let weekdays = weekdays_of(fields);
    if weekdays.is_all() {
        return idle_or(fields, fields.weekdays_star, "every day of the week");
    }
    match weekdays.shape() {
        Shape::Nothing => "nothing".to_owned(),
        _ => format!("on {}", weekday_names(weekdays)),
    }
}

/// A field that matches every day without an asterisk makes the other day field ineffective.
fn idle_or(fields: &Fields, star: bool, meaning: &str) -> String {
    if star || deciding(fields) != Deciding::Overruled {
        meaning.to_owned()
    } else {
        format!("{meaning}; since it is not an asterisk, a match of either day field is enough")
    }
}
