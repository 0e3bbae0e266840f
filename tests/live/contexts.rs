//! Several contexts in one call: clusters that have objects of the same names, and give different answers.

use std::path::PathBuf;

use crate::live::prelude::*;

/// Clusters by the names of their contexts.
struct Fleet(Vec<(&'static str, ApiServer)>);

/// A kubeconfig with a context for each of the servers.
pub(crate) fn joined_kubeconfig(servers: &[(&str, &ApiServer)]) -> PathBuf {
    servers[0].1.file("config", &joined(servers).to_string())
}

fn joined(servers: &[(&str, &ApiServer)]) -> Value {
    let mut joined = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": servers[0].0,
        "clusters": [], "users": [], "contexts": [],
    });
    for (name, server) in servers {
        let user = Kubeconfig::user("viewer").namespace("shop");
        let mut one = server.kubeconfig_tree(&user);
        one["contexts"][0]["context"]["cluster"] = json!(name);
        one["contexts"][0]["context"]["user"] = json!(name);
        for part in ["clusters", "users", "contexts"] {
            one[part][0]["name"] = json!(name);
            let all = joined[part].as_array_mut().unwrap();
            all.push(one[part][0].clone());
        }
    }
    joined
}

impl Fleet {
    /// The scene is in `eu`; in `us`, the CronJobs have the same names and different schedules.
    fn new() -> Fleet {
        let us = server();
        set(&us, "nightly", "schedule", "30 4 * * *");
        let last = "status.lastScheduleTime";
        set(&us, "nightly", last, "2026-11-20T04:30:00Z");
        set(&us, "hourly", "suspend", true);
        us.set_git_version("v1.30.2");
        Fleet(vec![("eu", server()), ("us", us)])
    }

    fn server(&self, name: &str) -> &ApiServer {
        let found = self.0.iter().find(|(context, _)| *context == name);
        &found.unwrap().1
    }

    /// A kubeconfig with all contexts, changed by `change`.
    fn kubeconfig(&self, change: impl FnOnce(&mut Value)) -> String {
        let servers = self.0.iter().map(|(name, server)| (*name, server));
        let mut joined = joined(&servers.collect::<Vec<_>>());
        change(&mut joined);
        let path = self.0[0].1.file("config", &joined.to_string());
        path.display().to_string()
    }

    fn call(&self, line: &str) -> Ran {
        self.call_with(line, |_| ())
    }

    fn call_with(&self, line: &str, change: impl FnOnce(&mut Value)) -> Ran {
        let path = self.kubeconfig(change);
        let call = Call::new((line, NOW)).masking(&self.0[0].1);
        let mut ran = call.variable("KUBECONFIG", &path).run();
        for (name, server) in &self.0 {
            let masked = format!("SERVER-{name}");
            ran.stdout = ran.stdout.replace(&server.url(), &masked);
            ran.stderr = ran.stderr.replace(&server.url(), &masked);
        }
        ran
    }

    /// The document that a call prints.
    fn document(&self, line: &str) -> Value {
        let ran = self.call(&format!("{line} -o json"));
        assert!(ran.code < 2, "{ran}");
        ran.json()
    }
}

/// A context whose API server refuses connections.
fn add_closed(kubeconfig: &mut Value) {
    let mut cluster = kubeconfig["clusters"][0].clone();
    cluster["name"] = json!("closed");
    cluster["cluster"]["server"] = json!("https://127.0.0.1:1");
    kubeconfig["clusters"].as_array_mut().unwrap().push(cluster);
    let context = json!({"name": "closed", "context": {"cluster": "closed", "user": "eu"}});
    kubeconfig["contexts"].as_array_mut().unwrap().push(context);
}

/// The context and a field of each item for `nightly`.
fn nightly(document: &Value, field: &str) -> Vec<(String, String)> {
    let items = document["items"].items().iter();
    let found = items.filter(|item| item["name"] == "nightly");
    found
        .map(|item| {
            (
                item["context"].text().to_owned(),
                item[field].text().to_owned(),
            )
        })
        .collect()
}

