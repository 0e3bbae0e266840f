//! A terminal with the dashboard in it, and somebody who looks and presses keys.

use crate::apiserver::{ApiServer, Options};

/// When the objects of examples/cluster were recorded.
pub(crate) const NOW: &str = "2026-11-21T02:13:08Z";

/// A server with the objects of examples/cluster, at the moment at which they were recorded.
pub(crate) fn recorded_cluster() -> ApiServer {
    let server = ApiServer::start(Options::default());
    for list in ["cronjobs", "jobs", "events"] {
        server.load_list(&format!("examples/cluster/{list}.json"));
    }
    server.set_date(NOW);
    server
}
