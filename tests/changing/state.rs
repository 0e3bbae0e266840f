//! What a call suspended is written down, and exactly that is resumed.

use std::fs;

use serde_json::json;

use crate::changing::cast::{call, changes, server, stored};
use crate::live::call::{check, failed, fine, fine_but};
use crate::support::apiserver::{ApiServer, Fault, Match};
use crate::support::run::Ran;

/// Suspends everything of the namespace, and returns the place of the file and its text.
fn save(server: &ApiServer) -> (String, String) {
    let path = server.file("folder", "").with_extension("state");
    let path = path.to_str().unwrap().to_owned();
    call(server, &["suspend", "--all", "-yq", "--save-state", &path]);
    let text = fs::read_to_string(&path).unwrap();
    (path, text.replace(&server.url(), "SERVER"))
}

const HEADER: &str = "\
# The CronJobs that a call of `kubectl cronjob-doctor suspend` suspended.
# `kubectl cronjob-doctor resume --from-state FILE` resumes them, and no others.
apiVersion: cronjob-doctor/v1
kind: Suspended
server: \"SERVER\"
items:
";

/// Two of the four were suspended before: they stay so.
#[test]
fn a_window() {
    let server = server();
    let (path, text) = save(&server);
    let entries = "\
- {\"namespace\":\"shop\",\"name\":\"hourly\",\"uid\":\"uid-of-hourly\"}
- {\"namespace\":\"shop\",\"name\":\"nightly\",\"uid\":\"uid-of-nightly\"}
";
    assert_eq!(text, format!("{HEADER}{entries}"));
    let ran = call(&server, &["resume", "--from-state", &path, "-y"]);
    let shown = "\
shop/hourly
  Starts nothing: no slot was missed. Runs next Sat 2026-11-21 03:05 Etc/UTC (in
  51m).
shop/nightly
  Starts nothing: no slot was missed. Runs next Sun 2026-11-22 02:00 Etc/UTC (in
  23h).
";
    let lines = "cronjob.batch/hourly resumed\ncronjob.batch/nightly resumed\n";
    check(&ran, &fine_but(lines, shown));
    assert_eq!(stored(&server, "report")["spec"]["suspend"], json!(true));
}

/// One of them was resumed meanwhile, one is another one of the same name.
#[test]
fn what_became_of_them() {
    let server = server();
    let (path, _) = save(&server);
    call(&server, &["resume", "hourly", "-yq"]);
    server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
        nightly["metadata"]["uid"] = json!("another");
    });
    let ran = call(&server, &["resume", "--from-state", &path, "-y"]);
    let anew = "warning: shop/nightly was made anew since; it is left alone\n";
    check(
        &ran,
        &fine_but("cronjob.batch/hourly resumed (no change)\n", anew),
    );
    server.delete("batch/v1", "CronJob", "shop", "nightly");
    let ran = call(&server, &["resume", "--from-state", &path, "-yq"]);
    let gone = Ran {
        stdout: "cronjob.batch/hourly resumed (no change)\n".to_owned(),
        ..failed("error: cronjobs.batch \"nightly\" not found in the namespace \"shop\"\n")
    };
    check(&ran, &gone);
}

/// What could not be suspended is not in it.
#[test]
fn what_failed_is_not_in_it() {
    let server = server();
    let hourly = Match::path("/apis/batch/v1/namespaces/shop/cronjobs/hourly").method("PATCH");
    server.fault(hourly, Fault::Status(422));
    let (_, text) = save(&server);
    let entry = "- {\"namespace\":\"shop\",\"name\":\"nightly\",\"uid\":\"uid-of-nightly\"}\n";
    assert_eq!(text, format!("{HEADER}{entry}"));
}

#[test]
fn a_file_that_is_there() {
    let server = server();
    let path = server.file("window.yaml", "precious\n");
    let name = path.to_str().unwrap();
    let ran = call(
        &server,
        &["suspend", "nightly", "-yq", "--save-state", name],
    );
    let refused = "error: --save-state FOLDER/window.yaml: the file exists, and may be what another \
                   window is to be restored from; name a new one\n";
    check(&ran, &failed(refused));
    assert_eq!(fs::read_to_string(path).unwrap(), "precious\n");
    assert!(changes(&server).is_empty());
}

/// A dry run writes nothing.
#[test]
fn as_if() {
    let server = server();
    let path = server.file("folder", "").with_extension("state");
    let name = path.to_str().unwrap();
    let ran = call(
        &server,
        &[
            "suspend",
            "nightly",
            "-q",
            "--dry-run",
            "--save-state",
            name,
        ],
    );
    assert_eq!(ran.code, 0);
    assert!(!path.exists());
}

#[test]
fn files_of_another_kind() {
    let server = server();
    let cases = [
        (
            "apiVersion: v1\nkind: List\nitems: []\n",
            "expected what `suspend --save-state` writes (Suspended of cronjob-doctor/v1), found \
             List of v1",
        ),
        (
            "nothing",
            "expected what `suspend --save-state` writes (Suspended of cronjob-doctor/v1), found something without a kind",
        ),
        (HEADER, "nothing was suspended"),
    ];
    for (text, why) in cases {
        let path = server.file("window.yaml", text);
        let ran = call(
            &server,
            &["resume", "-y", "--from-state", path.to_str().unwrap()],
        );
        check(
            &ran,
            &failed(&format!("error: --from-state FOLDER/window.yaml: {why}\n")),
        );
    }
    let ran = call(
        &server,
        &[
            "resume",
            "-y",
            "--from-state",
            "/no/such/folder/window.yaml",
        ],
    );
    let missing = "error: --from-state: cannot read /no/such/folder/window.yaml: No such file or directory (os error 2)\n";
    check(&ran, &failed(missing));
}

/// The same CronJobs may be reached by another address; others would have other identities.
#[test]
fn of_another_server() {
    let server = server();
    let (path, text) = save(&server);
    fs::write(&path, text).unwrap();
    let ran = call(&server, &["resume", "-y", "--from-state", &path]);
    let lines = "cronjob.batch/hourly resumed\ncronjob.batch/nightly resumed\n";
    assert_eq!(ran.stdout, lines);
    let warned = "it was written at SERVER, and this is SERVER\n";
    assert!(
        ran.stderr.starts_with("warning: --from-state "),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(warned), "{}", ran.stderr);
    check(
        &call(&server, &["resume", "-yq", "--from-state", &path]),
        &fine(&lines.replace("resumed", "resumed (no change)")),
    );
}
