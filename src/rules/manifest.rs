//! Rules about reading manifests, and about what the API server says.

use super::{LintRule, LintSource, Rule, Severity, example};

pub(crate) static UNREADABLE_FILE: Rule = Rule {
    name: "unreadable-file",
    title: "File cannot be parsed",
    reason: "kubectl reads manifests as YAML or JSON and stops at the first document of a file \
             that is neither. A typical cause is an unquoted schedule that begins with an \
             asterisk, which YAML reads as an alias.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD001",
        severity: Severity::Error,
        remedy: "Fix the syntax error at the position shown.",
        source: LintSource::Reading,
        example: example!("unreadable-file"),
    }),
};

pub(crate) static TEMPLATE: Rule = Rule {
    name: "template",
    title: "Template is not rendered",
    reason: "The file is a template for manifests, not a manifest. The CronJobs that it produces \
             depend on the values it is rendered with.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD002",
        severity: Severity::Info,
        remedy: "Render it first: helm template … | kubectl cronjob-doctor lint -",
        source: LintSource::Reading,
        example: example!("template"),
    }),
};

pub(crate) static DUPLICATE_KEY: Rule = Rule {
    name: "duplicate-key",
    title: "Duplicate key",
    reason: "kubectl uses the last of two equal keys without a warning, so a change to the first \
             one has no effect. Strict tools reject the file.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD003",
        severity: Severity::Warning,
        remedy: "Remove one of them.",
        source: LintSource::Reading,
        example: example!("duplicate-key"),
    }),
};

pub(crate) static UNUSED_IGNORE: Rule = Rule {
    name: "unused-ignore",
    title: "Ignore has no effect",
    reason: "An ignored problem no longer exists, or the rule is misspelled. An ignore that is \
             left behind hides the next such mistake.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD004",
        severity: Severity::Warning,
        remedy: "Remove it.",
        source: LintSource::Reading,
        example: example!("unused-ignore"),
    }),
};

pub(crate) static KUSTOMIZE_PATCH: Rule = Rule {
    name: "kustomize-patch",
    title: "Kustomize patch is not checked",
    reason: "A patch contains only the fields that it changes. Whether the API server accepts the \
             CronJob depends on the manifest that the patch is applied to.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD005",
        severity: Severity::Info,
        remedy: "Check the rendered manifests: kubectl cronjob-doctor lint -k DIR",
        source: LintSource::Reading,
        example: example!("kustomize-patch"),
    }),
};

pub(crate) static UNSERVED_VERSION: Rule = Rule {
    name: "unserved-version",
    title: "API version is not served",
    reason: "The API server accepts only objects of the API versions that it serves: batch/v1beta1 \
             was removed in Kubernetes 1.25 and batch/v2alpha1 in 1.21; batch/v1 serves CronJobs \
             since 1.21.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD101",
        severity: Severity::Error,
        remedy: "Set apiVersion: batch/v1, or pass the Kubernetes versions that the manifest is \
                 meant for with --kubernetes-version.",
        source: LintSource::ApiServer,
        example: example!("unserved-version"),
    }),
};

pub(crate) static WRONG_TYPE: Rule = Rule {
    name: "wrong-type",
    title: "Value has the wrong type",
    reason: "The API server decodes a manifest into typed fields and rejects it at the first value \
             that does not fit. YAML turns unquoted values into numbers and booleans, but labels, \
             annotations and environment variables must be strings.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD102",
        severity: Severity::Error,
        remedy: "Quote strings, and leave numbers and booleans unquoted.",
        source: LintSource::ApiServer,
        example: example!("wrong-type"),
    }),
};

pub(crate) static UNKNOWN_FIELD: Rule = Rule {
    name: "unknown-field",
    title: "Unknown field",
    reason: "Since 1.25, kubectl asks the API server to reject unknown fields. Before that, and \
             for clients that do not ask, the field is dropped without a warning and has no \
             effect.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD103",
        severity: Severity::Error,
        remedy: "Correct the name or the position: fields of the Job belong in \
                 spec.jobTemplate.spec, fields of the pod in spec.jobTemplate.spec.template.spec.",
        source: LintSource::ApiServer,
        example: example!("unknown-field"),
    }),
};

