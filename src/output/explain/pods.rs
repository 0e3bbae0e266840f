//! The pods of the Jobs that are not done.

use std::io::{self, Write};

use crate::diagnose::Facts;
use crate::output::lines::{heading, paragraph};
use crate::printable::printable;

/// So many are shown; findings and documents have the rest.
const SHOWN: usize = 5;

/// Writes how each pod is.
pub(super) fn text(out: &mut dyn Write, facts: &Facts<'_>) -> io::Result<()> {
    let pods = facts.telling_pods();
    if pods.is_empty() {
        return Ok(());
    }
    heading(out, "Pods of Jobs that run or failed last")?;
    for state in pods.iter().take(SHOWN) {
        let reason = state.reason.map(|reason| format!(", {reason}"));
        let line = format!(
            "{}: {}{}",
            state.pod.name,
            state.pod.phase,
            reason.unwrap_or_default()
        );
        paragraph(out, 2, &printable(&line))?;
    }
    match pods.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => paragraph(out, 2, &format!("and {more} more")),
    }
}
