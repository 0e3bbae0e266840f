//! Colors by meaning. They are always written: anstream removes them from streams that cannot show them.

use std::fmt::Display;

use owo_colors::{OwoColorize as _, Style};

use cronjob_manifest::rules::Severity;

/// What a piece of text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Plain,
    /// A heading, or what is asked for.
    Strong,
    Faint,
    Good,
    Bad,
    Odd,
    Help,
}

impl Meaning {
    fn style(self) -> Style {
        match self {
            Meaning::Plain => Style::new(),
            Meaning::Strong => Style::new().bold(),
            Meaning::Faint => Style::new().dimmed(),
            Meaning::Good => Style::new().green(),
            Meaning::Bad => Style::new().red().bold(),
            Meaning::Odd => Style::new().yellow(),
            Meaning::Help => Style::new().cyan().bold(),
        }
    }
}

impl From<Severity> for Meaning {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Info => Meaning::Strong,
            Severity::Warning => Meaning::Odd,
            Severity::Error => Meaning::Bad,
        }
    }
}

pub(crate) fn styled(meaning: Meaning, text: impl Display) -> String {
    text.style(meaning.style()).to_string()
}
