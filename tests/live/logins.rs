//! Ways to log in: certificates, tokens, and plugins that print a credential.

use std::path::Path;
use std::time::Instant;

use crate::live::listeners::answering;
use crate::live::prelude::*;

fn scan(server: &ApiServer, config: &Kubeconfig, arguments: impl CommandLine) -> Ran {
    let arguments = ("scan", NOW, arguments);
    Call::new(arguments).with(server, config).run()
}

/// `scan` by a user who logs in with a script.
fn scan_by(script: &str, arguments: impl CommandLine) -> Ran {
    scan(&server(), &by_script(script), arguments)
}

/// A kubeconfig with this user.
fn of_user(server: &ApiServer, user: Value) -> String {
    let config = Kubeconfig::anonymous().namespace("shop");
    server.kubeconfig_after(&config, |config| config["users"][0]["user"] = user)
}

/// The kubeconfig of a user who logs in with a command that prints this token.
fn by_credential(server: &ApiServer, token: &str) -> Kubeconfig {
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": token},
    });
    let file = server.file("credential.json", &credential.to_string());
    Kubeconfig::exec("cat", &[file.to_str().unwrap()])
}

/// The kubeconfig of a user who logs in with a script.
fn by_script(script: &str) -> Kubeconfig {
    Kubeconfig::exec("/bin/sh", &["-c", script])
}

calls! {
    client_certificate_logs_in_without_a_token(server) {
        let pair = server.client_certificate("viewer", false);
        let ran = scan(&server, &Kubeconfig::certificate(&pair).namespace("shop"), "");
        for request in server.requests() {
            assert_eq!(request.header("Authorization"), None);
        }
    } ran => 0;
    expired_client_certificate_is_refused(server) { let pair = server.client_certificate("viewer", true); }
        scan(&server, &Kubeconfig::certificate(&pair), "") => 2;
    client_certificate_given_by_flags_logs_in(server) { let flags = certificate_flags(&server); }
        scan(&server, &Kubeconfig::anonymous().namespace("shop"), flags) => 0;
    client_certificate_without_a_key_is_an_error(server) { let [certificate, _] = certificate_flags(&server); }
        scan(&server, &Kubeconfig::anonymous(), [certificate]) => 2, "";
    client_key_without_a_certificate_is_an_error(server) { let [_, key] = certificate_flags(&server); }
        scan(&server, &Kubeconfig::anonymous(), [key]) => 2, "";
    unknown_token_is_refused(server) {}
        scan(&server, &Kubeconfig::token("stolen"), "") => 2 => server.requests().len() == 1;
    /// The token in a file may have been rotated: it is read once, and once more after it was refused, in
    /// case the file has a new one.
    token_file_is_read_again_after_its_token_is_refused(server) {
        let path = of_user(&server, json!({"tokenFile": server.file("token", "expired")}));
    } Call::new(["scan", NOW, "--kubeconfig", &path]).run() => 2 => server.requests().len() == 2;
    exec_plugin_logs_in(server) {
        let path = server.kubeconfig(&by_credential(&server, "viewer-token"));
        let call = Call::new(("scan -nshop --kubeconfig", [path.to_str().unwrap(), NOW]));
    } call.variable("PATH", "/usr/local/bin:/usr/bin:/bin").run() => 0;
    exec_plugin_whose_token_is_refused_is_an_error {} scan_by(&printing("stolen"), "") => 2;
    exec_plugin_that_does_not_exist_is_an_error {
        let config = Kubeconfig::exec("/no/such/folder/login", &[]);
    } scan(&server(), &config, "") => 2;
    exec_plugin_that_does_not_exist_shows_its_install_hint(server) {
        let config = Kubeconfig::exec("/no/such/folder/login", &[]);
        let hint = "\nIt comes with the cloud's tool.\n";
        let path = server.kubeconfig_after(&config, |config| {
            config["users"][0]["user"]["exec"]["installHint"] = json!(hint);
        });
    } Call::new(["scan", "--kubeconfig", &path]).run() => 2;
    /// A plugin may wait for input without a user to enter it.
    exec_plugin_that_hangs_is_killed_after_the_timeout {
        let begun = Instant::now();
        let config = Kubeconfig::exec("/bin/sleep", &["30"]);
    } scan(&server(), &config, "--request-timeout=1s")
        => 2 => begun.elapsed() < Duration::from_secs(25);
    exec_plugin_that_prints_too_much_is_an_error {} scan_by("yes '{\"kind\":'", "") => 2;
    /// The amount of stderr does not matter: the token is read, and the server refuses it.
    exec_plugin_with_long_stderr_has_its_token_sent {
        let script = format!("yes complaint | head -c 3000000 >&2; {}", printing("stolen"));
    } scan_by(&script, "") => 2;
    /// A plugin may prompt the user, and may take long.
    exec_plugin_is_run_once_for_all_requests(server) {
        let runs = server.file("runs", "");
        let script = format!("echo once >> {}; {}", runs.display(), printing("viewer-token"));
        let ran = scan(&server, &by_script(&script).namespace("shop"), "");
    } ran => 0 => fs::read_to_string(runs).unwrap() == "once\n";
    /// Credentials may expire during a watch, and a plugin can get new ones.
    exec_plugin_is_run_again_after_its_token_is_refused(server) {
        let runs = server.file("runs", "");
        let script = format!(
            "token=viewer-token; [ -s {runs} ] || token=expired; echo run >> {runs}; \
             echo \"kind: ExecCredential\"; echo \"status: {{token: $token}}\"",
            runs = runs.display()
        );
        let ran = scan(&server, &by_script(&script).namespace("shop"), "");
    } ran => 0 => fs::read_to_string(runs).unwrap() == "run\nrun\n";
}

