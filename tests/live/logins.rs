//! Ways to log in: certificates, and commands that print a credential.

use std::path::Path;
use std::time::Instant;

use crate::live::prelude::*;

fn scan(server: &ApiServer, config: &Kubeconfig, arguments: impl CommandLine) -> Ran {
    let arguments = ("scan", NOW, arguments);
    Call::new(arguments).with(server, config).run()
}

/// `scan` of somebody who logs in by a script.
fn scan_by(script: &str, arguments: impl CommandLine) -> Ran {
    scan(&server(), &by_script(script), arguments)
}

/// A kubeconfig that says this of the user.
fn of_user(server: &ApiServer, user: Value) -> String {
    let config = Kubeconfig::anonymous().namespace("shop");
    server.kubeconfig_after(&config, |config| config["users"][0]["user"] = user)
}

/// The kubeconfig of somebody who logs in by a script.
fn by_script(script: &str) -> Kubeconfig {
    Kubeconfig::exec("/bin/sh", &["-c", script])
}

calls! {
    a_client_certificate(server) {
        let ran = scan(&server, &Kubeconfig::certificate("viewer").namespace("shop"), "");
        for request in server.requests() {
            assert_eq!(request.header("Authorization"), None);
        }
    } ran => 0;
    expired_client_certificate {}
        scan(&server(), &Kubeconfig::expired_certificate("viewer"), "") => 2;
    a_client_certificate_by_flags(server) { let flags = certificate_flags(&server); }
        scan(&server, &Kubeconfig::anonymous().namespace("shop"), flags) => 0;
    certificate_without_a_key(server) { let [certificate, _] = certificate_flags(&server); }
        scan(&server, &Kubeconfig::anonymous(), [certificate]) => 2, "";
    key_without_a_certificate(server) { let [_, key] = certificate_flags(&server); }
        scan(&server, &Kubeconfig::anonymous(), [key]) => 2, "";
    unknown_token_is_refused(server) {}
        scan(&server, &Kubeconfig::token("stolen"), "") => 2 => server.requests().len() == 1;
    /// A token in a file is replaced by whoever rotates it: it is read once, and then once more with what
    /// the file has by then.
    token_file_is_read_again_when_it_is_no_longer_good(server) {
        let path = of_user(&server, json!({"tokenFile": server.file("token", "expired")}));
    } Call::new(["scan", NOW, "--kubeconfig", &path]).run() => 2 => server.requests().len() == 2;
    a_command(server) {
        let path = server.exec_kubeconfig("viewer");
        let call = Call::new(("scan -nshop --kubeconfig", [path.to_str().unwrap(), NOW]));
    } call.variable("PATH", "/usr/local/bin:/usr/bin:/bin").run() => 0;
    command_whose_token_is_refused {} scan_by(&printing("stolen"), "") => 2;
    a_command_that_does_not_exist {
        let config = Kubeconfig::exec("/no/such/folder/login", &[]);
    } scan(&server(), &config, "") => 2;
    a_command_that_does_not_exist_and_where_to_get_it(server) {
        let config = Kubeconfig::exec("/no/such/folder/login", &[]);
        let hint = "\nIt comes with the cloud's tool.\n";
        let path = server.kubeconfig_after(&config, |config| {
            config["users"][0]["user"]["exec"]["installHint"] = json!(hint);
        });
    } Call::new(["scan", "--kubeconfig", &path]).run() => 2;
    /// Nobody is there to answer what it asks.
    a_command_that_hangs {
        let begun = Instant::now();
        let config = Kubeconfig::exec("/bin/sleep", &["30"]);
    } scan(&server(), &config, "--request-timeout=1s")
        => 2 => begun.elapsed() < Duration::from_secs(25);
    command_that_prints_too_much {} scan_by("yes '{\"kind\":'", "") => 2;
    /// What it says on stderr is another matter, as long as it says who one is.
    command_that_complains_too_much {
        let script = format!("yes complaint | head -c 3000000 >&2; {}", printing("stolen"));
    } scan_by(&script, "") => 2;
    /// It may ask a person, and takes its time.
    a_command_is_run_once(server) {
        let runs = server.file("runs", "");
        let script = format!("echo once >> {}; {}", runs.display(), printing("viewer-token"));
        let ran = scan(&server, &by_script(&script).namespace("shop"), "");
    } ran => 0 => fs::read_to_string(runs).unwrap() == "once\n";
    /// Credentials expire while a table is watched, and a command can get new ones.
    a_command_is_run_again_when_its_credentials_are_no_longer_good(server) {
        let runs = server.file("runs", "");
        let script = format!(
            "token=viewer-token; [ -s {runs} ] || token=expired; echo run >> {runs}; \
             echo \"kind: ExecCredential\"; echo \"status: {{token: $token}}\"",
            runs = runs.display()
        );
        let ran = scan(&server, &by_script(&script).namespace("shop"), "");
    } ran => 0 => fs::read_to_string(runs).unwrap() == "run\nrun\n";
}

/// A command of a shell that prints a credential.
fn printing(token: &str) -> String {
    let credential = json!({"kind": "ExecCredential", "status": {"token": token}});
    format!("echo '{credential}'")
}

/// The flags that name a good certificate and its key.
fn certificate_flags(server: &ApiServer) -> [String; 2] {
    let pair = server.client_certificate("viewer", false);
    let certificate = server.file("tls.crt", &pair.certificate);
    let key = server.file("tls.key", &pair.key);
    [
        format!("--client-certificate={}", certificate.display()),
        format!("--client-key={}", key.display()),
    ]
}

