//! What was found in one file.

use std::sync::Arc;

use super::across::Sighting;
use super::excerpt::Excerpt;
use super::finding::{Finding, Found, Region};
use super::ignore::Ignore;
use super::rules::manifest::unused_ignore;
use super::settings::Settings;
use crate::rules::{self, LintRule, Rule, Source};

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

impl FileReport {
    pub(super) fn new(file: &Arc<str>, settings: &Arc<Settings>) -> Self {
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
    pub(super) fn asks(&self, rule: &LintRule) -> bool {
        let was_asked = match rule.source {
            Source::ApiServer => !self.server_gave_up,
            Source::Cluster => self.asked_cluster,
            Source::Check | Source::Reading => true,
        };
        was_asked && self.settings.severity(rule).is_some()
    }

    pub(super) fn ignores(&self, finding: &Finding) -> bool {
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
    pub(super) fn unused(&self) -> Vec<Finding> {
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
