//! Sets of numbers in words.

use crate::FieldName;
use crate::fields::{Fields, members};
use crate::words::join;

/// The numbers that a field matches, with its minimum and maximum.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    bits: u64,
    low: u32,
    high: u32,
}

/// The simplest description of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Nothing,
    All,
    One(u32),
    /// Three or more consecutive numbers.
    Run(u32, u32),
    /// Two or more numbers with the same distance.
    Steps(Steps),
    Other,
}

/// Numbers with the same distance from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) step: u32,
    pub(super) count: u32,
}

impl Numbers {
    pub(super) fn new(bits: u64, low: u32, high: u32) -> Self {
        Numbers { bits, low, high }
    }

    /// What a field matches.
    pub(super) fn of(fields: &Fields, field: FieldName) -> Self {
        let (low, high) = field.bounds();
        Numbers::new(fields.bits(field), low, high)
    }

    pub(super) fn members(self) -> impl Iterator<Item = u32> {
        members(self.bits)
    }

    pub(super) fn count(self) -> u32 {
        self.bits.count_ones()
    }

    pub(super) fn is_all(self) -> bool {
        self.count() == self.high - self.low + 1
    }

    pub(super) fn shape(self) -> Shape {
        let mut members = self.members();
        let Some(first) = members.next() else {
            return Shape::Nothing;
        };
        let Some(second) = members.next() else {
            return Shape::One(first);
        };
        if self.is_all() {
            return Shape::All;
        }
        let step = second - first;
        let mut last = second;
        for member in members {
            if member - last != step {
                return Shape::Other;
            }
            last = member;
        }
        let count = self.count();
        if step == 1 && count > 2 {
            return Shape::Run(first, last);
        }
        Shape::Steps(Steps {
            first,
            last,
            step,
            count,
        })
    }

    /// The ends of a set of consecutive numbers, or of one number.
    pub(super) fn run(self) -> Option<(u32, u32)> {
        match self.shape() {
            Shape::One(only) => Some((only, only)),
            Shape::Run(first, last) => Some((first, last)),
            _ => None,
        }
    }

    /// The steps of a set that extends from the field's minimum to its end.
    pub(super) fn steps_through(self) -> Option<Steps> {
        match self.shape() {
            Shape::Steps(steps)
                if steps.first == self.low && steps.last + steps.step > self.high =>
            {
                Some(steps)
            }
            _ => None,
        }
    }

    /// All numbers, with ranges and long sequences of steps abbreviated: `0, 7, 14, … 56`, `1, 3 through 9
    /// and 20`.
    pub(super) fn list(self, name: impl Fn(u32) -> String) -> String {
        self.list_with(name, 3)
    }

    /// All numbers, with `shown` steps at the beginning of a long sequence.
    pub(super) fn list_with(self, name: impl Fn(u32) -> String, shown: usize) -> String {
        if let Shape::Steps(steps) = self.shape()
            && steps.count > 6
        {
            let begin: Vec<String> = self.members().take(shown).map(&name).collect();
            return format!("{}, … {}", begin.join(", "), name(steps.last));
        }
        join(self.pieces(name), "and")
    }

    /// All numbers without abbreviation.
    pub(super) fn each(self, last_word: &str, name: impl Fn(u32) -> String) -> String {
        join(self.members().map(name), last_word)
    }

    /// The numbers, with three or more consecutive ones as one piece.
    fn pieces(self, name: impl Fn(u32) -> String) -> Vec<String> {
        let mut pieces = Vec::new();
        let mut members = self.members().peekable();
        while let Some(first) = members.next() {
            let mut last = first;
            while let Some(next) = members.next_if(|next| *next == last + 1) {
                last = next;
            }
            match last - first {
                0 => pieces.push(name(first)),
                1 => pieces.extend([name(first), name(last)]),
                _ => pieces.push(format!("{} through {}", name(first), name(last))),
            }
        }
        pieces
    }
}

impl Steps {
    /// Whether the distance from the last to the first of the next round is the same as well.
    pub(super) fn is_even_in(&self, round: u32) -> bool {
        self.step * self.count == round
    }
}
