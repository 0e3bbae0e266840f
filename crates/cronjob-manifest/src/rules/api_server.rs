//! Rules about reading manifests, and about what the API server says.

use super::rules;

rules! {
    rule UNREADABLE_FILE: "unreadable-file",
    title: "File cannot be parsed",
    reason: "kubectl stops at the first document of a file that is neither YAML nor JSON. A \
             typical cause is an unquoted schedule that begins with an asterisk, which YAML reads \
             as an alias.",
    lint: "CJD001" Error by Reading,
    remedy: "",

    rule TEMPLATE: "template",
    title: "Template is not rendered",
    reason: "What the API server says of the CronJob depends on the values that replace the \
             placeholders of this template.",
    lint: "CJD002" Info by Reading,
    remedy: "Render it first: helm template … | kubectl cronjob-doctor lint -",

    rule DUPLICATE_KEY: "duplicate-key",
    title: "Duplicate key",
    reason: "kubectl uses the last of two equal keys without a warning, so a change to the first \
             one has no effect.",
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
    reason: "A patch contains only the fields that it changes, so it cannot be checked alone.",
    lint: "CJD005" Info by Reading,
    remedy: "Check the rendered manifests: kubectl cronjob-doctor lint -k DIR",

    rule UNCHECKED_OBJECT: "unchecked-object",
    title: "CronJob inside another object is not checked",
    reason: "CronJobs are checked inside Lists, Templates of OpenShift, sync sets of Hive, and \
             policies and works of Open Cluster Management. They are not checked inside objects \
             of other kinds, and not if a policy deletes the CronJob or contains only a part of \
             it.",
    lint: "CJD006" Info by Reading,
    remedy: "Check the CronJob that results: kubectl get cronjob NAME -o yaml | kubectl cronjob-doctor lint -",

    rule UNSERVED_VERSION: "unserved-version",
    title: "API version is not served",
    reason: "The API server accepts only the API versions that it serves: batch/v2alpha1 up to \
             Kubernetes 1.20, batch/v1beta1 up to 1.24, and batch/v1 since 1.21.",
    lint: "CJD101" Error by ApiServer,
    remedy: "Set apiVersion: batch/v1, or pass the Kubernetes versions that the manifest is \
             meant for with --kubernetes-version.",

    rule WRONG_TYPE: "wrong-type",
    title: "Value has the wrong type",
    reason: "YAML reads unquoted values such as 3 and true as numbers and booleans, but labels, \
             annotations and environment variables must be strings.",
    lint: "CJD102" Error by ApiServer,
    remedy: "Quote strings, and leave numbers and booleans unquoted.",

    rule UNKNOWN_FIELD: "unknown-field",
    title: "Unknown field",
    reason: "kubectl rejects unknown fields. For clients that do not ask for validation, the API \
             server drops the field, since 1.25 with a warning.",
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
    reason: "The API server rejects the manifest because values that must be unique are equal, \
             such as the names of two containers or volumes of a pod.",
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
    reason: "The API server accepts the manifest, but returns a warning.",
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
             default. The server then drops the field without a warning, so it has no effect.",
    lint: "CJD112" Warning by ApiServer,
    remedy: "Remove the field, upgrade, or make sure that the feature gate is on in the cluster.",
}