#[test]
fn items_stay_with_their_context_whichever_answers_first() {
    let fleet = Fleet::new();
    let path = fleet.kubeconfig(|_| ());
    for (late, early) in [("eu", "us"), ("us", "eu")] {
        for verb in ["scan", "next-runs", "history"] {
            fleet.server(early).clear_requests();
            let held = Match::path("/apis/batch/v1/namespaces/shop/cronjobs");
            fleet.server(late).fault(held, Fault::Hold);
            let call = Call::new((format!("{verb} --context us,eu -o json"), NOW));
            let child = call.variable("KUBECONFIG", &path).start();
            fleet
                .server(early)
                .wait_for_request(|one| one.path.ends_with("/cronjobs"));
            thread::sleep(Duration::from_millis(100));
            fleet.server(late).clear_faults();
            let document = child.wait_with_output().unwrap().stdout;
            let document: Value = serde_json::from_slice(&document).unwrap();
            let mut found = nightly(&document, "schedule");
            found.sort();
            let expected = [("eu", "0 2 * * *"), ("us", "30 4 * * *")];
            assert_eq!(
                found,
                expected.map(|(one, other)| (one.to_owned(), other.to_owned()))
            );
            let first = &document["contexts"][0];
            assert_eq!(first["name"], "us");
            assert_eq!(first["kubernetesVersion"], "1.30.2");
        }
    }
}

#[test]
fn table_of_several_contexts_begins_with_the_context() {
    let fleet = Fleet::new();
    assert_ran!(fleet.call("scan --context eu,us"), 0);
    assert_ran!(fleet.call("next-runs --all-contexts --count 1"), 0);
    assert_ran!(fleet.call("history --all-contexts nightly"), 0);
    assert_ran!(fleet.call("explain --all-contexts nightly --brief"), 0);
}

#[test]
fn csv_begins_with_the_context() {
    let fleet = Fleet::new();
    for verb in ["scan", "next-runs", "history", "load --for 1h --bucket 30m"] {
        let ran = fleet.call(&format!("{verb} --context eu,us -o csv"));
        let lines = ran.stdout.lines();
        let first = lines.map(|line| line.split(',').next().unwrap());
        let first: Vec<&str> = first.collect();
        assert_eq!(first[0], "context", "{verb}");
        let both = first[1..].iter().all(|name| ["eu", "us"].contains(name));
        let has_each = first.contains(&"eu") && first.contains(&"us");
        assert!(both && has_each, "{ran}");
    }
}

#[test]
fn formats_for_other_tools_name_the_context() {
    let fleet = Fleet::new();
    assert_ran!(
        fleet.call_with("scan --all-contexts -o prometheus", add_closed),
        2
    );
    assert_ran!(
        fleet.call_with("scan --all-contexts -o junit", add_closed),
        2
    );
    assert_ran!(fleet.call("scan --context eu,us -o markdown"), 0);
    let rules = fleet.call("alerts --context eu,us nightly -o rules --run-duration 1h");
    assert_ran!(rules, 0);
}

#[test]
fn unreachable_context_is_reported_and_the_others_are_shown() {
    let fleet = Fleet::new();
    let ran = fleet.call_with("scan --all-contexts", add_closed);
    assert_ran!(ran, 2);
    let ran = fleet.call_with("scan --all-contexts -o json", add_closed);
    assert_eq!(ran.code, 2);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["items"].items().len(), 4);
    assert_eq!(document["summary"]["total"], 4);
    let closed = &document["contexts"][2];
    let expected = (&json!("closed"), &json!(false));
    assert_eq!((&closed["name"], &closed["reachable"]), expected);
    assert!(closed["error"].text().contains("127.0.0.1:1"), "{closed}");
    assert_eq!(closed["kubernetesVersion"], json!(null));
    for verb in [
        "explain nightly",
        "history",
        "next-runs",
        "load",
        "alerts",
        "report -o html",
        "logs nightly",
    ] {
        let ran = fleet.call_with(&format!("{verb} --all-contexts"), add_closed);
        assert_eq!(ran.code, 2, "{verb}: {ran}");
        assert!(ran.stderr.contains("error: context closed: "), "{ran}");
        assert!(!ran.stdout.is_empty(), "{verb}");
        let names_all = verb == "load";
        let unread = ran.stdout.contains("in 3 contexts (1 not read): ");
        assert_eq!(unread, names_all, "{ran}");
    }
}

