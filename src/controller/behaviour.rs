//! What tells one release from another, as a row of traits, and the rows of all releases.

use crate::schedule::Dialect;

/// All that the code asks about a release. It never asks for the version itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// The controller's generation.
    pub generation: Generation,
    /// The cron library.
    pub dialect: Dialect,
    /// How the slot to start is found.
    pub arithmetic: Arithmetic,
    /// Whether nothing is looked for where the last start or the creation lies in the future.
    pub ignores_the_future: bool,
    /// When the controller looks again.
    pub requeue: Requeue,
    /// What it records when more than 100 starts were missed.
    pub too_many: TooMany,
    /// Whether `spec.timeZone` is read.
    pub time_zone_field: bool,
    /// What the API server makes of `TZ=` in a schedule.
    pub zone_prefix: ZonePrefix,
    /// Whether the controller warns of `TZ` in a schedule.
    pub warns_of_zone_prefix: bool,
    /// The words of some events.
    pub wording: Wording,
    /// When finished Jobs beyond the limits are deleted.
    pub cleanup: Cleanup,
    /// How it knows its Jobs.
    pub children: Children,
    /// What makes it note a success.
    pub success: Success,
    /// Whether a Job is annotated with its slot.
    pub annotates_slot: bool,
    /// What it does where a Job of the name exists.
    pub name_taken: NameTaken,
}

/// The controller's generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Lists everything every ten seconds.
    V1,
    /// Woken by a queue.
    V2,
}

/// How the slot to start is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// All missed slots are listed; above 100 the controller refuses.
    List,
    /// The distance of the first two missed slots is multiplied: the result may be no slot.
    Multiplied,
    /// The last slot is looked for where that multiplication leads, and may not be found.
    Looked,
}

/// When the controller looks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// It looks at everything every ten seconds.
    Poll,
    /// At the next slot.
    AfterNow,
    /// At the slot after the most recent one, which may be in the past.
    AfterMostRecent,
    /// The same, but at the next slot where the most recent one was not found.
    AfterMostRecentOrNow,
}

/// What is recorded when more than 100 starts were missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMany {
    /// That it cannot be determined whether a Job needs to be started, and none is.
    Refuses,
    /// A warning that says 0, whatever the number.
    WarnsWithZero,
    /// A warning with the number.
    WarnsWithNumber,
    /// A warning without a number.
    Warns,
}

/// What a release's API server makes of `TZ=` in front of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZonePrefix {
    /// It is no schedule: there are six fields then.
    NotParsed,
    /// It is taken.
    Accepted,
    /// No new object may have it.
    Refused,
}

/// Words that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// Between a completed Job's name and its condition; empty where the condition is not told.
    pub completed: &'static str,
    /// Whether an unparseable schedule is quoted.
    pub quotes_unparseable: bool,
    /// Before the schedule that is invalid.
    pub invalid: &'static str,
    /// Why it is invalid.
    pub too_close: &'static str,
    /// Above 100, in the first generation.
    pub too_many_listed: &'static str,
    /// Before an unparseable schedule, in the first generation.
    pub unparseable_listed: &'static str,
}

/// When finished Jobs beyond the limits are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleanup {
    /// After each look.
    After,
    /// After each look that went well.
    AfterSuccess,
    /// Before anything else.
    Before,
}

/// How the controller knows its Jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Children {
    /// By the identity of the owner that controls them.
    ByUid,
    /// By the name of the owner that controls them, whatever its kind and identity.
    ByName,
}

/// What makes the controller note a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// Nothing: there is no such field.
    Never,
    /// A finished Job that it no longer lists as active.
    FinishedEarlier,
    /// The same, if it succeeded.
    SucceededEarlier,
    /// Any Job that succeeded.
    Succeeded,
}

/// What the controller does where a Job of the name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameTaken {
    /// It records that the Job could not be created, and tries again with each look.
    RecordsFailure,
    /// It fails and tries again, later and later.
    Retries,
    /// It takes the Job for its own, if it is.
    Adopts,
}

const POLLING: Behaviour = Behaviour {
    generation: Generation::V1,
    dialect: Dialect::V1_1,
    arithmetic: Arithmetic::List,
    ignores_the_future: true,
    requeue: Requeue::Poll,
    too_many: TooMany::Refuses,
    time_zone_field: false,
    zone_prefix: ZonePrefix::NotParsed,
    warns_of_zone_prefix: false,
    wording: Wording {
        completed: "",
        quotes_unparseable: false,
        invalid: "invalid schedule",
        too_close: "",
        too_many_listed: "Too many missed start time (> 100). Set or decrease \
                          .spec.startingDeadlineSeconds or check clock skew.",
        unparseable_listed: "Unparseable schedule",
    },
    cleanup: Cleanup::After,
    children: Children::ByUid,
    success: Success::Never,
    annotates_slot: false,
    name_taken: NameTaken::RecordsFailure,
};

