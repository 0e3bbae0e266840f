//! `serve --record`, and `--recorder` of the verbs that read.

use std::process::Command;

use cronjob_doctor::recorder::StoreLocation;

use test_requirements::NAMESPACES;

use crate::live::prelude::*;
use crate::live::serve::Exporter;
use crate::support::apiserver::Match;
use crate::support::control_plane::{eventually, wait_until};
use crate::support::files::{text, yaml};
use crate::support::json::merge;
#[cfg(target_os = "linux")]
use crate::support::local_clock::LocalClock;
#[cfg(target_os = "linux")]
use crate::support::postgres::{PASSWORD, Postgres};

/// The path of the recorder behind a Service.
pub(super) const SERVICE: &str =
    "/api/v1/namespaces/monitoring/services/cronjob-doctor:http/proxy/api/v1/history";

pub(super) fn serve(server: &ApiServer, folder: &Folder) -> Exporter {
    let serve = "serve -A --listen=127.0.0.1:0 --record runs.db";
    Exporter::of(Call::by(server, "viewer", serve).in_folder(folder))
}

/// The scheduled times of `nightly` with status, result and source.
fn nightly(server: &ApiServer, folder: &Folder, more: &str) -> Vec<Value> {
    let history = (
        "history nightly --since 12h --now=2026-11-21T12:00:30Z -o json",
        more,
    );
    let ran = Call::by(server, "viewer", history).in_folder(folder).run();
    let document: Value = serde_json::from_str(&ran.fine()).unwrap();
    let runs = document["items"][0]["runs"].items().iter();
    let fields = ["scheduledTime", "status", "result", "source"];
    runs.map(|run| json!(fields.map(|field| run[field].clone())))
        .collect()
}

fn wait_until_stored(exporter: &Exporter, what: &str) -> String {
    eventually(what, || {
        let response = exporter.get("/api/v1/history?namespace=shop");
        (response.code == 200 && response.body.contains(what)).then_some(response.body)
    })
}

/// The Job of 02:00 exists when the recorder starts, and is deleted later.
#[test]
fn run_is_known_after_its_job_is_gone() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    wait_until_stored(&exporter, "nightly-29920440");
    assert!(
        exporter
            .get("/metrics")
            .body
            .contains("\ncronjob_doctor_recorder_up 1\n")
    );
    server.delete("batch/v1", "Job", "shop", "nightly-29920440");
    let body = wait_until_stored(&exporter, "\"source\": \"recorder\"");
    let lost = json!(["2026-11-21T02:00:00Z", "unknown", null, null]);
    assert_eq!(nightly(&server, &folder, ""), [lost]);
    let stored = json!(["2026-11-21T02:00:00Z", "onTime", "succeeded", "recorder"]);
    let expected = std::slice::from_ref(&stored);
    assert_eq!(nightly(&server, &folder, "--recorder runs.db"), expected);
    let body = Box::leak(body.into_boxed_str());
    server.fault(Match::path(SERVICE), Fault::Body("application/json", body));
    let through_service = "--recorder monitoring/cronjob-doctor";
    assert_eq!(nightly(&server, &folder, through_service), [stored]);
    let asked = server.requests_where(|request| request.path == SERVICE);
    assert_eq!(asked.len(), 1);
    server.clear_faults();
    let unknown = Call::by(&server, "viewer", ("history nightly", through_service)).run();
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
}

