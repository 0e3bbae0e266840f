//! A problem as a person reads it: upstream's message, the place, the way out.

use super::gathered::{Chosen, Places};
use super::notice::Notice;
use super::settings::zone_instead;
use crate::upcoming::{ScheduleProblem, Subject};

/// A subject, and where it comes from.
pub(super) struct LocatedSubject {
    pub(super) subject: Subject,
    pub(super) places: Option<Places>,
}

impl From<&Chosen> for LocatedSubject {
    fn from(chosen: &Chosen) -> Self {
        LocatedSubject {
            subject: Subject::from(&chosen.evidence.cron_job),
            places: chosen.places.clone(),
        }
    }
}

/// What is wrong, where, and the way out.
pub(super) fn explain_problem(located: &LocatedSubject, problem: &ScheduleProblem) -> Notice {
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
        text.push_str(&format!("cronjob {name}: "));
    }
    match problem {
        ScheduleProblem::Schedule(error) => {
            let what = if error.is_panic() {
                "the parser panics: "
            } else {
                "invalid schedule: "
            };
            let notice = Notice::new(format!("{text}{what}{error}"));
            let notice = notice.excerpt(error.expression(), error.span());
            match error.hint() {
                Some(hint) => notice.help(&hint),
                None => notice,
            }
        }
        ScheduleProblem::TimeZone { name, .. } => {
            Notice::new(format!("{text}{problem}")).help(&zone_instead(name))
        }
        ScheduleProblem::Endless(_) => Notice::new(format!("{text}{problem}")),
    }
}
