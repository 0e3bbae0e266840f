//! The sorted and filtered rows, and the selected one.

use std::cmp::Ordering;

use cronjob_diagnosis::survey::{LiveSurvey, Row, RowOrder};
use cronjob_text::printable::width;
use kube_model::ObjectKey;

#[derive(Clone, Debug, Default)]
pub struct List {
    objects: Vec<ObjectKey>,
    selected: usize,
    /// The number of rows above the first visible one.
    top: usize,
    order: RowOrder,
    reversed: bool,
    pub widths: ColumnWidths,
}

/// The widths of the columns over all rows, so that scrolling does not move the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnWidths {
    /// Width of the namespaces; 0 if there is only one.
    pub namespace: usize,
    pub name: usize,
    pub schedule: usize,
}

impl List {
    /// Sorts and filters the rows of a survey. The selection stays on its row, if that still exists.
    pub fn rebuild(&mut self, survey: &LiveSurvey, filter: &Filter, height: usize) {
        let mut rows: Vec<&Row> = survey.rows().filter(|row| filter.matches(row)).collect();
        rows.sort_by(|one, other| self.compare(one, other));
        self.widths = ColumnWidths::of(survey, &rows);
        let selected = self.selected().cloned();
        self.objects = rows.iter().map(|row| row.key()).collect();
        let found = selected
            .and_then(|selected| self.objects.iter().position(|object| *object == selected));
        self.selected = found.unwrap_or(self.selected);
        self.keep_selection_visible(height);
    }

    fn compare(&self, one: &Row, other: &Row) -> Ordering {
        let by_key = self.order.compare(one, other);
        let by_key = if self.reversed {
            by_key.reverse()
        } else {
            by_key
        };
        by_key
            .then_with(|| RowOrder::Next.compare(one, other))
            .then_with(|| RowOrder::Name.compare(one, other))
    }

    /// Sets the order. The same order again is reversed.
    pub fn sort_by(&mut self, order: RowOrder) {
        self.reversed = self.order == order && !self.reversed;
        self.order = order;
    }

    /// The order of the rows, and whether it is reversed.
    pub fn order(&self) -> (RowOrder, bool) {
        (self.order, self.reversed)
    }

    pub fn move_by(&mut self, rows: isize, height: usize) {
        self.selected = self.selected.saturating_add_signed(rows);
        self.keep_selection_visible(height);
    }

    /// Moves the selection to an existing row, and scrolls to it.
    pub fn keep_selection_visible(&mut self, height: usize) {
        let count = self.objects.len();
        self.selected = self.selected.min(count.saturating_sub(1));
        let height = height.max(1);
        self.top = self.top.min(count.saturating_sub(height));
        self.top = self.top.min(self.selected);
        self.top = self.top.max((self.selected + 1).saturating_sub(height));
    }

    pub fn selected(&self) -> Option<&ObjectKey> {
        self.objects.get(self.selected)
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The visible rows, and whether each is selected.
    pub fn visible(&self, height: usize) -> impl Iterator<Item = (&ObjectKey, bool)> {
        let numbered = self.objects.iter().enumerate();
        let seen = numbered.skip(self.top).take(height);
        seen.map(|(number, object)| (object, number == self.selected))
    }
}

impl ColumnWidths {
    fn of(survey: &LiveSurvey, rows: &[&Row]) -> Self {
        let widest = |text: fn(&Row) -> &str| {
            let widths = rows.iter().map(|row| width(text(row)));
            widths.max().unwrap_or(0)
        };
        let mut namespaces = survey.rows().map(|row| &row.namespace);
        let first = namespaces.next();
        let many = namespaces.any(|namespace| Some(namespace) != first);
        ColumnWidths {
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

/// A filter: all its words must match a row.
///
/// A plain word matches a part of namespace/name. A word after `!` matches a health, a part of a finding's code, or
/// `suspended`; `!` alone matches any warning or error. Case is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    words: Vec<FilterWord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FilterWord {
    Name(String),
    Problem,
    Finding(String),
}

impl Filter {
    pub fn new(text: &str) -> Self {
        let word = |word: &str| match word.strip_prefix('!') {
            None => FilterWord::Name(word.to_lowercase()),
            Some("") => FilterWord::Problem,
            Some(part) => FilterWord::Finding(part.to_lowercase()),
        };
        Filter {
            text: text.to_owned(),
            words: text.split_whitespace().map(word).collect(),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn matches(&self, row: &Row) -> bool {
        self.words.iter().all(|word| match word {
            FilterWord::Name(part) => {
                let name = format!("{}/{}", row.namespace, row.name);
                name.to_lowercase().contains(part)
            }
            FilterWord::Problem => row.health.is_problem(),
            FilterWord::Finding(part) => {
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
