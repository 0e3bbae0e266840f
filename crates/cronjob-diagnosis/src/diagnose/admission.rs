//! Whether a Job waits for Kueue.

use jiff::Timestamp;

use kube_model::{Job, QUEUE_LABEL};

/// A suspended Job that waits until Kueue admits it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AwaitedAdmission<'a> {
    pub(super) queue: &'a str,
    pub(super) since: Option<Timestamp>,
}

/// The queue in which a Job waits until Kueue admits it. The label of the Job counts: a Job that is older
/// than the label of the template is in no queue.
pub(super) fn awaited_admission(job: &Job) -> Option<AwaitedAdmission<'_>> {
    let waits = job.suspend == Some(true) && job.ending().is_none();
    let queue = job.labels.get(QUEUE_LABEL).filter(|_| waits)?;
    Some(AwaitedAdmission {
        queue,
        since: job.suspended_since(),
    })
}
