//! The fields of the `CronJob` and the `Job`, of metadata, selectors and references.

use super::pod::PodTemplateSpec;
use super::{Field, Shape, Type};

types! {
    CronJob {
        kind: text inside TypeMeta,
        apiVersion: text inside TypeMeta,
        metadata: ObjectMeta,
        spec: CronJobSpec,
        status: CronJobStatus,
    }
    CronJobSpec {
        schedule: text,
        timeZone: text since 24,
        startingDeadlineSeconds: int64,
        concurrencyPolicy: (text "v1.ConcurrencyPolicy"),
        suspend: bool,
        jobTemplate: JobTemplateSpec,
        successfulJobsHistoryLimit: int32,
        failedJobsHistoryLimit: int32,
    }
    CronJobStatus {
        active: [ObjectReference],
        lastScheduleTime: time,
        lastSuccessfulTime: time since 21,
    }
    JobTemplateSpec {
        metadata: ObjectMeta,
        spec: JobSpec,
    }
    JobSpec {
        parallelism: int32,
        completions: int32,
        activeDeadlineSeconds: int64,
        podFailurePolicy: PodFailurePolicy since 25,
        successPolicy: SuccessPolicy since 30,
        backoffLimit: int32,
        backoffLimitPerIndex: int32 since 28,
        maxFailedIndexes: int32 since 28,
        selector: LabelSelector,
        manualSelector: bool,
        template: PodTemplateSpec,
        ttlSecondsAfterFinished: int32,
        completionMode: (text "v1.CompletionMode") since 21,
        suspend: bool since 21,
        podReplacementPolicy: (text "v1.PodReplacementPolicy") since 28,
        managedBy: text since 30,
        scheduling: anything since 37,
    }
    PodFailurePolicy {
        rules: [PodFailurePolicyRule],
    }
    PodFailurePolicyRule {
        action: (text "v1.PodFailurePolicyAction"),
        onExitCodes: PodFailurePolicyOnExitCodesRequirement,
        onPodConditions: [PodFailurePolicyOnPodConditionsPattern],
    }
    PodFailurePolicyOnExitCodesRequirement {
        containerName: text,
        operator: (text "v1.PodFailurePolicyOnExitCodesOperator"),
        values: [int32],
    }
    PodFailurePolicyOnPodConditionsPattern {
        type: (text "v1.PodConditionType"),
        status: (text "v1.ConditionStatus"),
    }
    SuccessPolicy {
        rules: [SuccessPolicyRule],
    }
    SuccessPolicyRule {
        succeededIndexes: text,
        succeededCount: int32,
    }
    ObjectMeta {
        name: text,
        generateName: text,
        namespace: text,
        selfLink: text,
        uid: (text "types.UID"),
        resourceVersion: text,
        generation: int64,
        creationTimestamp: time,
        deletionTimestamp: time,
        deletionGracePeriodSeconds: int64,
        labels: {text},
        annotations: {text},
        ownerReferences: [OwnerReference],
        finalizers: [text],
        managedFields: [ManagedFieldsEntry],
    }
    OwnerReference {
        apiVersion: text,
        kind: text,
        name: text,
        uid: (text "types.UID"),
        controller: bool,
        blockOwnerDeletion: bool,
    }
    ManagedFieldsEntry {
        manager: text,
        operation: (text "v1.ManagedFieldsOperationType"),
        apiVersion: text,
        time: time,
        fieldsType: text,
        fieldsV1: anything,
        subresource: text,
    }
    LabelSelector {
        matchLabels: {text},
        matchExpressions: [LabelSelectorRequirement],
    }
    LabelSelectorRequirement {
        key: text,
        operator: (text "v1.LabelSelectorOperator"),
        values: [text],
    }
    ObjectReference {
        kind: text,
        namespace: text,
        name: text,
        uid: (text "types.UID"),
        apiVersion: text,
        resourceVersion: text,
        fieldPath: text,
    }
    LocalObjectReference {
        name: text,
    }
}
