//! The findings of one file, and its `CronJob`s for the rules about several of them.

use std::sync::Arc;

use super::config::LintSettings;
use super::finding::{Excerpt, LintFinding, ObjectIdentity, Region, Violation};
use super::ignore::Ignore;
use super::rules::manifest::unused_ignore;
use super::subject::LintSubject;
use crate::rules::{self, LintRule, LintSource, Rule};
use located_yaml::{Node, Place};

/// The findings of one file, and what the rules about several `CronJob`s need.
#[derive(Default)]
pub struct FileReport {
    pub(super) file: Arc<str>,
    pub(super) settings: Arc<LintSettings>,
    /// Whether the text is the output of a program, such as standard input.
    rendered: bool,
    /// The number of `CronJob`s.
    pub(super) objects: usize,
    /// The number of objects of other kinds with a schedule.
    pub(super) others: usize,
    pub(super) findings: Vec<LintFinding>,
    pub(super) cron_jobs: Vec<LintedCronJob>,
    /// Whether the API server would have failed before validation.
    pub(super) server_gave_up: bool,
    /// Whether a cluster was asked as well.
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

    /// Marks the text as the output of a program.
    pub fn set_rendered(&mut self) {
        self.rendered = true;
        for finding in &mut self.findings {
            finding.rendered = true;
        }
    }

    /// The finding of a rule, unless the rule is off. `line` is the line on which the place begins.
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
            rendered: self.rendered,
            others: 0,
        })
    }

    /// The finding of a rule in a text, unless the rule is off.
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
        let edits = edits.map(|edit| Region::of(text, place, edit.span));
        finding.edits = edits.collect();
        Some(finding)
    }

    /// Adds a finding in a text.
    pub(super) fn add(&mut self, rule: &'static Rule, found: Violation, text: &str) {
        let finding = self.finding_in(text, rule, found);
        self.findings.extend(finding);
    }

    /// Whether a rule was checked at all.
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

    /// The ignores that had no effect.
    pub(super) fn unused(&self) -> Vec<LintFinding> {
        let unused = self.ignores.iter().filter(|(ignore, _)| !ignore.used.get());
        let active = unused.filter(|(ignore, _)| {
            rules::find_lint_rule(&ignore.rule).is_none_or(|(_, lint)| self.asks(lint))
        });
        let finding = |(ignore, line): &(Ignore, Excerpt)| {
            self.finding(&rules::UNUSED_IGNORE, unused_ignore(ignore), line.clone())
        };
        active.filter_map(finding).collect()
    }
}

/// A `CronJob` as the rules about several see it.
#[derive(Clone, Debug)]
pub(super) struct LintedCronJob {
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    pub object: Arc<ObjectIdentity>,
    /// Where its name is, or where the object begins if it has none.
    pub name: SourceLocation,
    pub schedule: Option<(String, SourceLocation)>,
    /// Its `timeZone`.
    pub time_zone: Option<String>,
    pub suspended: bool,
}

/// A place, with the line of the text that it begins on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceLocation {
    pub place: Place,
    /// The line, as far as it is shown.
    pub line: Excerpt,
}

/// A violation by one of the `CronJob`s that a rule has checked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CronJobViolation {
    /// The index of the `CronJob`.
    pub of: usize,
    /// The violation, at one of the locations of the `CronJob`.
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

    pub(super) fn location_at(&self, place: Place) -> Option<&SourceLocation> {
        let schedule = self.schedule.as_ref().map(|(_, location)| location);
        let mut locations = std::iter::once(&self.name).chain(schedule);
        locations.find(|location| location.place == place)
    }
}
