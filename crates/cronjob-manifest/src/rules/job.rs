//! Rules about Jobs, their pods and their names.

use super::{RuleTopic, rules};
use cronjob_controller::controller::Outcome;

rules! {
    rule KUEUE_LABEL_ON_CRONJOB: "kueue-label-on-cronjob",
    title: "Queue label is on the CronJob instead of its Jobs",
    reason: "Kueue queues Jobs by their label kueue.x-k8s.io/queue-name. The controller gives \
             Jobs the labels in spec.jobTemplate.metadata.labels, not those of the CronJob.",
    lint: "CJD510" Warning by Check,
    remedy: "Set the label in spec.jobTemplate.metadata.labels.",

    rule HELD_BY_SIDECAR: "held-by-sidecar",
    title: "Job does not finish while another container runs",
    reason: "A pod finishes when all of its ordinary containers have ended. A proxy or agent \
             beside the main container does not end on its own, so the Job stays active: with \
             Forbid no other run starts, and with Replace the next run deletes the Job before it \
             is recorded as complete. A native sidecar, which is an init container with \
             restartPolicy: Always (Kubernetes 1.29 and later), does not hold the pod.",
    finding: Warning "spec.jobTemplate.spec.template.spec.containers",
    lint: "CJD511" Warning by Check,
    remedy: "Move the container to initContainers, with restartPolicy: Always.",

    rule JOB_MANAGED_ELSEWHERE: "job-managed-elsewhere",
    title: "Another controller starts the pods",
    reason: "With managedBy in the Job template (on by default since Kubernetes 1.32), the \
             controller that it names starts the pods of the Jobs and writes their status. Until it \
             reports the end of a Job, the Job counts as active, even past its \
             activeDeadlineSeconds: with concurrencyPolicy: Forbid no other run starts.",
    lint: "CJD512" Info by Check,
    remedy: "Make sure that the named controller runs. To let the Job controller start the pods, remove \
             managedBy.",

    rule RESTART_DESPITE_BACKOFF_LIMIT: "restart-despite-backoff-limit",
    title: "Container is restarted although backoffLimit is 0 or 1",
    reason: "With restartPolicy: OnFailure the kubelet restarts a failed container immediately. \
             The Job controller then finds that backoffLimit: 0 or 1 is reached, and deletes the \
             pod while the second attempt runs, with the logs of both attempts.",
    lint: "CJD513" Warning by Check,
    remedy: "Set restartPolicy: Never; with backoffLimit: 0 a failed run is then not repeated.",

    rule EXIT_CODE_LOST: "exit-code-lost",
    title: "Failed run counts as successful",
    reason: "A run succeeds if its container exits with 0. The exit code of a script is that of \
             its last command, and so is that of a pipeline unless pipefail is set; curl exits \
             with 0 on an HTTP error unless it has an option such as --fail.",
    lint: "CJD514" Warning by Check,
    remedy: "Let the script exit with another code than 0 if its work fails.",

    rule JOB_CREATION_FAILS: "job-creation-fails",
    title: "Job cannot be created",
    reason: "The API server rejected a Job that the controller tried to create. Since Kubernetes \
             1.21 the controller retries with increasing back-off, up to 1,000 s, and does not \
             wake up for scheduled times in between.",
    finding: Error "spec.jobTemplate",

    rule QUOTA_EXCEEDED: "quota-exceeded",
    title: "ResourceQuota does not allow the next Job",
    reason: "A ResourceQuota can limit how many Jobs a namespace has, finished ones included. \
             Once it is used up, the API server rejects the next Job.",
    finding: Error,

    rule JOB_NAME_TAKEN: "job-name-taken",
    title: "Job name already exists",
    reason: "The name of a Job consists of the name of its CronJob and a number for the \
             scheduled time. If another Job has that name, the run is not started.",
    finding: Error { repeats: Some(Outcome::NameTaken) },

    rule NAME_TOO_LONG: "name-too-long",
    title: "Name is too long for a new CronJob",
    reason: "The API server accepts names of up to 52 characters for new CronJobs, because the \
             names of the Jobs also contain the time. A CronJob with a longer name cannot be \
             restored or moved.",
    finding: Warning "metadata.name" { is_future: true },

    rule JOB_NOT_OWNED: "job-not-owned",
    title: "Jobs that the CronJob does not control",
    reason: "The controller counts a Job only if its owner reference to the CronJob has \
             controller: true. Some clients leave it out, such as kubectl create job --from \
             (1.19 to 1.27). The history limits do not delete such Jobs, concurrencyPolicy does \
             not apply to them, and no event reports them.",
    finding: Info,

    rule DELETION_STUCK: "deletion-stuck",
    title: "Deletion does not finish",
    reason: "A CronJob that is being deleted starts nothing, and no other CronJob can use its \
             name. Usually a finalizer is left that no controller removes.",
    finding: Warning "metadata.finalizers",

    rule POD_CREATION_REJECTED: "pod-creation-rejected",
    title: "Pods of a Job cannot be created",
    reason: "The API server accepted the Job, but rejects its pods because of a quota, a missing \
             service account or an admission check. The status of the Job does not show the \
             cause. Its events do, but they expire after an hour by default.",
    finding: Error "spec.jobTemplate.spec.template" { topic: Some(RuleTopic::Pods) },

    rule POD_IMAGE_PULL_FAILS: "pod-image-pull-fails",
    title: "Pod cannot pull its image",
    reason: "The kubelet retries with increasing delays, and the Job counts as active until the \
             image can be pulled or its activeDeadlineSeconds ends it. A Job keeps the template \
             it was created with, so a corrected image in the CronJob applies only to the next \
             Job.",
    finding: Error "spec.jobTemplate.spec.template.spec.containers" { topic: Some(RuleTopic::Pods) },

    rule POD_CONFIG_MISSING: "pod-config-missing",
    title: "Container cannot be created, or volume cannot be mounted",
    reason: "A ConfigMap or Secret that a container uses, or a key in it, is missing, or the \
             runtime cannot do what the template asks for. The kubelet retries indefinitely, and \
             the Job counts as active until its activeDeadlineSeconds ends it. Once the missing \
             object is created, the pod continues on its own.",
    finding: Error "spec.jobTemplate.spec.template.spec.containers" { topic: Some(RuleTopic::Pods) },

    rule POD_CRASHES: "pod-crashes",
    title: "Pods of a running Job fail repeatedly",
    reason: "A Job retries until its backoffLimit (6 by default) is reached, and counts as \
             active in the meantime.",
    finding: Error "spec.jobTemplate.spec.backoffLimit" { topic: Some(RuleTopic::Pods) },

    rule POD_NOT_SCHEDULED: "pod-not-scheduled",
    title: "Pod cannot be scheduled",
    reason: "The scheduler finds no node with enough free resources, or none that the pod's \
             selectors, affinities, tolerations and volumes allow. The Job counts as active \
             while the pod waits, until its activeDeadlineSeconds ends it.",
    finding: Warning "spec.jobTemplate.spec.template.spec" { topic: Some(RuleTopic::Pods) },

    rule JOB_ENDING: "job-ending",
    title: "Finished Job still has a running pod",
    reason: "The result of the Job is decided (condition FailureTarget or SuccessCriteriaMet), \
             and its pods are being deleted. Since Kubernetes 1.31 the Job counts as active until \
             its last pod has ended: with concurrencyPolicy: Forbid no other run starts. A pod \
             whose node does not respond does not end on its own. The severity is error if the \
             Job blocks a run that was due, or if the pod should have ended a minute ago.",
    finding: Info "spec.jobTemplate.spec.template" { topic: Some(RuleTopic::Pods) },

    rule NO_POD_READY: "no-pod-ready",
    title: "Active Job has no ready pod",
    reason: "A Job counts as active while its pods wait for a node, an image, a volume or quota, \
             until its activeDeadlineSeconds ends it. If a node does not respond, its pods stay \
             in the phase Running, but are not ready.",
    finding: Warning "spec.jobTemplate.spec.template",
}
