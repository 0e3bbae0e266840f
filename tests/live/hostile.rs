//! A server that sends malicious texts: they are escaped, and stay within their line of the output.

use crate::live::prelude::*;

const HARM: &str = "no\u{1b}]0;pwn\u{7}\u{9b}2J\u{202e}\n::error::pwned\r\n\n  ##[debug]";

fn call(server: &ApiServer, arguments: impl CommandLine) -> Ran {
    let arguments = (arguments, "--color=always", NOW);
    let mut ran = Call::by(server, "admin", arguments).run();
    ran.stderr = anstream::adapter::strip_str(&ran.stderr).to_string();
    ran
}

calls! {
    /// The lines of a webhook's message are joined into one.
    refusal_of_a_hostile_server_stays_in_one_line(server) {
        let refusal = Fault::refusal(400, "BadRequest", HARM);
        server.fault(Match::path("/apis/batch/v1/namespaces/shop/cronjobs"), refusal);
    } call(&server, "scan") => 2;
}

#[test]
fn warning_of_a_hostile_server_is_escaped() {
    let server = server();
    server.warn(Match::any().method("PATCH"), "a\u{9b}2J##[debug]");
    let ran = call(&server, "suspend hourly --yes");
    let shown = "\nwarning: a\\u{9b}2J##\\u{5b}debug]\n";
    assert_contains!(ran.stderr, shown);
}

#[test]
fn version_of_a_hostile_server_is_escaped() {
    let server = server();
    server.set_git_version(&format!("v1.36.2{HARM}"));
    let config = Kubeconfig::user("viewer");
    let call = Call::new("version --color=always");
    let ran = call.with(&server, &config).run();
    let shown = "\nServer Version: v1.36.2no\\u{1b}]0;pwn\\u{7}\\u{9b}2J\\u{202e}\\n::error::pwned\\r\\n\\n  \
                 ##\\u{5b}debug]\n";
    assert_contains!(ran.stdout, shown);
}
