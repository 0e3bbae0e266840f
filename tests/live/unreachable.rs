//! Servers that cannot be reached or trusted.

use crate::live::prelude::*;
use crate::support::apiserver::ServerCertificate;

fn scan(server: &ApiServer, config: &Kubeconfig) -> Ran {
    Call::new(format!("scan {NOW}")).with(server, config).run()
}

fn server_with(certificate: ServerCertificate) -> ApiServer {
    server_of(Options {
        certificate,
        ..Options::default()
    })
}

fn expired() -> ApiServer {
    server_with(ServerCertificate::Expired)
}

calls! {
    server_with_an_expired_certificate_is_refused {} view(&expired(), "scan") => 2;
    server_with_an_expired_certificate_is_accepted_with_insecure_flag {}
        view(&expired(), "scan --insecure-skip-tls-verify") => 0;
    server_with_an_unknown_authority_is_refused {}
        scan(&server(), &Kubeconfig::user("viewer").wrong_authority()) => 2;
    server_with_an_unknown_authority_is_accepted_if_insecure {}
        scan(&server(), &Kubeconfig::user("viewer").namespace("shop").insecure()) => 0;
    server_with_another_name_in_its_certificate_is_refused {}
        view(&server(), "scan --tls-server-name=api.example.com") => 2;
    server_with_the_given_tls_server_name_is_accepted {}
        view(&server(), "scan --tls-server-name=localhost") => 0;
    stopped_server_is_unreachable(server) { server.stop(); } view(&server, "scan") => 2;
    http_address_of_a_tls_server_is_an_error(server) {
        let plain = server.url().replace("https", "http");
        let ran = scan(&server, &Kubeconfig::user("viewer").url(&plain));
    } ran.replacing(&plain, "SERVER") => 2;
}

/// As in kubectl 1.32, whose answers were compared: nothing else about the certificate is trusted.
#[test]
fn server_that_is_its_own_authority_is_trusted_within_its_names_time_and_purpose() {
    let own = server_with(ServerCertificate::Authority);
    assert_ran!(view(&own, "scan"), 0);
    let refused = [
        view(&own, "scan --tls-server-name=api.example.com"),
        view(&server_with(ServerCertificate::ExpiredAuthority), "scan"),
        view(&server_with(ServerCertificate::AuthorityOfClients), "scan"),
        view(&server_with(ServerCertificate::OtherAuthority), "scan"),
    ];
    insta::assert_snapshot!(refused.map(Ran::refused).concat());
}