#[test]
fn silent_context_is_given_up_after_its_timeout() {
    let fleet = Fleet::new();
    fleet.server("us").fault(Match::any(), Fault::Hang);
    let begun = std::time::Instant::now();
    let ran = fleet.call("scan --all-contexts --context-timeout 1s");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_ran!(ran, 2);
}

/// Responses that take long in each phase: the path, and the fault.
const SLOW: [(&str, Fault); 6] = [
    ("/version", Fault::Hang),
    ("/version", Fault::DripHead),
    ("/version", Fault::DripBody),
    (LIST, Fault::DripHead),
    (LIST, Fault::DripBody),
    (LIST, Fault::TooManyRequests { retry_after: 1 }),
];
const LIST: &str = "/apis/batch/v1/namespaces/shop/cronjobs";

#[test]
fn context_timeout_bounds_each_phase_and_all_of_them() {
    for (path, fault) in SLOW {
        let fleet = Fleet::new();
        fleet.server("us").fault(Match::path(path), fault.clone());
        let ran = fleet.call("scan --all-contexts --context-timeout 2s -o json");
        assert_eq!(ran.code, 2, "{ran}");
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(document["items"].items().len(), 2, "{path} {fault:?}");
        assert_eq!(document["contexts"][0]["error"], json!(null));
        let error = document["contexts"][1]["error"].text();
        let is_pause = matches!(fault, Fault::TooManyRequests { .. });
        let limit = if is_pause {
            "context timeout of 2s"
        } else {
            "within 2s"
        };
        assert_contains!(error, limit);
        assert_contains!(ran.stderr, "help: Increase --context-timeout.");
    }
}

/// Each request is fast enough, but there are many.
#[test]
fn context_timeout_bounds_the_sum_of_its_requests() {
    let us = server_of(Options {
        pace: Duration::from_millis(600),
        ..Options::default()
    });
    for number in 0..4 {
        us.add(cron_job("shop", &format!("c{number}"), "0 0 * * *"));
    }
    let fleet = Fleet(vec![("eu", server()), ("us", us)]);
    let ran = fleet.call("scan --all-contexts --context-timeout 2s --chunk-size 1 -o json");
    assert_eq!(ran.code, 2, "{ran}");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let error = document["contexts"][1]["error"].text();
    assert_contains!(error, "could not be read within 2s");
    assert_eq!(document["items"].items().len(), 2, "{ran}");
    let ran = fleet.call("scan --all-contexts --context-timeout 0 --chunk-size 1 -o json");
    assert_eq!(ran.json()["items"].items().len(), 8);
}

/// A server that accepts connections, and does not answer the TLS handshake.
#[test]
fn timeouts_bound_the_handshake() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", silent.local_addr().unwrap());
    let fleet = Fleet::new();
    let add = |config: &mut Value| config["clusters"][1]["cluster"]["server"] = json!(url);
    let ran = fleet.call_with("scan --all-contexts --context-timeout 1s", add);
    assert_eq!(ran.code, 2, "{ran}");
    assert_contains!(ran.stdout, "eu: 2 CronJobs: 2 ok");
    assert_contains!(ran.stderr, "within 1s (GET /version)");
    let ran = fleet.call_with("scan --context us --request-timeout 1s", add);
    assert_eq!(ran.code, 2, "{ran}");
    assert_contains!(ran.stderr, "within 1s (GET /version)");
}

