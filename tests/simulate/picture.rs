//! The chart: well-formed, with the numbers of the document, and safe with any names.

use std::collections::BTreeMap;

use crate::support::prelude::*;

use super::{cron_job, document, simulate};
use crate::support::markup::{Element, xml};

/// The left and the right edge of the chart.
const LEFT: f64 = 16.0;
const RIGHT: f64 = 684.0;

fn picture(manifests: &str, arguments: impl CommandLine) -> Element {
    xml(&simulate(manifests, (arguments, "-o svg")).fine())
}

/// How many runs of each status the marks of a release represent.
fn counted(lane: &Element) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for mark in marks(lane) {
        let status = mark.attribute("data-status").to_owned();
        let count: u64 = mark.attribute("data-count").parse().unwrap();
        *counts.entry(status).or_default() += count;
    }
    counts
}

fn marks(lane: &Element) -> impl Iterator<Item = &Element> {
    let is_mark = |one: &&Element| one.find_attribute("data-count").is_some();
    lane.elements().filter(is_mark)
}

fn summary(summary: &Value) -> BTreeMap<String, u64> {
    let statuses = ["started", "late", "lost", "blocked", "phantom"];
    let count = |status: &str| (status.to_owned(), summary[status].as_u64().unwrap());
    let counts = statuses.map(count).into_iter();
    counts.filter(|(_, n)| *n > 0).collect()
}

#[test]
fn marks_match_the_runs_of_the_document() {
    let manifests = cron_job("hours", "0 8-18 * * *", "")
        + &cron_job("minutes", "* * * * *", "  concurrencyPolicy: Forbid\n");
    let arguments = "--for=2d --outage=2026-03-02T10:30:00Z/2026-03-02T20:30:00Z --job-duration=90s \
         --kubernetes-version=1.36 --compare=1.17,1.27.1";
    let picture = picture(&manifests, arguments);
    let lanes: Vec<&Element> = picture.named("g").collect();
    let releases = lanes.iter().map(|lane| lane.attribute("data-release"));
    let releases: Vec<&str> = releases.collect();
    assert_eq!(releases, ["1.36", "1.17", "1.27.1"].repeat(2));
    let document = document(&manifests, arguments);
    let mut expected = Vec::new();
    for item in document["items"].items() {
        expected.push(summary(&item["summary"]));
        let compared = item["compared"].items().iter();
        let others = compared.filter(|one| one["kubernetesVersion"] != "1.36");
        expected.extend(others.map(|one| summary(&one["summary"])));
    }
    let counts: Vec<_> = lanes.into_iter().map(counted).collect();
    assert_eq!(counts, expected);
}

/// A day is 668 wide, so that an hour is 27.8. Bars begin and end at the times of the document.
#[test]
fn bars_begin_and_end_where_the_jobs_do() {
    let manifest = cron_job("fours", "0 */4 * * *", "");
    let arguments = "--for=1d --job-duration=84m --outage=2026-03-02T07:30:00Z/1h \
         --kubernetes-version=1.36";
    let document = document(&manifest, arguments);
    let picture = picture(&manifest, arguments);
    let lane = picture.named("g").next().unwrap();
    let x = |time: &Value| {
        let time: jiff::Timestamp = time.text().parse().unwrap();
        let from: jiff::Timestamp = "2026-03-02T00:00:00Z".parse().unwrap();
        #[allow(clippy::cast_precision_loss, reason = "a day")]
        let seconds = (time.as_second() - from.as_second()) as f64;
        LEFT + seconds / 86_400.0 * (RIGHT - LEFT)
    };
    let runs = document["items"][0]["runs"].items().iter();
    let expected = runs.map(|run| {
        let (from, to) = (x(&run["startedAt"]), x(&run["finishedAt"]));
        [from, to - from].map(|number| format!("{number:.1}"))
    });
    let bars = marks(lane).map(|bar| ["x", "width"].map(|name| bar.attribute(name).to_owned()));
    let bars: Vec<_> = bars.collect();
    assert_eq!(bars, expected.collect::<Vec<_>>());
    let at_hour = |hour: f64| format!("{:.1}", LEFT + hour / 24.0 * (RIGHT - LEFT));
    // The third run, scheduled at 08:00, waits until the controller is up at 08:30.
    assert_eq!(bars[2][0], at_hour(8.5));
    let mut bands = picture.named("rect");
    let is_band =
        |rect: &&Element| rect.attribute("class") == "outage" && rect.attribute("width") != "12";
    let places: Vec<_> = bands.by_ref().filter(is_band).collect();
    let [band] = places[..] else {
        panic!("{} bands", places.len());
    };
    assert_eq!(band.attribute("x"), at_hour(7.5));
}

