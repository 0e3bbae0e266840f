//! `version`, with a cluster and without.

use crate::live::prelude::*;

const CLIENT: &str = "\
Client Version: v0.1.0
Newest Kubernetes Version: v1.37
Time Zone Database: 2026e (bundled)
";

calls! {
    version_shows_the_version_of_the_server(server) { let call = Call::new("version --tzdb=bundled"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0;
    version_with_client_flag_sends_no_request(server) { let call = Call::new("version --tzdb=bundled --client"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0 => server.requests().is_empty();
    version_without_a_kubeconfig_shows_the_client_only {} Call::new("version --tzdb=bundled").run() => 0;
    /// The client version is shown even if the server cannot be reached.
    version_with_an_unreachable_server_still_shows_the_client {
        let arguments = "version --tzdb=bundled --server=http://127.0.0.1:1";
    } Call::new(arguments).run() => 2, CLIENT;
    version_as_yaml_has_client_and_server(server) { let call = Call::new("version --tzdb=bundled -o yaml"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0;
}
