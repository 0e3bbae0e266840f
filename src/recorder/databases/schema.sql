-- Version 1. Times are seconds since 1970.
CREATE TABLE cron_job (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    -- Every run that was due up to here is stored, as far as the recorder was watching.
    judged_until INTEGER NOT NULL,
    deleted_at INTEGER
) STRICT;
CREATE INDEX cron_job_name ON cron_job (namespace, name);

-- What decides when a CronJob runs, since when.
CREATE TABLE spec (
    cron_job INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    schedule TEXT NOT NULL,
    time_zone TEXT,
    suspend INTEGER NOT NULL,
    concurrency_policy TEXT NOT NULL,
    starting_deadline INTEGER,
    generation INTEGER,
    PRIMARY KEY (cron_job, valid_from)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    cron_job INTEGER NOT NULL,
    -- The scheduled time, or when a manually created Job was created.
    at INTEGER NOT NULL,
    -- Empty for the run of a scheduled time, of which there is one; otherwise the UID of the Job, or its name if the UID
    -- is not known. A second Job of a scheduled time is a row of its own.
    other_job TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT,
    result TEXT,
    cause TEXT,
    reason TEXT,
    exit_code INTEGER,
    job_name TEXT,
    job_uid TEXT,
    started_at INTEGER,
    finished_at INTEGER,
    -- Where the time went, in seconds.
    queued INTEGER,
    waiting INTEGER,
    node INTEGER,
    image INTEGER,
    init INTEGER,
    running INTEGER,
    ending INTEGER,
    -- The fingerprint of the template of the Job, and the digests of its images: they outlive the Job.
    template TEXT,
    images TEXT,
    PRIMARY KEY (cron_job, at, other_job)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX run_job ON run (job_uid) WHERE job_uid IS NOT NULL;

-- When the recorder was watching.
CREATE TABLE watched (
    since INTEGER PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT;
