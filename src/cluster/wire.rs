//! The protobuf messages of the API with the fields that are used; the decoder skips the rest.
//!
//! The numbers are those of `generated.proto` in `k8s.io/api` and `k8s.io/apimachinery`.

use std::collections::BTreeMap;

use prost::Message as _;
use prost::bytes::Bytes;

pub(super) const CONTENT_TYPE: &str = "application/vnd.kubernetes.protobuf";
/// Protobuf if the server supports it, else JSON: some proxies and all custom resources only support JSON.
pub(super) const ACCEPT: &str = "application/vnd.kubernetes.protobuf, application/json";
const MAGIC: &[u8] = b"k8s\0";

/// Declares messages, each field with its number and its encoding.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $tag:tt ($($encoding:tt)*),)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $name {
            $(
                $(#[$field_doc])*
                #[prost($($encoding)*, tag = $tag)]
                pub(crate) $field: $type,
            )*
        }
    )*};
}

messages! {
    /// The envelope of every response.
    UnknownMessage {
        type_meta: Option<TypeMetaMessage> = 1 (message, optional),
        raw: Bytes = 2 (bytes = "bytes"),
    }

    /// The content of an envelope.
    TypeMetaMessage {
        kind: String = 2 (string),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    ListMetaMessage {
        resource_version: String = 2 (string),
        #[serde(rename = "continue")]
        token: String = 3 (string),
    }

    /// A list of any kind. Its objects stay encoded until each is decoded.
    ListMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        items: Vec<Bytes> = 2 (bytes = "bytes", repeated),
    }

    TimeMessage {
        seconds: i64 = 1 (int64),
        nanos: i32 = 2 (int32),
    }

    ObjectMetaMessage {
        name: String = 1 (string),
        namespace: String = 3 (string),
        uid: String = 5 (string),
        resource_version: String = 6 (string),
        generation: Option<i64> = 7 (int64, optional),
        creation_timestamp: Option<TimeMessage> = 8 (message, optional),
        deletion_timestamp: Option<TimeMessage> = 9 (message, optional),
        labels: BTreeMap<String, String> = 11 (btree_map = "string, string"),
        annotations: BTreeMap<String, String> = 12 (btree_map = "string, string"),
        owner_references: Vec<OwnerReferenceMessage> = 13 (message, repeated),
        managed_fields: Vec<ManagedFieldMessage> = 17 (message, repeated),
    }

    /// The metadata that is used of numerous objects.
    BriefMetaMessage {
        name: String = 1 (string),
        namespace: String = 3 (string),
        uid: String = 5 (string),
        creation_timestamp: Option<TimeMessage> = 8 (message, optional),
        deletion_timestamp: Option<TimeMessage> = 9 (message, optional),
        owner_references: Vec<OwnerReferenceMessage> = 13 (message, repeated),
    }

    /// The same for a Job, with its labels and field managers. Nearly half of a Job is the list of
    /// managed fields.
    JobMetaMessage {
        name: String = 1 (string),
        namespace: String = 3 (string),
        uid: String = 5 (string),
        creation_timestamp: Option<TimeMessage> = 8 (message, optional),
        deletion_timestamp: Option<TimeMessage> = 9 (message, optional),
        labels: BTreeMap<String, String> = 11 (btree_map = "string, string"),
        annotations: BTreeMap<String, String> = 12 (btree_map = "string, string"),
        owner_references: Vec<OwnerReferenceMessage> = 13 (message, repeated),
        managed_fields: Vec<ManagerMessage> = 17 (message, repeated),
    }

    /// Only the name of a field manager.
    ManagerMessage {
        manager: String = 1 (string),
        subresource: String = 8 (string),
    }

    ManagedFieldMessage {
        manager: String = 1 (string),
        operation: String = 2 (string),
        time: Option<TimeMessage> = 4 (message, optional),
        fields: Option<FieldsMessage> = 7 (message, optional),
        subresource: String = 8 (string),
    }

    /// JSON inside protobuf.
    FieldsMessage {
        raw: Vec<u8> = 1 (bytes = "vec"),
    }

    OwnerReferenceMessage {
        kind: String = 1 (string),
        name: String = 3 (string),
        uid: String = 4 (string),
        api_version: String = 5 (string),
        controller: Option<bool> = 6 (bool, optional),
    }

    ObjectReferenceMessage {
        kind: String = 1 (string),
        namespace: String = 2 (string),
        name: String = 3 (string),
        uid: String = 4 (string),
    }
}

impl ListMetaMessage {
    /// The token to continue the list, if there is more of it.
    pub(super) fn next(&self) -> Option<&str> {
        Some(self.token.as_str()).filter(|token| !token.is_empty())
    }
}

/// The content of the envelope of a list of these objects.
pub(super) fn open_list(body: &Bytes, kind: &str) -> Result<Bytes, String> {
    let unknown = unknown(body)?;
    let found = unknown.type_meta.unwrap_or_default().kind;
    if !found.is_empty() && found.strip_suffix("List") != Some(kind) {
        return Err(format!("expected a {kind}List, found a {found}"));
    }
    Ok(unknown.raw)
}

pub(super) fn open(body: &Bytes) -> Result<Bytes, String> {
    unknown(body).map(|unknown| unknown.raw)
}

