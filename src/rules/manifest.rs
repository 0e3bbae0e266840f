//! Rules about reading manifests, and about what the API server says.

use super::{LintRule, LintSource, Rule, Severity, example};

pub(crate) static UNREADABLE_FILE: Rule = Rule {
    name: "unreadable-file",
    title: "the document cannot be read",
    reason: "kubectl reads manifests as YAML or JSON and gives up on a file at the first document \
             that is neither. A schedule that begins with a star is the classic: YAML takes the \
             star for an alias.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD001",
        severity: Severity::Error,
        remedy: "Mend the place that is shown.",
        source: LintSource::Reading,
        example: example!("unreadable-file"),
    }),
};

pub(crate) static TEMPLATE: Rule = Rule {
    name: "template",
    title: "a template that is not rendered",
    reason: "The text makes manifests, and is none yet: what its CronJobs will look like depends \
             on the values that it is rendered with.",
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
    title: "a key stands twice",
    reason: "kubectl takes the last of two equal keys and says nothing, so that a change of the \
             first has no effect. Strict tools refuse the file.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD003",
        severity: Severity::Warning,
        remedy: "Leave one of them.",
        source: LintSource::Reading,
        example: example!("duplicate-key"),
    }),
};

pub(crate) static UNUSED_IGNORE: Rule = Rule {
    name: "unused-ignore",
    title: "something is ignored that is not found",
    reason: "A comment that ignores what is no longer there, or is misspelt, hides the next \
             mistake instead of this one.",
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
    title: "a patch of kustomize that is not checked",
    reason: "A patch holds only what it changes. Whether the API server accepts the CronJob \
             depends on the manifest that it is applied to.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD005",
        severity: Severity::Info,
        remedy: "Check what kustomize builds: kubectl kustomize DIR | kubectl cronjob-doctor lint \
                 -",
        source: LintSource::Reading,
        example: example!("kustomize-patch"),
    }),
};

pub(crate) static UNSERVED_VERSION: Rule = Rule {
    name: "unserved-version",
    title: "the release does not serve this version of the API",
    reason: "Kubernetes takes objects only of the versions of the API that it serves: \
             batch/v1beta1 went with 1.25, batch/v2alpha1 with 1.21, and batch/v1 has CronJobs \
             since 1.21.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD101",
        severity: Severity::Error,
        remedy: "Write apiVersion: batch/v1, or name the releases that the manifest is meant for \
                 with --kubernetes-version.",
        source: LintSource::ApiServer,
        example: example!("unserved-version"),
    }),
};

pub(crate) static WRONG_TYPE: Rule = Rule {
    name: "wrong-type",
    title: "a value is of a wrong type",
    reason: "The API server reads a manifest into typed fields and refuses it at the first value \
             that does not fit. YAML makes numbers and booleans of what is not in quotes: labels, \
             annotations and environment variables must be text.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD102",
        severity: Severity::Error,
        remedy: "Put text in quotes, and leave numbers and booleans without.",
        source: LintSource::ApiServer,
        example: example!("wrong-type"),
    }),
};

pub(crate) static UNKNOWN_FIELD: Rule = Rule {
    name: "unknown-field",
    title: "a field that does not exist",
    reason: "kubectl asks the API server to be strict about fields since 1.25. Before that, and \
             for clients that do not ask, the field is dropped without a word, and what it was to \
             do is not done.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD103",
        severity: Severity::Error,
        remedy: "Correct the name, or the place: what belongs to the Job stands in \
                 spec.jobTemplate.spec, and what belongs to the pod in \
                 spec.jobTemplate.spec.template.spec.",
        source: LintSource::ApiServer,
        example: example!("unknown-field"),
    }),
};

pub(crate) static MISSING_VALUE: Rule = Rule {
    name: "missing-value",
    title: "a field that must be there is missing",
    reason: "The API server refuses the manifest without it.",
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
    title: "a value breaks a rule of the API",
    reason: "The API server refuses the manifest because of it, and says why.",
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
    title: "a value is none of those there are",
    reason: "The field has a few possible values, and upper and lower case count.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD106",
        severity: Severity::Error,
        remedy: "Take one of the values that the message names.",
        source: LintSource::ApiServer,
        example: example!("unsupported-value"),
    }),
};

pub(crate) static FORBIDDEN_VALUE: Rule = Rule {
    name: "forbidden-value",
    title: "a value may not be there, as things are",
    reason: "Another field makes this one pointless or ambiguous, so that the API server refuses \
             both.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD107",
        severity: Severity::Error,
        remedy: "Remove it, or what it conflicts with.",
        source: LintSource::ApiServer,
        example: example!("forbidden-value"),
    }),
};

pub(crate) static DUPLICATE_VALUE: Rule = Rule {
    name: "duplicate-value",
    title: "a value that must be unique is not",
    reason: "Names of containers, ports, volumes and mounts tell them apart; the API server \
             refuses the second of two that are equal.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD108",
        severity: Severity::Error,
        remedy: "Give one of them another name.",
        source: LintSource::ApiServer,
        example: example!("duplicate-value"),
    }),
};

pub(crate) static UNKNOWN_REFERENCE: Rule = Rule {
    name: "unknown-reference",
    title: "a name of something that is not in the manifest",
    reason: "What is mounted or referred to must be declared in the same pod: a volume mount needs \
             its volume.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD109",
        severity: Severity::Error,
        remedy: "Declare it, or correct the name.",
        source: LintSource::ApiServer,
        example: example!("unknown-reference"),
    }),
};

pub(crate) static SERVER_WARNING: Rule = Rule {
    name: "server-warning",
    title: "the API server warns of it",
    reason: "The API server takes the manifest and sends a warning along, which pipelines hardly \
             ever show.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD110",
        severity: Severity::Warning,
        remedy: "Do as the message says.",
        source: LintSource::ApiServer,
        example: example!("server-warning"),
    }),
};

pub(crate) static REJECTED_BY_CLUSTER: Rule = Rule {
    name: "rejected-by-cluster",
    title: "this cluster refuses it",
    reason: "Any API server of the release would take the manifest, and the one that was asked \
             does not: a policy, a quota or a webhook of the cluster is against it, or its \
             namespace is not there. Only --dry-run=server finds this.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD111",
        severity: Severity::Error,
        remedy: "Do as the message says, or ask whoever runs the cluster.",
        source: LintSource::Cluster,
        example: example!("rejected-by-cluster"),
    }),
};

pub(crate) static API_VERSION_DROPPED: Rule = Rule {
    name: "api-version-dropped",
    title: "a version of the API that the next releases do not serve",
    reason: "batch/v2alpha1 is served up to Kubernetes 1.20, and batch/v1beta1 up to 1.24. Objects \
             that exist are converted by the server, but manifests are not: after the upgrade they \
             cannot be applied any more, and Helm fails on a release that names the old version.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD601",
        severity: Severity::Warning,
        remedy: "Write batch/v1, which is served since 1.21; the fields are the same.",
        source: LintSource::Check,
        example: example!("api-version-dropped"),
    }),
};

pub(crate) static DUPLICATE_NAME: Rule = Rule {
    name: "duplicate-name",
    title: "two CronJobs have the same name",
    reason: "A name is one object: kubectl apply writes the second over the first and says \
             configured, so that only one of the two ever runs.",
    finding: None,
    lint: Some(LintRule {
        code: "CJD702",
        severity: Severity::Warning,
        remedy: "Give one of them another name.",
        source: LintSource::Check,
        example: example!("duplicate-name"),
    }),
};
