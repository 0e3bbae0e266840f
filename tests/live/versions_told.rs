//! `version`, with a cluster and without.

use crate::live::prelude::*;

const CLIENT: &str = "\
Client Version: v0.1.0
Newest Kubernetes Version: v1.37
Time Zone Database: 2026e (bundled)
";

#[test]
fn of_the_cluster_too() {
    let server = server();
    let config = Kubeconfig::user("viewer");
    let call = Call::new("version --tzdb=bundled");
    assert_ran!(call.with(&server, &config).run(), 0);

    let call = Call::new("version --tzdb=bundled --client");
    assert_ran!(call.with(&server, &config).run(), 0);
    assert_eq!(server.requests().len(), 1);
}

calls! {
    without_a_cluster {} Call::new("version --tzdb=bundled").run() => 0;
    /// What is known is told all the same.
    of_a_cluster_that_is_away {
        let arguments = "version --tzdb=bundled --server=http://127.0.0.1:1";
    } Call::new(arguments).run() => 2, CLIENT;
    as_a_document(server) { let call = Call::new("version --tzdb=bundled -o yaml"); }
        call.with(&server, &Kubeconfig::user("viewer")).run() => 0;
}
