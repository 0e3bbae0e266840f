//! Servers that cannot be reached, or not be trusted.

use crate::live::prelude::*;

fn scan(server: &ApiServer, config: &Kubeconfig) -> Ran {
    Call::new(format!("scan {NOW}")).with(server, config).run()
}

fn expired() -> ApiServer {
    server_of(Options::default().expired_certificate())
}

calls! {
    its_certificate_has_expired {} view(&expired(), "scan") => 2;
    its_certificate_has_expired_and_is_not_looked_at {}
        view(&expired(), "scan --insecure-skip-tls-verify") => 0;
    its_certificate_is_of_another_authority {}
        scan(&server(), &Kubeconfig::user("viewer").wrong_authority()) => 2;
    its_authority_is_not_looked_at {}
        scan(&server(), &Kubeconfig::user("viewer").namespace("shop").insecure()) => 0;
    its_certificate_has_another_name {}
        view(&server(), "scan --tls-server-name=api.example.com") => 2;
    its_certificate_has_a_name_that_is_given {}
        view(&server(), "scan --tls-server-name=localhost") => 0;
    stopped_server_is_unreachable(server) { server.stop(); } view(&server, "scan") => 2;
    it_wants_encryption(server) {
        let plain = server.url().replace("https", "http");
        let ran = scan(&server, &Kubeconfig::user("viewer").url(&plain));
    } ran.replacing(&plain, "SERVER") => 2;
}
