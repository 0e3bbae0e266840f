//! The fields of the `CronJob` and the `Job`.

use super::Constraint::{AtMost, NonNegative, OneOf, OneOfOrEmpty};
use super::meta::{LabelSelector, ObjectMeta, ObjectReference};
use super::pod::PodTemplateSpec;
use super::{FieldShape, SchemaField, SchemaType};

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
        timeZone: text since 24 on 25,
        startingDeadlineSeconds: int64 [NonNegative],
        concurrencyPolicy: (text "v1.ConcurrencyPolicy") [OneOfOrEmpty(&["Allow", "Forbid", "Replace"])],
        suspend: bool,
        jobTemplate: JobTemplateSpec,
        successfulJobsHistoryLimit: int32 [NonNegative],
        failedJobsHistoryLimit: int32 [NonNegative],
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
    // Its feature gates only drop fields of Jobs, not of the templates of CronJobs.
    JobSpec {
        parallelism: int32 [NonNegative],
        completions: int32 [NonNegative],
        activeDeadlineSeconds: int64 [NonNegative],
        podFailurePolicy: PodFailurePolicy since 25,
        successPolicy: SuccessPolicy since 30,
        backoffLimit: int32 [NonNegative],
        backoffLimitPerIndex: int32 since 28 [NonNegative],
        maxFailedIndexes: int32 since 28 [NonNegative],
        selector: LabelSelector,
        manualSelector: bool,
        template: PodTemplateSpec,
        ttlSecondsAfterFinished: int32 [NonNegative],
        completionMode: (text "v1.CompletionMode") since 21 [OneOf(&["NonIndexed", "Indexed"])],
        suspend: bool since 21,
        podReplacementPolicy: (text "v1.PodReplacementPolicy") since 28 [OneOf(&["Failed", "TerminatingOrFailed"])],
        managedBy: text since 30,
        scheduling: anything since 37,
    }
    PodFailurePolicy {
        rules: [PodFailurePolicyRule] [AtMost(20)],
    }
    PodFailurePolicyRule {
        action: (text "v1.PodFailurePolicyAction"),
        onExitCodes: PodFailurePolicyOnExitCodesRequirement,
        onPodConditions: [PodFailurePolicyOnPodConditionsPattern] [AtMost(20)],
        name: text since 38,
    }
    PodFailurePolicyOnExitCodesRequirement {
        containerName: text,
        operator: (text "v1.PodFailurePolicyOnExitCodesOperator"),
        values: [int32] [AtMost(255)],
    }
    PodFailurePolicyOnPodConditionsPattern {
        type: (text "v1.PodConditionType"),
        status: (text "v1.ConditionStatus") [OneOfOrEmpty(&["False", "True", "Unknown"])],
    }
    SuccessPolicy {
        rules: [SuccessPolicyRule] [AtMost(20)],
    }
    SuccessPolicyRule {
        succeededIndexes: text,
        succeededCount: int32 [NonNegative],
    }
}
