//! `--save-state` records what a call suspended, and `--from-state` resumes exactly that.

use crate::changing::prelude::*;

const HOURLY: &str = "/apis/batch/v1/namespaces/shop/cronjobs/hourly";

/// Suspends everything of the namespace, and returns the place of the file and its text.
fn save(server: &ApiServer) -> (String, String) {
    let path = state_file(server);
    call(server, format!("suspend --all -yq --save-state {path}"));
    let text = fs::read_to_string(&path).unwrap();
    (path, text.replace(&server.url(), "SERVER"))
}

/// Resumes what a file lists.
fn resume(server: &ApiServer, path: &str, flags: &str) -> Ran {
    call(server, format!("resume --from-state {path} {flags}"))
}

/// The line of a CronJob in the file.
fn entry(name: &str) -> String {
    let names = format!(r#""namespace":"shop","name":"{name}","uid":"uid-of-{name}""#);
    format!("- {{{names},\"reason\":null{SUSPENDED}}}\n")
}

/// The time and the user of a suspension, as in an entry of the file.
const SUSPENDED: &str = r#","suspendedAt":"2026-11-21T02:13:08Z","suspendedBy":"admin""#;

const BOTH: &str = "cronjob.batch/hourly resumed\ncronjob.batch/nightly resumed\n";

const HEADER: &str = "\
# The CronJobs suspended by `kubectl cronjob-doctor suspend --save-state`.
# To resume exactly these, run `kubectl cronjob-doctor resume --from-state FILE`.
apiVersion: cronjob-doctor/v1
kind: Suspended
server: \"SERVER\"
items:
";

calls! {
    /// Two of the four were suspended before, and stay suspended.
    resume_from_state_leaves_earlier_suspensions(server) {
        let (path, text) = save(&server);
        let entries = ["hourly", "nightly"].map(entry).concat();
        assert_eq!(text, format!("{HEADER}{entries}"));
    } resume(&server, &path, "-y") => 0, BOTH => is_suspended(&server, "report");
    save_state_does_not_overwrite_a_file(server) {
        let path = server.file("window.yaml", "precious\n");
        let save = format!("suspend nightly -yq --save-state {}", path.display());
        let ran = call(&server, save);
        assert_eq!(fs::read_to_string(path).unwrap(), "precious\n");
    } ran => 2 => changes(&server).is_empty();
    /// It was resumed, and then suspended again for another reason.
    suspended_again_for_another_reason_stays_suspended(server) {
        let (path, _) = save(&server);
        call(&server, "resume hourly -yq");
        call(&server, "suspend hourly -yq --reason='INCIDENT 42: do not resume'");
    } resume_all_but_hourly(&server, &path) => 2;
    /// The same without a reason, a minute later.
    suspended_again_at_another_time_stays_suspended(server) {
        let (path, _) = save(&server);
        let field = "metadata.annotations.cronjob-doctor/suspended-at";
        set(&server, "hourly", field, "2026-11-21T02:14:08Z");
    } resume_all_but_hourly(&server, &path) => 2;
    /// Files that were written before the time and the user were recorded.
    file_of_the_first_version_resumes_what_it_lists(server) {
        let (path, _) = save(&server);
        let text = fs::read_to_string(&path).unwrap();
        assert_contains!(text, SUSPENDED);
        fs::write(&path, text.replace(SUSPENDED, "")).unwrap();
    } resume(&server, &path, "-yq") => 0, BOTH;
    /// The reason is that of the saved suspension itself.
    suspended_for_the_reason_of_the_window_is_resumed(server) {
        let state = &state_file(&server);
        call(&server, format!("suspend hourly -yq '--reason=a: \"window\"' --save-state {state}"));
    } resume(&server, state, "-y") => 0, "cronjob.batch/hourly resumed\n";
    /// The server applies the first request while the second one waits. This is not a change by another
    /// client.
    change_made_late_stays_in_the_file(server) {
        for fault in [Fault::Hang, Fault::TooManyRequests { retry_after: 1 }] {
            server.fault(Match::path(HOURLY).method("PATCH"), fault.times(1));
        }
        let state = &state_file(&server);
        let arguments = format!("suspend hourly -yq --request-timeout=2s --save-state {state}");
        let ran = thread::scope(|scope| {
            let call = scope.spawn(|| call(&server, &arguments));
            let is_patch = |one: &&Recorded| one.method == "PATCH";
            server.wait_for(|requests| requests.iter().filter(is_patch).count() == 2);
            set(&server, "hourly", "suspend", true);
            call.join().unwrap()
        });
        let text = fs::read_to_string(state).unwrap();
    } ran => 0, "cronjob.batch/hourly suspended\n" => names(&text) == ["hourly"];
}

/// In the meantime, one of them was resumed, and the other one was re-created with the same name.
#[test]
fn resume_from_state_skips_resumed_and_recreated_cronjobs() {
    let server = server();
    let (path, _) = save(&server);
    call(&server, "resume hourly -yq");
    set(&server, "nightly", "metadata.uid", "another");
    let ran = resume(&server, &path, "-y");
    assert_ran!(ran, 0, "cronjob.batch/hourly not suspended\n");
    server.delete("batch/v1", "CronJob", "shop", "nightly");
    let ran = resume(&server, &path, "-yq");
    assert_ran!(ran, 2, "cronjob.batch/hourly not suspended\n");
}

#[test]
fn save_state_leaves_out_cronjobs_that_could_not_be_suspended() {
    let server = server();
    server.fault(Match::path(HOURLY).method("PATCH"), Fault::Status(422));
    let (_, text) = save(&server);
    assert_eq!(text, format!("{HEADER}{}", entry("nightly")));
}

#[test]
fn save_state_with_dry_run_writes_no_file() {
    let server = server();
    let name = &state_file(&server);
    let suspend = format!("suspend nightly -q --dry-run --save-state {name}");
    assert_eq!(call(&server, suspend).code, 0);
    assert!(!fs::exists(name).unwrap());
}

#[test]
fn resume_from_state_refuses_other_files() {
    let server = server();
    let texts = [
        "apiVersion: v1\nkind: List\nitems: []\n",
        "nothing",
        "a: [",
        "apiVersion: cronjob-doctor/v1\nkind: Suspended\nitems:\n- {\"name\": \"a\"}\n",
    ];
    let errors = texts.map(|text| {
        let path = server.file("window.yaml", text);
        let from = ["resume", "-y", "--from-state", path.to_str().unwrap()];
        call(&server, from).refused()
    });
    insta::assert_snapshot!(errors.concat());
    let missing = "resume -y --from-state /no/such/folder/window.yaml";
    assert_ran!(call(&server, missing), 2);
}

/// The same CronJobs may be reachable at another address; other CronJobs would have other UIDs.
#[test]
fn resume_from_state_of_another_server_warns() {
    let server = server();
    let (path, text) = save(&server);
    fs::write(&path, text).unwrap();
    let ran = resume(&server, &path, "-y");
    assert_eq!(ran.stdout, BOTH);
    let warned = "written for SERVER, but the current server is SERVER\n";
    assert_starts!(ran.stderr, "warning: --from-state ");
    assert_contains!(ran.stderr, warned);
    let again = resume(&server, &path, "-yq");
    let neither = "cronjob.batch/hourly not suspended\ncronjob.batch/nightly not suspended\n";
    assert_ran!(again, 0, neither);
}

/// Neither the first nor the second request gets a response in time: the server may act on either of them
/// later.
#[test]
fn change_without_an_answer_stays_in_the_file() {
    let server = server();
    server.fault(Match::path(HOURLY).method("PATCH"), Fault::Hang);
    let state = &state_file(&server);
    let suspend = format!("suspend hourly nightly -yq --request-timeout=1s --save-state {state}");
    assert_ran!(call(&server, suspend), 2);
    let text = fs::read_to_string(state).unwrap();
    assert_eq!(names(&text), ["hourly"]);
    // It was not suspended after all: nothing is resumed, and nothing fails.
    let ran = resume(&server, state, "-y");
    assert_ran!(ran, 0, "cronjob.batch/hourly not suspended\n");
}

/// The names of the entries of a file.
fn names(text: &str) -> Vec<String> {
    let entries = text.lines().filter_map(|line| line.strip_prefix("- "));
    let entry = |line| serde_json::from_str::<Value>(line).unwrap();
    let names = entries.map(|line| entry(line)["name"].text().to_owned());
    names.collect()
}

/// A file size limit simulates a full disk, which would cut off the next entry.
#[test]
fn full_disk_leaves_a_file_that_can_be_read() {
    let server = server();
    for number in 10..40 {
        let name = format!("many-{number}");
        server.add(cron_job("shop", &name, "0 3 * * *"));
    }
    let state = &state_file(&server);
    // One block: 512 bytes, or 1024 with some shells.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let arguments = ["suspend", "--all", "-yq", "--save-state", state];
    let output = in_shell(&server, script, arguments).output().unwrap();
    let text = fs::read_to_string(state).unwrap();
    let kept = names(&text);
    assert!(!kept.is_empty() && text.ends_with('\n'), "{text}");
    // The CronJobs in the file are suspended, and no others.
    let suspended = |name: &str| stored(&server, name)["spec"]["suspend"] == json!(true);
    for number in 10..40 {
        let name = format!("many-{number}");
        assert_eq!(suspended(&name), kept.contains(&name), "{name}");
    }
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = stderr.lines().collect();
    let full = format!("error: --save-state {state}: File too large (os error 27)");
    assert_eq!(lines[0], full);
    // Two were suspended before, and 32 were not.
    let (done, left) = (kept.len(), 32 - kept.len());
    let summary = format!("{done} suspended; {left} not suspended: ");
    assert_starts!(lines[1], &summary);
    assert_ends!(lines[1], "shop/many-39, shop/nightly");
    let hint = "to continue: run the same command again with a new --save-state file";
    assert_eq!((lines[2], lines.len()), (hint, 3));
    assert_eq!(output.status.code(), Some(2));
    let ran = resume(&server, state, "-yq");
    assert_eq!((ran.stdout.lines().count(), ran.code), (kept.len(), 0));
}

/// If the machine stops in the middle of a line, the CronJob of that line was not suspended.
#[test]
fn last_line_that_is_cut_is_left_out() {
    let server = server();
    let (path, _) = save(&server);
    let whole = fs::read_to_string(&path).unwrap();
    let end = whole.find("\"uid-of-nightly\"").unwrap();
    let entry = r#"- {"namespace":"shop","name":"nightly"#;
    let entry = whole.find(entry).unwrap();
    for cut in [end, end - 20, entry + 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        let ran = resume(&server, &path, "-yq --dry-run");
        let name = path.rsplit_once('/').unwrap().1;
        let name = name.trim_start_matches(|c: char| c.is_ascii_digit());
        let warned = format!(
            "warning: --from-state FOLDER/{}: the last line is incomplete and was ignored\n",
            &name[1..]
        );
        assert_eq!(ran.stderr, warned);
        assert_contains!(ran.stdout, "cronjob.batch/hourly resumed (dry run)\n");
        assert_lacks!(ran.stdout, "nightly");
    }
    // The end of the line alone may be missing.
    fs::write(&path, whole.trim_end()).unwrap();
    let ran = resume(&server, &path, "-yq");
    assert_ran!(ran, 0, BOTH);
}

/// Resumes what a file lists, after its `hourly` was suspended again.
fn resume_all_but_hourly(server: &ApiServer, path: &str) -> Ran {
    let ran = resume(server, path, "-yq");
    assert_eq!(ran.stdout, "cronjob.batch/nightly resumed\n");
    assert!(is_suspended(server, "hourly"));
    ran
}

/// The suspension of the file has ended, and another client has suspended the CronJob since.
#[test]
fn suspended_by_another_client_since_stays_suspended() {
    for keeps_annotations in [true, false] {
        let server = server();
        let (path, _) = save(&server);
        if !keeps_annotations {
            call(&server, "resume hourly -yq").fine();
        }
        server.edit("batch/v1", "CronJob", "shop", "hourly", |hourly| {
            hourly["spec"]["suspend"] = json!(true);
            let managed = hourly["metadata"]["managedFields"].as_array_mut().unwrap();
            for entry in managed.iter_mut() {
                if let Some(spec) = entry["fieldsV1"]["f:spec"].as_object_mut() {
                    spec.remove("f:suspend");
                }
            }
            managed.push(json!({
                "manager": "incident-tool", "operation": "Update", "time": "2026-11-21T02:20:00Z",
                "fieldsV1": {"f:spec": {"f:suspend": {}}},
            }));
        });
        let ran = resume_all_but_hourly(&server, &path);
        let error = "error: shop/hourly was suspended again by field manager incident-tool ";
        assert_starts!(ran.stderr, error);
        assert_eq!(ran.code, 2);
    }
}

/// The names in a file are exact, so the call does not look for similar ones.
#[test]
fn missing_entries_cost_no_requests() {
    let server = server();
    let entries = (0..2000).map(|number| {
        let name = format!("gone-{number}");
        let entry = json!({"namespace": "shop", "name": name, "uid": name});
        format!("- {entry}\n")
    });
    let text = format!("{HEADER}{}", entries.collect::<String>());
    let path = server.file("window.yaml", &text.replace("SERVER", &server.url()));
    let path = path.to_str().unwrap();
    let ran = resume(&server, path, "-yq");
    assert_eq!(ran.code, 2);
    let not_found = ran.stderr.matches("\" not found in namespace \"shop\"\n");
    assert_eq!(not_found.count(), 2000);
    let lists = server.requests_where(|one| one.path.contains("/cronjobs"));
    assert_eq!(lists.len(), 1);
}

#[test]
fn resume_from_state_without_entries_resumes_nothing() {
    let server = server();
    let state = &state_file(&server);
    fs::write(state, HEADER.replace("SERVER", &server.url())).unwrap();
    let ran = resume(&server, state, "-y");
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 0));
    let nothing = ": nothing to resume: the file lists no CronJobs\n";
    assert_ends!(ran.stderr, nothing);
}

