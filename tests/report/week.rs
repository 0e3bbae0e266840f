//! The last week on top of the report, and the short form for a mail.

use std::fs;

use cronjob_doctor::recorder::{CronJobUpdate, StoreLocation, StoredSpec};
use jiff::SignedDuration;
use kube_model::{RunResult, RunStatus, StoredRun};

use crate::support::markup::{Element, html};
use crate::support::model::at;
use crate::support::prelude::*;

const NOW: &str = "--now=2026-03-16T00:30:00Z";

/// Every day at six.
const SCHEDULE: &str = "0 6 * * *";

fn cron_job(namespace: &str, name: &str, created: &str) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {
            "namespace": namespace, "name": name, "uid": format!("uid-of-{name}"), "creationTimestamp": created,
        },
        "spec": {"schedule": SCHEDULE, "timeZone": "Etc/UTC", "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}],
        }}}}},
        "status": {"lastScheduleTime": "2026-03-15T06:00:00Z", "lastSuccessfulTime": "2026-03-15T06:01:00Z"},
    })
}

/// The runs on these days of March, of which some failed.
fn runs(name: &str, days: std::ops::RangeInclusive<i8>, failed: &[i8]) -> Vec<StoredRun> {
    let run = |day: i8| {
        let due = at(&format!("2026-03-{day:02}T06:00:00Z"));
        let has_failed = failed.contains(&day);
        let result = if has_failed {
            RunResult::Failed
        } else {
            RunResult::Succeeded
        };
        StoredRun {
            at: due,
            status: Some(RunStatus::OnTime),
            result: Some(result),
            cause: has_failed.then(|| "jobFailed".to_owned()),
            job_name: Some(format!("{name}-{}", due.as_second() / 60)),
            started_at: Some(due),
            finished_at: Some(due + SignedDuration::from_mins(1)),
            ..StoredRun::default()
        }
    };
    days.map(run).collect()
}

fn update(namespace: &str, name: &str, runs: Vec<StoredRun>) -> CronJobUpdate {
    CronJobUpdate {
        uid: format!("uid-of-{name}"),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        judged_until: at("2026-03-16T00:30:00Z"),
        spec: Some(StoredSpec {
            schedule: SCHEDULE.to_owned(),
            time_zone: Some("Etc/UTC".to_owned()),
            suspend: false,
            concurrency_policy: "Allow".to_owned(),
            starting_deadline: None,
            generation: None,
        }),
        runs,
    }
}

/// The recorder has been watching since March 2. `shop/good` succeeded every day, `shop/bad` failed on three days of the
/// second week, `ops/new` ran once, and `ops/gone` was deleted on March 12.
fn recorded(folder: &Folder) -> [Value; 3] {
    let path = folder.join("runs.db");
    let mut store = StoreLocation::File(path).create().unwrap();
    let gone = update("ops", "gone", runs("gone", 2..=11, &[]));
    let (begin, deleted, end) = (
        at("2026-03-02T00:00:00Z"),
        at("2026-03-12T00:00:00Z"),
        at("2026-03-16T00:30:00Z"),
    );
    let mut first = [
        CronJobUpdate {
            judged_until: begin,
            ..update("shop", "good", Vec::new())
        },
        CronJobUpdate {
            judged_until: begin,
            ..update("shop", "bad", Vec::new())
        },
        CronJobUpdate {
            judged_until: begin,
            ..update("ops", "gone", Vec::new())
        },
    ];
    store
        .write(&first, &[], Some(&(begin..begin)), begin)
        .unwrap();
    store
        .write(
            &[gone],
            &[("uid-of-gone".to_owned(), deleted)],
            Some(&(begin..deleted)),
            deleted,
        )
        .unwrap();
    first[0] = update("shop", "good", runs("good", 2..=15, &[]));
    first[1] = update("shop", "bad", runs("bad", 2..=15, &[9, 11, 13]));
    first[2] = update("ops", "new", runs("new", 15..=15, &[]));
    store.write(&first, &[], Some(&(begin..end)), end).unwrap();
    [
        cron_job("shop", "good", "2026-03-02T00:00:00Z"),
        cron_job("shop", "bad", "2026-03-02T00:00:00Z"),
        cron_job("ops", "new", "2026-03-14T12:00:00Z"),
    ]
}