/// Nothing is stored: the Job of 02:00 succeeded before, and the one of 12:00 is a line when it has ended.
#[test]
fn each_judged_run_is_a_line_on_stdout() {
    let (server, folder) = (noon(), Folder::new("recorder-stdout", &[]));
    let mut running = job("shop", "hourly", "2026-11-21T12:00:00Z", None);
    running["status"]["ready"] = json!(1);
    let name = running["metadata"]["name"].text().to_owned();
    let mut hourly = cron_job("shop", "hourly", "0 * * * *");
    hourly["status"] = status_with_active(&running);
    hourly["metadata"]["creationTimestamp"] = json!("2026-11-21T11:59:00Z");
    server.add(hourly);
    server.add(running);
    let serve = "serve -n shop --listen=127.0.0.1:0 --record -";
    let exporter = Exporter::of(Call::by(&server, "viewer", serve).in_folder(&folder));
    let line = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    let fields = [
        "namespace",
        "name",
        "kind",
        "scheduledTime",
        "status",
        "result",
        "jobName",
    ];
    let shown = |line: &Value| json!(fields.map(|field| line[field].clone()));
    let first = exporter.going.line();
    let page = text("docs/serve.md");
    let documented = page
        .lines()
        .find(|line| line.starts_with(r#"{"namespace""#));
    assert_eq!(documented, Some(&*first));
    let first = line(first);
    let expected = json!([
        "shop",
        "nightly",
        "scheduled",
        "2026-11-21T02:00:00Z",
        "onTime",
        "succeeded",
        "nightly-29920440",
    ]);
    assert_eq!(shown(&first), expected, "{first}");
    assert_eq!(
        (&first["cause"], &first["reason"]),
        (&Value::Null, &Value::Null)
    );
    exporter.wait_until_ready();
    assert_eq!(exporter.get("/api/v1/history").code, 404);
    let metrics = exporter.get("/metrics").body;
    assert_contains!(metrics, "\ncronjob_doctor_recorder_up 1\n");
    finish(&server, &name, "Failed");
    let second = line(exporter.going.line());
    let expected = json!([
        "shop",
        "hourly",
        "scheduled",
        "2026-11-21T12:00:00Z",
        "onTime",
        "failed",
        name
    ]);
    assert_eq!(shown(&second), expected, "{second}");
    assert_eq!(exporter.going.interrupted(), (Vec::new(), Some(130)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The pod of the run waited 3 seconds for a node and 5 seconds for its image, and ran for 40 seconds. It is read once,
/// and then deleted with the Job.
#[test]
fn phases_of_a_run_are_recorded_from_its_pods() {
    let (server, folder) = (server(), Folder::new("recorder", &[]));
    let name = "hourly-29920445";
    let job = server.object("batch/v1", "Job", "shop", name).unwrap();
    let ended = json!({"exitCode": 0, "startedAt": "2026-11-21T02:05:10Z", "finishedAt": "2026-11-21T02:05:50Z"});
    let scheduled = json!({"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-21T02:05:03Z"});
    let status = json!({
        "phase": "Succeeded", "conditions": [scheduled],
        "containerStatuses": [{"name": "main", "restartCount": 0, "state": {"terminated": ended}}],
    });
    server.add(pod_of(&job, "abcde", &status));
    for (reason, at) in [("Pulling", "02:05:04Z"), ("Pulled", "02:05:09Z")] {
        server.add(pull_event(
            &format!("{name}-abcde"),
            reason,
            &format!("2026-11-21T{at}"),
        ));
    }
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    // Objects that are not watched are read as soon as the connection is back.
    server.stop();
    let lost = "warning: connection to the cluster lost";
    exporter.going.message_where(|line| line.starts_with(lost));
    server.restart();
    let phases = json!({
        "queuedSeconds": 0, "waitingSeconds": 10, "nodeSeconds": 3, "imageSeconds": 5, "initSeconds": null,
        "runningSeconds": 40, "endingSeconds": 10,
    });
    let of_run = |document: &Value| {
        let runs = document["items"][0]["runs"].items();
        let mut runs = runs.iter().filter(|run| run["jobName"] == name);
        runs.next().map(|run| run["phases"].clone())
    };
    let stored = || {
        let page = exporter.get("/api/v1/history?namespace=shop&name=hourly");
        of_run(&serde_json::from_str(&page.body).unwrap())
    };
    wait_until("it has read the pods", || stored() == Some(phases.clone()));
    let asked = server.requests_where(|request| request.path.ends_with("/pods"));
    let asked: Vec<_> = asked
        .iter()
        .map(|request| request.parameter("labelSelector"))
        .collect();
    let both = Some("job-name in (hourly-29920445,nightly-29920440)");
    // On a busy machine they were read before the connection was lost. The pod that the other Job counts is missing: only
    // that is read again.
    let again = Some("job-name=nightly-29920440");
    let once = asked.iter().filter(|asked| **asked == both);
    assert_eq!(once.count(), 1, "{asked:?}");
    let mut others = asked.iter().filter(|asked| **asked != both);
    assert!(others.all(|asked| *asked == again), "{asked:?}");
    server.delete("batch/v1", "Job", "shop", name);
    wait_until("the Job is gone", || {
        let page = exporter.get("/api/v1/history?namespace=shop&name=hourly");
        page.body.contains("\"source\": \"recorder\"")
    });
    assert_eq!(stored(), Some(phases.clone()));
    let history = "history hourly -n shop --since 1h -o json --recorder runs.db";
    let ran = Call::by(&server, "viewer", history)
        .in_folder(&folder)
        .run();
    assert_eq!(of_run(&ran.json()), Some(phases));
}

#[test]
fn deleted_cronjob_has_its_recorded_runs() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    let body = wait_until_stored(&exporter, "nightly-29920440");
    drop(exporter);
    server.delete("batch/v1", "Job", "shop", "nightly-29920440");
    server.delete("batch/v1", "CronJob", "shop", "nightly");
    let body = Box::leak(body.into_boxed_str());
    server.fault(Match::path(SERVICE), Fault::Body("application/json", body));
    for recorder in ["runs.db", "monitoring/cronjob-doctor"] {
        let history = ("history nightly --since 12h -o json --recorder", [recorder]);
        let ran = Call::by(&server, "viewer", history)
            .in_folder(&folder)
            .run();
        assert_contains!(ran.stderr, "nightly: showing only stored runs");
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let item = &document["items"][0];
        assert_eq!(item["schedule"], "0 2 * * *");
        assert_eq!(item["runs"][0]["result"], "succeeded", "{}", ran.stdout);
    }
    let asked = server.requests_where(|request| request.path == SERVICE);
    let name = ("name".to_owned(), "nightly".to_owned());
    assert!(asked[0].query.contains(&name), "{asked:?}");
}

/// `billing` is not in the cluster. It was recorded in March, with two runs that were not seen. The recorder notices in
/// November that it was deleted.
#[test]
fn recorder_invents_nothing_about_a_deleted_cronjob() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    folder.write("runs.db", fs::read("examples/recorder/runs.db").unwrap());
    let serve = "serve -A --listen=127.0.0.1:0 --record runs.db --keep 365d";
    let exporter = Exporter::of(Call::by(&server, "viewer", serve).in_folder(&folder));
    exporter.wait_until_ready();
    let query = "?namespace=shop&name=billing&since=2026-03-04T00:00:00Z";
    let body = exporter.get(&format!("/api/v1/history{query}")).body;
    let item = serde_json::from_str::<Value>(&body).unwrap()["items"][0].clone();
    let runs = item["runs"].items().iter();
    let (stored, others): (Vec<_>, Vec<_>) = runs.partition(|run| run["source"] == "recorder");
    assert_eq!(stored.len(), 18);
    assert!(
        others.iter().all(|run| run["status"] == "unknown"),
        "{body}"
    );
    let first = ["2026-03-24T05:00:00Z", "2026-03-25T05:00:00Z"];
    assert_eq!([0, 1].map(|at| others[at]["scheduledTime"].text()), first);
}

#[test]
fn history_of_the_recorder_is_bounded_and_rejects_what_it_does_not_know() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    let code = |query: &str| exporter.get(&format!("/api/v1/history{query}")).code;
    for wrong in [
        "limit=1",
        "since=yesterday",
        "name=%ff",
        "name=",
        "name=A",
        "name=a..b",
        "name=a%00",
        "namespace=../../etc",
        "namespace=a.b",
        "continue=x",
        "continue=a/b/c",
    ] {
        assert_eq!(code(&format!("?{wrong}")), 400, "{wrong}");
    }
    for right in ["", "?name=gone", "?since=2026-11-21T00%3A00%3A00Z"] {
        assert_eq!(code(right), 200, "{right}");
    }
    // Continue after a CronJob, and after a run of a CronJob.
    let runs_from = |place: &str| {
        let query = format!("/api/v1/history?namespace=shop&continue=shop%2F{place}");
        exporter.get(&query).body.matches("\"jobName\"").count()
    };
    wait_until_stored(&exporter, "nightly-29920440");
    let after = [
        "nightly",
        "nightly/2026-11-21T01:00:00Z",
        "nightly/2026-11-21T03:00:00Z",
    ]
    .map(runs_from);
    assert_eq!(after, [0, 1, 0]);
    let without = Exporter::of(Call::by(&server, "viewer", "serve -A --listen=127.0.0.1:0"));
    assert_eq!(without.get("/api/v1/history").code, 404);
}

#[test]
fn unusable_files_are_refused() {
    let (server, folder) = (
        noon(),
        Folder::new("recorder", &[("text.db", "no database at all")]),
    );
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    wait_until_stored(&exporter, "nightly-29920440");
    let serve = |file: &str| {
        let serve = format!("serve -A --listen=127.0.0.1:0 --record {file}");
        Call::by(&server, "viewer", serve).in_folder(&folder).run()
    };
    let mut refused = vec![
        serve("runs.db").refused(),
        serve("text.db").refused(),
        serve("gone/runs.db").refused(),
    ];
    drop(exporter);
    let bytes = fs::read(folder.join("runs.db")).unwrap();
    // The version of the tables in the header, and a page of the table of runs.
    let (mut newer, mut damaged) = (bytes.clone(), bytes);
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    damaged[4096..].fill(0xff);
    for (file, bytes) in [("newer.db", newer), ("damaged.db", damaged)] {
        folder.write(file, bytes);
        refused.push(serve(file).refused());
    }
    let read = |file: &str| {
        let history = ["history", "nightly", "--quiet", "--recorder", file];
        Call::by(&server, "viewer", history)
            .in_folder(&folder)
            .run()
            .refused()
    };
    refused.extend(["gone.db", "text.db", "newer.db"].map(read));
    insta::assert_snapshot!(refused.join("\n"));
}

#[cfg(target_os = "linux")]
fn replica(server: &ApiServer, url: String) -> Call<'_> {
    let serve = ("serve -A --listen=127.0.0.1:0 --record", [url]);
    Call::by(server, "viewer", serve).variable("PGPASSWORD", PASSWORD)
}

#[cfg(target_os = "linux")]
const LEADS: &str = "cronjob_doctor_recorder_leader 1";
const UP: &str = "cronjob_doctor_recorder_up 1";
const DOWN: &str = "cronjob_doctor_recorder_up 0";

/// The first replica records until it ends; before that, the database is restarted.
#[cfg(target_os = "linux")]
#[test]
fn one_of_two_replicas_records_and_both_answer() {
    let Some(mut postgres) = Postgres::start() else {
        return;
    };
    let server = noon();
    let url = postgres.checked_url();
    let first = Exporter::of(replica(&server, url.clone()));
    first.wait_until_ready();
    first.wait_for(LEADS, true);
    let says = |replica: &Exporter, what: &str| {
        replica.going.message_where(|line| line.starts_with(what));
    };
    says(&first, "This replica records.");
    let second = Exporter::of(replica(&server, url));
    second.wait_until_ready();
    says(&second, "Another replica records");
    for one in [&first, &second] {
        wait_until_stored(one, "nightly-29920440");
        one.wait_for(UP, true);
    }
    second.wait_for(LEADS, false);
    let last_write = "cronjob_doctor_recorder_last_write_timestamp_seconds ";
    let writes = |replica: &Exporter| replica.get("/metrics").body.contains(last_write);
    assert_eq!((writes(&first), writes(&second)), (true, false));

    // Changes in the meantime are stored afterwards, including those to objects that were deleted by then.
    postgres.stop();
    first.wait_for(DOWN, true);
    second.wait_for(DOWN, true);
    first.wait_for(LEADS, false);
    server.put(job(
        "shop",
        "nightly",
        "2026-11-21T11:00:00Z",
        Some("2026-11-21T11:01:00Z"),
    ));
    let seen =
        "cronjob_doctor_last_run_duration_seconds{namespace=\"shop\",cronjob=\"nightly\"} 60";
    for one in [&first, &second] {
        let history = one.get("/api/v1/history");
        assert_eq!(history.code, 503);
        assert_starts!(history.body, "cannot read recorded runs: ");
        one.wait_for(seen, true);
        // Metrics are served, so that alerts go on.
        let ready = one.get("/readyz");
        assert_eq!(ready.code, 200);
        assert_starts!(ready.body, "ok\nwarning: runs not recorded for ");
    }
    server.delete("batch/v1", "Job", "shop", "nightly-29920980");
    postgres.run();
    for one in [&first, &second] {
        one.wait_for(UP, true);
        wait_until_stored(one, "nightly-29920980");
    }

    first.going.signal("TERM");
    assert_eq!(first.going.end().1, Some(0));
    second.wait_for(LEADS, true);
    says(&second, "This replica records.");
}

#[cfg(target_os = "linux")]
#[test]
fn postgresql_with_an_unknown_authority_or_a_wrong_password_is_refused() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let server = noon();
    let unknown = replica(&server, postgres.url("sslmode=require")).run();
    let unknown = unknown.refused();
    assert!(unknown.contains("UnknownIssuer"), "{unknown}");
    let wrong = replica(&server, postgres.checked_url()).variable("PGPASSWORD", "guess");
    let wrong = wrong.run().refused();
    assert!(wrong.contains("password authentication failed"), "{wrong}");
    assert!(!wrong.contains("doctor\""), "{wrong}");
    // A connection without TLS is accepted if the URL requests it. Its password is in a file.
    let folder = Folder::new(
        "passwords",
        &[("passwords", &format!("localhost:*:*:doctor:{PASSWORD}\n"))],
    );
    let path = format!("{}/passwords", folder.path());
    let serve = (
        "serve -A --listen=127.0.0.1:0 --record",
        [postgres.url("sslmode=disable")],
    );
    let gone = Call::by(&server, "viewer", serve.clone())
        .variable("PGPASSFILE", "/gone")
        .run();
    assert_contains!(
        gone.refused(),
        "the file that PGPASSFILE names cannot be read"
    );
    let plain = Exporter::of(Call::by(&server, "viewer", serve).variable("PGPASSFILE", &path));
    plain.wait_until_ready();
    plain.wait_for(LEADS, true);
}

