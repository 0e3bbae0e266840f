//! What a rule is.

use super::across::{Accusation, Sighting};
use super::difference::brief;
use super::finding::Found;
use super::subject::{Context, Subject};
use crate::diagnose::Severity;

/// A rule: one file under `rules/`.
#[derive(Debug)]
pub struct Rule {
    /// `CJD` and three digits, which never change.
    pub code: &'static str,
    /// A short name in kebab case, for people.
    pub name: &'static str,
    /// How bad it is, unless a configuration says otherwise. An error means that the API server
    /// would refuse the manifest, or that it can never run.
    pub severity: Severity,
    /// One line, without a full stop.
    pub title: &'static str,
    /// Why it matters, for people who meet it for the first time.
    pub reason: &'static str,
    /// What to do about it, where a finding has nothing better to say.
    pub remedy: &'static str,
    /// A manifest with it, and the same without.
    pub example: Example,
    /// Looks for it.
    pub check: Check,
}

/// Two manifests that differ in what a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The one that breaks the rule.
    pub bad: &'static str,
    /// The one that does not, and no other rule either.
    pub good: &'static str,
}

impl Example {
    /// The lines that differ between the two, and those around them.
    pub fn difference(&self) -> String {
        brief(self.bad, self.good)
    }
}

/// Who looks for what a rule is about.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Each `CronJob` by itself.
    Each(fn(&Subject<'_>) -> Vec<Found>),
    /// All `CronJob`s together, in the order in which they were read.
    Across(fn(&[Sighting], &Context<'_>) -> Vec<Accusation>),
    /// What judges as the API server does; the rule says what its findings mean.
    Server,
    /// What reads the texts; the rule says what its findings mean.
    Reader,
    /// A cluster that is asked; the rule says what its findings mean.
    Cluster,
}

/// The example of a rule, by the name of its folder.
macro_rules! example {
    ($name:literal) => {
        $crate::lint::Example {
            bad: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/examples/lint/",
                $name,
                "/bad.yaml"
            )),
            good: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/examples/lint/",
                $name,
                "/good.yaml"
            )),
        }
    };
}

pub(crate) use example;
