//! Checks files one by one, and all of them together at the end.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;

use super::RuleCheck;
use super::config::LintSettings;
use super::file_report::FileReport;
use super::finding::LintFinding;
use super::merge::{merge_same_cause, report_once};
use super::reading;
use super::rules::CHECKS;
use super::subject::Context;
use crate::rules::{self, Severity};
use cronjob_controller::controller::Release;
use kube_cron::{Zone, Zones};

/// Checks manifests, each file by itself and all files together.
pub struct Linter<'a> {
    /// The time from which future dates are searched.
    pub now: Timestamp,
    pub zones: &'a (dyn Zones + Sync),
    /// The zone of schedules without one.
    pub local: Arc<Zone>,
}

/// The findings of all files, and how much was checked.
#[derive(Default)]
pub struct LintReport {
    /// The number of files that were read.
    pub files: usize,
    /// The number of `CronJob`s in them.
    pub objects: usize,
    /// The number of objects of other kinds with a schedule.
    pub others: usize,
    /// The files with `CronJob`s or findings.
    pub manifests: Vec<Arc<str>>,
    /// The findings, by file in the order in which the files were given, then by severity and by place.
    pub findings: Vec<LintFinding>,
    /// The findings that are not shown.
    pub hidden: HiddenFindings,
}

/// The numbers of findings that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenFindings {
    pub warnings: usize,
    /// Findings of severity info about what was checked.
    pub hints: usize,
    /// Templates, patches and parts of other objects, which were not checked.
    pub unchecked: usize,
}

impl HiddenFindings {
    /// The number of a severity. Errors are always shown.
    fn count(self, severity: Severity) -> usize {
        match severity {
            Severity::Error => 0,
            Severity::Warning => self.warnings,
            Severity::Info => self.hints + self.unchecked,
        }
    }
}

impl LintReport {
    /// Hides the findings that are less severe, and counts them.
    pub fn hide_below(&mut self, least: Severity) {
        let hidden = &mut self.hidden;
        self.findings.retain(|finding| {
            if finding.severity >= least {
                return true;
            }
            let unchecked = [
                rules::TEMPLATE.name,
                rules::KUSTOMIZE_PATCH.name,
                rules::UNCHECKED_OBJECT.name,
            ];
            if finding.severity == Severity::Warning {
                hidden.warnings += 1;
            } else if unchecked.contains(&finding.rule.name) {
                hidden.unchecked += 1 + finding.others;
            } else {
                hidden.hints += 1;
            }
            false
        });
    }

    /// The number of findings of a severity, including hidden ones.
    pub fn total(&self, severity: Severity) -> usize {
        self.count(severity) + self.hidden.count(severity)
    }

    /// The number of shown findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let alike = |finding: &&LintFinding| finding.severity == severity;
        self.findings.iter().filter(alike).count()
    }

    /// The highest severity of the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl<'a> Linter<'a> {
    pub fn read(&self, file: &Arc<str>, bytes: &[u8], settings: &Arc<LintSettings>) -> FileReport {
        let mut report = FileReport::new(file, settings);
        let releases = settings.releases.each();
        let contexts: Vec<Context<'a>> = releases.into_iter().map(|r| self.context(r)).collect();
        reading::read(&mut report, bytes, &contexts);
        report
    }

    /// Reports a patch of a `CronJob` that a kustomization lists, without checking it.
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

    /// Applies the rules about several `CronJob`s, and removes ignored findings.
    pub fn finish(&self, mut files: Vec<FileReport>) -> LintReport {
        let mut report = LintReport {
            files: files.len(),
            ..LintReport::default()
        };
        let mut together = self.violations(&mut files);
        for (index, mut file) in files.into_iter().enumerate() {
            report.objects += file.objects;
            report.others += file.others;
            if file.objects + file.others > 0 || !file.findings.is_empty() {
                report.manifests.push(Arc::clone(&file.file));
            }
            let mut findings = std::mem::take(&mut file.findings);
            findings.append(together.get_mut(index).unwrap_or(&mut Vec::new()));
            findings.retain(|finding| !file.ignores(finding));
            findings.extend(file.unused());
            merge_same_cause(&mut findings);
            findings.sort_by_key(|finding| {
                let place = finding.found.place.span;
                (Reverse(finding.severity), place, finding.lint.code)
            });
            report.findings.append(&mut findings);
        }
        // After ignored findings are removed, so that an ignored one does not replace another.
        report_once(&mut report.findings);
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

    /// The findings of the rules about several `CronJob`s, for each file.
    fn violations(&self, files: &mut [FileReport]) -> Vec<Vec<LintFinding>> {
        let mut found: Vec<Vec<LintFinding>> = files.iter().map(|_| Vec::new()).collect();
        let (mut owners, mut cron_jobs) = (Vec::new(), Vec::new());
        for (index, file) in files.iter_mut().enumerate() {
            owners.resize(owners.len() + file.cron_jobs.len(), index);
            cron_jobs.append(&mut file.cron_jobs);
        }
        let newest = files.iter().map(|file| file.settings.releases.newest());
        let context = self.context(newest.max().unwrap_or_else(Release::newest_checked));
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
