//! Which credential plugins `kuberc` allows. The outcomes are those of kubectl 1.37.1, recorded by running it with the
//! same files.
use std::os::unix::fs::symlink;

use crate::live::prelude::*;

const HOME: &str = "home/.kube/kuberc";
const DENY: &str = "v1beta1; policy: DenyAll";
const DENIED: &str = "plugin \"plug\" not allowed: policy set to \"DenyAll\"";

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

/// Calls `scan` as the user `exec`, whose plugin is that command. `B/` stands for the folder. Returns whether the plugin
/// ran, and the messages.
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

/// The text of `kuberc`, with short names and `; ` for a new line, and the error, if the plugin does not run.
const FILES: &str = r#"
    a: [b =>
    hello =>
    kind: Preference; policy: DenyAll =>
    v1; policy: DenyAll =>
    v1alpha1; policy: DenyAll =>
    v1alpha2; policy: DenyAll =>
    v1beta1 =>
    v1beta1; policy: '' =>
    v1beta1; policy: null =>
    v1beta1; policy: AllowAll =>
    v1beta1; policy: DenyAll => DENIED
    v1beta1; policy: denyall => unknown plugin policy: "denyall"
    v1beta1; policy: 5 =>
    v1beta1; policy: Allowlist => credential plugin policy set to "Allowlist", but allowlist is unspecified
    v1beta1; policy: Allowlist; list: [] => but allowlist is empty; use "DenyAll" policy instead
    v1beta1; policy: AllowAll; list: [] => plugin policy is "AllowAll" but allowlist is non-nil
    v1beta1; policy: DenyAll; list: [{command: plug}] => plugin policy is "DenyAll" but allowlist is non-nil
    v1beta1; list: [{command: plug}] => plugin policy is "" but allowlist is non-nil
    v1beta1; policy: Allowlist; list: [{}] => misconfigured credential plugin allowlist: empty allowlist entry #1
    v1beta1; policy: Allowlist; list: [{command: plug}, null] => empty allowlist entry #2
    v1beta1; policy: Allowlist; list: [{command: ./plug}] => non-normalized file path: "./plug" vs "plug"
    v1beta1; policy: Allowlist; list: [{command: /bin/}] => non-normalized file path: "/bin/" vs "/bin"
    v1beta1; policy: Allowlist; list: [{name: plug}] =>
    v1beta1; policy: Allowlist; list: [{name: a, command: a}] => plugin path "bin/plug" is not permitted
    v1beta1; policy: Allowlist; list: [{name: plug, command: a}] =>
    v1beta1; policy: DenyAll; foo: 1 => DENIED
    v1beta1; policy: Allowlist; credentialPluginAllowList: [] => but allowlist is unspecified
    v1beta1; policy: AllowAll; policy: DenyAll => DENIED
    v1beta1; policy: DenyAll; defaults: none =>
    v1beta1; policy: DenyAll; aliases: [{name: a, options: [{name: output, default: 5}]}] =>
    v1beta1; policy: DenyAll; aliases: [{name: a, command: get, prependArgs: [nodes]}] => DENIED
    kind: ConfigMap; ---; v1beta1; policy: DenyAll => DENIED
    v1beta1; policy: DenyAll; ---; v1beta1; policy: AllowAll => DENIED
    v1beta1; policy: 5; ---; v1beta1; policy: DenyAll => DENIED
    v1alpha1; ---; v1beta1; policy: DenyAll =>
"#;

/// The text of a file in the table.
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

/// The entry of the allowlist, the command of the plugin, and the error, if it does not run.
const ENTRIES: &str = r#"
    plug, plug =>
    other, plug => plugin path "bin/plug" is not permitted by the credential plugin allowlist
    B/bin/plug, plug =>
    B/bin2/plug, plug => plugin path "bin/plug" is not permitted
    plug, B/bin/plug =>
    plug, B/bin2/plug => plugin path "bin2/plug" is not permitted
    B/bin/plug, B/bin/plug =>
    B/bin/plug, B/bin/../bin//plug =>
    B/bin/plug, link => plugin path "bin/link" is not permitted
    link, link =>
    B/bin/link, plug => plugin path "bin/plug" is not permitted
    B/rel, ./rel =>
    rel, ./rel => plugin path "rel" is not permitted
    B/bin/plug, bin/plug =>
    bin/plug, bin/plug => plugin path "bin/plug" is not permitted
    gone, gone => plugin gone: cannot be started
    plug, gone => cannot be resolved for credential plugin allowlist check
    B/gone, B/gone => gone: cannot be started
    plug, B/gone => cannot be resolved for credential plugin allowlist check
    noexec, B/noexec => cannot be resolved for credential plugin allowlist check
"#;

/// `--kuberc`, `KUBERC` and the error, if the plugin does not run. The file in the home directory denies it.
const PLACES: &str = r"
    B/allow, =>
    B/allow, B/deny =>
    B/deny, B/allow => DENIED
    B/empty, =>
    B/broken, => no valid preferences found in kuberc broken
    B/none, => cannot read kuberc none: No such file
    B/bin, => cannot read kuberc bin: Is a directory
    , B/allow =>
    , B/broken => no valid preferences found in kuberc broken
    , B/none => cannot read kuberc none: No such file
    , => DENIED
    , off =>
    , OFF => cannot read kuberc OFF: No such file
    B/deny, off => disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive
    B/home/.kube/kuberc, B/allow =>
";

/// The lines of a table and the errors.
fn cases(table: &'static str) -> impl Iterator<Item = (&'static str, String)> {
    table.trim().lines().map(|line| {
        let (case, expected) = line.split_once("=>").unwrap();
        (case.trim(), expected.trim().replace("DENIED", DENIED))
    })
}

#[test]
fn policy_in_the_home_directory_decides() {
    let folder = plugins();
    check("no file", scan(&folder, "plug", "", &[]), "");
    for (case, expected) in cases(FILES) {
        folder.write(HOME, kuberc(case));
        check(case, scan(&folder, "plug", "", &[]), &expected);
    }
    // Without a plugin only an invalid policy matters.
    let unknown = ("v1beta1; policy: Ask", "unknown plugin policy: \"Ask\"");
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
    for (case, expected) in cases(ENTRIES) {
        let (entry, command) = case.split_once(", ").unwrap();
        let entry = entry.replace("B/", &format!("{}/", folder.path()));
        let text = format!("v1beta1; policy: Allowlist; list: [{{command: {entry}}}]");
        folder.write(HOME, kuberc(&text));
        check(case, scan(&folder, command, "", &[]), &expected);
    }
    // A relative entry of PATH leads to nothing.
    folder.write(HOME, "");
    let ran = scan(&folder, "rel", "", &[("PATH", ".:/usr/bin:/bin")]);
    let error = "cannot run executable found relative to current directory";
    check("rel", ran, error);
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
    for (case, expected) in cases(PLACES) {
        let (flag, variable) = case.split_once(',').unwrap();
        let flag = Some(flag).filter(|flag| !flag.is_empty());
        let flags: Vec<String> = flag.iter().map(|flag| format!("--kuberc={flag}")).collect();
        let ran = scan(&folder, "plug", &flags, &[("KUBERC", variable.trim())]);
        check(case, ran, &expected);
    }
    for (gate, flags, expected) in [
        ("false", "", ""),
        ("0", "", DENIED),
        ("False", "--kuberc=B/allow", "are mutually exclusive"),
    ] {
        let ran = scan(&folder, "plug", flags, &[("KUBECTL_KUBERC", gate)]);
        check(gate, ran, expected);
    }
}

/// As in kubectl, a file that was not asked for is no reason to fail.
#[test]
fn unusable_preferences_are_a_warning() {
    let folder = plugins();
    let fields = "v1beta1; foo: 1; aliases: [{name: a, bar: 1}]; foo: 2";
    let allowlist = "v1beta1; policy: Allowlist; list: [{command: a}]";
    let messages = [
        ("a: [b", "--user=other"),
        (fields, "--user=other"),
        ("v1alpha1; policy: DenyAll", "--user=other"),
        (DENY, "--user=exec"),
        (allowlist, "--user=exec"),
    ]
    .map(|(text, user)| {
        folder.write(HOME, kuberc(text));
        scan(&folder, "plug", [user], &[]).1
    });
    insta::assert_snapshot!(messages.concat());
}
