//! The picture: well-formed, with the numbers of the document, and safe with any names.

use super::{FROM, cron_job, document, load};
use crate::support::markup::{Element, xml};
use crate::support::prelude::*;
use jiff::Timestamp;
use jiff::tz::TimeZone;

fn picture(manifests: &str, arguments: impl CommandLine) -> Element {
    xml(&load(manifests, (arguments, "-o svg")).fine())
}

fn cells(picture: &Element) -> Vec<(u64, u64)> {
    let number = |cell: &Element, name: &str| cell.attribute(name).parse().unwrap();
    let all = picture.named("g");
    all.map(|cell| (number(cell, "data-most"), number(cell, "data-starts")))
        .collect()
}

fn busy_cluster() -> String {
    let mut all = cron_job("shop", "quarters", "*/15 6-20 * * *", "");
    for index in 0..30 {
        let schedule = ["0 2 * * *", "0 * * * *", "30 8-18 * * mon-fri"][index % 3];
        all += &cron_job("ops", &format!("job-{index}"), schedule, "");
    }
    all
}

/// The largest count and the sum of each `size` buckets.
fn chunks(document: &Value, size: usize) -> Vec<(u64, u64)> {
    let buckets = document["buckets"].items().iter();
    let counts: Vec<u64> = buckets
        .map(|bucket| bucket["count"].as_u64().unwrap())
        .collect();
    let chunks = counts.chunks(size);
    chunks
        .map(|chunk| (*chunk.iter().max().unwrap(), chunk.iter().sum()))
        .collect()
}

#[test]
fn cells_of_a_week_match_the_hours_of_the_document() {
    let document = document(&busy_cluster(), FROM);
    let expected = chunks(&document, 60);
    let picture = picture(&busy_cluster(), FROM);
    assert_eq!(cells(&picture), expected);
    assert_eq!(expected.len(), 7 * 24);
    let texts: Vec<String> = picture.named("text").map(Element::text).collect();
    let peak = &document["peaks"][0];
    let time: Timestamp = peak["time"].text().parse().unwrap();
    let time = time
        .to_zoned(TimeZone::UTC)
        .strftime("%a %Y-%m-%d %H:%M UTC");
    let line = format!("{} Jobs due at {time} (", peak["count"]);
    let found = texts.iter().filter(|text| text.starts_with(&line));
    assert_eq!(found.count(), 1, "{texts:?}");
}

#[test]
fn cells_of_a_day_are_minutes_and_of_a_year_days() {
    let year = "--from=2026-01-01T00:00:00Z --for=365d --bucket=1h";
    for (arguments, size) in [("--from=2026-03-02T00:00:00Z --for=1d", 1), (year, 24)] {
        let expected = chunks(&document(&busy_cluster(), arguments), size);
        assert_eq!(cells(&picture(&busy_cluster(), arguments)), expected);
    }
}

/// A screen reader can read it, and it loads nothing.
#[test]
fn svg_is_self_contained_and_has_a_title() {
    let text = load(&busy_cluster(), (FROM, "-o svg")).fine();
    let picture = xml(&text);
    assert_eq!(picture.attribute("role"), "img");
    assert_eq!(picture.attribute("aria-labelledby"), "title desc");
    let only = |name: &'static str| picture.named(name).next().unwrap().text();
    // 15 hours of quarters on 7 days, ten nightly, ten hourly, ten in 11 hours of 5 days: 420, 70, 1,680, 550.
    assert_eq!(only("title"), "31 CronJobs start 2,720 Jobs");
    assert!(only("desc").starts_with("Starts in the busiest minute of each hour (UTC)"));
    assert!(
        picture
            .named("g")
            .all(|cell| cell.named("title").count() == 1)
    );
    assert!(only("style").contains("prefers-color-scheme: dark"));
    for outside in ["href", "url(", "@import", "<script", "<image"] {
        assert!(!text.contains(outside), "{outside}");
    }
}

#[test]
fn hostile_names_are_escaped() {
    let name = "\"</text><script>alert(1)</script>&\\u001b[31m\"";
    let manifests =
        cron_job("shop", name, "0 0 * * *", "") + &cron_job("'a;b'", "b", "0 0 * * *", "");
    let picture = picture(&manifests, FROM);
    assert_eq!(picture.named("script").count(), 0);
    let texts: Vec<String> = picture.named("text").map(Element::text).collect();
    let named = r"shop/</text><script>alert(1)</script>&\u{1b}[31m";
    assert!(texts.iter().any(|text| text.contains(named)), "{texts:?}");

    let text = load(&manifests, FROM).fine();
    assert!(!text.contains('\u{1b}'), "{text:?}");
}
