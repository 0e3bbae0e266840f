//! `resume --reason`: exactly the CronJobs that `suspend` with the same reason suspended.

use crate::changing::prelude::*;

/// Of the CronJobs of `shop`, those that are not suspended.
fn running(server: &ApiServer) -> Vec<&'static str> {
    let names = ["hourly", "import", "nightly", "report", "second", "third"];
    let exists = |name: &&str| server.object("batch/v1", "CronJob", "shop", name).is_some();
    let names = names.into_iter().filter(exists);
    names.filter(|name| !is_suspended(server, name)).collect()
}

/// Suspends `nightly` and `hourly` for a maintenance window. `report` and `import` are suspended by kubectl, `second`
/// for another reason, and `third` without one.
fn in_window() -> ApiServer {
    let server = server();
    add_like_report(&server, &["second", "third"]);
    for name in ["second", "third"] {
        set(&server, name, "suspend", false);
    }
    call(&server, "suspend second -yq --reason=incident").fine();
    call(&server, "suspend third -yq").fine();
    call(&server, "suspend --all -yq --reason=window").fine();
    server
}

calls! {
    resume_for_a_reason_leaves_other_suspensions_alone { let server = in_window(); }
        call(&server, "resume -A --reason=window --catch-up=skip -y")
        => 0 => running(&server) == ["hourly", "nightly"];
    /// The reason selects, so that no other selection is needed.
    resume_for_a_reason_is_about_the_namespace_by_default { let server = in_window(); }
        call(&server, "resume --reason=window -yq -o name")
        => 0, "cronjob.batch/hourly\ncronjob.batch/nightly\n";
    resume_for_a_reason_of_a_selection { let server = in_window(); }
        call(&server, "resume -l app=hourly --reason=window -yq")
        => 0 => running(&server) == ["hourly"];
    /// kubectl resumed it and suspended it again: the annotations are of the earlier suspension.
    resume_for_a_reason_leaves_a_later_suspension_by_kubectl_alone {
        let server = in_window();
        for suspend in [false, true] {
            server.edit("batch/v1", "CronJob", "shop", "nightly", |nightly| {
                nightly["spec"]["suspend"] = json!(suspend);
                nightly["metadata"]["managedFields"] = json!([{
                    "manager": "kubectl-edit", "operation": "Update", "apiVersion": "batch/v1",
                    "time": "2026-11-21T02:20:00Z", "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:spec": {"f:suspend": {}}},
                }]);
            });
        }
    } call(&server, "resume --reason=window -yq") => 0, "cronjob.batch/hourly resumed\n";
    resume_for_an_unknown_reason_does_nothing { let server = in_window(); }
        call(&server, "resume -A --reason=other -y") => 0, "" => running(&server).is_empty();
}

#[test]
fn flags_and_verbs_that_are_gone_name_what_to_use() {
    let calls = [
        "suspend --all --save-state f",
        "resume --from-state f",
        "resume nightly --skip-method=status",
        "retry nightly",
    ];
    insta::assert_snapshot!(calls.map(|line| call(&server(), line).refused()).concat());
}