/// As with kubectl, line ends around a token are not part of it.
#[test]
fn token_with_line_ends_is_trimmed() {
    let server = server();
    let file = server.file("token", "viewer-token\r\n\n");
    let file = json!({"tokenFile": file});
    let exec = "echo 'kind: ExecCredential'; printf 'status:\\n  token: |\\n    viewer-token\\n'";
    let ask = |user: &Value, token: Option<&str>| {
        let path = of_user(&server, user.clone());
        let token = token.map(|token| format!("--token={token}"));
        let token = Vec::from_iter(token);
        Call::new(("scan --kubeconfig", [&path, NOW], token)).run()
    };
    let inline = json!({"token": "viewer-token\n"});
    assert_ran!(ask(&inline, None), 0);
    assert_ran!(ask(&json!({}), Some("\nviewer-token\r\n")), 0);
    assert_ran!(ask(&file, None), 0);
    let config = by_script(exec).namespace("shop");
    assert_ran!(scan(&server, &config, ""), 0);
    for request in server.requests() {
        assert_eq!(request.header("Authorization"), Some("Bearer viewer-token"));
    }

    // In the middle they cannot be sent.
    server.clear_requests();
    let file = server.file("token", "viewer\n-token");
    let exec = "echo '{\"kind\": \"ExecCredential\", \"status\": {\"token\": \"a\\u0007b\"}}'";
    let config = by_script(exec);
    let runs = [
        ask(&json!({"token": "viewer\n-token"}), None),
        ask(&json!({}), Some("\u{1}")),
        ask(&json!({"tokenFile": file}), None),
        scan(&server, &config, ""),
    ];
    insta::assert_snapshot!(runs.map(Ran::refused).concat());
    assert!(server.requests().is_empty());
}

/// What the kubeconfig says of the command is done: its variables, and what it is told.
#[test]
fn a_command_is_told_of_the_cluster() {
    let server = server();
    let info = server.file("info", "");
    let script = format!(
        "printf '%s %s' \"$GREETING\" \"$KUBERNETES_EXEC_INFO\" > {}; {}",
        info.display(),
        printing("viewer-token")
    );
    let exec = by_script(&script);
    let config = server.kubeconfig_after(&exec, |config| {
        let exec = &mut config["users"][0]["user"]["exec"];
        exec["env"] = json!([{"name": "GREETING", "value": "hello"}]);
        exec["provideClusterInfo"] = json!(true);
    });
    let ran = Call::new(("scan -nshop --kubeconfig", [&config, NOW])).run();
    assert_ran!(ran, 0);
    let told = fs::read_to_string(info).unwrap();
    let (greeting, told) = told.split_once(' ').unwrap();
    let told: Value = serde_json::from_str(told).unwrap();
    assert_eq!(greeting, "hello");
    assert_eq!(told["kind"], "ExecCredential");
    assert_eq!(told["spec"]["interactive"], false);
    assert_eq!(told["spec"]["cluster"]["server"], server.url());
}

/// Its arguments are not shown: they may be secret.
#[test]
fn a_command_that_fails() {
    let scripts = [
        "echo log in first >&2; exit 3",
        "exit 1",
        "kill -9 $$",
        "echo hello",
        "echo '{\"kind\": \"ExecCredential\"}'",
    ];
    let errors = scripts.map(|script| scan_by(script, "").refused());
    insta::assert_snapshot!(errors.concat());
}

/// As in kubectl. They would run programs and show what these print.
#[test]
fn auth_provider_that_kubectl_no_longer_has_is_refused() {
    let server = server();
    let folder = Folder::new("auth-provider", &[]);
    let script = "#!/bin/sh\ntouch \"$0.ran\"\necho SECRET\nexit 1\n";
    folder.program("login", script);
    let errors = ["gcp", "azure", "none"].map(|name| {
        let provider = json!({"cmd-path": folder.file("login"), "id-token": "SECRET"});
        let provider = json!({"auth-provider": {"name": name, "config": provider}});
        let path = of_user(&server, provider);
        let call = ["scan", NOW, "--kubeconfig", &path];
        let token = (&call, "--token=viewer-token");
        assert_eq!(Call::new(token).run().code, 0);
        Call::new(call).run().refused()
    });
    let errors = errors.concat();
    assert_lacks!(errors, "SECRET");
    assert!(!folder.join("login.ran").exists());
    insta::assert_snapshot!(errors);
}

/// What it has started ends with it.
#[test]
fn command_that_hangs_leaves_nothing_behind() {
    let server = server();
    let pids = server.file("pids", "");
    let script = format!("sleep 300 & echo $$ $! > {}; wait; wait", pids.display());
    let config = by_script(&script);
    let ran = scan(&server, &config, "--request-timeout=1s");
    assert_eq!(ran.code, 2, "{ran:?}");
    await_end_of(&pids);

    // The same where somebody has had enough of it.
    let pids = server.file("pids", "");
    let script = format!("sleep 300 & echo $$ $! > {}; wait", pids.display());
    let config = by_script(&script);
    let going = Going::start(Call::new("scan").with(&server, &config));
    let is_started = || fs::read_to_string(&pids).unwrap().ends_with('\n');
    await_that(is_started);
    going.interrupt();
    assert_eq!(going.end().1, Some(130));
    await_end_of(&pids);
}

/// Waits until none of the processes of a file is there. One that has ended may be nobody's child.
#[track_caller]
pub(crate) fn await_end_of(pids: &Path) {
    let pids = fs::read_to_string(pids).unwrap();
    let is_alive = |pid: &str| {
        let status = fs::read_to_string(format!("/proc/{pid}/stat"));
        status.is_ok_and(|status| !status.contains(") Z "))
    };
    assert_eq!(pids.split_whitespace().count(), 2, "{pids:?}");
    await_that(|| !pids.split_whitespace().any(is_alive));
}

#[track_caller]
pub(crate) fn await_that(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}
