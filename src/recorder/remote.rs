//! Reads what a recorder serves: the document of `history -o json`.

use jiff::Timestamp;
use serde::Deserialize;

use super::RecordOfCronJob;
use kube_model::{CronJobRecord, RunKind, RunPhases, StoredRun};

/// A page, and the value of `continue` for the next one.
pub struct RecordPage {
    pub records: Vec<RecordOfCronJob>,
    /// What the next page is requested with; `None` for the last one.
    pub continues_with: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    items: Vec<Item>,
    #[serde(rename = "continue")]
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    namespace: String,
    name: String,
    runs: Vec<Run>,
    off_schedule: Vec<Run>,
    manual: Vec<Run>,
    recorded: Recorded,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    scheduled_time: Option<Timestamp>,
    status: Option<String>,
    result: Option<String>,
    cause: Option<String>,
    reason: Option<String>,
    source: Option<String>,
    exit_code: Option<i32>,
    job_name: Option<String>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    phases: Option<RunPhases>,
    template_fingerprint: Option<String>,
    image_digests: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    watched: Vec<Watched>,
    cron_jobs: Vec<Seen>,
    #[serde(default)]
    deleted_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Watched {
    from: Timestamp,
    to: Timestamp,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    uid: String,
    first_seen: Timestamp,
}

/// Reads a page of the recorder's API.
pub fn read_page(body: &[u8]) -> Result<RecordPage, serde_json::Error> {
    let page: Page = serde_json::from_slice(body)?;
    let items = page.items.into_iter().map(Item::read);
    Ok(RecordPage {
        records: items.collect(),
        continues_with: page.next,
    })
}

impl Item {
    fn read(self) -> RecordOfCronJob {
        let is_stored =
            |run: &Run| run.job_name.is_some() || run.source.as_deref() == Some("recorder");
        let scheduled = self.runs.into_iter().filter(is_stored);
        let scheduled = scheduled.filter_map(|run| run.read(RunKind::Scheduled));
        let others = self.off_schedule.into_iter();
        let others = others.filter_map(|run| run.read(RunKind::OffSchedule));
        let manual = self.manual.into_iter();
        let manual = manual.filter_map(|run| run.read(RunKind::Manual));
        let mut runs: Vec<StoredRun> = scheduled.chain(others).chain(manual).collect();
        runs.sort_by_key(|run| run.at);
        let watched = self.recorded.watched.into_iter();
        let seen = self.recorded.cron_jobs.into_iter();
        let deleted_at = self.recorded.deleted_at;
        RecordOfCronJob {
            namespace: self.namespace,
            name: self.name,
            record: CronJobRecord {
                watched: watched.map(|one| one.from..one.to).collect(),
                first_seen: seen.map(|one| (one.first_seen, one.uid)).collect(),
                deleted_at,
                runs,
                cut_at: None,
            },
        }
    }
}

impl Run {
    fn read(self, kind: RunKind) -> Option<StoredRun> {
        Some(StoredRun {
            kind,
            at: self.scheduled_time.or(self.started_at)?,
            status: self.status.and_then(|text| text.parse().ok()),
            result: self.result.and_then(|text| text.parse().ok()),
            cause: self.cause,
            reason: self.reason,
            exit_code: self.exit_code,
            job_name: self.job_name,
            job_uid: None,
            started_at: self.started_at,
            finished_at: self.finished_at,
            phases: self.phases.and_then(RunPhases::if_known),
            template: self.template_fingerprint,
            images: self.image_digests,
        })
    }
}
