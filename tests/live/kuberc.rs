//! Which credential plugins `kuberc` allows.
use std::os::unix::fs::symlink;

use crate::live::prelude::*;
use crate::support::tables::{Case, section};

const HOME: &str = "home/.kube/kuberc";
const DENY: &str = "v1beta1; policy: DenyAll";
const DENIED: &str = "plugin \"plug\" is not allowed by the policy in home/.kube/kuberc";
const WRONG: &str = "credentialPluginPolicy must be AllowAll, DenyAll or Allowlist";

/// A folder with plugins that create the file `ran`.
fn plugins() -> Folder {
    let folder = Folder::new("kuberc", &[("noexec", "")]);
    let script = format!("#!/bin/sh\n: > {}\nexit 1\n", folder.file("ran"));
    for plugin in ["bin/plug", "bin2/plug", "rel"] {
        folder.program(plugin, &script);
    }
    symlink(folder.join("bin/plug"), folder.join("bin/link")).unwrap();
    folder
}

/// Calls `scan` as the user `exec`, whose plugin is this command. `B/` is replaced with the path of the folder. Returns
/// whether the plugin ran, and the messages.
fn scan(
    folder: &Folder,
    command: &str,
    arguments: impl CommandLine,
    variables: &[(&str, &str)],
) -> (bool, String) {
    let place = |text: &str| text.replace("B/", &format!("{}/", folder.path()));
    let exec = json!({
        "apiVersion": "client.authentication.k8s.io/v1", "command": place(command),
        "interactiveMode": "Never",
    });
    let config = json!({
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "exec"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [
            {"name": "exec", "user": {"exec": exec}},
            {"name": "other", "user": {"token": "x"}},
        ],
    });
    folder.write("config", config.to_string());
    let _ = std::fs::remove_file(folder.join("ran"));
    let arguments: Vec<String> = arguments.arguments().iter().map(|one| place(one)).collect();
    let config = folder.file("config");
    let mut call = Call::new((&format!("scan --kubeconfig {config}"), &arguments))
        .in_folder(folder)
        .variable("HOME", &folder.file("home"))
        .variable("PATH", &place("B/bin:/usr/bin:/bin"));
    for (name, value) in variables {
        call = call.variable(name, &place(value));
    }
    let ran = call.run();
    assert_eq!(ran.code, 2, "{ran}");
    (folder.join("ran").exists(), folder.shortened(&ran.stderr))
}

/// Asserts that the plugin ran if no error is expected, and otherwise the error.
#[track_caller]
fn check(case: &str, (ran, messages): (bool, String), expected: &str) {
    assert_eq!(ran, expected.is_empty(), "{case}: {messages}");
    assert!(messages.contains(expected), "{case}: {messages}");
}

/// The text of a `kuberc` file that the table shows in short.
fn kuberc(short: &str) -> String {
    let lines = short.split("; ").map(|line| {
        if line.starts_with("v1") {
            return format!("apiVersion: kubectl.config.k8s.io/{line}\nkind: Preference\n");
        }
        let line = line.replace("policy: ", "credentialPluginPolicy: ");
        line.replace("list: ", "credentialPluginAllowlist: ") + "\n"
    });
    lines.collect()
}

/// The cases of a section of the table, and the errors.
fn cases(heading: &str) -> impl Iterator<Item = Case> {
    let cases = section("tests/live/kuberc.txt", heading).into_iter();
    let words = |text: String| text.replace("DENIED", DENIED).replace("WRONG", WRONG);
    cases.map(move |(case, expected)| (case, words(expected)))
}

#[test]
fn policy_in_the_home_directory_decides() {
    let folder = plugins();
    check("no file", scan(&folder, "plug", "", &[]), "");
    for (case, expected) in cases("files") {
        folder.write(HOME, kuberc(&case));
        check(&case, scan(&folder, "plug", "", &[]), &expected);
    }
    // Without a plugin only an invalid policy matters.
    let unknown = ("v1beta1; policy: Ask", WRONG);
    for (case, expected) in [(DENY, "cannot reach"), unknown] {
        folder.write(HOME, kuberc(case));
        for flag in ["--user=other", "--token=x"] {
            check(case, scan(&folder, "plug", [flag], &[]), expected);
        }
    }
}

#[test]
fn allowlist_has_names_and_paths() {
    let folder = plugins();
    for (case, expected) in cases("entries") {
        let (entry, command) = case.split_once(", ").unwrap();
        let entry = entry.replace("B/", &format!("{}/", folder.path()));
        let text = format!("v1beta1; policy: Allowlist; list: [{{command: {entry}}}]");
        folder.write(HOME, kuberc(&text));
        check(&case, scan(&folder, command, "", &[]), &expected);
    }
    // A plugin that is found through a relative entry of PATH is not run.
    folder.write(HOME, "");
    let ran = scan(&folder, "rel", "", &[("PATH", ".:/usr/bin:/bin")]);
    check("rel", ran, "not found in PATH");
}

#[test]
fn flag_comes_before_the_variable_and_the_home_directory() {
    let folder = plugins();
    let allow = "v1beta1; policy: AllowAll";
    for (name, text) in [
        (HOME, DENY),
        ("deny", DENY),
        ("allow", allow),
        ("broken", "a: [b"),
    ] {
        folder.write(name, kuberc(text));
    }
    folder.write("empty", "");
    for (case, expected) in cases("places") {
        let (flag, variable) = case.split_once(',').unwrap();
        let flag = Some(flag).filter(|flag| !flag.is_empty());
        let flags: Vec<String> = flag.iter().map(|flag| format!("--kuberc={flag}")).collect();
        let ran = scan(&folder, "plug", &flags, &[("KUBERC", variable.trim())]);
        check(&case, ran, &expected);
    }
    for (gate, flags, expected) in [
        ("false", "", ""),
        ("0", "", DENIED),
        ("False", "--kuberc=B/allow", ""),
    ] {
        let ran = scan(&folder, "plug", flags, &[("KUBECTL_KUBERC", gate)]);
        check(gate, ran, expected);
    }
}

/// As in kubectl, a file that cannot be read is not an error if it was not requested.
#[test]
fn unreadable_preferences_are_a_warning() {
    let folder = plugins();
    let allowlist = "v1beta1; policy: Allowlist; list: [{command: a}]";
    let messages = [
        ("a: [b", "--user=other"),
        (DENY, "--user=exec"),
        (allowlist, "--user=exec"),
    ]
    .map(|(text, user)| {
        folder.write(HOME, kuberc(text));
        scan(&folder, "plug", [user], &[]).1
    });
    insta::assert_snapshot!(messages.concat());
}
