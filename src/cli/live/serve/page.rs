//! The HTML report, computed on request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::response::{ContentType, Document};
use super::{Event, EventSender, ask};
use crate::cli::report_scope::{report_context, report_scope};
use crate::evidence::World;
use crate::output::report::{EvidenceSource, ShownReport, html};
use cronjob_diagnosis::report::Report;
use cronjob_diagnosis::survey::ScanSelection;
use kube_model::CronJobEvidence;

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
    html: Arc<Document>,
    computed_at: Instant,
}

impl Page {
    fn is_fresh(&self) -> bool {
        self.computed_at.elapsed() < FRESH
    }
}

impl ReportPages {
    /// The report, or why it cannot be computed.
    pub(super) async fn page(&self, events: &EventSender) -> Result<Arc<Document>, String> {
        let mut last = Arc::clone(&self.last).lock_owned().await;
        if let Some(page) = last.as_ref().filter(|page| page.is_fresh()) {
            return Ok(Arc::clone(&page.html));
        }
        let events = events.clone();
        let this = self.clone();
        // The lock belongs to its own task: if the client disconnects, the computation continues, and no
        // second one starts in the meantime.
        let page = tokio::spawn(async move {
            *last = None;
            let input = ask(&events, Event::Report).await?;
            let html = spawn_blocking(move || compute(input)).await;
            let html = html.map_err(|error| error.to_string())?;
            let html = html.map_err(|error| format!("cannot compute the report: {error:#}"))?;
            *last = Some(Page {
                html: Arc::clone(&html),
                computed_at: Instant::now(),
            });
            tokio::spawn(this.forget());
            Ok(html)
        });
        page.await.map_err(|error| error.to_string()).flatten()
    }

    /// Gives the memory of the last report back once it is out of date.
    async fn forget(self) {
        sleep(FRESH).await;
        self.last.lock().await.take_if(|page| !page.is_fresh());
    }
}

/// The HTML report of a World with the default flags, and with the evidence in its place.
fn compute(input: ReportInput) -> anyhow::Result<Arc<Document>> {
    const AHEAD: i64 = 86_400;
    let world = &input.world;
    let scope = report_scope(AHEAD, None, world)?;
    let context = report_context(world, input.selection, input.source);
    let controller = world.basis.controller.clone();
    let kubectl = world.basis.kubectl.clone();
    let all_evidence = input.all_evidence.into_iter();
    let report = Report::of(controller, kubectl, all_evidence, Vec::new(), &scope);
    let mut page = Vec::new();
    html(&mut page, &ShownReport::new(&context, &report))?;
    Ok(Document::new(ContentType::Html, page))
}