/// Three days have three dates above their hours; a year has months.
#[test]
fn axis_has_dates() {
    let manifest = cron_job("hours", "0 8-18 * * *", "");
    for (length, labels) in [
        ("3d", "Mon 2026-03-02|Tue 2026-03-03|Wed 2026-03-04"),
        ("7d", "March 2026|Mon 2|Sun 8"),
        ("10h", "Mon 2026-03-02"),
    ] {
        let picture = picture(&manifest, format!("--for={length}"));
        let texts: Vec<String> = picture.named("text").map(Element::text).collect();
        for label in labels.split('|') {
            assert!(texts.contains(&label.to_owned()), "{label} in {texts:?}");
        }
        let noons = texts.iter().filter(|text| *text == "12:00").count();
        assert!(length != "3d" || noons == 3, "{texts:?}");
    }
}

/// Each Job that fails has a triangle, in the lane and in the legend, and not only another color.
#[test]
fn failed_jobs_have_a_shape_of_their_own() {
    let manifest = cron_job("hours", "0 8-18 * * *", "");
    let limited = "jobTemplate: {spec: {activeDeadlineSeconds: 600}}";
    let limited = manifest.replace("jobTemplate: {}", limited);
    let failures = |manifest: &str| {
        let picture = picture(manifest, ["--for=1d", "--job-duration=30m"]);
        let paths = picture.all("path").into_iter();
        let failed = paths.filter(|path| path.attribute("class") == "failed");
        failed.count()
    };
    assert_eq!(failures(&limited), 11 + 1);
    assert_eq!(failures(&manifest), 0);
}

#[test]
fn long_names_are_cut_and_have_a_tooltip() {
    let name = "a-very-long-name-of-a-cronjob-that-somebody-chose-xy";
    let namespace = "a-namespace-with-a-name-that-is-as-long-as-it-can-be-63-letters";
    let manifest = cron_job(name, "0 0 * * *", "").replace("shop", namespace);
    let picture = picture(&manifest, "--for=1d");
    let full = format!("{namespace}/{name}");
    let titles: Vec<String> = picture
        .named("text")
        .flat_map(|text| text.named("title").map(Element::text).collect::<Vec<_>>())
        .collect();
    assert!(titles.contains(&full), "{titles:?}");
}

#[test]
fn svg_is_self_contained_and_has_a_title() {
    let manifest = cron_job("hours", "0 8-18 * * *", "");
    let text = simulate(&manifest, "--for=1d --kubernetes-version=1.36 -o svg").fine();
    let picture = xml(&text);
    assert_eq!(picture.attribute("role"), "img");
    let only = |name: &'static str| picture.named(name).next().unwrap().text();
    assert_eq!(only("title"), "Simulation of shop/hours");
    insta::assert_snapshot!(only("desc"));
    for outside in ["href", "url(", "@import", "<script", "<image"] {
        assert!(!text.contains(outside), "{outside}");
    }
}

#[test]
fn hostile_names_are_only_text() {
    let name = "\"</text><script>alert(1)</script>\\u001b[31m\"";
    let manifest = cron_job(name, "0 0 * * *", "");
    let picture = picture(&manifest, "--for=1d");
    assert_eq!(picture.named("script").count(), 0);
    let mut texts = picture.named("text").map(Element::text);
    assert!(texts.any(|text| text.contains("</text><script>")));
}
