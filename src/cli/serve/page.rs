//! The HTML report, computed on request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prost::bytes::Bytes;
use tokio::sync::{Mutex, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::{Event, EventSender};
use crate::cli::{complain, report};
use crate::evidence::World;
use crate::model::CronJobEvidence;
use crate::output::report::EvidenceSource;
use crate::survey::ScanSelection;

/// A report is sent again for this long.
const FRESH: Duration = Duration::from_secs(20);

/// The last report, and what all reports have in common.
#[derive(Clone, Default)]
pub(super) struct ReportPages {
    /// It is locked while a report is computed, so that there is one computation at a time.
    last: Arc<Mutex<Option<Page>>>,
}

/// What a report is computed from.
pub(super) struct ReportInput {
    pub(super) world: World,
    pub(super) all_evidence: Vec<Arc<CronJobEvidence>>,
    pub(super) selection: ScanSelection,
    pub(super) source: EvidenceSource,
}

struct Page {
    html: Bytes,
    computed_at: Instant,
}

impl Page {
    fn is_fresh(&self) -> bool {
        self.computed_at.elapsed() < FRESH
    }
}

impl ReportPages {
    /// The report; `None` if it cannot be computed.
    pub(super) async fn page(&self, events: &EventSender) -> Option<Bytes> {
        let mut last = Arc::clone(&self.last).lock_owned().await;
        if let Some(page) = last.as_ref().filter(|page| page.is_fresh()) {
            return Some(page.html.clone());
        }
        let (reply, input) = oneshot::channel();
        events.send(Event::Report(reply)).ok()?;
        let this = self.clone();
        // The lock belongs to its own task: if the client disconnects, the computation continues, and no
        // second one starts in the meantime.
        let page = tokio::spawn(async move {
            *last = None;
            let input = input.await.ok()?;
            let html = spawn_blocking(move || compute(input)).await.ok()??;
            *last = Some(Page {
                html: html.clone(),
                computed_at: Instant::now(),
            });
            tokio::spawn(this.forget());
            Some(html)
        });
        page.await.ok()?
    }

    /// Gives the memory of the last report back once it is out of date.
    async fn forget(self) {
        sleep(FRESH).await;
        self.last.lock().await.take_if(|page| !page.is_fresh());
    }
}

fn compute(input: ReportInput) -> Option<Bytes> {
    let page = report::page(
        &input.world,
        &input.all_evidence,
        input.selection,
        input.source,
    );
    let page = page.map_err(|error| complain(&*format!("cannot compute the report: {error:#}")));
    page.ok().map(Bytes::from)
}
