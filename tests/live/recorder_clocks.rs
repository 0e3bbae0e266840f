//! `serve --record` when the clock of the API server or of this machine is wrong.

use cronjob_doctor::recorder::StoreLocation;

use crate::live::prelude::*;
use crate::live::serve::Exporter;
use crate::support::control_plane::wait_until;
use crate::support::local_clock::LocalClock;

const NOON: &str = "2026-11-21T12:00:05Z";

fn serve(server: &ApiServer, folder: &Folder, clock: &LocalClock) -> Exporter {
    let serve = "serve -A --listen=127.0.0.1:0 --record runs.db";
    let mut call = Call::by(server, "viewer", serve).in_folder(folder);
    for (name, value) in clock.variables() {
        call = call.variable(name, &value);
    }
    let exporter = Exporter::of(call);
    exporter.wait_until_ready();
    exporter
}

/// What is stored: the runs of `nightly` and `hourly` with the names of their Jobs, and until when they are judged.
fn stored(folder: &Folder) -> (Vec<(String, Option<String>)>, Vec<String>) {
    let store = StoreLocation::File(folder.join("runs.db")).open().unwrap();
    let intervals = store.intervals().unwrap();
    let runs = ["hourly", "nightly"].map(|name| {
        let since = jiff::Timestamp::MIN;
        store
            .record("shop", name, &intervals, since, 10_000)
            .unwrap()
            .runs
    });
    let runs = runs.iter().flatten();
    let runs = runs.map(|run| (run.at.to_string(), run.job_name.clone()));
    let judged = store.cron_jobs().unwrap();
    let judged = judged.iter().map(|one| one.judged_until.to_string());
    (runs.collect(), judged.collect())
}

fn wait_for_run(folder: &Folder, job: &str) {
    wait_until(job, || {
        folder.join("runs.db").exists()
            && stored(folder)
                .0
                .iter()
                .any(|(_, name)| name.as_deref() == Some(job))
    });
}

const AGREE: &str = "cronjob_doctor_recorder_clocks_agree 1";
const DISAGREE: &str = "cronjob_doctor_recorder_clocks_agree 0";

/// According to the wrong clock, the run of 02:00 has expired.
#[test]
fn date_of_the_api_server_in_the_next_year_removes_and_invents_nothing() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let Some(clock) = LocalClock::showing(NOON) else {
        return;
    };
    let exporter = serve(&server, &folder, &clock);
    wait_for_run(&folder, "nightly-29920440");
    exporter.wait_for(AGREE, true);
    assert_eq!(exporter.get("/readyz").body, "ok\n");
    drop(exporter);
    let before = stored(&folder);
    for (date, days) in [
        ("2027-12-26T12:10:05Z", "400d"),
        ("2026-11-24T12:10:05Z", "3d"),
        ("2025-10-17T12:00:05Z", "400d"),
    ] {
        server.set_date(date);
        let exporter = serve(&server, &folder, &clock);
        exporter.wait_for(DISAGREE, true);
        let start = "warning: the API server's time (";
        let said = exporter.going.message_where(|line| line.starts_with(start));
        assert_contains!(said, &format!(" are {days} apart: "));
        let ready = exporter.get("/readyz");
        assert_eq!(ready.code, 200);
        assert_contains!(ready.body, &said);
        assert_eq!(stored(&folder).0, before.0, "{date}");
        drop(exporter);
        assert!(
            stored(&folder)
                .1
                .iter()
                .all(|judged| **judged < *"2026-11-21T13")
        );
    }
    server.set_date(NOON);
    let exporter = serve(&server, &folder, &clock);
    exporter.wait_for(AGREE, true);
    assert_eq!(stored(&folder).0, before.0);
}

/// The API server is asked for its time when it is back.
#[test]
fn clocks_that_jump_while_the_recorder_runs_remove_and_invent_nothing() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let Some(clock) = LocalClock::showing(NOON) else {
        return;
    };
    let exporter = serve(&server, &folder, &clock);
    wait_for_run(&folder, "nightly-29920440");
    let before = stored(&folder);
    let said = |start: &str| {
        let start = format!("warning: {start}");
        exporter
            .going
            .message_where(|line| line.starts_with(&start));
    };
    let moved = |date: &str| {
        server.stop();
        said("connection to the cluster lost");
        server.set_date(date);
        server.restart();
    };
    let apart = "the API server's time (";
    moved("2028-11-21T12:00:05Z");
    said(apart);
    exporter.wait_for(DISAGREE, true);
    // Jobs in the cluster are still stored.
    server.put(job(
        "shop",
        "nightly",
        "2026-11-21T12:00:00Z",
        Some("2026-11-21T12:00:04Z"),
    ));
    wait_for_run(&folder, "nightly-29921040");
    moved(NOON);
    exporter.wait_for(AGREE, true);
    clock.set("2026-11-21T13:00:05Z");
    said(apart);
    clock.set(NOON);
    exporter.wait_for(AGREE, true);
    let after = stored(&folder);
    let new = (
        "2026-11-21T12:00:00Z".to_owned(),
        Some("nightly-29921040".to_owned()),
    );
    let without_new: Vec<_> = after.0.iter().filter(|run| **run != new).collect();
    assert_eq!(without_new, before.0.iter().collect::<Vec<_>>());
    assert_eq!(after.0.len(), before.0.len() + 1);
    assert!(
        after.1.iter().all(|judged| **judged < *"2026-11-21T13"),
        "{after:?}"
    );
}
