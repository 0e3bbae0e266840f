//! What is kept of each `CronJob` for the rules about several of them.

use std::sync::Arc;

use super::excerpt::Excerpt;
use super::finding::{Found, Object};
use super::subject::Subject;
use crate::document::{Node, Place};

/// A `CronJob` as the rules about several see it.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// The name of the file, or `stdin`.
    pub file: Arc<str>,
    /// What it says it is.
    pub object: Arc<Object>,
    /// Where its name stands; where the object begins, if it has none.
    pub name: Spot,
    /// Its schedule, if it has one.
    pub schedule: Option<(String, Spot)>,
    /// Its `timeZone`.
    pub time_zone: Option<String>,
    /// Whether it is suspended.
    pub suspended: bool,
}

/// A place, with the line of the text that it begins on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Where.
    pub place: Place,
    /// The line, as far as it is worth showing.
    pub line: Excerpt,
}

/// What is found of one of the `CronJob`s that a rule has looked at together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accusation {
    /// Which of the sightings.
    pub of: usize,
    /// What was found, at the place of one of its spots.
    pub found: Found,
}

impl Sighting {
    pub(super) fn of(subject: &Subject<'_>) -> Self {
        let spot = |node: &Node| Spot {
            place: node.place,
            line: Excerpt::of(subject.text, node.place),
        };
        Sighting {
            file: Arc::clone(subject.file),
            object: Arc::new(subject.object()),
            name: spot(subject.get("metadata.name").unwrap_or(subject.node)),
            schedule: subject
                .str("spec.schedule")
                .map(str::to_owned)
                .zip(subject.get("spec.schedule").map(spot)),
            time_zone: subject.str("spec.timeZone").map(str::to_owned),
            suspended: subject.boolean("spec.suspend").unwrap_or(false),
        }
    }

    /// `shop/nightly`, or `nightly` where no namespace is said.
    pub fn called(&self) -> String {
        let name = self.object.name.as_deref().unwrap_or("(no name)");
        match &self.object.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        }
    }

    /// The spot at a place.
    pub(super) fn spot_at(&self, place: Place) -> Option<&Spot> {
        let schedule = self.schedule.as_ref().map(|(_, spot)| spot);
        [Some(&self.name), schedule]
            .into_iter()
            .flatten()
            .find(|spot| spot.place == place)
    }
}
