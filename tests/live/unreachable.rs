//! Servers that cannot be reached, or not be trusted.

use crate::live::prelude::*;

fn scan(server: &ApiServer, config: &Kubeconfig) -> Ran {
    Call::new(format!("scan {NOW}")).with(server, config).run()
}

#[test]
fn its_certificate_has_expired() {
    let server = server_of(Options::default().expired_certificate());
    assert_ran!(view(&server, "scan"), 2);
    assert_ran!(view(&server, "scan --insecure-skip-tls-verify"), 0);
}

#[test]
fn its_certificate_is_of_another_authority() {
    let server = server();
    let config = Kubeconfig::user("viewer").wrong_authority();
    assert_ran!(scan(&server, &config), 2);
    let config = Kubeconfig::user("viewer").namespace("shop").insecure();
    assert_ran!(scan(&server, &config), 0);
}

#[test]
fn its_certificate_has_another_name() {
    let server = server();
    assert_ran!(view(&server, "scan --tls-server-name=api.example.com",), 2);
    assert_ran!(view(&server, "scan --tls-server-name=localhost"), 0);
}

calls! {
    stopped_server_is_unreachable(server) { server.stop(); } view(&server, "scan") => 2;
    it_wants_encryption(server) {
        let plain = server.url().replace("https", "http");
        let ran = scan(&server, &Kubeconfig::user("viewer").url(&plain));
    } ran.replacing(&plain, "SERVER") => 2;
}