#[test]
fn request_timeout_bounds_each_phase() {
    for (path, fault) in SLOW {
        let server = server();
        let is_pause = matches!(fault, Fault::TooManyRequests { .. });
        server.fault(Match::path(path), fault);
        let ran = view(&server, "scan --request-timeout 1s");
        assert_eq!(ran.code, 2, "{ran}");
        let limit = if is_pause {
            "request timeout of 1s"
        } else {
            "within 1s"
        };
        assert_contains!(ran.stderr, limit);
        assert_contains!(ran.stderr, "help: Increase --request-timeout.");
    }
}

/// A kubeconfig that is read from a pipe can be read only once.
#[cfg(target_os = "linux")]
#[test]
fn kubeconfig_is_read_once_for_all_contexts() {
    let fleet = Fleet::new();
    let text = fs::read_to_string(fleet.kubeconfig(|_| ())).unwrap();
    let folder = Folder::new("kubeconfig-pipe", &[]);
    let pipe = folder.file("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let path = pipe.clone();
    thread::spawn(move || fs::write(path, text));
    let ran = Call::new(("scan --all-contexts -o json", NOW, ["--kubeconfig", &pipe])).run();
    assert_eq!(ran.json()["items"].items().len(), 4, "{ran}");
}

/// Otherwise, the user would have to answer two prompts at the same time.
#[cfg(target_os = "linux")]
#[test]
fn interactive_plugins_of_several_contexts_run_one_at_a_time() {
    let fleet = Fleet::new();
    let [turn, overlaps] = ["turn", "overlaps"].map(|name| fleet.0[0].1.file(name, ""));
    fs::remove_file(&turn).unwrap();
    let (turn, shown) = (turn.display(), overlaps.display());
    let script = format!(
        "mkdir {turn} || echo both >> {shown}; sleep 0.3; rmdir {turn}; \
         echo '{{\"kind\": \"ExecCredential\", \"status\": {{\"token\": \"viewer-token\"}}}}'"
    );
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sh",
        "args": ["-c", script], "interactiveMode": "IfAvailable"});
    let path = fleet.kubeconfig(|config| {
        for user in [0, 1] {
            config["users"][user]["user"] = json!({"exec": exec});
        }
    });
    let arguments = ("scan --all-contexts", NOW, ["--kubeconfig", path.as_str()]);
    if let Some(text) = doctor_in_terminal(80, arguments) {
        assert_contains!(text, "2 contexts");
        assert_eq!(fs::read_to_string(overlaps).unwrap(), "");
    }
}

/// A context in which the user may not list CronJobs must not be shown as healthy.
#[test]
fn context_without_permission_is_incomplete() {
    let fleet = Fleet::new();
    let us = fleet.server("us");
    us.deny(|attempt| attempt.resource == "cronjobs");
    assert_ran!(fleet.call("scan --all-contexts"), 2);
}

#[test]
fn suggested_commands_have_the_context_flag() {
    let fleet = Fleet::new();
    let us = fleet.server("us");
    us.add(cron_job("shop", "copy", "30 4 * * *"));
    for (_, server) in &fleet.0 {
        server.add(cron_job("shop", "other", "15 4 * * *"));
        let last = "status.lastScheduleTime";
        set(server, "other", last, "2026-11-19T04:15:00Z");
    }
    let text = fleet.call("load --context eu,us").stdout;
    assert_contains!(text, "kubectl patch cronjob copy -n shop --context us ");
    assert_lacks!(text, "--context eu ");
    let document = fleet.document("explain --context us,eu other");
    let item = |context: &str| {
        let mut items = document["items"].items().iter();
        let item = items.find(|item| item["context"] == context);
        item.unwrap().to_string()
    };
    for (one, other) in [("eu", "us"), ("us", "eu")] {
        assert_contains!(item(one), &format!("--context {one}"));
        assert_lacks!(item(one), &format!("--context {other}"));
    }
}

