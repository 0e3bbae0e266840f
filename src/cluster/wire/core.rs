//! Events, pods and quotas: `k8s.io/api/core/v1`.

use std::collections::BTreeMap;

use super::{BriefMetaMessage, ConditionMessage, ObjectReferenceMessage, TimeMessage};

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