const POLLING_1_11: Behaviour = Behaviour {
    wording: Wording {
        too_many_listed: "too many missed start time (> 100). Set or decrease \
                          .spec.startingDeadlineSeconds or check clock skew",
        unparseable_listed: "unparseable schedule",
        ..POLLING.wording
    },
    ..POLLING
};

const POLLING_1_15: Behaviour = Behaviour {
    wording: Wording {
        completed: "status",
        ..POLLING_1_11.wording
    },
    ..POLLING_1_11
};

const QUEUED_1_21: Behaviour = Behaviour {
    generation: Generation::V2,
    arithmetic: Arithmetic::Multiplied,
    requeue: Requeue::AfterNow,
    too_many: TooMany::WarnsWithZero,
    wording: Wording {
        invalid: "invalid schedule schedule",
        too_close: "time difference between two schedules less than 1 second",
        ..POLLING_1_15.wording
    },
    cleanup: Cleanup::AfterSuccess,
    // By the labels of the template, in fact; Jobs whose labels changed since are lost from sight.
    children: Children::ByUid,
    name_taken: NameTaken::Retries,
    ..POLLING_1_15
};

const QUEUED_1_22: Behaviour = Behaviour {
    dialect: Dialect::V3_0,
    too_many: TooMany::WarnsWithNumber,
    zone_prefix: ZonePrefix::Accepted,
    wording: Wording {
        quotes_unparseable: true,
        invalid: "invalid schedule",
        ..QUEUED_1_21.wording
    },
    success: Success::FinishedEarlier,
    ..QUEUED_1_21
};

const QUEUED_1_23: Behaviour = Behaviour {
    warns_of_zone_prefix: true,
    ..QUEUED_1_22
};

const QUEUED_1_24: Behaviour = Behaviour {
    children: Children::ByName,
    ..QUEUED_1_23
};

const QUEUED_1_25: Behaviour = Behaviour {
    requeue: Requeue::AfterMostRecent,
    time_zone_field: true,
    ..QUEUED_1_24
};

const QUEUED_1_27: Behaviour = Behaviour {
    ignores_the_future: false,
    wording: Wording {
        too_close: "time difference between two schedules is less than 1 second",
        ..QUEUED_1_25.wording
    },
    ..QUEUED_1_25
};

/// The rough estimate with a look around it; its wording came with it.
const LOOKING: Behaviour = Behaviour {
    arithmetic: Arithmetic::Looked,
    too_many: TooMany::Warns,
    ..QUEUED_1_27
};

const LOOKING_CLEAN_FIRST: Behaviour = Behaviour {
    cleanup: Cleanup::Before,
    ..LOOKING
};

const REPAIRED: Behaviour = Behaviour {
    requeue: Requeue::AfterMostRecentOrNow,
    ..LOOKING_CLEAN_FIRST
};

const REPAIRED_1_28: Behaviour = Behaviour {
    annotates_slot: true,
    name_taken: NameTaken::Adopts,
    ..REPAIRED
};

const REPAIRED_1_29: Behaviour = Behaviour {
    zone_prefix: ZonePrefix::Refused,
    ..REPAIRED_1_28
};

const REPAIRED_1_30: Behaviour = Behaviour {
    success: Success::SucceededEarlier,
    ..REPAIRED_1_29
};

const REPAIRED_1_31: Behaviour = Behaviour {
    success: Success::Succeeded,
    wording: Wording {
        completed: "condition",
        ..REPAIRED_1_30.wording
    },
    ..REPAIRED_1_30
};

const REPAIRED_1_37: Behaviour = Behaviour {
    children: Children::ByUid,
    ..REPAIRED_1_31
};

/// What the oldest release does.
pub(super) const OLDEST: Behaviour = POLLING;

/// The rows of the table: from which release on, minor and patch, oldest first.
pub(super) const ROWS: &[((u32, u32), Behaviour)] = &[
    ((4, 0), POLLING),
    ((11, 0), POLLING_1_11),
    ((15, 0), POLLING_1_15),
    ((21, 0), QUEUED_1_21),
    ((22, 0), QUEUED_1_22),
    ((23, 0), QUEUED_1_23),
    ((24, 0), QUEUED_1_24),
    ((25, 0), QUEUED_1_25),
    ((25, 12), LOOKING),
    ((26, 0), QUEUED_1_25),
    ((26, 7), LOOKING),
    ((26, 9), LOOKING_CLEAN_FIRST),
    ((26, 11), REPAIRED),
    ((27, 0), QUEUED_1_27),
    ((27, 4), LOOKING),
    ((27, 6), LOOKING_CLEAN_FIRST),
    ((27, 8), REPAIRED),
    (
        (28, 0),
        Behaviour {
            annotates_slot: true,
            ..LOOKING
        },
    ),
    (
        (28, 2),
        Behaviour {
            annotates_slot: true,
            ..LOOKING_CLEAN_FIRST
        },
    ),
    ((28, 4), REPAIRED_1_28),
    ((29, 0), REPAIRED_1_29),
    ((30, 0), REPAIRED_1_30),
    ((31, 0), REPAIRED_1_31),
    ((37, 0), REPAIRED_1_37),
];
