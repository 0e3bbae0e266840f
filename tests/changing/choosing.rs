//! Which CronJobs are changed: by name, by selector, all of them, by files.

use std::collections::BTreeSet;

use crate::changing::prelude::*;
use crate::support::{files, verbs};

const QUIET: &str = "suspend -yq --chunk-size=1";

fn suspend(arguments: impl CommandLine) -> Ran {
    call(&server(), (QUIET, arguments))
}

#[test]
fn suspend_and_resume_without_a_selection_send_no_request() {
    for verb in ["suspend", "resume"] {
        let server = server();
        assert_ran!(call(&server, format!("{verb} -y")), 2, "");
        assert!(server.requests().is_empty());
    }
}

calls! {
    suspend_by_label_selector_suspends_only_matches {} suspend("-l app=hourly") => 0, "cronjob.batch/hourly suspended\n";
    selector_without_a_match_says_that_none_was_found {} call(&server(), "suspend -y -l app=none") => 0, "";
    selector_without_a_match_and_with_quiet_prints_nothing {} suspend("-l app=none") => 0, "";
    /// The order is the server's, and CronJobs that are already suspended stay suspended.
    suspend_all_leaves_other_namespaces_alone {} suspend("--all") => 0;
    /// Names alone would be ambiguous.
    suspend_in_all_namespaces_names_the_namespace_of_each {} suspend("-A") => 0;
    suspend_by_name_in_all_namespaces_finds_its_namespace {}
        suspend("-A never") => 0, "cronjob.batch/never suspended (namespace ops)\n";
    suspend_of_twelve_writes_the_shared_prediction_once {
        let server = ApiServer::start(Options::default());
        for number in 0..12 {
            let mut nightly = cron_job("shop", &format!("nightly-{number:02}"), "0 2 * * *");
            nightly["status"] = json!({"lastScheduleTime": "2026-11-21T02:00:00Z"});
            server.add(nightly);
        }
    } call(&server, "suspend --all --dry-run") => 0;
}

#[test]
fn namespace_alone_selects_nothing() {
    let server = server();
    for verb in ["suspend", "resume", "trigger"] {
        let refusal = call(&server, format!("{verb} -n shop -y")).refused();
        assert_starts!(refusal, "error: no CronJob is selected\n");
    }
    assert!(server.requests().is_empty());
}

/// `--all` selects all of the namespace, and with `-A` all of the cluster.
#[test]
fn all_with_all_namespaces_selects_the_cluster() {
    let alone = suspend("-A");
    assert_eq!(suspend("-A --all"), alone);
    assert_contains!(alone.stdout, "(namespace ops)");
}

/// Only the lists of the namespaces are read.
#[test]
fn several_namespaces_are_read_one_by_one() {
    for flags in ["-n shop,ops", "-n shop -n ops -n shop"] {
        let server = server();
        let ran = call(&server, (QUIET, "--all --wait", flags));
        let expected = "cronjob.batch/import already suspended (namespace shop)\n\
                        cronjob.batch/report already suspended (namespace shop)\n\
                        cronjob.batch/hourly suspended (namespace shop)\n\
                        cronjob.batch/nightly suspended (namespace shop)\n\
                        cronjob.batch/never suspended (namespace ops)\n";
        assert_eq!(ran.fine(), expected);
        let mut lines = server.sorted_lines();
        let of_cluster =
            |line: &String| line.ends_with("/v1/cronjobs") || line.ends_with("/v1/jobs");
        assert!(!lines.iter().any(of_cluster));
        lines.retain(|line| line.starts_with("watch "));
        let jobs = |namespace: &str| format!("watch /apis/batch/v1/namespaces/{namespace}/jobs");
        assert_eq!(lines, [jobs("ops"), jobs("shop")]);
    }
}