/// `suspend` writes a file even if all were suspended before, so that a script can resume from it.
#[test]
fn window_in_which_nothing_was_suspended_is_resumed() {
    let server = server();
    for name in ["hourly", "nightly"] {
        set(&server, name, "suspend", true);
    }
    let state = &state_file(&server);
    let suspend = format!("suspend --all -y --save-state {state}");
    assert_eq!(call(&server, &suspend).code, 0);
    let ran = resume(&server, state, "-y");
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 0), "{ran}");
    assert!(
        server
            .requests_where(|one| one.method == "PATCH")
            .is_empty()
    );
    // The file of an earlier window is not overwritten.
    assert_eq!(call(&server, &suspend).code, 2);
    let dry = format!("suspend --all -y --dry-run --save-state {state}-dry");
    assert_eq!(call(&server, dry).code, 0);
    assert!(!fs::exists(format!("{state}-dry")).unwrap());
}

#[test]
fn file_without_a_server_is_resumed_with_a_warning() {
    let server = server();
    let (path, text) = save(&server);
    for other in ["", "server: null\n"] {
        fs::write(&path, text.replace("server: \"SERVER\"\n", other)).unwrap();
        let ran = resume(&server, &path, "-y --dry-run");
        let warned = "the file does not name its API server; the current server is SERVER\n";
        assert_ends!(ran.stderr, warned);
        assert_eq!(ran.code, 0);
    }
}

#[test]
fn namespaces_select_entries_of_the_file() {
    let server = server();
    server.add(cron_job("other", "weekly", "0 3 * * 1"));
    let state = &state_file(&server);
    call(&server, format!("suspend -A -yq --save-state {state}")).fine();
    let ran = resume(&server, state, "-y -n shop,other");
    let resumed = "cronjob.batch/weekly resumed (namespace other)\n\
                   cronjob.batch/hourly resumed (namespace shop)\n\
                   cronjob.batch/nightly resumed (namespace shop)\n";
    assert_eq!(ran.stdout, resumed);
    assert_contains!(ran.stderr, "1 CronJob of the file left out, in ops.\n");
    assert_eq!(ran.code, 0);
    let ran = resume(&server, state, "-y -n nowhere");
    let none = ": the file lists no CronJobs in -n nowhere, only in ops, other, shop\n";
    assert_ends!(ran.stderr, none);
    assert_eq!(ran.code, 2);
    let ran = resume(&server, state, "-y -n ops");
    let expected = ("cronjob.batch/never resumed\n", 0);
    assert_eq!((ran.stdout.as_str(), ran.code), expected);
}