#[test]
fn unusable_urls_are_refused_and_never_show_the_password() {
    let server = noon();
    let refused = [
        "postgres://doctor:s3cret@127.0.0.1:1/runs",
        "postgres://doctor:s3cret@127.0.0.1:1/runs?sslmode=sometimes",
        "postgres://doctor:s3cret@127.0.0.1:1/runs?sslrootcert=/gone.pem",
        "postgres://doctor:s3cret@127.0.0.1:port/runs",
        "postgres:///runs",
        "Postgres://doctor:s3cret@127.0.0.1:1/runs",
        " postgres://doctor:s3cret@127.0.0.1:1/runs\n",
        "postgres://doctor:pw@s3cret@127.0.0.1:5432/runs",
        "postgres://doctor:12/s3cret@127.0.0.1/runs",
        "postgres://doctor:12?s3cret@127.0.0.1/runs",
        "mysql://doctor:s3cret@127.0.0.1/runs",
        "postgresql+psycopg://doctor:s3cret@127.0.0.1/runs",
        "jdbc:postgresql://127.0.0.1/runs?user=doctor&password=s3cret",
        "'postgres://doctor:s3cret@127.0.0.1/runs'",
        "postgres:/doctor:s3cret@127.0.0.1/runs",
        "postgres//doctor:s3cret@127.0.0.1/runs",
        "//doctor:s3cret@127.0.0.1/runs",
        "doctor:s3cret@127.0.0.1/runs",
        "host=127.0.0.1 user=doctor password=s3cret dbname=runs",
        "PASSWORD=s3cret",
        "Server=127.0.0.1;Password=s3cret",
        "Data Source=127.0.0.1;User Id=doctor;Pwd=s3cret",
        "PGPASSWORD=s3cret",
        "PGPASSWORD=s3cret postgres",
        "file:s3cret.db",
        "",
    ];
    let folder = Folder::new("recorder", &[]);
    let read = |url: &str| {
        let history = ("history nightly --quiet --recorder", [url]);
        let ran = Call::by(&server, "viewer", history)
            .in_folder(&folder)
            .run();
        ran.refused()
    };
    let read: Vec<String> = refused.iter().skip(7).map(|url| read(url)).collect();
    assert!(
        !read
            .iter()
            .any(|said| said.contains("cret") || said.contains("doctor:")),
        "{read:?}"
    );
    let refused = refused.map(|url| {
        let serve = ("serve -A --listen=127.0.0.1:0 --record", [url]);
        let ran = Call::by(&server, "viewer", serve).in_folder(&folder).run();
        ran.refused()
    });
    let refused = refused.join("\n");
    assert!(
        !refused.contains("cret") && !refused.contains("doctor:"),
        "{refused}"
    );
    insta::assert_snapshot!(refused);
    assert_eq!(names_in(&folder), [""; 0]);
}

