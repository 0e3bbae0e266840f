//! Errors and warnings on stderr: a line, and below it an excerpt, a list, and a remedy.

use std::io::{self, Write};
use std::ops::Range;

use crate::evidence::{FieldPlaces, SelectedCronJob};
use crate::output::caret::underline;
use crate::output::style::{Meaning, styled};
use cronjob_controller::kinds;
use cronjob_controller::upcoming::{ScheduleProblem, Subject};
use cronjob_text::printable::{printable, shortened};
use kube_access::ClusterError;
use kube_cron::{BundledZones, suggest_zone};
use kube_model::CronJob;

/// A message and the lines below it. Text from files and clusters cannot add lines or control
/// characters.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{line}")]
pub(super) struct Diagnostic {
    line: String,
    below: Vec<String>,
}

impl Diagnostic {
    pub(super) fn new(line: impl Into<String>) -> Self {
        Diagnostic {
            line: line.into(),
            below: Vec::new(),
        }
    }

    pub(super) fn of(error: &anyhow::Error) -> Self {
        let notice = Diagnostic::new(format!("{error:#}"));
        error.chain().fold(notice, Diagnostic::below)
    }

    pub(super) fn listing(mut self, lines: &[String]) -> Self {
        let lines = lines.iter().map(|line| format!("  {}", shown(line)));
        self.below.extend(lines);
        self
    }

    /// With a text in which the wrong part is underlined.
    pub(super) fn excerpt(mut self, text: &str, wrong: Range<usize>) -> Self {
        self.below.push(underline(text, wrong));
        self
    }

    pub(super) fn help(mut self, text: &str) -> Self {
        let help = format!("{}: {}", styled(Meaning::Help, "help"), shown(text));
        self.below.push(help);
        self
    }

    pub(super) fn write(&self, out: &mut dyn Write, label: &str) -> io::Result<()> {
        writeln!(out, "{label}{}", shown(&self.line))?;
        self.below
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Adds what an error has to say below its line.
    fn below(mut self, error: &(dyn std::error::Error + 'static)) -> Self {
        if let Some(notice) = error.downcast_ref::<Diagnostic>() {
            self.below.extend_from_slice(&notice.below);
        }
        match error.downcast_ref::<ClusterError>() {
            Some(error) => self.cluster_error(error),
            None => self,
        }
    }

    fn cluster_error(self, error: &ClusterError) -> Self {
        if let ClusterError::NoCluster { tried } | ClusterError::NoKubeconfig { tried, .. } = error
        {
            return self.listing(tried).with_help_of(error);
        }
        if let ClusterError::Credentials {
            hint: Some(hint), ..
        } = error
        {
            let mut lines = hint.lines().map(str::to_owned);
            let first = lines.next().unwrap_or_default();
            return self.help(&first).listing(&lines.collect::<Vec<_>>());
        }
        let message = error.status().map_or("", |status| &status.message);
        if error.is_forbidden() && message.contains(" cannot list ") {
            return self.help(if message.contains(" at the cluster scope") {
                "Use -n NAMESPACE to read one namespace only."
            } else {
                "kubectl auth can-i --list -n NAMESPACE shows your permissions in a namespace; -n selects another one."
            });
        }
        self.with_help_of(error)
    }

    fn with_help_of(self, error: &ClusterError) -> Self {
        match error.help() {
            Some(help) => self.help(&help),
            None => self,
        }
    }
}

/// A line without line ends and control characters, shortened to a sensible length.
fn shown(line: &str) -> String {
    const LONGEST: usize = 4_000;
    shortened(&printable(line), LONGEST)
}

impl From<&ClusterError> for Diagnostic {
    fn from(error: &ClusterError) -> Self {
        Diagnostic::new(error.to_string()).cluster_error(error)
    }
}

impl From<&str> for Diagnostic {
    fn from(line: &str) -> Self {
        Diagnostic::new(line)
    }
}

impl From<&String> for Diagnostic {
    fn from(line: &String) -> Self {
        Diagnostic::new(line)
    }
}

pub(super) struct LocatedSubject {
    pub(super) subject: Subject,
    pub(super) places: Option<FieldPlaces>,
}

impl LocatedSubject {
    /// A CronJob that may have been edited, or only its schedule if that is from the command line.
    pub(super) fn of(one: &SelectedCronJob, cron_job: &CronJob, is_named: bool) -> Self {
        let named = Subject::from(cron_job);
        let subject = if is_named {
            named
        } else {
            Subject {
                schedule: named.schedule,
                time_zone: named.time_zone,
                ..Subject::default()
            }
        };
        LocatedSubject {
            subject,
            places: one.places.clone(),
        }
    }
}

/// What is wrong, where, and the remedy.
pub(super) fn explain_problem(located: &LocatedSubject, problem: &ScheduleProblem) -> Diagnostic {
    let place = located.places.as_ref().map(|places| match problem {
        ScheduleProblem::TimeZone { .. } => &places.time_zone,
        ScheduleProblem::Schedule(_) | ScheduleProblem::Endless(_) => &places.schedule,
    });
    let mut text = String::new();
    if let Some(place) = place {
        text.push_str(place);
        text.push_str(": ");
    }
    if let Some(name) = &located.subject.name {
        let kind = located.subject.other_kind;
        let kind = kind.map_or("cronjob".to_owned(), |kind| kind.name.to_ascii_lowercase());
        text.push_str(&format!("{kind} {name}: "));
    }
    match problem {
        ScheduleProblem::Schedule(error) => {
            let what = if error.is_panic() {
                "the cron parser panics: "
            } else {
                "invalid schedule: "
            };
            let notice = Diagnostic::new(format!("{text}{what}{error}"));
            let notice = notice.excerpt(error.expression(), error.span());
            let other = located.subject.other_kind;
            match other.map_or_else(|| error.hint(), |_| kinds::hint(error)) {
                Some(hint) => notice.help(&hint),
                None => notice,
            }
        }
        ScheduleProblem::TimeZone { name, .. } => {
            Diagnostic::new(format!("{text}{problem}")).help(&time_zone_help(name))
        }
        ScheduleProblem::Endless(_) => Diagnostic::new(format!("{text}{problem}")),
    }
}

pub(super) const TIME_ZONE_HELP: &str =
    "Use a time zone of the tz database, such as Europe/Berlin.";

/// What to write instead of an invalid time zone.
pub(super) fn time_zone_help(name: &str) -> String {
    match suggest_zone(name) {
        Some(zone) => format!("Did you mean {zone}?"),
        None if BundledZones::names().any(|zone| zone == name) => {
            "The tz database of this machine is damaged; use --tzdb=bundled.".to_owned()
        }
        None => TIME_ZONE_HELP.to_owned(),
    }
}
