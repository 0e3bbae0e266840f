//! The first minute: each answer of `scan` names what to do next.

use crate::live::prelude::*;

calls! {
    empty_cluster_suggests_lint {} view(&ApiServer::start(Options::default()), "scan -A") => 0;
    /// What is missing is not a namespace.
    empty_selection_of_a_cluster_suggests_nothing {}
        view(&ApiServer::start(Options::default()), "scan -A -l app=none") => 0;
    namespace_without_permission_names_what_shows_the_permissions(server) {
        server.deny(|attempt| attempt.resource == "cronjobs");
    } view(&server, "scan") => 2;
}

/// `never` is scheduled on 31 February. The others are healthy.
#[test]
fn scan_in_a_terminal_ends_with_the_command_that_explains_the_most_severe() {
    for others in [0, 499] {
        let server = ApiServer::start(Options::default());
        for number in 0..others {
            let mut healthy = cron_job("shop", &format!("n{number}"), "0 2 * * *");
            healthy["status"] = json!({"lastScheduleTime": "2026-11-21T02:00:00Z",
                "lastSuccessfulTime": "2026-11-21T02:01:00Z"});
            server.add(healthy);
        }
        server.add(cron_job("shop", "never", "0 0 31 2 *"));
        let kubeconfig = server.kubeconfig(&Kubeconfig::user("viewer").namespace("shop"));
        let flag = format!("--kubeconfig={}", kubeconfig.to_str().unwrap());
        let Some(text) = doctor_in_terminal(100, ("scan", NOW, [flag.as_str()])) else {
            return;
        };
        assert_contains!(
            text,
            "\n-> kubectl cronjob-doctor explain never -n shop --kubeconfig "
        );
        // All of it is on the screen.
        assert!(text.lines().count() < 24, "{text}");
    }
}
