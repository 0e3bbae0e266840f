//! Rules about reading manifests, and about what the API server says.

use super::rules;

rules! {
    rule UNREADABLE_FILE: "unreadable-file",
    title: "File cannot be parsed",
    reason: "kubectl reads manifests as YAML or JSON and stops at the first document of a file \
             that is neither. A typical cause is an unquoted schedule that begins with an \
             asterisk, which YAML reads as an alias.",
    lint: "CJD001" Error by Reading,
    remedy: "",

    rule TEMPLATE: "template",
    title: "Template is not rendered",
    reason: "The file is a template for manifests, not a manifest. What the API server says of the CronJob depends \
             on the values that replace the placeholders.",
    lint: "CJD002" Info by Reading,
    remedy: "Render it first: helm template … | kubectl cronjob-doctor lint -",

    rule DUPLICATE_KEY: "duplicate-key",
    title: "Duplicate key",
    reason: "kubectl uses the last of two equal keys without a warning, so a change to the first \
             one has no effect. Strict tools reject the file.",
    lint: "CJD003" Warning by Reading,
    remedy: "Remove one of them.",

    rule UNUSED_IGNORE: "unused-ignore",
    title: "Ignore has no effect",
    reason: "An ignored problem no longer exists, or the rule is misspelled. An ignore that is \
             left behind hides the next such mistake.",
    lint: "CJD004" Warning by Reading,
    remedy: "Remove it.",

    rule KUSTOMIZE_PATCH: "kustomize-patch",
    title: "Kustomize patch is not checked",
    reason: "A patch contains only the fields that it changes. Whether the API server accepts the \
             CronJob depends on the manifest that the patch is applied to.",
    lint: "CJD005" Info by Reading,
    remedy: "Check the rendered manifests: kubectl cronjob-doctor lint -k DIR",

    rule UNCHECKED_OBJECT: "unchecked-object",
    title: "CronJob inside another object is not checked",
    reason: "Templates of OpenShift, sync sets of Hive and policies of Open Cluster Management contain objects, which \
             are checked. In another kind, in a policy that deletes the CronJob, and if only a part of the CronJob is \
             written, it cannot be checked.",
    lint: "CJD006" Info by Reading,
    remedy: "Check the CronJob that results: kubectl get cronjob NAME -o yaml | kubectl cronjob-doctor lint -",

    rule UNSERVED_VERSION: "unserved-version",
    title: "API version is not served",
    reason: "The API server accepts only objects of the API versions that it serves: batch/v1beta1 \
             was removed in Kubernetes 1.25 and batch/v2alpha1 in 1.21; batch/v1 serves CronJobs \
             since 1.21.",
    lint: "CJD101" Error by ApiServer,
    remedy: "Set apiVersion: batch/v1, or pass the Kubernetes versions that the manifest is \
             meant for with --kubernetes-version.",

    rule WRONG_TYPE: "wrong-type",
    title: "Value has the wrong type",
    reason: "The API server decodes a manifest into typed fields and rejects it at the first value \
             that does not fit. YAML turns unquoted values into numbers and booleans, but labels, \
             annotations and environment variables must be strings.",
    lint: "CJD102" Error by ApiServer,
    remedy: "Quote strings, and leave numbers and booleans unquoted.",

    rule UNKNOWN_FIELD: "unknown-field",
    title: "Unknown field",
    reason: "kubectl rejects unknown fields; since 1.25 it asks the API server to do so. For \
             clients that do not ask, the field is dropped, since 1.25 with a warning, and has no \
             effect.",
    lint: "CJD103" Error by ApiServer,
    remedy: "Correct the name or the position: fields of the Job belong in \
             spec.jobTemplate.spec, fields of the pod in spec.jobTemplate.spec.template.spec.",

    rule MISSING_VALUE: "missing-value",
    title: "Required field is missing",
    reason: "The API server rejects a manifest without this field.",
    lint: "CJD104" Error by ApiServer,
    remedy: "",

    rule INVALID_VALUE: "invalid-value",
    title: "Invalid value",
    reason: "The API server rejects the manifest because of this value.",
    lint: "CJD105" Error by ApiServer,
    remedy: "",

    rule UNSUPPORTED_VALUE: "unsupported-value",
    title: "Unsupported value",
    reason: "The field accepts only a few values, which are case-sensitive.",
    lint: "CJD106" Error by ApiServer,
    remedy: "",

    rule FORBIDDEN_VALUE: "forbidden-value",
    title: "Field may not be set here",
    reason: "The field is not valid in this place, or not together with another one, so the API \
             server rejects it.",
    lint: "CJD107" Error by ApiServer,
    remedy: "Remove this field, or the one that it conflicts with.",

    rule DUPLICATE_VALUE: "duplicate-value",
    title: "Duplicate value",
    reason: "The names of containers and volumes, and of the ports of a container, must be \
             unique. The API server rejects the second of two equal ones.",
    lint: "CJD108" Error by ApiServer,
    remedy: "Rename one of them.",

    rule UNKNOWN_REFERENCE: "unknown-reference",
    title: "Reference to something that is not defined",
    reason: "What a container mounts or claims must be defined in the same pod: a volume mount \
             needs its volume.",
    lint: "CJD109" Error by ApiServer,
    remedy: "Define it, or correct the name.",

    rule SERVER_WARNING: "server-warning",
    title: "API server returns a warning",
    reason: "The API server accepts the manifest, but returns a warning, which CI pipelines rarely \
             show.",
    lint: "CJD110" Warning by ApiServer,
    remedy: "",

    rule REJECTED_BY_CLUSTER: "rejected-by-cluster",
    title: "Rejected by this cluster",
    reason: "The manifest is valid for this Kubernetes version, but the API server that was asked \
             rejects it because of a policy, a quota, a webhook or a missing namespace. Only \
             --dry-run=server finds this.",
    lint: "CJD111" Error by Cluster,
    remedy: "If the message does not say what to change, ask the administrators of the cluster.",

    rule DROPPED_FIELD: "dropped-field",
    title: "Field is dropped",
    reason: "The API server of this version knows the field, but its feature gate is off by \
             default. The server then drops the field without a warning, and the pods run as if it \
             were not set: an init container without its restartPolicy is not a sidecar, and the \
             other containers wait until it exits.",
    lint: "CJD112" Warning by ApiServer,
    remedy: "Remove the field, upgrade, or make sure that the feature gate is on in the cluster.",
}
