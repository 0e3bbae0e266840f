//! The rows in order, which of them are shown, and the one that is selected.

use std::cmp::Ordering;

use super::ObjectKey;
use crate::printable::width;
use crate::survey::{LiveSurvey, Row, RowOrder};

/// The rows in order, the one that is selected, and those that are seen.
#[derive(Clone, Debug, Default)]
pub struct List {
    places: Vec<ObjectKey>,
    selected: usize,
    /// How many rows are above the first that is seen.
    top: usize,
    order: RowOrder,
    backwards: bool,
    widths: Widths,
}

/// How wide the columns have to be for all rows, seen or not: they stay where they are then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// Of the namespaces; 0 if there is only one.
    pub namespace: usize,
    /// Of the names.
    pub name: usize,
    /// Of the cron expressions.
    pub schedule: usize,
}

impl List {
    /// Puts the rows of a board in order. The selection stays on its row, if that is still there.
    pub fn rebuild(&mut self, board: &LiveSurvey, filter: &Filter, room: usize) {
        let mut rows: Vec<&Row> = board.rows().filter(|row| filter.fits(row)).collect();
        rows.sort_by(|one, other| self.compare(one, other));
        self.widths = Widths::of(board, &rows);
        let selected = self.selected().cloned();
        let place = |row: &&Row| (row.namespace.clone(), row.name.clone());
        self.places = rows.iter().map(place).collect();
        let found =
            selected.and_then(|selected| self.places.iter().position(|place| *place == selected));
        self.selected = found.unwrap_or(self.selected);
        self.settle(room);
    }

    fn compare(&self, one: &Row, other: &Row) -> Ordering {
        let by_key = self.order.compare(one, other);
        let by_key = if self.backwards {
            by_key.reverse()
        } else {
            by_key
        };
        by_key
            .then_with(|| RowOrder::Next.compare(one, other))
            .then_with(|| RowOrder::Name.compare(one, other))
    }

    /// Another order; the same one again is turned round.
    pub fn sort_by(&mut self, order: RowOrder) {
        self.backwards = self.order == order && !self.backwards;
        self.order = order;
    }

    /// In which order the rows are, and whether it is turned round.
    pub fn order(&self) -> (RowOrder, bool) {
        (self.order, self.backwards)
    }

    /// Moves the selection.
    pub fn move_by(&mut self, rows: isize, room: usize) {
        self.selected = self.selected.saturating_add_signed(rows);
        self.settle(room);
    }

    /// To the first row.
    pub fn select_first(&mut self, room: usize) {
        self.selected = 0;
        self.settle(room);
    }

    /// To the last row.
    pub fn select_last(&mut self, room: usize) {
        self.selected = usize::MAX;
        self.settle(room);
    }

    /// The selection is a row, and that row is seen.
    pub fn settle(&mut self, room: usize) {
        let count = self.places.len();
        self.selected = self.selected.min(count.saturating_sub(1));
        let room = room.max(1);
        self.top = self.top.min(count.saturating_sub(room));
        self.top = self.top.min(self.selected);
        self.top = self.top.max((self.selected + 1).saturating_sub(room));
    }

    /// The row that is selected.
    pub fn selected(&self) -> Option<&ObjectKey> {
        self.places.get(self.selected)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The rows that are seen where there is room for so many, and which of them is selected.
    pub fn seen(&self, room: usize) -> impl Iterator<Item = (&ObjectKey, bool)> {
        let numbered = self.places.iter().enumerate();
        let seen = numbered.skip(self.top).take(room);
        seen.map(|(number, place)| (place, number == self.selected))
    }

    /// How wide the columns have to be.
    pub fn widths(&self) -> Widths {
        self.widths
    }
}

impl Widths {
    fn of(board: &LiveSurvey, rows: &[&Row]) -> Self {
        let widest = |text: fn(&Row) -> &str| {
            let widths = rows.iter().map(|row| width(text(row)));
            widths.max().unwrap_or(0)
        };
        let mut namespaces = board.rows().map(|row| &row.namespace);
        let first = namespaces.next();
        let many = namespaces.any(|namespace| Some(namespace) != first);
        Widths {
            namespace: if many {
                widest(|row| &row.namespace)
            } else {
                0
            },
            name: widest(|row| &row.name),
            schedule: widest(|row| &row.schedule),
        }
    }
}

/// Which rows are shown: those that each of its words fits.
///
/// A plain word is a part of namespace/name. A word after `!` is about what is wrong: a health, a part
/// of a finding's code, or `suspended`; `!` alone is any warning or error. Case does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Name(String),
    Problem,
    Wrong(String),
}

impl Filter {
    /// A filter as it was typed.
    pub fn new(text: &str) -> Self {
        let word = |word: &str| match word.strip_prefix('!') {
            None => Word::Name(word.to_lowercase()),
            Some("") => Word::Problem,
            Some(wrong) => Word::Wrong(wrong.to_lowercase()),
        };
        Filter {
            text: text.to_owned(),
            words: text.split_whitespace().map(word).collect(),
        }
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it leaves nothing out.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a row is shown.
    pub fn fits(&self, row: &Row) -> bool {
        self.words.iter().all(|word| match word {
            Word::Name(part) => {
                let name = format!("{}/{}", row.namespace, row.name);
                name.to_lowercase().contains(part)
            }
            Word::Problem => row.health.is_problem(),
            Word::Wrong(part) => {
                row.health.as_str() == part
                    || (row.suspended && "suspended".starts_with(part))
                    || row
                        .findings
                        .iter()
                        .any(|finding| finding.code.contains(part))
            }
        })
    }
}
