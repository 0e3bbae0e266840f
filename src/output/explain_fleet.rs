//! The explanations of many CronJobs under several Kubernetes versions: the totals, and only those that differ.

use std::io::{self, Write};
use std::iter::once;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::columns::table_of;
use super::comparison::{
    ComparedReleases, Comparison, LONGEST_SCHEDULE, MAX_CRON_JOBS, more_differ, write_changes,
};
use super::explain::{ExplainHeader, Explained};
use super::lines::TextPage;
use super::style::{Meaning, styled};
use super::table::Cell;
use cronjob_controller::controller::Decision;
use cronjob_diagnosis::diagnose::{Explanation, local};
use cronjob_text::duration::local_time;
use cronjob_text::printable::{printable, shortened};

/// Writes how many CronJobs the versions treat the same now, and how they treat the others.
pub(super) fn fleet(out: &mut dyn Write, explained: &Explained<'_>) -> io::Result<()> {
    let header = &explained.header;
    let old = header.common.controller.kubernetes_version;
    let (mut writes, mut versions) = (Vec::new(), Vec::new());
    let (mut shown, mut different) = (Vec::new(), 0_usize);
    for one in explained.explanations.iter() {
        let cron_job = &*one.facts.input.cron_job;
        writes.push((cron_job.full_name(), header.writes_of(cron_job)));
        if versions.is_empty() {
            versions = one.compared.iter().map(|other| other.release).collect();
        }
        if one.differs() {
            different += 1;
            if shown.len() < MAX_CRON_JOBS {
                shown.push(one);
            }
        }
    }
    let mut page = TextPage::default();
    let comparison = Comparison::of(explained.count, different);
    page.title(&comparison.sentence(&ComparedReleases::versions(old, versions)));
    page.entry(
        "As of",
        local_time(header.common.now, &TimeZone::UTC, "UTC"),
    );
    write_changes(&mut page, old, writes.into_iter());
    for explanation in &shown {
        differences(page.blank(), header, explanation);
    }
    more_differ(&mut page, different.saturating_sub(shown.len()));
    let text = "This compares one sync of each CronJob now. To compare a period, or to see what an upgrade does, use \
                simulate --compare and --upgrade-at.";
    page.blank().paragraph(0, text).write(out)
}

fn differences(page: &mut TextPage, header: &ExplainHeader, explanation: &Explanation<'_>) {
    let (facts, cron_job) = (&explanation.facts, &*explanation.facts.input.cron_job);
    let name = styled(Meaning::Strong, printable(&cron_job.full_name()));
    let schedule = shortened(&cron_job.spec.schedule, LONGEST_SCHEDULE);
    let how = printable(&format!("{schedule} in {}", facts.zone().name()));
    page.hanging("", 0, &format!("{name}  {}", styled(Meaning::Faint, how)));
    let own = header.common.controller.kubernetes_version;
    let next = explanation.next_runs.first().map(|run| run.scheduled_time);
    // The first of the next runs that differs says more than one that does not.
    let others = explanation.compared.iter().map(|other| {
        let next = other.next_runs.first().copied();
        (other.release, &other.decision, next)
    });
    let rows = once((own, &explanation.decision, next)).chain(others);
    let outcome = |decision: &Decision| {
        let is_loop = decision.requeue_after.is_some_and(|after| after < 0);
        let again = if is_loop { ", in a hot loop" } else { "" };
        format!("{}{again}", decision.outcome.as_str())
    };
    let time = |at: Option<Timestamp>| Cell::or_none(at.map(|at| local(facts, at).to_string()));
    let table = table_of(
        rows,
        &[
            ("  VERSION", &|(version, ..)| format!("  {version}").into()),
            ("OUTCOME NOW", &|(_, decision, _)| outcome(decision).into()),
            ("FOR THE RUN AT", &|(_, decision, _)| {
                time(decision.scheduled_time)
            }),
            ("NEXT RUN", &|(.., next)| time(*next)),
        ],
    );
    page.table(table, true);
}