/// A shell command that prints a credential.
fn printing(token: &str) -> String {
    let credential = json!({"kind": "ExecCredential", "status": {"token": token}});
    format!("echo '{credential}'")
}

/// The flags for a valid certificate and its key.
fn certificate_flags(server: &ApiServer) -> [String; 2] {
    let pair = server.client_certificate("viewer", false);
    let certificate = server.file("tls.crt", &pair.certificate);
    let key = server.file("tls.key", &pair.key);
    [
        format!("--client-certificate={}", certificate.display()),
        format!("--client-key={}", key.display()),
    ]
}

/// As in kubectl: anyone on the network path could read them. Only credentials in the address itself are
/// sent.
#[test]
fn credentials_are_not_sent_to_a_server_without_tls() {
    let small = answering("HTTP/1.1 418 -\r\nContent-Length: 0\r\n\r\n");
    let server = server();
    let [certificate, key] = certificate_flags(&server);
    let marker = server.file("marker", "");
    let file = |name| json!({"tokenFile": server.file(name, "SECRET")});
    let exec = |script: String| {
        json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sh",
            "args": ["-c", script], "interactiveMode": "Never"}})
    };
    let plugin = format!("echo ran >> {}; {}", marker.display(), printing("SECRET"));
    let pair = server.client_certificate("viewer", false);
    let pair = ["crt", "key"].map(|name| {
        let text = if name == "crt" {
            &pair.certificate
        } else {
            &pair.key
        };
        server.file(name, text)
    });
    let users = [
        (json!({"token": "SECRET"}), ""),
        (json!({"token": "SEC\nRET"}), ""),
        (file("token"), ""),
        (json!({"tokenFile": "/no/such/file"}), ""),
        (json!({"username": "a", "password": "SECRET"}), ""),
        (exec(plugin), ""),
        (exec("exit 1".to_owned()), ""),
        (json!({"auth-provider": {"name": "gcp"}}), ""),
        (
            json!({"client-certificate": pair[0], "client-key": pair[1]}),
            "",
        ),
        (json!({}), "--token=SECRET"),
        (json!({}), &format!("{certificate} {key}")),
    ];
    let address = small.url();
    let without_scheme = address.trim_start_matches("http://");
    let upper_case = address.replace("http:", "HTTP:");
    let call = |address: &str, user: Value, flags: &str| {
        let config = Kubeconfig::anonymous().url(address);
        let config = server.kubeconfig_after(&config, |config| config["users"][0]["user"] = user);
        let ran = Call::new((
            format!("scan --as jane {flags}"),
            NOW,
            ["--kubeconfig", &config],
        ))
        .run();
        assert_eq!(ran.code, 2, "{ran}");
        let heads = small.heads();
        assert_eq!(heads.len(), 1, "{ran}");
        heads.concat().to_lowercase()
    };
    for (user, flags) in users {
        for address in [&address, without_scheme, &upper_case] {
            let head = call(address, user.clone(), flags);
            assert_lacks!(head, "authorization");
            assert_contains!(head, "impersonate-user: jane\r\n");
        }
    }
    assert_eq!(fs::read_to_string(marker).unwrap(), "");
    let with_login = address.replace("://", "://a:b@");
    let head = call(&with_login, json!({"token": "SECRET"}), "");
    assert_contains!(head, "authorization: basic ytpi\r\n");
}

