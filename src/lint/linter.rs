//! Reads files one by one, and checks all of them together at the end.

use std::sync::Arc;

use jiff::Timestamp;

use super::RuleCheck;
use super::config::LintSettings;
use super::dry_run::report_missing_namespace_once;
use super::finding::{Excerpt, LintFinding, ObjectIdentity, Region, Violation};
use super::ignore::Ignore;
use super::reading;
use super::rules::CHECKS;
use super::rules::manifest::unused_ignore;
use super::subject::{Context, LintSubject};
use crate::controller::Release;
use crate::document::{Node, Place};
use crate::rules::{self, LintRule, LintSource, Rule, Severity};
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

/// What was found in one file, and what is kept for the rules about several `CronJob`s.
#[derive(Default)]
pub struct FileReport {
    pub(super) file: Arc<str>,
    pub(super) settings: Arc<LintSettings>,
    /// How many `CronJob`s there are.
    pub(super) objects: usize,
    pub(super) findings: Vec<LintFinding>,
    pub(super) cron_jobs: Vec<LintedCronJob>,
    /// Whether the API server would not have come to its rules.
    pub(super) server_gave_up: bool,
    /// Whether a cluster was asked, too.
    pub(super) asked_cluster: bool,
    pub(super) ignores: Vec<(Ignore, Excerpt)>,
}

impl FileReport {
    pub(super) fn new(file: &Arc<str>, settings: &Arc<LintSettings>) -> Self {
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
        found: Violation,
        line: Excerpt,
    ) -> Option<LintFinding> {
        let lint = rule.lint.as_ref()?;
        let severity = self.settings.severity(lint)?;
        let place = found.place;
        let width = place.span.end.saturating_sub(place.span.start);
        let region = Region {
            start: (place.line, place.column),
            end: (place.line, place.column.saturating_add(width)),
        };
        Some(LintFinding {
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
        found: Violation,
    ) -> Option<LintFinding> {
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
    pub(super) fn add(&mut self, rule: &'static Rule, found: Violation, text: &str) {
        let finding = self.finding_in(text, rule, found);
        self.findings.extend(finding);
    }

    /// Whether a rule was asked at all.
    pub(super) fn asks(&self, rule: &LintRule) -> bool {
        let was_asked = match rule.source {
            LintSource::ApiServer => !self.server_gave_up,
            LintSource::Cluster => self.asked_cluster,
            LintSource::Check | LintSource::Reading => true,
        };
        was_asked && self.settings.severity(rule).is_some()
    }

    pub(super) fn ignores(&self, finding: &LintFinding) -> bool {
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
    pub(super) fn unused(&self) -> Vec<LintFinding> {
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

/// A `CronJob` as the rules about several see it.
#[derive(Clone, Debug)]
pub(crate) struct LintedCronJob {
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    /// What it says it is.
    pub object: Arc<ObjectIdentity>,
    /// Where its name stands; where the object begins, if it has none.
    pub name: SourceLocation,
    /// Its schedule, if it has one.
    pub schedule: Option<(String, SourceLocation)>,
    /// Its `timeZone`.
    pub time_zone: Option<String>,
    /// Whether it is suspended.
    pub suspended: bool,
}

/// A place, with the line of the text that it begins on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    /// Where.
    pub place: Place,
    /// The line, as far as it is worth showing.
    pub line: Excerpt,
}

/// What is found of one of the `CronJob`s that a rule has looked at together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CronJobViolation {
    /// Which of the sightings.
    pub of: usize,
    /// What was found, at the place of one of its spots.
    pub found: Violation,
}

impl LintedCronJob {
    pub(super) fn of(subject: &LintSubject<'_>) -> Self {
        let location = |node: &Node| SourceLocation {
            place: node.place,
            line: Excerpt::of(subject.text, node.place),
        };
        LintedCronJob {
            file: Arc::clone(subject.file),
            object: Arc::new(subject.object()),
            name: location(subject.get("metadata.name").unwrap_or(subject.node)),
            schedule: subject
                .str("spec.schedule")
                .map(str::to_owned)
                .zip(subject.get("spec.schedule").map(location)),
            time_zone: subject.str("spec.timeZone").map(str::to_owned),
            suspended: subject.boolean("spec.suspend").unwrap_or(false),
        }
    }

    /// `shop/nightly`, or `nightly` where no namespace is said.
    pub(crate) fn called(&self) -> String {
        let name = self.object.name.as_deref().unwrap_or("(no name)");
        match &self.object.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        }
    }

    /// The spot at a place.
    pub(super) fn location_at(&self, place: Place) -> Option<&SourceLocation> {
        let schedule = self.schedule.as_ref().map(|(_, location)| location);
        [Some(&self.name), schedule]
            .into_iter()
            .flatten()
            .find(|location| location.place == place)
    }
}
