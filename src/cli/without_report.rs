//! The page of `serve`, if the program is built without the feature `report`.

use std::sync::Arc;

use anyhow::bail;

use crate::evidence::World;
use crate::output::report::EvidenceSource;
use cronjob_diagnosis::survey::ScanSelection;
use kube_model::CronJobEvidence;

pub(super) fn page(
    _: &World,
    _: &[Arc<CronJobEvidence>],
    _: ScanSelection,
    _: EvidenceSource,
) -> anyhow::Result<Vec<u8>> {
    bail!("this program was built without the feature \"report\"")
}