#[test]
fn error_in_one_of_several_namespaces_names_it() {
    let server = server();
    server.deny(|attempt| attempt.path == "/apis/batch/v1/namespaces/ops/cronjobs");
    let refusal = call(&server, "suspend --all -yq -n shop,ops").refused();
    assert_contains!(refusal, "in the namespace \"ops\"");
    assert!(changes(&server).is_empty());
    let missing = call(&server, "suspend nightly -yq -n shop,dev");
    let expected = (2, "cronjob.batch/nightly suspended (namespace shop)\n");
    assert_eq!((missing.code, missing.stdout.as_str()), expected);
    assert_contains!(missing.stderr, "not found in namespace \"dev\"");
}

#[test]
fn verbs_for_one_namespace_refuse_several() {
    let server = server();
    let all = "or -A for all";
    let one = "help: Use one namespace at a time.\n";
    let cases: [(&str, &str); 5] = [
        ("top", all),
        ("scan --watch", all),
        ("plan -f examples/plan/new", one),
        ("trigger --job nightly", all),
        ("scan -f examples/cluster", all),
    ];
    for (case, help) in cases {
        let arguments = (case, "-n shop,ops");
        let refusal = Call::by(&server, "admin", arguments).run().refused();
        assert_contains!(refusal, "takes only one namespace");
        assert_contains!(refusal, help);
    }
    assert!(server.requests().is_empty());
}

/// The help of -n names the verbs that take several namespaces, and no other.
#[test]
fn help_and_page_name_verbs_that_take_several_namespaces_or_contexts() {
    let options = doctor("options").fine();
    let page = files::text("docs/cluster.md");
    let between = |text: &str, before: &str, after: &str| -> BTreeSet<String> {
        let (_, text) = text.split_once(before).unwrap();
        let (names, _) = text.split_once(after).unwrap();
        let is_part = |c: char| c.is_alphanumeric() || c == '-';
        let words = names.split(|c| !is_part(c)).map(str::to_owned);
        let verbs = verbs::of_cluster();
        words.filter(|word| verbs.contains(word)).collect()
    };
    let contexts = between(&options, "context to use.", "take several");
    let heading = "## Several contexts";
    assert_eq!(contexts, between(&page, heading, "in one call"));
    let named = between(&options, "for this CLI request.", "take several");
    let of_page = between(&page, "reads several namespaces", "from a cluster");
    assert_eq!(named, of_page);
    let server = server();
    let needed = |verb: &str| match verb {
        "logs" => "nightly",
        "simulate" => "--for 1h",
        "suspend" | "resume" | "trigger" => "--all --dry-run",
        "backfill" => "nightly --since 1h",
        "plan" => "-f examples/plan/new",
        _ => "",
    };
    let mut taken = verbs::of_cluster();
    taken.retain(|verb| {
        let line = (verb, needed(verb), "-n shop,ops");
        let ran = Call::by(&server, "admin", line).run();
        !ran.stderr.contains("takes only one namespace")
    });
    assert_eq!(named, taken.into_iter().collect());
}

/// A manifest without a namespace means that of the context, as for kubectl.
#[test]
fn suspend_by_files_takes_namespaces_from_file_and_context() {
    let server = server();
    let manifests = server.file(
        "manifests.yaml",
        "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec: {schedule: '0 2 * * *', jobTemplate: {}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: nightly}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: never, namespace: ops}
spec: {schedule: '0 0 31 2 *', jobTemplate: {}}
",
    );
    let path = manifests.to_str().unwrap();
    let ran = call(&server, format!("suspend -yq -f {path}"));
    assert_ran!(ran, 0);
    assert_eq!(changes(&server).len(), 2);
    assert_ran!(call(&server, format!("resume -yq -f {path} -n shop")), 2);
}

#[test]
fn suspend_by_a_broken_file_changes_nothing() {
    let server = server();
    let broken = server.file("broken.yaml", "kind: CronJob\nspec: [\n");
    let refusal = call(&server, ["suspend", "-y", "-f", broken.to_str().unwrap()]).refused();
    let error = "error: nothing was changed: some of the files given with -f cannot be read\n";
    assert_ends!(refusal, error);
    assert!(server.requests().is_empty());
}
