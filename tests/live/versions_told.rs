//! `version`, with a cluster and without.

use crate::live::prelude::*;

const CLIENT: &str = "\
Client Version: v0.1.0
Newest Kubernetes Version: v1.37
Time Zone Database: 2026e (bundled)
";

calls! {
    of_the_cluster_too(server) { let call = Call::new("version --tzdb=bundled"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0;
    of_the_client_alone(server) { let call = Call::new("version --tzdb=bundled --client"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0 => server.requests().is_empty();
    without_a_cluster {} Call::new("version --tzdb=bundled").run() => 0;
    /// What is known is told all the same.
    of_a_cluster_that_is_away {
        let arguments = "version --tzdb=bundled --server=http://127.0.0.1:1";
    } Call::new(arguments).run() => 2, CLIENT;
    as_a_document(server) { let call = Call::new("version --tzdb=bundled -o yaml"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0;
}
