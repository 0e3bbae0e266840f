//! The rows of traits of all releases, and that of the kubebuilder book's controller.

use kube_cron::Dialect;

use super::behavior::{
    Arithmetic, Behavior, Children, Cleanup, Generation, HistoryOrder, JobEnds, NameTaken,
    Requests, Requeue, Success, TooMany, Wording, ZonePrefix,
};

const POLLING: Behavior = Behavior {
    generation: Generation::V1,
    dialect: Dialect::V1_1,
    arithmetic: Arithmetic::List,
    bounds_by_deadline: false,
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
        too_many_listed: "",
        unparseable_listed: "",
    },
    cleanup: Cleanup::After,
    children: Children::Uid,
    success: Success::Never,
    job_ends: JobEnds::WithVerdict,
    annotates_scheduled_time: false,
    name_taken: NameTaken::RecordsFailure,
    history: HistoryOrder::SuccessfulFirst,
    requests: Requests {
        sync: 1,
        start: 2,
        events: 1,
    },
};

const POLLING_1_6: Behavior = Behavior {
    bounds_by_deadline: true,
    // The limits of the history came with it: after them the status is updated again.
    requests: Requests {
        sync: 2,
        ..POLLING.requests
    },
    wording: Wording {
        too_many_listed: "Too many missed start time (> 100). Set or decrease \
                          .spec.startingDeadlineSeconds or check clock skew.",
        unparseable_listed: "Unparseable schedule",
        ..POLLING.wording
    },
    ..POLLING
};

const POLLING_1_11: Behavior = Behavior {
    wording: Wording {
        too_many_listed: "too many missed start time (> 100). Set or decrease \
                          .spec.startingDeadlineSeconds or check clock skew",
        unparseable_listed: "unparseable schedule",
        ..POLLING_1_6.wording
    },
    ..POLLING_1_6
};

const POLLING_1_15: Behavior = Behavior {
    wording: Wording {
        completed: "status",
        ..POLLING_1_11.wording
    },
    ..POLLING_1_11
};

const QUEUED_1_21: Behavior = Behavior {
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
    // Among those with the labels of the template, in fact; Jobs whose labels changed since are lost from sight.
    children: Children::Name,
    name_taken: NameTaken::Retries,
    ..POLLING_1_15
};

