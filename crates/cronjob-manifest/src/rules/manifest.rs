//! Rules about the version of a manifest, and about several manifests.

use super::rules;

rules! {
    rule API_VERSION_REMOVED: "api-version-removed",
    title: "API version is removed in a later Kubernetes version",
    reason: "batch/v2alpha1 is served up to Kubernetes 1.20, and batch/v1beta1 up to 1.24. The API \
             server converts existing objects, but not manifests: after the upgrade they can no \
             longer be applied, and Helm fails on a release that uses the old version.",
    lint: "CJD601" Warning by Check,
    remedy: "Use batch/v1, which is served since 1.21; the fields are the same.",

    rule SIMULTANEOUS_STARTS: "simultaneous-starts",
    title: "Many CronJobs start in the same minute",
    reason: "The Jobs of ten or more CronJobs are created in one burst, and their pods are \
             scheduled, pull images and access the same databases at the same time.",
    lint: "CJD701" Info by Check,
    remedy: "Use different minutes.",

    rule DUPLICATE_NAME: "duplicate-name",
    title: "Two CronJobs have the same name",
    reason: "Two manifests with the same name describe one object: kubectl apply overwrites the \
             first with the second, so only one of the two ever runs.",
    lint: "CJD702" Warning by Check,
    remedy: "Rename one of them.",
}