fn call(folder: &Folder, objects: &[Value], arguments: &str) -> Ran {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let file = folder.join("cluster.json");
    fs::write(&file, list.to_string()).unwrap();
    let arguments = (
        "report -f cluster.json --kubernetes-version 1.36 --tzdb bundled -q",
        arguments,
        NOW,
    );
    doctor_in(folder, arguments)
}

/// The cells of the rows of a table.
fn cells(page: &Element, class: &str) -> Vec<Vec<String>> {
    let table = page.only("table", "class", class);
    let bodies = table.all("tbody").into_iter();
    let rows = bodies.flat_map(|body| body.all("tr"));
    rows.map(|row| {
        let heads = row.all("th").into_iter().chain(row.all("td"));
        heads.map(Element::text).collect()
    })
    .collect()
}

/// Of 15 runs since March 9, 12 succeeded; of 14 in the week before, all did.
#[test]
fn week_is_compared_with_the_week_before_by_namespace_or_team() {
    let folder = Folder::new("report-week", &[]);
    let mut objects = recorded(&folder);
    let read = |objects: &[Value]| html(&call(&folder, objects, "--recorder runs.db").fine());
    let page = read(&objects);
    let week = page.only("section", "id", "week");
    let lead = week.all("p")[0].text();
    assert_eq!(lead, "80% of 15 due runs succeeded in time");
    let namespaces = [
        ["ops", "1", "1", "0", "100%", "-"],
        ["shop", "2", "14", "3", "78.5%", "100%"],
    ];
    assert_eq!(cells(week, "weeks"), namespaces);
    let offenders = cells(week, "offenders");
    assert_eq!(offenders.len(), 1);
    assert_eq!(offenders[0][..5], ["shop/bad", "7", "3", "57.1%", "100%"]);
    let changed: Vec<String> = week.all("li").iter().map(|item| item.text()).collect();
    assert_eq!(
        changed,
        [
            "ops/new, created 2026-03-14 12:00 UTC",
            "ops/gone, deleted by 2026-03-12 00:00 UTC"
        ]
    );
    insta::assert_snapshot!(week.text());
    objects[0]["metadata"]["labels"] = json!({"team": "payments"});
    let page = read(&objects);
    let teams = cells(&page, "weeks");
    assert_eq!(teams[0][..4], ["none", "2", "8", "3"]);
    assert_eq!(teams[1][..4], ["payments", "1", "7", "0"]);
}

#[test]
fn week_is_only_shown_with_a_recorder_and_compared_only_with_a_whole_one() {
    let folder = Folder::new("report-week-alone", &[]);
    let objects = recorded(&folder);
    let page = html(&call(&folder, &objects, "").fine());
    let ids = page.all("section").into_iter();
    let mut ids = ids.map(|section| section.attribute("id"));
    assert!(!ids.any(|id| id == "week"));
    let page = html(&call(&folder, &objects, "--recorder runs.db --since 10d").fine());
    assert_eq!(
        cells(&page, "weeks")[1],
        ["shop", "2", "14", "3", "78.5%", "-"]
    );
}

/// The body of a mail: no script, and short even for many broken CronJobs.
#[test]
fn summary_is_short_and_has_no_script() {
    let folder = Folder::new("report-summary", &[]);
    let objects = recorded(&folder);
    let text = call(&folder, &objects, "--summary --recorder runs.db").fine();
    let page = html(&text);
    assert!(page.all("script").is_empty());
    let body = page.all("body")[0].text();
    assert_contains!(body, "80% of 15 due runs succeeded in time");
    assert_contains!(body, "shop/bad");
    let (shown, _) = body.split_once("Time2026-03-16").unwrap();
    insta::assert_snapshot!(shown);

    let broken = (0..500).map(|number| {
        let mut broken = cron_job(
            "shop",
            &format!("never-{number:03}"),
            "2026-03-02T00:00:00Z",
        );
        broken["spec"]["schedule"] = json!("0 0 31 2 *");
        broken
    });
    let text = call(&folder, &broken.collect::<Vec<_>>(), "--summary").fine();
    assert!(text.len() <= 100_000, "{}", text.len());
    assert_contains!(text, "and 450 more");
    call(&folder, &objects, "--summary -o json").refused();
}
