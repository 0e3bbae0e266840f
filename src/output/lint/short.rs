//! One line for each finding, as compilers write them and editors read them.

use std::io::{self, Write};

use super::named_headline;
use crate::output::style::{Meaning, styled};
use cronjob_manifest::lint::LintReport;
use cronjob_text::printable::printable;

/// Writes `file:line:column: severity: message [code name]` for each finding.
pub fn short(out: &mut dyn Write, report: &LintReport) -> io::Result<()> {
    for finding in &report.findings {
        let place = finding.found.place;
        let severity = styled(Meaning::from(finding.severity), finding.severity.as_str());
        writeln!(
            out,
            "{}:{}:{}: {severity}: {} [{} {}]",
            printable(&finding.file),
            place.line,
            place.column,
            named_headline(finding),
            finding.lint.code,
            finding.rule.name
        )?;
    }
    Ok(())
}