/// Runs of both contexts are scheduled at 02:00.
#[test]
fn load_of_several_contexts_counts_them_together() {
    let fleet = Fleet::new();
    let us = fleet.server("us");
    set(us, "nightly", "schedule", "0 2 * * *");
    us.add(cron_job("shop", "copy", "0 2 * * *"));
    assert_ran!(fleet.call("load --context eu,us --for 1d"), 0);
    let document = fleet.document("load --context eu,us --for 1d --peaks 1");
    let peak = &document["peaks"][0];
    assert_eq!(peak["time"], "2026-11-22T02:00:00Z");
    assert_eq!(peak["count"], 3);
    let starting = peak["cronJobs"].items().iter();
    let starting: Vec<_> = starting
        .map(|one| (one["context"].text(), one["name"].text()))
        .collect();
    assert_eq!(
        starting,
        [("eu", "nightly"), ("us", "copy"), ("us", "nightly")]
    );
    let counts = document["buckets"]
        .items()
        .iter()
        .map(|one| one["count"].as_u64().unwrap());
    // In us, hourly is suspended.
    assert_eq!(counts.sum::<u64>(), 3 + 24);
    let svg = fleet.call("load --context eu,us --for 1d -o svg").stdout;
    assert!(svg.contains("<title>us: 2</title>"), "{svg}");
}

#[test]
fn report_of_several_contexts_is_one_page() {
    let fleet = Fleet::new();
    let page = fleet.call("report --context eu,us -o html").stdout;
    assert_eq!(page.matches("<iframe ").count(), 2);
    assert!(page.contains("<option>us</option>"));
    let document = fleet.document("report --context eu,us");
    let schedule = |at: usize| {
        let items = document["contexts"][at]["scan"]["items"].items();
        let nightly = items.iter().find(|item| item["name"] == "nightly");
        nightly.unwrap()["schedule"].text().to_owned()
    };
    assert_eq!([schedule(0), schedule(1)], ["0 2 * * *", "30 4 * * *"]);
}

/// The page of two contexts with the same names, for the browser.
pub(crate) fn page_of_two() -> String {
    Fleet::new().call("report --context eu,us -o html").fine()
}

/// Each recorder has the runs of its own context only.
#[test]
fn recorder_of_each_context_is_asked() {
    let fleet = Fleet::new();
    let path = "/api/v1/namespaces/monitoring/services/doctor:http/proxy/api/v1/history";
    let times = ["2026-11-19T02:00:00Z", "2026-11-19T04:30:00Z"];
    for ((_, server), at) in fleet.0.iter().zip(times) {
        let run = json!({"scheduledTime": at, "status": "onTime", "result": "succeeded", "jobName": "nightly-1",
            "source": "recorder", "startedAt": at});
        let item = json!({"namespace": "shop", "name": "nightly", "runs": [run], "offSchedule": [], "manual": [],
            "recorded": {"watched": [], "cronJobs": []}});
        let body = json!({"items": [item]}).to_string().leak();
        server.fault(Match::path(path), Fault::Body("application/json", body));
    }
    let line =
        "history nightly --all-contexts --since 2026-11-18T12:00:00Z --recorder monitoring/doctor";
    let document = fleet.document(line);
    let items = document["items"].items().iter();
    let found = items.map(|item| {
        let mut runs = item["runs"].items().iter();
        let stored = runs.find(|run| run["source"] == "recorder").unwrap();
        (item["context"].text(), stored["scheduledTime"].text())
    });
    let expected = [("eu", times[0]), ("us", times[1])];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    fleet.server("us").clear_faults();
    let ran = fleet.call(line);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.stderr.contains("context us: "), "{ran}");
    assert!(ran.stdout.contains("Context: eu\n"), "{ran}");
}