fn unknown(body: &Bytes) -> Result<UnknownMessage, String> {
    if !body.starts_with(MAGIC) {
        return Err("its content type is protobuf, but the content is not".to_owned());
    }
    UnknownMessage::decode(body.slice(MAGIC.len()..)).map_err(|error| error.to_string())
}

// CronJobs and Jobs: `k8s.io/api/batch/v1`.

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

// Events, pods and quotas: `k8s.io/api/core/v1`.

messages! {
    EventMessage {
        metadata: Option<BriefMetaMessage> = 1 (message, optional),
        involved_object: Option<ObjectReferenceMessage> = 2 (message, optional),
        reason: String = 3 (string),
        message: String = 4 (string),
        source: Option<EventSourceMessage> = 5 (message, optional),
        first_timestamp: Option<TimeMessage> = 6 (message, optional),
        last_timestamp: Option<TimeMessage> = 7 (message, optional),
        count: Option<i32> = 8 (int32, optional),
        r#type: String = 9 (string),
        event_time: Option<TimeMessage> = 10 (message, optional),
        series: Option<EventSeriesMessage> = 11 (message, optional),
        reporting_component: String = 14 (string),
    }

    EventSourceMessage {
        component: String = 1 (string),
    }

    EventSeriesMessage {
        count: i32 = 1 (int32),
        last_observed_time: Option<TimeMessage> = 2 (message, optional),
    }

    PodMessage {
        metadata: Option<BriefMetaMessage> = 1 (message, optional),
        spec: Option<PodSpecMessage> = 2 (message, optional),
        status: Option<PodStatusMessage> = 3 (message, optional),
    }

    PodSpecMessage {
        containers: Vec<ContainerMessage> = 2 (message, repeated),
        restart_policy: String = 3 (string),
        init_containers: Vec<ContainerMessage> = 20 (message, repeated),
    }

    ContainerMessage {
        name: String = 1 (string),
        image: String = 2 (string),
        restart_policy: String = 24 (string),
        restart_policy_rules: Vec<RestartRuleMessage> = 25 (message, repeated),
    }

    /// Only its presence matters.
    RestartRuleMessage {}

    PodStatusMessage {
        phase: String = 1 (string),
        conditions: Vec<ConditionMessage> = 2 (message, repeated),
        message: String = 3 (string),
        reason: String = 4 (string),
        container_statuses: Vec<ContainerStatusMessage> = 8 (message, repeated),
        init_container_statuses: Vec<ContainerStatusMessage> = 10 (message, repeated),
    }

    ContainerStatusMessage {
        name: String = 1 (string),
        state: Option<ContainerStateMessage> = 2 (message, optional),
        last_state: Option<ContainerStateMessage> = 3 (message, optional),
        restart_count: i32 = 5 (int32),
        image: String = 6 (string),
    }

    ContainerStateMessage {
        waiting: Option<WaitingMessage> = 1 (message, optional),
        running: Option<RunningMessage> = 2 (message, optional),
        terminated: Option<TerminatedMessage> = 3 (message, optional),
    }

    WaitingMessage {
        reason: String = 1 (string),
        message: String = 2 (string),
    }

    RunningMessage {
        started_at: Option<TimeMessage> = 1 (message, optional),
    }

    TerminatedMessage {
        exit_code: i32 = 1 (int32),
        reason: String = 3 (string),
        message: String = 4 (string),
        started_at: Option<TimeMessage> = 5 (message, optional),
        finished_at: Option<TimeMessage> = 6 (message, optional),
    }

    ResourceQuotaMessage {
        metadata: Option<BriefMetaMessage> = 1 (message, optional),
        spec: Option<QuotaSpecMessage> = 2 (message, optional),
        status: Option<QuotaStatusMessage> = 3 (message, optional),
    }

    QuotaSpecMessage {
        scopes: Vec<String> = 2 (string, repeated),
        scope_selector: Option<ScopeSelectorMessage> = 3 (message, optional),
    }

    /// Only its presence matters.
    ScopeSelectorMessage {}

    QuotaStatusMessage {
        hard: BTreeMap<String, QuantityMessage> = 1 (btree_map = "string, message"),
        used: BTreeMap<String, QuantityMessage> = 2 (btree_map = "string, message"),
    }

    QuantityMessage {
        string: String = 1 (string),
    }
}

// `Status` of `k8s.io/apimachinery/pkg/apis/meta/v1`.

messages! {
    #[derive(serde::Deserialize)]
    #[serde(default)]
    StatusMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        message: String = 3 (string),
        reason: String = 4 (string),
        details: Option<StatusDetailsMessage> = 5 (message, optional),
        code: i32 = 6 (int32),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    StatusDetailsMessage {
        name: String = 1 (string),
        /// The API group of its resource.
        group: String = 2 (string),
        kind: String = 3 (string),
        causes: Vec<StatusCauseMessage> = 4 (message, repeated),
        /// How long to wait before the next request.
        retry_after_seconds: Option<u64> = 5 (uint64, optional),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(default)]
    StatusCauseMessage {
        reason: String = 1 (string),
        message: String = 2 (string),
        field: String = 3 (string),
    }
}
