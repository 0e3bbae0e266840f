//! Servers that cannot be reached, or not be trusted.

use crate::live::call::{Call, ask, check, failed, fine};
use crate::live::scene::{NOW, SHOP, server, server_of};
use crate::support::apiserver::{ApiServer, Kubeconfig, Options};
use crate::support::run::Ran;

fn scan(server: &ApiServer, config: &Kubeconfig) -> Ran {
    Call::new(&["scan", NOW]).with(server, config).run()
}

#[test]
fn its_certificate_has_expired() {
    let server = server_of(Options::default().expired_certificate());
    check(
        &ask(&server, "viewer", &["scan"]),
        &failed(
            "error: cannot reach SERVER: the server's certificate is not valid after \
             2001-01-01T00:00:00Z; renew it, or set this machine's clock right\n",
        ),
    );
    check(
        &ask(&server, "viewer", &["scan", "--insecure-skip-tls-verify"]),
        &fine(SHOP),
    );
}

#[test]
fn its_certificate_is_of_another_authority() {
    let server = server();
    let config = Kubeconfig::user("viewer").wrong_authority();
    check(
        &scan(&server, &config),
        &failed(
            "error: cannot reach SERVER: invalid peer certificate: BadSignature; the kubeconfig's \
             certificate-authority did not sign the server's certificate\n",
        ),
    );
    let config = Kubeconfig::user("viewer").namespace("shop").insecure();
    check(&scan(&server, &config), &fine(SHOP));
}

#[test]
fn its_certificate_has_another_name() {
    let server = server();
    check(
        &ask(
            &server,
            "viewer",
            &["scan", "--tls-server-name=api.example.com"],
        ),
        &failed(
            "error: cannot reach SERVER: the server's certificate is not for \
             \"api.example.com\", but for 127.0.0.1 or \"localhost\"; \
             --tls-server-name says which name it has to be for\n",
        ),
    );
    check(
        &ask(&server, "viewer", &["scan", "--tls-server-name=localhost"]),
        &fine(SHOP),
    );
}

#[test]
fn nobody_is_there() {
    let server = server();
    server.stop();
    check(
        &ask(&server, "viewer", &["scan"]),
        &failed(
            "error: cannot reach SERVER: Connection refused (os error 111); \
             is the cluster running, and the address right?\n",
        ),
    );
}

#[test]
fn it_wants_encryption() {
    let server = server();
    let plain = server.url().replace("https", "http");
    let ran = scan(&server, &Kubeconfig::user("viewer").url(&plain));
    let expected = format!(
        "error: cannot reach {plain}: invalid HTTP version parsed; does the server want https?\n"
    );
    check(&ran, &failed(&expected));
}
