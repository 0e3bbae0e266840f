//! Where releases part.

use jiff::Timestamp;

use super::run::{Run, Status};

/// What each release makes of the slots of a stretch, where they do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The first slot.
    pub first: Timestamp,
    /// The last slot.
    pub last: Timestamp,
    /// How many slots.
    pub count: u64,
    /// What each release makes of them; `None` where it does not know the slot.
    pub statuses: Vec<Option<Status>>,
}

/// Where simulations of the same plan part, slot by slot; equal ones that follow each other are one.
pub fn partings(simulations: &[&[Run]]) -> Vec<Parting> {
    let mut rest: Vec<&[Run]> = simulations.to_vec();
    let mut found: Vec<Parting> = Vec::new();
    let mut goes_on = false;
    while let Some(slot) = rest
        .iter()
        .filter_map(|runs| Some(runs.first()?.slot))
        .min()
    {
        let statuses: Vec<Option<Status>> = rest
            .iter_mut()
            .map(|runs| match runs.split_first() {
                Some((run, others)) if run.slot == slot => {
                    *runs = others;
                    Some(run.status)
                }
                _ => None,
            })
            .collect();
        if statuses
            .windows(2)
            .all(|pair| matches!(pair, [one, other] if one == other))
        {
            goes_on = false;
            continue;
        }
        match found.last_mut() {
            Some(last) if goes_on && last.statuses == statuses => {
                last.last = slot;
                last.count += 1;
            }
            _ => found.push(Parting {
                first: slot,
                last: slot,
                count: 1,
                statuses,
            }),
        }
        goes_on = true;
    }
    found
}
