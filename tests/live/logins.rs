//! Ways to log in: certificates, and commands that print a credential.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::live::call::{Call, check, failed, fine};
use crate::live::scene::{NOW, SHOP, server};
use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::run::Ran;

const UNAUTHORIZED: &str = "error: the server does not accept the credentials (401 Unauthorized): \
                            log in again, or check the user of the kubeconfig's context\n";

fn scan(server: &ApiServer, config: &Kubeconfig, arguments: &[&str]) -> Ran {
    let arguments = [&["scan", NOW], arguments].concat();
    Call::new(&arguments).with(server, config).run()
}

/// `scan` of somebody who logs in by a script.
fn scan_by(script: &str, arguments: &[&str]) -> Ran {
    let config = Kubeconfig::exec("/bin/sh", &["-c", script]);
    scan(&server(), &config, arguments)
}

#[test]
fn a_client_certificate() {
    let server = server();
    let config = Kubeconfig::certificate("viewer").namespace("shop");
    check(&scan(&server, &config, &[]), &fine(SHOP));
    for request in server.requests() {
        assert_eq!(request.header("Authorization"), None);
    }
    let expired = Kubeconfig::expired_certificate("viewer");
    check(&scan(&server, &expired, &[]), &failed(UNAUTHORIZED));
}

#[test]
fn a_client_certificate_by_flags() {
    let server = server();
    let pair = server.client_certificate("viewer", false);
    let certificate = server.file("tls.crt", &pair.certificate);
    let key = server.file("tls.key", &pair.key);
    let certificate = format!("--client-certificate={}", certificate.display());
    let key = format!("--client-key={}", key.display());
    let config = Kubeconfig::anonymous().namespace("shop");
    check(&scan(&server, &config, &[&certificate, &key]), &fine(SHOP));
    let without = |what: &str| {
        failed(&format!(
            "error: cannot set up the connection to SERVER: the client {what} is missing\n"
        ))
    };
    check(&scan(&server, &config, &[&certificate]), &without("key"));
    check(&scan(&server, &config, &[&key]), &without("certificate"));
}

#[test]
fn a_token_that_nobody_has() {
    let server = server();
    check(
        &scan(&server, &Kubeconfig::token("stolen"), &[]),
        &failed(UNAUTHORIZED),
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_command() {
    let server = server();
    let path = server.exec_kubeconfig("viewer");
    let flags = [
        "scan",
        "-nshop",
        NOW,
        "--kubeconfig",
        path.to_str().unwrap(),
    ];
    check(&Call::new(&flags).run(), &fine(SHOP));
}

/// What the kubeconfig says of the command is done: its variables, and what it is told.
#[test]
fn a_command_is_told_of_the_cluster() {
    let server = server();
    let info = server.file("info", "");
    let credential = json!({
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "viewer-token"},
    });
    let script = format!(
        "printf '%s %s' \"$GREETING\" \"$KUBERNETES_EXEC_INFO\" > {}; echo '{credential}'",
        info.display()
    );
    let config = server.kubeconfig(&Kubeconfig::exec("/bin/sh", &["-c", &script]));
    let mut config: Value =
        serde_json::from_str(&std::fs::read_to_string(config).unwrap()).unwrap();
    config["users"][0]["user"]["exec"]["env"] = json!([{"name": "GREETING", "value": "hello"}]);
    config["users"][0]["user"]["exec"]["provideClusterInfo"] = json!(true);
    let config = server.file("kubeconfig", &config.to_string());
    let flags = [
        "scan",
        "-nshop",
        NOW,
        "--kubeconfig",
        config.to_str().unwrap(),
    ];
    check(&Call::new(&flags).run(), &fine(SHOP));
    let told = std::fs::read_to_string(info).unwrap();
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
    let plugin = "error: the kubeconfig's credential plugin /bin/sh gave no credentials: ";
    for (script, why) in [
        (
            "echo log in first >&2; exit 3",
            "it ended with status 3: log in first",
        ),
        ("exit 1", "it ended with status 1"),
        ("kill -9 $$", "it was ended by signal: 9 (SIGKILL)"),
        ("echo hello", "it does not print an ExecCredential"),
        (
            "echo '{\"kind\": \"ExecCredential\"}'",
            "it does not print an ExecCredential",
        ),
    ] {
        check(&scan_by(script, &[]), &failed(&format!("{plugin}{why}\n")));
    }
    let stolen = "echo '{\"kind\": \"ExecCredential\", \"status\": {\"token\": \"stolen\"}}'";
    check(&scan_by(stolen, &[]), &failed(UNAUTHORIZED));
}

#[test]
fn a_command_that_does_not_exist() {
    let expected = "error: the kubeconfig's credential plugin /no/such/folder/login gave no \
                    credentials: it cannot be started: No such file or directory (os error 2)\n";
    let server = server();
    let config = Kubeconfig::exec("/no/such/folder/login", &[]);
    check(&scan(&server, &config, &[]), &failed(expected));

    let path = server.kubeconfig(&config);
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    config["users"][0]["user"]["exec"]["installHint"] =
        json!("\nIt comes with the cloud's tool.\n");
    let path = server.file("kubeconfig", &config.to_string());
    let call = Call::new(&["scan", "--kubeconfig", path.to_str().unwrap()]);
    check(
        &call.run(),
        &failed(&format!(
            "{expected}help: It comes with the cloud's tool.\n"
        )),
    );
}

/// Nobody is there to answer what it asks.
#[test]
fn a_command_that_hangs() {
    let begun = Instant::now();
    let server = server();
    let config = Kubeconfig::exec("/bin/sleep", &["30"]);
    check(
        &scan(&server, &config, &["--request-timeout=1s"]),
        &failed(
            "error: the kubeconfig's credential plugin /bin/sleep gave no credentials: \
             it did not end in time; --request-timeout waits longer\n",
        ),
    );
    assert!(
        begun.elapsed() < Duration::from_secs(25),
        "it was waited for"
    );
}

/// It may ask a person, and takes its time.
#[test]
fn a_command_is_run_once() {
    let server = server();
    let runs = server.file("runs", "");
    let script = format!(
        "echo once >> {}; echo '{{\"kind\": \"ExecCredential\", \"status\": {{\"token\": \"viewer-token\"}}}}'",
        runs.display()
    );
    let config = Kubeconfig::exec("/bin/sh", &["-c", &script]).namespace("shop");
    check(&scan(&server, &config, &[]), &fine(SHOP));
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "once\n");
}

/// Credentials expire while a table is watched, and a command can get new ones.
#[test]
fn a_command_is_run_again_when_its_credentials_are_no_longer_good() {
    let server = server();
    let runs = server.file("runs", "");
    let script = format!(
        "token=viewer-token; [ -s {runs} ] || token=expired; echo run >> {runs}; \
         echo \"kind: ExecCredential\"; echo \"status: {{token: $token}}\"",
        runs = runs.display()
    );
    let config = Kubeconfig::exec("/bin/sh", &["-c", &script]).namespace("shop");
    check(&scan(&server, &config, &[]), &fine(SHOP));
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "run\nrun\n");
}
