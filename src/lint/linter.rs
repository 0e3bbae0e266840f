//! Reads files one by one, and looks at all of them together at the end.

use std::sync::Arc;

use jiff::Timestamp;

use super::Check;
use super::file_report::FileReport;
use super::finding::Finding;
use super::no_namespace;
use super::reading;
use super::rules::CHECKS;
use super::settings::Settings;
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
pub struct Report {
    /// How many files were read.
    pub files: usize,
    /// How many `CronJob`s were in them.
    pub objects: usize,
    /// The files that have `CronJob`s, or should have.
    pub manifests: Vec<Arc<str>>,
    /// The findings, by file in the order in which the files were given, and then by place.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let alike = |finding: &&Finding| finding.severity == severity;
        self.findings.iter().filter(alike).count()
    }

    /// The worst severity that was found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl<'a> Linter<'a> {
    /// Looks at one file.
    pub fn read(&self, file: &Arc<str>, bytes: &[u8], settings: &Arc<Settings>) -> FileReport {
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
        settings: &Arc<Settings>,
        kustomization: &str,
    ) -> FileReport {
        let mut report = FileReport::new(file, settings);
        reading::read_patch(&mut report, bytes, kustomization);
        report
    }

    /// Looks at what was read together, and leaves out what is ignored.
    pub fn finish(&self, mut files: Vec<FileReport>) -> Report {
        let mut report = Report {
            files: files.len(),
            ..Report::default()
        };
        let mut together = self.accusations(&mut files);
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
        no_namespace::tell_once(&mut report.findings);
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
    fn accusations(&self, files: &mut [FileReport]) -> Vec<Vec<Finding>> {
        let mut found: Vec<Vec<Finding>> = files.iter().map(|_| Vec::new()).collect();
        let (mut owners, mut sightings) = (Vec::new(), Vec::new());
        for (index, file) in files.iter_mut().enumerate() {
            owners.resize(owners.len() + file.sightings.len(), index);
            sightings.append(&mut file.sightings);
        }
        let newest = files.iter().map(|file| file.settings.releases.newest());
        let context = self.context(newest.max().unwrap_or(Release::NEWEST));
        for (rule, check) in CHECKS {
            let Check::Across(check) = check else {
                continue;
            };
            for accusation in check(&sightings, &context) {
                let Some(sighting) = sightings.get(accusation.of) else {
                    continue;
                };
                let owner = owners.get(accusation.of).copied().unwrap_or_default();
                let (Some(file), Some(list)) = (files.get(owner), found.get_mut(owner)) else {
                    continue;
                };
                let spot = sighting.spot_at(accusation.found.place);
                let line = spot.map(|spot| spot.line.clone()).unwrap_or_default();
                if let Some(mut finding) = file.finding(rule, accusation.found, line) {
                    finding.object = Some(Arc::clone(&sighting.object));
                    list.push(finding);
                }
            }
        }
        found
    }
}