/// As in kubectl. Otherwise the request would be sent as a different user.
#[test]
fn other_credentials_take_precedence_over_a_plugin() {
    let server = server();
    let marker = server.file("marker", "");
    let script = format!("echo ran >> {}; {}", marker.display(), printing("stolen"));
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sh",
        "args": ["-c", script], "interactiveMode": "Never"});
    let file = server.file("token", "viewer-token");
    let pair = server.client_certificate("viewer", false);
    let certificate = server.file("tls.crt", &pair.certificate);
    let key = server.file("tls.key", &pair.key);
    for (user, is_known) in [
        (json!({"token": "viewer-token", "exec": exec}), true),
        (json!({"tokenFile": file, "exec": exec}), true),
        (
            json!({"username": "a", "password": "b", "exec": exec}),
            false,
        ),
        (
            json!({"client-certificate": certificate, "client-key": key, "exec": exec}),
            true,
        ),
    ] {
        let path = of_user(&server, user);
        let ran = Call::new(("scan", NOW, ["--kubeconfig", &path])).run();
        assert_eq!(ran.code == 0, is_known, "{ran}");
    }
    assert_eq!(fs::read_to_string(marker).unwrap(), "");
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

    // A token cannot be sent with control characters in the middle.
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

/// The plugin receives the variables in the kubeconfig, and information about the cluster.
#[test]
fn exec_plugin_gets_the_cluster_and_its_variables() {
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
    let received = fs::read_to_string(info).unwrap();
    let (greeting, info) = received.split_once(' ').unwrap();
    let info: Value = serde_json::from_str(info).unwrap();
    assert_eq!(greeting, "hello");
    assert_eq!(info["kind"], "ExecCredential");
    assert_eq!(info["spec"]["interactive"], false);
    assert_eq!(info["spec"]["cluster"]["server"], server.url());
}

/// The arguments of a plugin are not shown, because they may be secret.
#[test]
fn exec_plugin_that_fails_is_an_error_without_its_arguments() {
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

/// As in kubectl. Auth providers would run programs and show their output.
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

/// Processes that the plugin has started are ended with it.
#[test]
fn exec_plugin_that_hangs_leaves_no_processes() {
    let server = server();
    let pids = server.file("pids", "");
    let script = format!("sleep 300 & echo $$ $! > {}; wait; wait", pids.display());
    let config = by_script(&script);
    let ran = scan(&server, &config, "--request-timeout=1s");
    assert_eq!(ran.code, 2, "{ran:?}");
    await_end_of(&pids);

    // The same when the user interrupts the command.
    let pids = server.file("pids", "");
    let script = format!("sleep 300 & echo $$ $! > {}; wait", pids.display());
    let config = by_script(&script);
    let going = RunningCall::start(Call::new("scan").with(&server, &config));
    let is_started = || fs::read_to_string(&pids).unwrap().ends_with('\n');
    await_that(is_started);
    going.interrupt();
    assert_eq!(going.end().1, Some(130));
    await_end_of(&pids);
}

/// Waits until all processes in a file have ended. A zombie counts as ended, because it may not have a
/// parent that waits for it.
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
