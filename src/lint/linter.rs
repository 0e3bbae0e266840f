//! Reads files one by one, and checks all of them together at the end.

use std::sync::Arc;

use jiff::Timestamp;

use super::RuleCheck;
use super::config::LintSettings;
use super::file_report::{FileReport, report_missing_namespace_once};
use super::finding::LintFinding;
use super::reading;
use super::rules::CHECKS;
use super::subject::Context;
use crate::controller::Release;
use crate::rules::Severity;
use crate::schedule::{Zone, Zones};

/// Looks at manifests.
pub struct Linter<'a> {
    /// The moment from which dates that are to come are looked for.
    pub now: Timestamp,
    /// The tz database.
    pub zones: &'a (dyn Zones + Sync),
    /// The zone of schedules that name none.
    pub local: Arc<Zone>,
}

/// What was found in all files.
#[derive(Default)]
pub struct LintReport {
    /// How many files were read.
    pub files: usize,
    /// How many `CronJob`s were in them.
    pub objects: usize,
    /// The files that have `CronJob`s, or should have.
    pub manifests: Vec<Arc<str>>,
    /// The findings, by file in the order in which the files were given, and then by place.
    pub findings: Vec<LintFinding>,
}

impl LintReport {
    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let alike = |finding: &&LintFinding| finding.severity == severity;
        self.findings.iter().filter(alike).count()
    }

    /// The worst severity that was found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl<'a> Linter<'a> {
    /// Looks at one file.
    pub fn read(&self, file: &Arc<str>, bytes: &[u8], settings: &Arc<LintSettings>) -> FileReport {
        let mut report = FileReport::new(file, settings);
        let releases = settings.releases.each();
        let contexts: Vec<Context<'a>> = releases.into_iter().map(|r| self.context(r)).collect();
        reading::read(&mut report, bytes, &contexts);
        report
    }

    /// Looks at a file that a kustomization names as a patch only for whether it is of a `CronJob`.
    pub fn read_patch(
        file: &Arc<str>,
        bytes: &[u8],
        settings: &Arc<LintSettings>,
        kustomization: &str,
    ) -> FileReport {
        let mut report = FileReport::new(file, settings);
        reading::read_patch(&mut report, bytes, kustomization);
        report
    }

    /// Looks at what was read together, and leaves out what is ignored.
    pub fn finish(&self, mut files: Vec<FileReport>) -> LintReport {
        let mut report = LintReport {
            files: files.len(),
            ..LintReport::default()
        };
        let mut together = self.violations(&mut files);
        for (index, mut file) in files.into_iter().enumerate() {
            report.objects += file.objects;
            if file.objects > 0 || !file.findings.is_empty() {
                report.manifests.push(Arc::clone(&file.file));
            }
            let mut findings = std::mem::take(&mut file.findings);
            findings.append(together.get_mut(index).unwrap_or(&mut Vec::new()));
            findings.retain(|finding| !file.ignores(finding));
            findings.extend(file.unused());
            findings.sort_by_key(|finding| (finding.found.place.span, finding.lint.code));
            report.findings.append(&mut findings);
        }
        // What is ignored is no longer among them: where the first is, the second is told.
        report_missing_namespace_once(&mut report.findings);
        report
    }

    pub(super) fn context(&self, release: Release) -> Context<'a> {
        Context {
            release,
            now: self.now,
            zones: self.zones,
            local: Arc::clone(&self.local),
        }
    }

    /// What the rules about several `CronJob`s find, for each file.
    fn violations(&self, files: &mut [FileReport]) -> Vec<Vec<LintFinding>> {
        let mut found: Vec<Vec<LintFinding>> = files.iter().map(|_| Vec::new()).collect();
        let (mut owners, mut cron_jobs) = (Vec::new(), Vec::new());
        for (index, file) in files.iter_mut().enumerate() {
            owners.resize(owners.len() + file.cron_jobs.len(), index);
            cron_jobs.append(&mut file.cron_jobs);
        }
        let newest = files.iter().map(|file| file.settings.releases.newest());
        let context = self.context(newest.max().unwrap_or(Release::NEWEST));
        for (rule, check) in CHECKS {
            let RuleCheck::Across(check) = check else {
                continue;
            };
            for violation in check(&cron_jobs, &context) {
                let Some(cron_job) = cron_jobs.get(violation.of) else {
                    continue;
                };
                let owner = owners.get(violation.of).copied().unwrap_or_default();
                let (Some(file), Some(list)) = (files.get(owner), found.get_mut(owner)) else {
                    continue;
                };
                let location = cron_job.location_at(violation.found.place);
                let line = location
                    .map(|location| location.line.clone())
                    .unwrap_or_default();
                if let Some(mut finding) = file.finding(rule, violation.found, line) {
                    finding.object = Some(Arc::clone(&cron_job.object));
                    list.push(finding);
                }
            }
        }
        found
    }
}
