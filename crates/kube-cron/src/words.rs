//! Words that several descriptions share.

use jiff::civil::Weekday;

/// The name of a month, January being 1.
pub(crate) fn month_name(month: u32) -> &'static str {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let index = month.saturating_sub(1) as usize;
    NAMES.get(index).copied().unwrap_or("?")
}

/// The name of a weekday, Sunday being 0 as well as 7.
pub(crate) fn weekday_name(weekday: u32) -> &'static str {
    match weekday_of(weekday) {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// The weekday of a number, Sunday being 0 as well as 7.
pub(crate) fn weekday_of(number: u32) -> Weekday {
    let offset = i8::try_from(number % 7).unwrap_or(0);
    Weekday::from_sunday_zero_offset(offset).unwrap_or(Weekday::Sunday)
}

/// `a, b and c`.
pub(crate) fn join(items: impl IntoIterator<Item = String>, last_word: &str) -> String {
    let items: Vec<String> = items.into_iter().collect();
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} {last_word} {last}", others.join(", ")),
    }
}

/// `1 minute`, `2 minutes`.
pub(crate) fn count(number: u32, unit: &str) -> String {
    if number == 1 {
        format!("1 {unit}")
    } else {
        format!("{number} {unit}s")
    }
}

/// `2nd`, `3rd`, `4th`: a step between 2 and 10.
pub(crate) fn ordinal(step: u32) -> String {
    match step {
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        _ => format!("{step}th"),
    }
}

/// A time of day on a clock of 24 hours.
pub(crate) fn clock(hour: u32, minute: u32) -> String {
    format!("{hour:02}:{minute:02}")
}

/// `1h30m`, of whole seconds.
pub(crate) fn duration(seconds: i64) -> String {
    let parts = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let shown: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number != 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if shown.is_empty() {
        "0s".to_owned()
    } else {
        shown.concat()
    }
}
