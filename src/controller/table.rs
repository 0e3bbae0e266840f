//! The rows of all releases as a table for people.

use super::behavior::{
    Arithmetic, Behavior, Children, Cleanup, Generation, NameTaken, Requests, Requeue, Success,
    TooMany, ZonePrefix,
};
use super::rows::ROWS;

/// A Markdown table with a line for each release in which something changed.
pub fn table() -> String {
    let headings = [
        "from",
        "controller",
        "finds the slot",
        "above 100 missed",
        "looks again",
        "robfig/cron",
        "`timeZone`",
        "`TZ=`",
        "deletes old Jobs",
        "knows its Jobs",
        "notes a success",
        "tells a Job its slot",
        "name taken",
        "requests",
    ];
    let mut text = format!(
        "| {} |\n|{}\n",
        headings.join(" | "),
        "---|".repeat(headings.len())
    );
    for ((minor, patch), behavior) in ROWS {
        let cells = cells(behavior);
        let requests = requests(behavior.requests);
        text.push_str(&format!(
            "| 1.{minor}.{patch} | {} | {requests} |\n",
            cells.join(" | ")
        ));
    }
    text
}

/// What a sync costs, what a start costs beside it, and what is sent by the side.
fn requests(requests: Requests) -> String {
    let Requests {
        look,
        start,
        events,
    } = requests;
    let looks = if look == 0 {
        String::new()
    } else {
        format!("{look} a look, ")
    };
    let sent = if events == 1 { "event" } else { "events" };
    format!("{looks}{start} a start, {events} {sent}")
}

fn cells(behavior: &Behavior) -> [&'static str; 12] {
    [
        match behavior.generation {
            Generation::V1 => "v1: a pass every 10 s",
            Generation::V2 => "v2: woken by a queue",
            Generation::Tutorial => "the tutorial's",
        },
        match behavior.arithmetic {
            Arithmetic::List => "lists them all",
            Arithmetic::Multiplied => "multiplies: may be no slot at all",
            Arithmetic::Looked => "looks near an estimate: may find none",
        },
        match behavior.too_many {
            TooMany::Refuses => "starts nothing",
            TooMany::WarnsWithZero => "warns (of 0), starts one",
            TooMany::WarnsWithNumber => "warns with its number, starts one",
            TooMany::Warns => "warns, starts one",
        },
        match behavior.requeue {
            Requeue::Poll => "with the next pass",
            Requeue::AtNext => "at the next slot",
            Requeue::AfterNow => "after the next slot",
            Requeue::AfterMostRecent => "after the slot it found; may be in the past",
            Requeue::AfterMostRecentOrNow => "after the slot it found, or the next",
        },
        behavior.dialect.version(),
        if behavior.time_zone_field {
            "read"
        } else {
            "not read"
        },
        match behavior.zone_prefix {
            ZonePrefix::NotParsed => "no schedule",
            ZonePrefix::Accepted => "accepted",
            ZonePrefix::Refused => "refused for new objects",
        },
        match behavior.cleanup {
            Cleanup::After => "last",
            Cleanup::AfterSuccess => "last, if nothing failed",
            Cleanup::Before => "first",
        },
        match behavior.children {
            Children::Uid => "by owner",
            Children::Name => "by the owner's name alone",
            Children::KindAndName => "by the owner's kind and name",
        },
        match behavior.success {
            Success::Never => "no",
            Success::FinishedEarlier => "of what finished earlier",
            Success::SucceededEarlier => "of what succeeded earlier",
            Success::Succeeded => "at once",
        },
        if behavior.annotates_scheduled_time {
            "yes"
        } else {
            "no"
        },
        match behavior.name_taken {
            NameTaken::RecordsFailure => "records a failure",
            NameTaken::Retries => "fails, tries again",
            NameTaken::MeansToAdopt => "means to take its own Job",
            NameTaken::Adopts => "takes its own Job",
        },
    ]
}
