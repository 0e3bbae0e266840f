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
    ($($type:ident { $($variant:ident $(($inner:expr))?),+ $(,)? })+) => {$(
        impl Words for $type {
            fn word(&self) -> &'static str {
                self.as_str()
            }

            fn all() -> Vec<&'static str> {
                vec![$($type::$variant $(($inner))?.as_str()),+]
            }
        }

        const _: fn(&$type) = |listed| match listed {
            $($type::$variant { .. } => {})+
        };
    )+};
}

use crate::change::ExtraKind;
use crate::change::backfill::Why;
use crate::controller::Outcome;
use crate::diagnose::Severity;
use crate::history::{Basis, RunResult, Status};
use crate::output::actions::DryRun;
use crate::report::Outlook;
use crate::simulate::{Cause as Hindrance, Ending, Status as Fate};

words! {
    Basis { Asked, OldestRun, Creation, Nothing }
    DryRun { None, Client, Server }
    Ending { Succeeded, Failed, Replaced }
    ExtraKind { Repeated, Retroactive }
    Fate { Started, Late, Lost, Blocked, Phantom }
    Hindrance {
        Outage, Suspended, Forbid("".into()), Deadline, Arithmetic, TooMany, NameTaken, NotAwake,
        ScheduleChanged, Before, Hangs, Panics, NoSchedule, StatusRefused, Deleted,
    }
    Outcome {
        Start, Replace, Wait, Suspended, Deleted, UnknownTimeZone, UnparseableSchedule,
        InvalidSchedule, AlreadyProcessed, Blocked, DeadlineExceeded, TooManyMissed, NoSlotFound,
        NameTaken, Hangs, Panics,
    }
    Outlook { Starts, Suspended, Blocked, Held }
    RunResult { Succeeded, Failed, Running }
    Severity { Error, Warning, Info }
    Status { OnTime, Late, Backfilled, Running, Skipped, Unknown }
    Why { Ran, Running, NameTaken, ControllerStarts, MayHaveRun, NotCreated, BeyondMax }
}
