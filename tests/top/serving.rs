//! A server to try the dashboard on:
//! `cargo test --test integration top::serving -- --ignored --nocapture` says how to call it, and serves until it is
//! interrupted.

use std::io::Write as _;

use crate::support::apiserver::{ApiServer, Kubeconfig, Options};

/// Serves the recorded cluster, or as many CronJobs as `CRON_JOBS` says.
#[test]
#[ignore = "serves until it is interrupted"]
fn serve() {
    let count = std::env::var("CRON_JOBS")
        .ok()
        .and_then(|count| count.parse().ok());
    let server = match count {
        Some(count) => ApiServer::start(Options::synthetic(count, 5)),
        None => crate::top::terminal::recorded_cluster(),
    };
    let kubeconfig = server.kubeconfig(&Kubeconfig::user("admin").namespace("shop"));
    let mut out = std::io::stdout();
    writeln!(out, "KUBECONFIG={}", kubeconfig.display()).unwrap();
    out.flush().unwrap();
    loop {
        std::thread::park();
    }
}
