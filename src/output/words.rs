//! Words out of a list, such as outcomes: written as the core names them, and listed in the schemas.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// What documents have a word for.
pub(super) trait Words {
    /// The word for it.
    fn word(&self) -> &'static str;
    /// All words that there are.
    fn all() -> Vec<&'static str>;
}

/// One of the words for `T`.
pub(super) struct Word<T> {
    word: &'static str,
    of: PhantomData<T>,
}

impl<T: Words> Word<T> {
    /// The word for something.
    pub(super) fn of(something: &T) -> Self {
        Word {
            word: something.word(),
            of: PhantomData,
        }
    }
}

impl<T: Words> From<T> for Word<T> {
    fn from(something: T) -> Self {
        Word::of(&something)
    }
}

impl<T> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word)
    }
}

impl<T: Words> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Word".into()
    }

    fn schema_id() -> Cow<'static, str> {
        std::any::type_name::<T>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": T::all() })
    }
}

/// Lists the variants of enums that name themselves. One that is forgotten does not compile.
macro_rules! words {
    ($($type:ident { $($variant:ident),+ $(,)? })+) => {$(
        impl Words for $type {
            fn word(&self) -> &'static str {
                self.as_str()
            }

            fn all() -> Vec<&'static str> {
                vec![$($type::$variant.as_str()),+]
            }
        }

        const _: fn(&$type) = |listed| match listed {
            $($type::$variant => {})+
        };
    )+};
}

use crate::controller::{Class, Outcome, Verdict};
use crate::diagnose::{Cause, Severity};
use crate::forecast::{ConditionKind, NextState, Sync};
use crate::report::Outlook;
use crate::survey::Health;

words! {
    Cause {
        Suspended, Forbid, CreationFailed, Deadline, Arithmetic, TooMany, ScheduleEdited, NameTaken,
        Due, Backfilled, Unknown,
    }
    Class { None, Few, Many }
    ConditionKind {
        JobFinishesFirst, JobStillRuns, CreationSucceeds, EstimatedTime, Unknown,
    }
    NextState { Start, StartIfFinished, Blocked, Retry, Waiting, Overdue }
    Health { Ok, Info, Warning, Error }
    Outcome {
        Start, Replace, Wait, Suspended, Deleted, UnknownTimeZone, UnparseableSchedule,
        InvalidSchedule, AlreadyProcessed, Blocked, DeadlineExceeded, TooManyMissed, NoSlotFound,
        NameTaken, Hangs, Panics,
    }
    Outlook { Starts, Suspended, Blocked, Held }
    Severity { Error, Warning, Info }
    Verdict { Pass, Stop, Note }
}

/// What a coming sync does: an outcome, or an attempt that is made again.
pub(super) struct ForecastOutcome(&'static str);

const RETRY: &str = "retry";

impl ForecastOutcome {
    pub(super) fn of(sync: &Sync) -> Self {
        ForecastOutcome(if sync.retry {
            RETRY
        } else {
            sync.outcome.as_str()
        })
    }
}

impl Words for ForecastOutcome {
    fn word(&self) -> &'static str {
        self.0
    }

    fn all() -> Vec<&'static str> {
        let mut all = Outcome::all();
        all.push(RETRY);
        all
    }
}
