//! A problem as a person reads it: upstream's message, the place, the way out.

use super::gathered::{Chosen, Places};
use super::settings::zone_instead;
use crate::output::caret::underline;
use crate::upcoming::{Problem, Subject};

/// A subject, and where it comes from.
pub(super) struct LocatedSubject {
    pub(super) subject: Subject,
    pub(super) places: Option<Places>,
}

impl From<&Chosen> for LocatedSubject {
    fn from(chosen: &Chosen) -> Self {
        LocatedSubject {
            subject: Subject::from(&chosen.dossier.cron_job),
            places: chosen.places.clone(),
        }
    }
}

/// The text after `error: `.
pub(super) fn explain_problem(located: &LocatedSubject, problem: &Problem) -> String {
    let place = located.places.as_ref().map(|places| match problem {
        Problem::TimeZone { .. } => &places.time_zone,
        Problem::Schedule(_) | Problem::Endless(_) => &places.schedule,
    });
    let mut text = String::new();
    if let Some(place) = place {
        text.push_str(place);
        text.push_str(": ");
    }
    if let Some(name) = &located.subject.name {
        text.push_str(&format!("cronjob {name}: "));
    }
    match problem {
        Problem::Schedule(error) => {
            let what = if error.is_panic() {
                "the parser panics: "
            } else {
                "invalid schedule: "
            };
            text.push_str(&format!("{what}{error}\n"));
            text.push_str(&underline(error.expression(), error.span()));
            help(&mut text, error.hint());
        }
        Problem::TimeZone { name, .. } => {
            text.push_str(&problem.to_string());
            help(&mut text, Some(zone_instead(name)));
        }
        Problem::Endless(_) => text.push_str(&problem.to_string()),
    }
    text
}

fn help(text: &mut String, hint: Option<String>) {
    if let Some(hint) = hint {
        text.push_str(&format!("\nhelp: {hint}"));
    }
}