const QUEUED_1_22: Behavior = Behavior {
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

const QUEUED_1_23: Behavior = Behavior {
    warns_of_zone_prefix: true,
    ..QUEUED_1_22
};

const QUEUED_1_24: Behavior = Behavior {
    // One update of the status for all that a sync changes, and none where it changes nothing.
    requests: Requests {
        sync: 0,
        ..QUEUED_1_23.requests
    },
    ..QUEUED_1_23
};

const QUEUED_1_25: Behavior = Behavior {
    requeue: Requeue::AfterMostRecent,
    time_zone_field: true,
    ..QUEUED_1_24
};

const QUEUED_1_27: Behavior = Behavior {
    ignores_the_future: false,
    wording: Wording {
        too_close: "time difference between two schedules is less than 1 second",
        ..QUEUED_1_25.wording
    },
    ..QUEUED_1_25
};

/// The rough estimate with a sync around it; its wording came with it.
const SEARCHING: Behavior = Behavior {
    arithmetic: Arithmetic::Searched,
    too_many: TooMany::Warns,
    ..QUEUED_1_27
};

const SEARCHING_CLEAN_FIRST: Behavior = Behavior {
    cleanup: Cleanup::Before,
    ..SEARCHING
};

const REPAIRED: Behavior = Behavior {
    requeue: Requeue::AfterMostRecentOrNow,
    ..SEARCHING_CLEAN_FIRST
};

const REPAIRED_1_28: Behavior = Behavior {
    annotates_scheduled_time: true,
    name_taken: NameTaken::MeansToAdopt,
    ..REPAIRED
};

const REPAIRED_1_29: Behavior = Behavior {
    zone_prefix: ZonePrefix::Refused,
    ..REPAIRED_1_28
};

const REPAIRED_1_30: Behavior = Behavior {
    success: Success::SucceededEarlier,
    ..REPAIRED_1_29
};

const REPAIRED_1_31: Behavior = Behavior {
    success: Success::Succeeded,
    job_ends: JobEnds::WithLastPod,
    wording: Wording {
        completed: "condition",
        ..REPAIRED_1_30.wording
    },
    ..REPAIRED_1_30
};

const REPAIRED_1_37: Behavior = Behavior {
    name_taken: NameTaken::Adopts,
    children: Children::Uid,
    ..REPAIRED_1_31
};

/// The controller of the kubebuilder book, of whatever release the cluster is.
pub(super) const KUBEBUILDER: Behavior = Behavior {
    generation: Generation::Tutorial,
    dialect: Dialect::V1_2,
    arithmetic: Arithmetic::List,
    bounds_by_deadline: true,
    ignores_the_future: true,
    requeue: Requeue::AtNext,
    too_many: TooMany::Refuses,
    time_zone_field: false,
    zone_prefix: ZonePrefix::NotParsed,
    warns_of_zone_prefix: false,
    wording: Wording {
        quotes_unparseable: true,
        too_many_listed: "Too many missed start times (> 100). Set or decrease \
                          .spec.startingDeadlineSeconds or check clock skew.",
        unparseable_listed: "unparseable schedule",
        ..POLLING.wording
    },
    cleanup: Cleanup::Before,
    children: Children::KindAndName,
    success: Success::Never,
    job_ends: JobEnds::WithVerdict,
    annotates_scheduled_time: true,
    name_taken: NameTaken::RecordsFailure,
    history: HistoryOrder::FailedFirst,
    requests: Requests {
        sync: 1,
        start: 1,
        events: 0,
    },
};

pub(super) const OLDEST: Behavior = POLLING;

/// The rows of the table: from which release on, minor and patch, oldest first.
pub const ROWS: &[((u32, u32), Behavior)] = &[
    ((4, 0), POLLING),
    ((6, 0), POLLING_1_6),
    ((11, 0), POLLING_1_11),
    ((15, 0), POLLING_1_15),
    ((21, 0), QUEUED_1_21),
    ((22, 0), QUEUED_1_22),
    ((23, 0), QUEUED_1_23),
    ((24, 0), QUEUED_1_24),
    ((25, 0), QUEUED_1_25),
    ((25, 12), SEARCHING),
    ((25, 14), SEARCHING_CLEAN_FIRST),
    ((26, 0), QUEUED_1_25),
    ((26, 7), SEARCHING),
    ((26, 9), SEARCHING_CLEAN_FIRST),
    ((26, 11), REPAIRED),
    ((27, 0), QUEUED_1_27),
    ((27, 4), SEARCHING),
    ((27, 6), SEARCHING_CLEAN_FIRST),
    (
        (27, 8),
        Behavior {
            name_taken: NameTaken::MeansToAdopt,
            ..REPAIRED
        },
    ),
    (
        (28, 0),
        Behavior {
            annotates_scheduled_time: true,
            ..SEARCHING
        },
    ),
    (
        (28, 2),
        Behavior {
            annotates_scheduled_time: true,
            ..SEARCHING_CLEAN_FIRST
        },
    ),
    (
        (28, 3),
        Behavior {
            annotates_scheduled_time: true,
            name_taken: NameTaken::MeansToAdopt,
            ..SEARCHING_CLEAN_FIRST
        },
    ),
    ((28, 4), REPAIRED_1_28),
    ((29, 0), REPAIRED_1_29),
    ((30, 0), REPAIRED_1_30),
    ((31, 0), REPAIRED_1_31),
    ((37, 0), REPAIRED_1_37),
];
