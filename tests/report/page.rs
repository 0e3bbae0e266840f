//! The page is well-formed, self-contained, and shows the numbers of the document.

use std::io::Read as _;

use crate::support::prelude::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{json, recorded, report};
use crate::support::markup::{Element, html};

fn page() -> Element {
    html(&recorded("report", ["--quiet"]).stdout)
}

/// The rows of a list.
fn rows<'p>(page: &'p Element, list: &str) -> Vec<&'p Element> {
    let table = page.only("table", "data-list", list);
    let rows = table.all("tr").into_iter();
    rows.filter(|row| row.find_attribute("data-i").is_some())
        .collect()
}

fn unpacked(script: &Element) -> String {
    let bytes = STANDARD.decode(script.text()).unwrap();
    let mut text = String::new();
    let mut reader = flate2::read::GzDecoder::new(&bytes[..]);
    reader.read_to_string(&mut text).unwrap();
    text
}

/// The document in the page.
fn carried(page: &Element) -> Value {
    json(&unpacked(page.only("script", "id", "data")))
}

/// The explanations in the page, those that are packed together below one element.
fn explanations(page: &Element) -> Vec<Element> {
    let packs = page.all("script").into_iter();
    let packs = packs.filter(|script| script.find_attribute("class") == Some("details"));
    let markup = |pack| {
        html(&format!(
            "<!doctype html>\n<html>{}</html>\n",
            unpacked(pack)
        ))
    };
    packs.map(markup).collect()
}

#[test]
fn page_contains_the_document() {
    let document = json(&recorded("report", ["--quiet", "-o", "json"]).stdout);
    assert_eq!(carried(&page()), document);
}

#[test]
fn same_evidence_gives_same_page() {
    let one = recorded("report", ["--quiet"]).stdout;
    assert_eq!(one, recorded("report", ["--quiet", "-o", "html"]).stdout);
}

#[test]
fn lists_have_a_row_for_each_cron_job() {
    let page = page();
    let document = carried(&page);
    let items = document["scan"]["items"].items();
    for list in ["cronjobs", "timeline", "past"] {
        let shown: Vec<String> = rows(&page, list)
            .iter()
            .map(|row| row.all("th")[0].text())
            .collect();
        let named = items.iter().map(|item| {
            let text = |field: &str| item[field].text();
            format!("{}/{}", text("namespace"), text("name"))
        });
        assert_eq!(shown, named.collect::<Vec<_>>(), "{list}");
    }
    let found: usize = items
        .iter()
        .map(|item| item["findings"].items().len())
        .sum();
    let shown = rows(&page, "findings");
    let shown = shown.iter().map(|row| row.all("b").len()).sum::<usize>();
    assert_eq!((shown, found), (8, 8));
}

/// A suspended CronJob has no next run, and the row shows the reason.
#[test]
fn row_of_suspended_cron_job_names_the_suspension() {
    let page = page();
    let row = rows(&page, "cronjobs")
        .into_iter()
        .find(|row| row.all("th")[0].text() == "shop/nightly");
    let cells: Vec<String> = row
        .unwrap()
        .all("td")
        .iter()
        .map(|cell| cell.text())
        .collect();
    assert!(cells.contains(&"none (suspended)".to_owned()), "{cells:?}");
}

#[test]
fn head_names_time_controller_and_source() {
    let page = page();
    insta::assert_snapshot!(page.all("title")[0].text());
    let made = page.all("dl")[0];
    let names: Vec<String> = made.all("dt").iter().map(|name| name.text()).collect();
    assert_eq!(names, ["Time", "Controller", "Time zones", "Source"]);
    let values: Vec<String> = made.all("dd").iter().map(|value| value.text()).collect();
    assert_eq!(values[0], "2026-11-21 02:13:08 UTC (set by --now)");
    insta::assert_snapshot!(values[1]);
    assert!(values[2].starts_with("tz database 20") && values[2].ends_with("(built in)"));
    assert_eq!(values[3], "files: examples/cluster");
}

