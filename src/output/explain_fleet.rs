//! The explanations of many CronJobs under several Kubernetes versions: the totals, and only those that differ.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::comparison::{LONGEST_SCHEDULE, MAX_CRON_JOBS, in_versions, more_differ};
use super::explain::{ExplainHeader, comparison, writes};
use super::lines::TextPage;
use super::style::{Meaning, styled};
use super::table::{Cell, Table};
use crate::controller::{Decision, Release};
use crate::diagnose::{Explanation, local};
use crate::duration::local_time;
use crate::printable::{printable, shortened};

/// Writes how many CronJobs the versions treat the same now, and how they treat the others.
pub(super) fn fleet(
    out: &mut dyn Write,
    header: &ExplainHeader,
    explanations: &[Explanation<'_>],
) -> io::Result<()> {
    let mut page = TextPage::default();
    if let Some(comparison) = comparison(explanations) {
        page.title(&comparison.sentence(&versions(header, explanations)));
    }
    page.entry(
        "As of",
        local_time(header.common.now, &TimeZone::UTC, "UTC"),
    );
    writes(&mut page, header, explanations);
    let different = || explanations.iter().filter(|one| one.differs());
    for explanation in different().take(MAX_CRON_JOBS) {
        differences(page.blank(), header, explanation);
    }
    let more = different().count().saturating_sub(MAX_CRON_JOBS);
    more_differ(&mut page, more);
    let text = "This compares one sync of each CronJob now. To compare a period, or to see what an upgrade does, use \
                simulate --compare and --upgrade-at.";
    page.blank().paragraph(0, text).write(out)
}

fn versions(header: &ExplainHeader, explanations: &[Explanation<'_>]) -> String {
    let compared = explanations.first().map(|one| one.compared.as_slice());
    let compared = compared.unwrap_or_default().iter();
    let old = header.common.controller.kubernetes_version;
    in_versions(old, compared.map(|other| other.release))
}

fn differences(page: &mut TextPage, header: &ExplainHeader, explanation: &Explanation<'_>) {
    let (facts, cron_job) = (&explanation.facts, &*explanation.facts.input.cron_job);
    let name = styled(Meaning::Strong, printable(&cron_job.full_name()));
    let schedule = shortened(&cron_job.spec.schedule, LONGEST_SCHEDULE);
    let how = printable(&format!("{schedule} in {}", facts.zone().name()));
    page.hanging("", 0, &format!("{name}  {}", styled(Meaning::Faint, how)));
    let mut table = Table::new(["  VERSION", "OUTCOME NOW", "FOR THE RUN AT", "NEXT RUN"]);
    let mut push = |version: Release, decision: &Decision, next: Option<Timestamp>| {
        let is_loop = decision.requeue_after.is_some_and(|after| after < 0);
        let again = if is_loop { ", in a hot loop" } else { "" };
        table.push(vec![
            format!("  {version}").into(),
            format!("{}{again}", decision.outcome.as_str()).into(),
            Cell::or_none(
                decision
                    .scheduled_time
                    .map(|at| local(facts, at).to_string()),
            ),
            Cell::or_none(next.map(|at| local(facts, at).to_string())),
        ]);
    };
    let next = explanation.next_runs.first();
    push(
        header.common.controller.kubernetes_version,
        &explanation.decision,
        next.map(|run| run.scheduled_time),
    );
    for other in &explanation.compared {
        // The first of the next runs that differs says more than one that does not.
        push(
            other.release,
            &other.decision,
            other.next_runs.first().copied(),
        );
    }
    page.table(table, true);
}