#[test]
fn logs_of_each_context_are_below_its_name() {
    let fleet = Fleet::new();
    for (name, server) in &fleet.0 {
        let job = job_name("nightly", "2026-11-21T02:00:00Z");
        let pod = format!("{job}-{name}");
        let names = ["shop", &job, &pod];
        let state = json!({"terminated": {"exitCode": 0, "reason": "Completed",
            "startedAt": "2026-11-21T02:00:02Z", "finishedAt": "2026-11-21T02:02:59Z"}});
        let status = [json!("Succeeded"), state];
        let pod = crate::live::scene::pod_in_state(server, names, "2026-11-21T02:00:00Z", status);
        server.add(pod);
        let text = format!("backup of {name}\n");
        server.log("shop", &format!("{job}-{name}"), "main", &text);
    }
    let ran = fleet.call("logs nightly --context eu,us");
    let expected = "Context: eu\nbackup of eu\nContext: us\nbackup of us\n";
    assert_eq!(ran.stdout, expected, "{ran}");
}

#[test]
fn context_flag_with_the_current_context_prints_the_same() {
    let fleet = Fleet::new();
    for verb in [
        "scan",
        "scan -o json",
        "next-runs -o csv",
        "history -o yaml",
        "load -o json",
    ] {
        let plain = fleet.call(verb);
        assert_eq!(fleet.call(&format!("{verb} --context eu")), plain);
    }
}

#[test]
fn contexts_are_selected_by_pattern() {
    let fleet = Fleet::new();
    let contexts = |line: &str, change: fn(&mut Value)| {
        let ran = fleet.call_with(&format!("next-runs {line} -o json"), change);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        let contexts = document["contexts"].as_array().into_iter().flatten();
        let names = contexts.map(|one| one["name"].text().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(contexts("--context 'u*'", |_| ()), "us");
    assert_eq!(contexts("--context '*s*,eu,us'", |_| ()), "us eu");
    assert_eq!(contexts("--context '!u*'", |_| ()), "eu");
    assert_eq!(contexts("--context 'e*u,u*u,*s'", |_| ()), "");
    assert_eq!(contexts("--context '*u,*s'", |_| ()), "eu us");
    assert_eq!(contexts("--context us --context eu", |_| ()), "us eu");
    assert_eq!(contexts("--all-contexts --context '!eu'", |_| ()), "us");
    // `eu-again` has the same cluster, user and namespace as `eu`. `eu-ops` has a different namespace,
    // which makes a difference unless all namespaces are read.
    let twice = |kubeconfig: &mut Value| {
        let mut again = kubeconfig["contexts"][0].clone();
        again["name"] = json!("eu-again");
        let mut other = again.clone();
        other["name"] = json!("eu-ops");
        other["context"]["namespace"] = json!("ops");
        let contexts = kubeconfig["contexts"].as_array_mut().unwrap();
        contexts.extend([again, other]);
    };
    assert_eq!(contexts("--all-contexts", twice), "eu us eu-ops");
    assert_eq!(contexts("--all-contexts -A", twice), "eu us");
    // An exact name is not a pattern.
    let odd = |kubeconfig: &mut Value| kubeconfig["contexts"][1]["name"] = json!("eu,u*");
    let ran = fleet.call_with("scan --context 'eu,u*' -o json", odd);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["controller"]["kubernetesVersion"], "1.30.2");
    assert_eq!(document.get("contexts"), None);
}

#[test]
fn several_contexts_are_refused_where_one_is_meant() {
    let fleet = Fleet::new();
    let lines = [
        "suspend nightly --context eu,us",
        "resume nightly --all-contexts",
        "trigger nightly --context 'e*'",
        "backfill nightly --context eu,us",
        "top --all-contexts",
        "serve --context eu,us",
        "simulate nightly --context eu,us",
        "scan --watch --context eu,us",
        "scan -f examples/cluster --all-contexts",
        "logs nightly --follow --context eu,us",
        "scan --context eu,us --server https://127.0.0.1:1",
        "history --context eu,us --recorder runs.db",
        "scan --context eu,uss",
        "scan --context 'prod-*'",
        "scan --context '!eu,!us'",
    ];
    let refused = lines.map(|line| format!("$ {line}\n{}", fleet.call(line).refused()));
    insta::assert_snapshot!(refused.join("\n"));
    let requests = fleet.0.iter().flat_map(|(_, server)| server.requests());
    assert_eq!(requests.count(), 0);
}