pub(crate) static MISSING_VALUE: Rule = Rule {
    name: "missing-value",
    title: "Required field is missing",
    reason: "The API server rejects a manifest without this field.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD104",
        severity: Severity::Error,
        remedy: "Add the field.",
        source: LintSource::ApiServer,
        example: example!("missing-value"),
    }),
};

pub(crate) static INVALID_VALUE: Rule = Rule {
    name: "invalid-value",
    title: "Invalid value",
    reason: "The API server rejects the manifest because of this value. The message says why.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD105",
        severity: Severity::Error,
        remedy: "Change the value as the message says.",
        source: LintSource::ApiServer,
        example: example!("invalid-value"),
    }),
};

pub(crate) static UNSUPPORTED_VALUE: Rule = Rule {
    name: "unsupported-value",
    title: "Unsupported value",
    reason: "The field accepts only a few values, which are case-sensitive.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD106",
        severity: Severity::Error,
        remedy: "Use one of the values in the message.",
        source: LintSource::ApiServer,
        example: example!("unsupported-value"),
    }),
};

pub(crate) static FORBIDDEN_VALUE: Rule = Rule {
    name: "forbidden-value",
    title: "Field may not be set here",
    reason: "Another field makes this one meaningless or ambiguous, so the API server rejects the \
             combination.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD107",
        severity: Severity::Error,
        remedy: "Remove this field, or the one that it conflicts with.",
        source: LintSource::ApiServer,
        example: example!("forbidden-value"),
    }),
};

pub(crate) static DUPLICATE_VALUE: Rule = Rule {
    name: "duplicate-value",
    title: "Duplicate value",
    reason: "The names of containers, ports, volumes and mounts must be unique. The API server \
             rejects the second of two equal ones.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD108",
        severity: Severity::Error,
        remedy: "Rename one of them.",
        source: LintSource::ApiServer,
        example: example!("duplicate-value"),
    }),
};

pub(crate) static UNKNOWN_REFERENCE: Rule = Rule {
    name: "unknown-reference",
    title: "Reference to something that is not defined",
    reason: "Everything that is mounted or referenced must be defined in the same pod: a volume \
             mount needs its volume.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD109",
        severity: Severity::Error,
        remedy: "Define it, or correct the name.",
        source: LintSource::ApiServer,
        example: example!("unknown-reference"),
    }),
};

pub(crate) static SERVER_WARNING: Rule = Rule {
    name: "server-warning",
    title: "API server returns a warning",
    reason: "The API server accepts the manifest, but returns a warning, which CI pipelines rarely \
             show.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD110",
        severity: Severity::Warning,
        remedy: "Follow the message.",
        source: LintSource::ApiServer,
        example: example!("server-warning"),
    }),
};

pub(crate) static REJECTED_BY_CLUSTER: Rule = Rule {
    name: "rejected-by-cluster",
    title: "Rejected by this cluster",
    reason: "The manifest is valid for this Kubernetes version, but the API server that was asked \
             rejects it because of a policy, a quota, a webhook or a missing namespace. Only \
             --dry-run=server finds this.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD111",
        severity: Severity::Error,
        remedy: "Follow the message, or ask the administrators of the cluster.",
        source: LintSource::Cluster,
        example: example!("rejected-by-cluster"),
    }),
};

pub(crate) static API_VERSION_REMOVED: Rule = Rule {
    name: "api-version-removed",
    title: "API version is removed in a later Kubernetes version",
    reason: "batch/v2alpha1 is served up to Kubernetes 1.20, and batch/v1beta1 up to 1.24. The API \
             server converts existing objects, but not manifests: after the upgrade they can no \
             longer be applied, and Helm fails on a release that uses the old version.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD601",
        severity: Severity::Warning,
        remedy: "Use batch/v1, which is served since 1.21; the fields are the same.",
        source: LintSource::Check,
        example: example!("api-version-removed"),
    }),
};

pub(crate) static DUPLICATE_NAME: Rule = Rule {
    name: "duplicate-name",
    title: "Two CronJobs have the same name",
    reason: "Two manifests with the same name describe one object: kubectl apply overwrites the \
             first with the second and prints \"configured\", so only one of the two ever runs.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD702",
        severity: Severity::Warning,
        remedy: "Rename one of them.",
        source: LintSource::Check,
        example: example!("duplicate-name"),
    }),
};
