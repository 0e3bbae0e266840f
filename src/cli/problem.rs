//! A problem as a person reads it: upstream's message, the place, the way out.

use super::notice::Notice;
use super::world::zone_instead;
use crate::evidence::{CronJobEvidence, FieldPlaces};
use crate::upcoming::{Problem, Subject};

/// A subject, and where it comes from.
pub(super) struct LocatedSubject {
    pub(super) subject: Subject,
    pub(super) places: Option<FieldPlaces>,
}

impl From<&CronJobEvidence> for LocatedSubject {
    fn from(one: &CronJobEvidence) -> Self {
        LocatedSubject {
            subject: Subject::from(&one.dossier.cron_job),
            places: one.places.clone(),
        }
    }
}

/// What is wrong, where, and the way out.
pub(super) fn explain_problem(located: &LocatedSubject, problem: &Problem) -> Notice {
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
            let notice = Notice::new(format!("{text}{what}{error}"));
            let notice = notice.excerpt(error.expression(), error.span());
            match error.hint() {
                Some(hint) => notice.help(&hint),
                None => notice,
            }
        }
        Problem::TimeZone { name, .. } => {
            Notice::new(format!("{text}{problem}")).help(&zone_instead(name))
        }
        Problem::Endless(_) => Notice::new(format!("{text}{problem}")),
    }
}
