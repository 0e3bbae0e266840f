//! What a report is about: that of `report`, and the page of `serve`.

use std::sync::Arc;

use anyhow::bail;

use super::args::{Side, TimeArg, TimeReference, begun, later, resolve};
use super::world::{document_header, shown_zone};
use crate::evidence::World;
use crate::output::report::{EvidenceSource, ReportContext};
use crate::output::version::TzdbVersion;
use cronjob_diagnosis::history::HistoryWindow;
use cronjob_diagnosis::load::LoadWindow;
use cronjob_diagnosis::report::ReportScope;
use cronjob_diagnosis::survey::ScanSelection;

/// Starts are counted by the minute.
const BUCKET: i64 = 60;

/// When and from what a report of a World is made.
pub(super) fn report_context(
    world: &World,
    selection: ScanSelection,
    source: EvidenceSource,
) -> ReportContext {
    let basis = &world.basis;
    ReportContext {
        header: document_header(basis),
        clock: basis.clock(),
        tzdb: TzdbVersion::from(&*basis.zones),
        source,
        lacks: world.lacks.clone(),
        selection,
        zone: (basis.controller.display.clone())
            .unwrap_or_else(|| Arc::clone(&basis.controller.local)),
        kubectl: basis.kubectl.clone(),
        deleted: Vec::new(),
    }
}

/// What the report of a World covers, some seconds ahead and since a time.
pub(super) fn report_scope(
    ahead: i64,
    since: Option<&TimeArg>,
    world: &World,
) -> anyhow::Result<ReportScope> {
    let now = world.basis.now;
    // The next full minute.
    let from = match begun(now, BUCKET)? {
        from if from < now => later("--ahead", from, BUCKET)?,
        from => from,
    };
    let to = later("--ahead", from, ahead)?;
    let shown = shown_zone(world);
    let reference = TimeReference::of(&world.basis, shown.as_deref());
    let since = resolve(since, "--since", Side::Past, reference)?;
    if let Some(since) = since.filter(|since| *since > now) {
        bail!("--since {since}: must be before now ({now})");
    }
    Ok(ReportScope {
        now,
        coverage: world.coverage,
        history_coverage: world.reach_of_history(),
        ahead: LoadWindow::new(from, to, BUCKET)?,
        past: HistoryWindow { since, until: None },
        recorded: None,
    })
}
