//! The past of one `CronJob`, beside what it was told from.

use super::{History, Window, history};
use crate::diagnose::Facts;

/// What became of the past slots of one `CronJob`.
pub struct Item<'a> {
    /// What is known of it.
    pub facts: Facts<'a>,
    /// What became of its slots.
    pub history: History,
}

impl<'a> Item<'a> {
    /// Lays the slots of a window beside the facts.
    pub fn of(facts: Facts<'a>, window: &Window) -> Self {
        let history = history(&facts, window);
        Item { facts, history }
    }
}
