//! A row that is kept, with what it comes from.

use jiff::Timestamp;

use super::gist::Gist;
use super::row::Row;
use crate::controller::Controller;
use crate::diagnose::Reach;
use crate::model::Dossier;

/// Even if nothing happens, time goes by: so often each row is computed anew, in seconds.
const STALE_AFTER: i64 = 60;

/// A slot that has just come is for the controller: a start that is not there yet is not missed. A
/// change makes the row anew before that, in seconds.
const GRACE: i64 = 3;

/// A row that is kept, with what it comes from.
#[derive(Debug, Default)]
pub(super) struct Entry {
    dossier: Dossier,
    /// `None` if it is to be computed anew.
    row: Option<Row>,
    /// What was last told of it.
    told: Option<Gist>,
    looked_at: Timestamp,
}

/// Whether a row is to be computed anew.
pub(super) enum Due {
    No,
    /// It has grown old, and may be another by now.
    Aged,
    /// It is another.
    Now,
}

impl Entry {
    pub(super) fn of(dossier: Dossier) -> Self {
        Entry {
            dossier,
            ..Entry::default()
        }
    }

    pub(super) fn dossier(&self) -> &Dossier {
        &self.dossier
    }

    /// The dossier, for somebody who changes it: the row is to be computed anew.
    pub(super) fn changing(&mut self) -> &mut Dossier {
        self.row = None;
        &mut self.dossier
    }

    /// The row as it was at the last look.
    pub(super) fn row(&self) -> Option<&Row> {
        self.row.as_ref()
    }

    pub(super) fn due(&self, now: Timestamp) -> Due {
        let Some(row) = &self.row else {
            return Due::Now;
        };
        let age = now.as_second() - self.looked_at.as_second();
        let late = row.next_run.map(|next| now.as_second() - next.as_second());
        match late {
            Some(late) if late >= GRACE => Due::Now,
            Some(late) if late >= 0 => Due::No,
            _ if age >= STALE_AFTER => Due::Aged,
            _ => Due::No,
        }
    }

    /// Computes the row, and says whether it came out another than before, but for what is told of
    /// its age.
    pub(super) fn look(
        &mut self,
        controller: &Controller<'_>,
        reach: Reach,
        now: Timestamp,
    ) -> bool {
        let row = Row::of(controller, &self.dossier, reach, now);
        let before = self.row.as_ref();
        let changed = !before.is_some_and(|before| is_alike(before, &row));
        self.row = Some(row);
        self.looked_at = now;
        changed
    }

    /// The row, if there is something to tell of it that was not told yet.
    pub(super) fn news(&mut self) -> Option<Row> {
        let gist = self.row.as_ref().map(Gist::of);
        if gist == self.told {
            return None;
        }
        self.told = gist;
        self.row.clone()
    }
}

/// Whether two rows of the same `CronJob` have the same place in every order.
fn is_alike(one: &Row, other: &Row) -> bool {
    one.health == other.health && one.missed == other.missed && Gist::of(one) == Gist::of(other)
}
