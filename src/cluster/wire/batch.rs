//! CronJobs and Jobs: `k8s.io/api/batch/v1`.

use std::collections::BTreeMap;

use super::{JobMetaMessage, ObjectMetaMessage, ObjectReferenceMessage, TimeMessage};

messages! {
    CronJobMessage {
        metadata: Option<ObjectMetaMessage> = 1 (message, optional),
        spec: Option<CronJobSpecMessage> = 2 (message, optional),
        status: Option<CronJobStatusMessage> = 3 (message, optional),
    }

    CronJobSpecMessage {
        schedule: String = 1 (string),
        starting_deadline_seconds: Option<i64> = 2 (int64, optional),
        concurrency_policy: String = 3 (string),
        suspend: Option<bool> = 4 (bool, optional),
        job_template: Option<JobTemplateMessage> = 5 (message, optional),
        successful_jobs_history_limit: Option<i32> = 6 (int32, optional),
        failed_jobs_history_limit: Option<i32> = 7 (int32, optional),
        time_zone: Option<String> = 8 (string, optional),
    }

    CronJobStatusMessage {
        active: Vec<ObjectReferenceMessage> = 1 (message, repeated),
        last_schedule_time: Option<TimeMessage> = 4 (message, optional),
        last_successful_time: Option<TimeMessage> = 5 (message, optional),
        /// An alpha field; this is its proposed number.
        next_schedule_time: Option<TimeMessage> = 6 (message, optional),
    }

    JobTemplateMessage {
        metadata: Option<ObjectMetaMessage> = 1 (message, optional),
        spec: Option<JobSpecMessage> = 2 (message, optional),
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    JobSpecMessage {
        parallelism: Option<i32> = 1 (int32, optional),
        completions: Option<i32> = 2 (int32, optional),
        active_deadline_seconds: Option<i64> = 3 (int64, optional),
        template: Option<PodTemplateMessage> = 6 (message, optional),
        backoff_limit: Option<i32> = 7 (int32, optional),
        ttl_seconds_after_finished: Option<i32> = 8 (int32, optional),
        suspend: Option<bool> = 10 (bool, optional),
        pod_failure_policy: Option<PodFailurePolicyMessage> = 11 (message, optional),
        managed_by: Option<String> = 15 (string, optional),
    }

    #[derive(serde::Serialize)]
    PodFailurePolicyMessage {
        rules: Vec<PodFailureRuleMessage> = 1 (message, repeated),
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    PodFailureRuleMessage {
        action: String = 1 (string),
        on_exit_codes: Option<ExitCodesMessage> = 2 (message, optional),
        on_pod_conditions: Vec<ConditionPatternMessage> = 3 (message, repeated),
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    ExitCodesMessage {
        container_name: Option<String> = 1 (string, optional),
        operator: String = 2 (string),
        values: Vec<i32> = 3 (int32, repeated, packed = "false"),
    }

    #[derive(serde::Serialize)]
    ConditionPatternMessage {
        r#type: String = 1 (string),
        status: String = 2 (string),
    }

    #[derive(serde::Serialize)]
    PodTemplateMessage {
        metadata: Option<PodTemplateMetaMessage> = 1 (message, optional),
        spec: Option<TemplatePodSpecMessage> = 2 (message, optional),
    }

    /// Only the annotations of the pods.
    #[derive(serde::Serialize)]
    PodTemplateMetaMessage {
        annotations: BTreeMap<String, String> = 12 (btree_map = "string, string"),
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    TemplatePodSpecMessage {
        containers: Vec<NamedPartMessage> = 2 (message, repeated),
        restart_policy: String = 3 (string),
        scheduling_gates: Vec<NamedPartMessage> = 38 (message, repeated),
    }

    /// A container or a scheduling gate.
    #[derive(serde::Serialize)]
    NamedPartMessage {
        name: String = 1 (string),
    }

    JobMessage {
        metadata: Option<JobMetaMessage> = 1 (message, optional),
        spec: Option<JobSuspendMessage> = 2 (message, optional),
        status: Option<JobStatusMessage> = 3 (message, optional),
    }

    /// Only the fields that are used, because there are many Jobs.
    JobSuspendMessage {
        suspend: Option<bool> = 10 (bool, optional),
    }

    JobStatusMessage {
        conditions: Vec<ConditionMessage> = 1 (message, repeated),
        start_time: Option<TimeMessage> = 2 (message, optional),
        completion_time: Option<TimeMessage> = 3 (message, optional),
        active: i32 = 4 (int32),
        succeeded: i32 = 5 (int32),
        failed: i32 = 6 (int32),
        ready: Option<i32> = 9 (int32, optional),
    }

    ConditionMessage {
        r#type: String = 1 (string),
        status: String = 2 (string),
        last_transition_time: Option<TimeMessage> = 4 (message, optional),
        reason: String = 5 (string),
        message: String = 6 (string),
    }
}