fn names_in(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Each file is refused with a message, without waiting for a pipe, and nothing is created.
#[test]
fn files_that_cannot_be_a_record_are_refused_and_nothing_is_created() {
    use std::os::unix::fs::symlink;

    let server = noon();
    let folder = Folder::new(
        "recorder",
        &[("text.db", "no database at all"), ("folder/file", "")],
    );
    let own = StoreLocation::File(folder.join("own.db"));
    drop(own.create().unwrap());
    fs::remove_file(folder.join("own.db.lock")).unwrap();
    let copy = |name: &str| fs::copy(folder.join("own.db"), folder.join(name)).unwrap();
    for name in ["hard.db", "piped.db", "linked.db"] {
        copy(name);
    }
    fs::hard_link(folder.join("hard.db"), folder.join("other.db")).unwrap();
    for pipe in ["pipe", "piped.db.lock"] {
        crate::support::files::pipe(&folder.join(pipe));
    }
    symlink("gone.db", folder.join("dangling.db")).unwrap();
    symlink("elsewhere", folder.join("linked.db.lock")).unwrap();
    let before = names_in(&folder);
    let refused = [
        ".",
        "/",
        "..",
        "/dev/null",
        "pipe",
        ":memory:",
        "folder",
        "text.db",
        "hard.db",
        "piped.db",
        "dangling.db",
        "linked.db",
        "gone/runs.db",
    ];
    let refused = refused.map(|file| {
        let serve = ("serve -A --listen=127.0.0.1:0 --record", [file]);
        Call::by(&server, "viewer", serve)
            .in_folder(&folder)
            .run()
            .refused()
    });
    insta::assert_snapshot!(refused.join("\n"));
    assert_eq!(names_in(&folder), before);
    let read = ["folder", "pipe", "text.db"].map(|file| {
        let history = ("history nightly --quiet --recorder", [file]);
        Call::by(&server, "viewer", history)
            .in_folder(&folder)
            .run()
            .refused()
    });
    insta::assert_snapshot!(read.join("\n"));
    // A certificate that is a pipe is not waited for.
    let url = format!(
        "postgres://doctor@127.0.0.1:1/runs?sslrootcert={}",
        folder.file("pipe")
    );
    let serve = ("serve -A --listen=127.0.0.1:0 --record", [url]);
    let said = Call::by(&server, "viewer", serve).run().refused();
    assert_contains!(said, "not a file of certificates");
}

/// It does not matter by which path the file is opened.
#[test]
fn file_is_written_by_one_recorder_at_a_time() {
    let folder = Folder::new("recorder", &[("other/.keep", "")]);
    let open = |name: &str| StoreLocation::File(folder.join(name)).create();
    let first = open("runs.db").unwrap();
    std::os::unix::fs::symlink("../runs.db", folder.join("other/link.db")).unwrap();
    std::os::unix::fs::symlink("other", folder.join("same")).unwrap();
    for name in [
        "runs.db",
        "other/link.db",
        "same/../runs.db",
        "same/link.db",
    ] {
        let error = open(name).err().unwrap().to_string();
        assert!(
            error.ends_with(" is being written by another recorder"),
            "{error}"
        );
    }
    drop(first);
    drop(open("same/link.db").unwrap());
    assert!(!folder.join("other/link.db.lock").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn postgresql_that_cannot_store_every_text_is_refused_and_a_reader_creates_no_tables() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let read = || postgres.location().open().err().unwrap().to_string();
    assert!(read().ends_with("contains no recorded runs"));
    assert!(read().ends_with("contains no recorded runs"));
    drop(postgres.write());
    drop(postgres.read());
    postgres.execute("DELETE FROM cronjob_doctor.recorder");
    assert_contains!(read(), "the table cronjob_doctor.recorder is empty");
    postgres.execute(
        "CREATE DATABASE lat ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    );
    let server = noon();
    let url = postgres.checked_url().replace("/postgres?", "/lat?");
    let said = replica(&server, url).run().refused();
    assert_contains!(
        said,
        "the encoding of the database is LATIN1; it must be UTF8"
    );
}

/// Rows that were stored are gone: what is left in the cluster is stored again.
#[cfg(target_os = "linux")]
#[test]
fn postgresql_with_older_data_is_filled_again() {
    let (Some(postgres), Some(clock)) = (
        Postgres::start(),
        LocalClock::showing("2026-11-21T12:00:05Z"),
    ) else {
        return;
    };
    let server = noon();
    let mut call = replica(&server, postgres.checked_url());
    for (name, value) in clock.variables() {
        call = call.variable(name, &value);
    }
    let exporter = Exporter::of(call);
    exporter.wait_until_ready();
    wait_until_stored(&exporter, "nightly-29920440");
    // Twice: the first restored copy is from before the start, the second one has an earlier end.
    for older in [
        "TRUNCATE cronjob_doctor.run, cronjob_doctor.spec, cronjob_doctor.cron_job, cronjob_doctor.watched",
        "DELETE FROM cronjob_doctor.run; UPDATE cronjob_doctor.watched SET until = until - 3600",
    ] {
        postgres.execute(older);
        let said = |line: &str| line.contains("contains less than was stored");
        exporter.going.message_where(said);
        wait_until_stored(&exporter, "nightly-29920440");
        exporter.wait_for(LEADS, true);
    }
    // The lease in the copy is that of another replica, and has not expired.
    let older = "DELETE FROM cronjob_doctor.run; UPDATE cronjob_doctor.watched SET until = until - 3600; \
                 UPDATE cronjob_doctor.recorder SET holder = 'other', expires_at = clock_timestamp() + INTERVAL '2 s'";
    postgres.execute(older);
    exporter.wait_for(LEADS, false);
    exporter.wait_for(LEADS, true);
    // The database is read, because a response would also contain the Jobs that are left in the cluster.
    wait_until("stored again", || {
        let record = postgres.read();
        let record = record.record("shop", "nightly", &[], jiff::Timestamp::MIN, 100);
        let mut jobs = record.unwrap().runs.into_iter().map(|run| run.job_name);
        jobs.any(|job| job.as_deref() == Some("nightly-29920440"))
    });
}

/// What is written to a file without a name would be lost.
#[cfg(unix)]
#[test]
fn file_that_was_moved_is_reported() {
    let (server, folder) = (noon(), Folder::new("recorder", &[]));
    let exporter = serve(&server, &folder);
    exporter.wait_until_ready();
    wait_until_stored(&exporter, "nightly-29920440");
    let path = |name: &str| format!("{}/{name}", folder.path());
    fs::rename(path("runs.db"), path("moved.db")).unwrap();
    let (start, end) = ("2026-11-21T11:00:00Z", Some("2026-11-21T11:01:00Z"));
    server.put(job("shop", "nightly", start, end));
    exporter.wait_for(DOWN, true);
    let said = |line: &str| line.starts_with("error: ");
    assert_eq!(
        exporter.going.message_where(said),
        "error: cannot record: runs.db cannot be written: the file was moved, replaced or deleted; start the \
         recorder again"
    );
}

#[test]
fn history_with_unknown_runs_names_the_recorder_of_the_cluster() {
    let server = noon();
    let documents = yaml(&text("deploy/base/serve.yaml"));
    let mut service = documents
        .into_iter()
        .find(|document| document["kind"] == "Service")
        .unwrap();
    let patch = yaml(&text("deploy/recorder/service.yaml")).remove(0);
    merge(&mut service, &patch);
    service["metadata"]["namespace"] = json!("monitoring");
    let names_it = |more: &str| {
        let history = ("history nightly --since 24h", more);
        let ran = Call::by(&server, "admin", history).run();
        ran.stderr
            .contains("see --recorder monitoring/cronjob-doctor\n")
    };
    server.delete("batch/v1", "Job", "shop", "nightly-29920440");
    assert!(!names_it(""));
    server.add(service);
    assert!(names_it(""));
    for more in ["--quiet", "-o json", "--recorder gone.db"] {
        assert!(!names_it(more), "{more}");
    }
    server.fault(Match::path("/api/v1/services"), Fault::Status(403));
    assert!(!names_it(""));
}

/// The file is on a file system of 128 KiB, which another file fills.
#[test]
fn full_disk_is_reported_and_recording_continues_when_there_is_space() {
    let (server, folder) = (noon(), Folder::new("recorder", &[("disk/.keep", "")]));
    let mount = "mount -t tmpfs -o size=128k tmpfs disk && exec \"$@\"";
    let apart = ["unshare", "-Urm", "sh", "-c", mount, "sh"];
    let probe = Command::new("unshare")
        .args(&apart[1..])
        .arg("true")
        .current_dir(folder.path())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        return NAMESPACES.skip();
    }
    let serve = "serve -A --listen=127.0.0.1:0 --record disk/runs.db";
    let call = Call::by(&server, "viewer", serve).in_folder(&folder);
    let exporter = Exporter::of(call.through(&apart));
    exporter.wait_until_ready();
    wait_until_stored(&exporter, "nightly-29920440");
    let root = format!("/proc/{}/root", exporter.going.id());
    let filler = format!("{root}{}/disk/filler", folder.path());
    // The write fails when the disk is completely full.
    let fill = || fs::write(&filler, vec![0; 128 << 10]).is_err();
    assert!(fill());
    server.put(job(
        "shop",
        "nightly",
        "2026-11-21T11:00:00Z",
        Some("2026-11-21T11:01:00Z"),
    ));
    exporter.wait_for(DOWN, true);
    let said = exporter
        .going
        .message_where(|line| line.starts_with("error: "));
    assert_eq!(
        said,
        "error: cannot record: disk/runs.db: no space left on the device"
    );
    assert_eq!(exporter.get("/api/v1/history").code, 200);
    fs::remove_file(&filler).unwrap();
    exporter.wait_for(UP, true);
    wait_until_stored(&exporter, "nightly-29920980");
}
