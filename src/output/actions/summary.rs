//! The predictions for many CronJobs: totals first, and sentences that many share only once.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::add_command;
use crate::output::lines::TextPage;
use crate::output::style::{Meaning, styled};
use cronjob_diagnosis::change::Prediction;
use cronjob_text::printable::printable;
use cronjob_text::text::Text;

/// The prediction for a CronJob.
pub(crate) struct PlannedItem {
    pub(crate) name: String,
    pub(crate) prediction: Prediction,
}

/// A sentence about at least this many CronJobs is written once.
const SHARED: usize = 3;

/// More CronJobs that share a sentence are counted instead of named.
const NAMED: usize = 5;

/// Writes the totals, the shared sentences, and what is left to say about each CronJob. Without `detail`, only what
/// is said of most of them, and exceptions.
pub(crate) fn plan_summary(
    out: &mut dyn Write,
    totals: &Text,
    items: &[PlannedItem],
    mut page: TextPage,
    detail: bool,
) -> io::Result<()> {
    let totals = page.shortened(totals);
    page.title(&totals);
    let shared = Shared::of(items, detail);
    for (owners, sentences) in &shared.groups {
        let whose = whose(owners, items);
        page.paragraph(2, text!("{}: {}", whose, Text::join(sentences, " ")));
    }
    let mut alike = Vec::new();
    for (number, PlannedItem { name, prediction }) in items.iter().enumerate() {
        let own = prediction.sentences().iter();
        let own: Vec<&Text> = own
            .filter(|sentence| detail || !sentence.is_usual)
            .map(|sentence| &sentence.text)
            .filter(|text| !shared.has(text))
            .collect();
        let styled_name = styled(Meaning::Strong, printable(name));
        match (prediction.command(), own.is_empty()) {
            (None, true) if !detail || shared.names(number, items.len()) => {}
            (None, true) => alike.push(name.as_str()),
            (Some(_), true) => {
                page.line(styled_name);
            }
            (_, false) => {
                let own = printable(&page.shortened(&Text::join(own, " ")));
                page.hanging("", 2, &format!("{styled_name}: {own}"));
            }
        }
        add_command(&mut page, prediction);
    }
    if !alike.is_empty() {
        let text = format!("Only the above applies to {}.", alike.join(", "));
        page.hanging("", 2, &printable(&text));
    }
    if !detail {
        page.paragraph(0, "-v shows what happens to each CronJob.");
    }
    page.write(out)
}

/// The sentences that many CronJobs share.
struct Shared {
    /// For each set of CronJobs, by their numbers, the sentences about exactly these.
    groups: Vec<(Vec<usize>, Vec<Text>)>,
    owners: HashMap<Text, Vec<usize>>,
}

impl Shared {
    fn of(items: &[PlannedItem], detail: bool) -> Self {
        let mut owners: HashMap<Text, Vec<usize>> = HashMap::new();
        let mut in_order = Vec::new();
        let mut exceptions = HashSet::new();
        for (number, PlannedItem { prediction, .. }) in items.iter().enumerate() {
            for sentence in prediction.sentences() {
                let is_usual = sentence.is_usual;
                let sentence = sentence.text.in_general();
                if !is_usual {
                    exceptions.insert(sentence.clone());
                }
                let owners = owners.entry(sentence.clone()).or_default();
                if owners.is_empty() {
                    in_order.push(sentence);
                }
                if owners.last() != Some(&number) {
                    owners.push(number);
                }
            }
        }
        owners.retain(|sentence, owners| {
            let is_of_most = owners.len() * 2 > items.len();
            owners.len() >= SHARED && (detail || is_of_most || exceptions.contains(sentence))
        });
        let mut groups: Vec<(Vec<usize>, Vec<Text>)> = Vec::new();
        let mut places: HashMap<&[usize], usize> = HashMap::new();
        for sentence in in_order {
            let Some(owners) = owners.get(&sentence) else {
                continue;
            };
            let place = places.get(owners.as_slice()).copied();
            if let Some((_, sentences)) = place.and_then(|place| groups.get_mut(place)) {
                sentences.push(sentence);
            } else {
                places.insert(owners, groups.len());
                groups.push((owners.clone(), vec![sentence]));
            }
        }
        // What is true of most comes first.
        groups.sort_by_key(|(owners, _)| std::cmp::Reverse(owners.len()));
        Shared { groups, owners }
    }

    /// Whether a sentence about few of them names this one.
    fn names(&self, number: usize, all: usize) -> bool {
        let mut groups = self.groups.iter().map(|(owners, _)| owners);
        groups.any(|owners| owners.len() <= NAMED && owners.len() < all && owners.contains(&number))
    }

    fn has(&self, sentence: &Text) -> bool {
        self.owners.contains_key(&sentence.in_general())
    }
}

/// `Each of shop/a, shop/b, shop/c`
fn whose(owners: &[usize], items: &[PlannedItem]) -> String {
    if owners.len() == items.len() {
        return "Each CronJob".to_owned();
    }
    if owners.len() > NAMED {
        return format!("{} CronJobs", owners.len());
    }
    let names = owners.iter().filter_map(|number| items.get(*number));
    let names: Vec<&str> = names.map(|item| item.name.as_str()).collect();
    format!("Each of {}", names.join(", "))
}