/// The page makes no requests, and its policy forbids them.
#[test]
fn page_is_self_contained() {
    let text = recorded("report", ["--quiet"]).stdout;
    let page = html(&text);
    let policy = page.only("meta", "http-equiv", "Content-Security-Policy");
    let policy = policy.attribute("content");
    assert_starts!(policy, "default-src 'none'; script-src 'sha256-");
    assert!(
        !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
    for element in ["img", "iframe", "object", "embed", "base", "video"] {
        assert_eq!(page.all(element).len(), 0, "{element}");
    }
    let scripts = page.all("script");
    assert_eq!(scripts.len(), 4);
    assert!(
        scripts
            .iter()
            .all(|script| script.find_attribute("src").is_none())
    );
    for link in page.all("a") {
        let target = link.attribute("href");
        let id = target
            .strip_prefix('#')
            .unwrap_or_else(|| panic!("{target} leaves the page"));
        assert!(
            text.contains(&format!(" id=\"{id}\"")),
            "{target} does not exist"
        );
    }
    for style in ["@import", "url(", "style=\"", " onclick"] {
        assert!(!text.contains(style), "{style}");
    }
    let mut ids: Vec<&str> = text.split(" id=\"").skip(1).collect();
    for id in &mut ids {
        *id = id.split('"').next().unwrap();
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id occurs twice");
}

#[test]
fn empty_report_shows_that_nothing_was_found() {
    let ran = report("", "");
    let page = html(&ran.fine());
    let expected = "CronJobs from standard input, 2026-11-21 02:13 UTC";
    assert_eq!(page.all("title")[0].text(), expected);
    assert_eq!(page.all("table").len(), 0);
    let text = page.all("main")[0].text();
    for message in [
        "No findings.",
        "No CronJobs found.",
        "No upcoming runs.",
        "No CronJob starts a Job.",
        "No past runs.",
    ] {
        assert_contains!(text, message);
    }
}

#[test]
fn hostile_names_are_only_text() {
    let name = "</script><script>alert(1)</script><!--\\u2028\\u202e\\u001b[31m'\\\"&amp;";
    let manifest = format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{namespace: \"{name}\", name: \"{name}\"}}\nspec:\n  \
         schedule: \"{name}\"\n  timeZone: \"{name}\"\n  jobTemplate: {{}}\n"
    );
    let ran = report(&manifest, "");
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = html(&ran.stdout);
    assert_eq!(page.all("script").len(), 4);
    assert!(!ran.stdout.contains('\u{1b}'));
    // Characters that cannot be seen are shown as escapes. The document contains them unchanged.
    let shown = r#"</script><script>alert(1)</script><!--\u{2028}\u{202e}\u{1b}[31m'"&amp;"#;
    let expected = format!("{shown}/{shown}");
    assert_eq!(rows(&page, "cronjobs")[0].all("th")[0].text(), expected);
    let explained = &explanations(&page)[0];
    assert_eq!(explained.all("div")[0].attribute("aria-label"), expected);
    assert_eq!(explained.all("script").len(), 0);
    assert_contains!(explained.text(), shown);
    let written = "</script><script>alert(1)</script><!--\u{2028}\u{202e}\u{1b}[31m'\"&amp;";
    assert_eq!(carried(&page)["scan"]["items"][0]["name"], written);
}

/// Only a runbook at an `http` or `https` address is a link; everything else is text.
#[test]
fn runbook_is_a_link_only_with_a_safe_scheme() {
    let links = |runbook: &str| {
        let manifest = format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: x\n  annotations: {{cronjob-doctor/runbook: \"{runbook}\"}}\n\
             spec:\n  schedule: 0 0 31 2 *\n  jobTemplate: {{}}\n"
        );
        let page = html(&report(&manifest, "").fine());
        let findings = rows(&page, "findings");
        let links = findings[0].all("a").into_iter();
        let leaving: Vec<String> = links
            .filter(|link| !link.attribute("href").starts_with('#'))
            .map(|link| link.attribute("href").to_owned())
            .collect();
        (leaving, findings[0].text())
    };
    let (link, text) = links("https://wiki.example.com/?a=<b>&c='d'");
    assert_eq!(link, ["https://wiki.example.com/?a=<b>&c='d'"]);
    assert!(text.contains("Runbook: https://wiki.example.com/?a=<b>&c='d'"));
    let (link, _) = links("http://wiki.example.com/é");
    assert_eq!(link, ["http://wiki.example.com/é"]);
    for hostile in [
        "javascript:alert(1)",
        "https://",
        "https://a b",
        "https://a\u{202e}b",
        "HTTPS://wiki.example.com",
        "//wiki.example.com",
        "https://x\\\" onclick=\\\"alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "<a href=https://x>x</a>",
    ] {
        let (link, text) = links(hostile);
        assert_eq!(link, [""; 0], "{hostile}");
        assert_contains!(text, "Runbook: ");
    }
}

/// Rows beyond the first hundred are in the page, but not shown at first; explanations are in the order of the rows.
#[test]
fn many_rows_and_explanations_are_split() {
    let mut manifests = String::new();
    for index in 0..250 {
        manifests += &format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{namespace: shop, name: job-{index}}}\nspec: \
             {{schedule: \"{} * * * *\", timeZone: Etc/UTC, jobTemplate: {{}}}}\n---\n",
            index % 60
        );
    }
    let page = html(&report(&manifests, "").fine());
    let table = page.only("table", "data-list", "cronjobs");
    let bodies = table.all("tbody");
    let counts: Vec<usize> = bodies.iter().map(|body| body.all("tr").len()).collect();
    assert_eq!(counts, [100, 100, 50]);
    let later: Vec<Option<&str>> = bodies
        .iter()
        .map(|body| body.find_attribute("class"))
        .collect();
    assert_eq!(later, [None, Some("later"), Some("later")]);
    let explained = explanations(&page);
    let counts: Vec<usize> = explained
        .iter()
        .map(|pack| pack.elements().count())
        .collect();
    assert_eq!(counts, [100, 100, 50]);
    let of_row = |row: &Element| row.all("th")[0].text();
    let named: Vec<String> = rows(&page, "cronjobs").into_iter().map(of_row).collect();
    let explained = explained.iter().flat_map(Element::elements);
    let explained = explained.map(|one| one.attribute("aria-label"));
    assert!(explained.eq(named.iter().map(String::as_str)));
}

/// A CronJob without Jobs: its scheduled times are one row, without the last one, which may still start, and nothing is
/// drawn.
#[test]
fn scheduled_times_without_runs_are_one_row() {
    let cron_job = "{apiVersion: batch/v1, kind: CronJob, metadata: {name: quarters, namespace: shop, \
                    creationTimestamp: '2026-11-21T00:10:00Z'}, spec: {schedule: '*/15 * * * *', jobTemplate: {}}}";
    let page = html(&report(cron_job, [""; 0]).fine());
    assert_eq!(
        carried(&page)["history"]["items"][0]["runs"].items().len(),
        8
    );
    let [details] = explanations(&page).try_into().unwrap();
    let table = details.only("table", "class", "numbers");
    let rows = table.all("tbody")[0].all("tr");
    assert_eq!(rows.len(), 2);
    let row = rows[0].text();
    assert_contains!(row, "2026-11-21 00:15 to 2026-11-21 01:45");
    assert_contains!(row, "7 ");
    assert!(!rows[1].text().contains(" to "));
    assert!(details.all("svg").is_empty());
}
