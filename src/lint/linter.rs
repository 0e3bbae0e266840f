//! Reads files one by one, and looks at all of them together at the end.

use std::sync::Arc;

use jiff::Timestamp;

use super::Check;
use super::across::Sighting;
use super::excerpt::Excerpt;
use super::finding::{Finding, Found, Region};
use super::ignore::Ignore;
use super::no_namespace;
use super::reading;
use super::rules::CHECKS;
use super::rules::manifest::unused_ignore;
use super::settings::Settings;
use super::subject::Context;
use crate::controller::Release;
use crate::rules::{self, LintRule, Rule, Severity, Source};
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

/// What was found in one file, and what is kept for the rules about several `CronJob`s.
#[derive(Default)]
pub struct FileReport {
    pub(super) file: Arc<str>,
    pub(super) settings: Arc<Settings>,
    /// How many `CronJob`s there are.
    pub(super) objects: usize,
    pub(super) findings: Vec<Finding>,
    pub(super) sightings: Vec<Sighting>,
    /// Whether the API server would not have come to its rules.
    pub(super) server_gave_up: bool,
    /// Whether a cluster was asked, too.
    pub(super) asked_cluster: bool,
    pub(super) ignores: Vec<(Ignore, Excerpt)>,
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

impl FileReport {
    fn new(file: &Arc<str>, settings: &Arc<Settings>) -> Self {
        FileReport {
            file: Arc::clone(file),
            settings: Arc::clone(settings),
            ..FileReport::default()
        }
    }

    /// The finding of a rule, unless the rule is switched off. `line` is what the place begins on.
    pub(super) fn finding(
        &self,
        rule: &'static Rule,
        found: Found,
        line: Excerpt,
    ) -> Option<Finding> {
        let lint = rule.lint.as_ref()?;
        let severity = self.settings.severity(lint)?;
        let place = found.place;
        let width = place.span.end.saturating_sub(place.span.start);
        let region = Region {
            start: (place.line, place.column),
            end: (place.line, place.column.saturating_add(width)),
        };
        Some(Finding {
            rule,
            lint,
            severity,
            file: Arc::clone(&self.file),
            found,
            region,
            edits: Vec::new(),
            line,
            object: None,
            releases: None,
        })
    }

    /// The finding of a rule in a text, unless the rule is switched off.
    pub(super) fn finding_in(
        &self,
        text: &str,
        rule: &'static Rule,
        found: Found,
    ) -> Option<Finding> {
        let place = found.place;
        let mut finding = self.finding(rule, found, Excerpt::of(text, place))?;
        finding.region = Region::of(text, place, place.span);
        let edits = finding.found.fix.iter().flat_map(|fix| &fix.edits);
        finding.edits = edits
            .map(|edit| Region::of(text, place, edit.span))
            .collect();
        Some(finding)
    }

    /// Adds what was found in a text.
    pub(super) fn add(&mut self, rule: &'static Rule, found: Found, text: &str) {
        let finding = self.finding_in(text, rule, found);
        self.findings.extend(finding);
    }

    /// Whether a rule was asked at all.
    fn asks(&self, rule: &LintRule) -> bool {
        let was_asked = match rule.source {
            Source::ApiServer => !self.server_gave_up,
            Source::Cluster => self.asked_cluster,
            Source::Check | Source::Reading => true,
        };
        was_asked && self.settings.severity(rule).is_some()
    }

    fn ignores(&self, finding: &Finding) -> bool {
        let mut ignored = false;
        for (ignore, _) in &self.ignores {
            if ignore.covers(&finding.found) && finding.rule.is_called(&ignore.rule) {
                ignore.used.set(true);
                ignored = true;
            }
        }
        ignored
    }

    /// The ignores that have kept nothing back.
    fn unused(&self) -> Vec<Finding> {
        let unused = self.ignores.iter().filter(|(ignore, _)| !ignore.used.get());
        let told = unused.filter_map(|(ignore, line)| {
            let active =
                rules::find_lint_rule(&ignore.rule).is_none_or(|(_, lint)| self.asks(lint));
            active
                .then(|| self.finding(&rules::UNUSED_IGNORE, unused_ignore(ignore), line.clone()))?
        });
        told.collect()
    }
}
