//! What the examples show, worked out by hand.

/// What is found in one example.
pub(crate) struct Expected {
    /// The rule that the example is named for.
    pub(crate) code: &'static str,
    /// The other rules that find something there.
    pub(crate) also: &'static [&'static str],
    pub(crate) detail: &'static str,
    pub(crate) remedy: Option<&'static str>,
}

pub(crate) const DETAILS: &[Expected] = &[
    // Due at 08:10, 08:20, …, 09:00: the last waits, five came before it.
    Expected {
        code: "blocked-by-running-job",
        also: &[],
        detail: "mirror-29552160 has been waiting for its pod for 65m (since 2026-03-10T08:00:00Z), and 6 runs scheduled \
         since 2026-03-10T08:10:00Z have not been started. The run of 2026-03-10T09:00:00Z starts \
         when that Job ends; the 5 before it are skipped. None of its pods is ready: they may be \
         waiting for a node or an image.",
        remedy: Some(
            "kubectl -n shop describe job mirror-29552160  # to end it: kubectl -n shop delete job \
             mirror-29552160; the controller then immediately starts mirror-29552220 for the run \
             scheduled at 2026-03-10T09:00:00Z (5m late)",
        ),
    },
    Expected {
        code: "clock-doubles-run",
        also: &[],
        detail: "On 2026-10-25 the clock of Europe/Berlin is changed, and there are two runs at 02:30.",
        remedy: Some(
            "Choose a local time that every day has once (before 01:00 or after 03:00 in most \
             zones), or set spec.timeZone to Etc/UTC.",
        ),
    },
    Expected {
        code: "clock-loses-run",
        also: &[],
        detail: "On 2026-03-29 the clock of Europe/Berlin is changed, and there is no run at 02:30.",
        remedy: Some(
            "Choose a local time that every day has (before 01:00 or after 03:00 in most zones), or \
             set spec.timeZone to Etc/UTC.",
        ),
    },
    Expected {
        code: "clock-skew",
        also: &[],
        detail: "Its last start, 2026-03-10T11:15:00Z, is 115m in the future of 2026-03-10T09:20:00Z. \
         Nothing starts before 2026-03-10T11:30:00Z.",
        remedy: Some(
            "Compare the clocks of the control plane nodes, and of this machine, with `date -u`.",
        ),
    },
    Expected {
        code: "creation-fails",
        also: &[],
        detail: "The quota of the namespace is used up. The controller failed to create the Job 18 times, \
         last at 2026-03-10T08:10:55Z (9m5s ago), and retries with back-off: the next attempt is \
         due about Tue 2026-03-10 08:21 UTC (in 110s), even if the cause is gone, and scheduled \
         times until then pass without a run. Any update of the CronJob makes it try immediately. \
         The API server said: Error creating job: jobs.batch \
         \"import-29552160\" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, \
         used: count/jobs.batch=20, limited: count/jobs.batch=20",
        remedy: Some(
            "kubectl -n batch describe resourcequota  # once it is solved: kubectl -n batch annotate \
             cronjob import cronjob-doctor/touched=1773130800 --overwrite",
        ),
    },
    // 41, 45 and 38 seconds.
    Expected {
        code: "deadline-shorter-than-delay",
        also: &[],
        detail: "startingDeadlineSeconds is 20, but 3 of the 3 runs that are known started later than \
         that after their slot, up to 45 seconds. With this deadline such runs are lost without a \
         trace.",
        remedy: Some(
            "kubectl -n shop patch cronjob poll --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":90}}'",
        ),
    },
    // A slot is seen up to ten seconds late: half of them after more than five.
    Expected {
        code: "deadline-under-ten-seconds",
        also: &[],
        detail: "startingDeadlineSeconds is 5, but Kubernetes 1.19.16 looks only every 10 seconds. About \
         5 of 10 runs are seen too late and lost, without an event.",
        remedy: Some(
            "kubectl -n shop patch cronjob tick --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":450}}'",
        ),
    },
    Expected {
        code: "deadline-zero",
        also: &[],
        detail: "startingDeadlineSeconds is 0, so every slot is too old by the time the controller looks. \
         Nothing is ever started, and no event says so. The next run to be lost is that of \
         2026-03-10T10:00:00Z.",
        remedy: Some(
            "kubectl -n shop patch cronjob export --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":1800}}'  # the controller then immediately starts \
             export-29552220 for the run scheduled at 2026-03-10T09:00:00Z (20m late)",
        ),
    },
    Expected {
        code: "deletion-stuck",
        also: &[],
        detail: "Its deletion was asked for at 2026-03-08T15:00:00Z, 42h ago, and it is still there. It \
         starts nothing meanwhile.",
        remedy: Some("kubectl -n shop get cronjob old-report -o jsonpath='{.metadata.finalizers}'"),
    },
    Expected {
        code: "finished-job-still-active",
        also: &[],
        detail: "status.active still names mail-29552160, which ended at 2026-03-10T08:04:10Z, 35m ago. \
         The controller has not looked since.",
        remedy: Some(
            "kubectl -n kube-system get lease kube-controller-manager -o yaml  # renewTime must \
             be some seconds old",
        ),
    },
    Expected {
        code: "history-limit-hides-failures",
        also: &[],
        detail: "failedJobsHistoryLimit is 0: a failed Job is deleted as soon as the controller sees it, \
         and its logs with it.",
        remedy: Some(
            "kubectl -n shop patch cronjob thumbs --type=merge -p \
             '{\"spec\":{\"failedJobsHistoryLimit\":1}}'",
        ),
    },
    Expected {
        code: "history-limit-hides-successes",
        also: &[],
        detail: "successfulJobsHistoryLimit is 0: a successful Job is deleted as soon as the controller \
         sees it, so that neither its duration nor its logs are known.",
        remedy: Some(
            "kubectl -n shop patch cronjob pings --type=merge -p \
             '{\"spec\":{\"successfulJobsHistoryLimit\":3}}'",
        ),
    },
    // From 10:00, the last start, the next slot is 11:00, and 100 ms: 9:29:59.9 before 20:30.
    Expected {
        code: "hot-loop",
        also: &["slots-lost-silently"],
        detail: "Kubernetes 1.27.5 wants to look again 9h29m59s ago, that is at once, and comes to the \
         same result each time. This goes on until the next start, and keeps the controller \
         manager busy.",
        remedy: Some(
            "kubectl -n shop patch cronjob office-hours --type=merge -p \
             '{\"spec\":{\"suspend\":true}}'  # stops it for now; 1.26.11, 1.27.8, 1.28.4 and \
             1.29 are repaired",
        ),
    },
    Expected {
        code: "last-run-failed",
        also: &[],
        detail: "backup-29551830 failed at 2026-03-10T03:15:20Z, 5h44m ago: BackoffLimitExceeded: Job has \
         reached the specified backoff limit (backoffLimit is 1). 2 of its pods failed; the last, \
         backup-29551830-hz7pn, ended with exit code 1 (Error) in container main at \
         2026-03-10T03:15:18Z (5h44m ago). The last success was at 2026-03-09T02:41:05Z, 30h ago.",
        remedy: Some("kubectl -n db logs backup-29551830-hz7pn -c main"),
    },
    Expected {
        code: "manual-jobs-unexpected",
        also: &[],
        detail: "Running and made by hand: billing-again. The warning UnexpectedJob about it is harmless. \
         Forbid does not wait for it.",
        remedy: None,
    },
    Expected {
        code: "name-taken",
        also: &[],
        detail: "The run of 2026-03-10T09:00:00Z would be report-29552220. There is a Job of that name \
         already, since 2026-03-10T08:40:10Z; it belongs to nothing. The controller does not \
         start the run. It looks that Job up without naming the namespace, which the API server \
         refuses, and tries again, later and later.",
        remedy: Some("kubectl -n shop get job report-29552220 -o yaml"),
    },
    Expected {
        code: "name-too-long",
        also: &[],
        detail: "The name has 53 characters, and no new CronJob may have more than 52: it cannot be \
         created again.",
        remedy: Some("Create it anew under a shorter name, then delete this one."),
    },
    Expected {
        code: "never-runs",
        also: &[],
        detail: "\"0 0 31 2 *\" never runs: 31 February does not exist. Nothing is ever started.",
        remedy: Some(
            "If it is only meant to be started by hand, set spec.suspend to true: that says so to \
             everybody.",
        ),
    },
    // 01:15 of the 1st to the 10th.
    Expected {
        code: "never-succeeded",
        also: &["last-run-failed"],
        detail: "It was created at 2026-02-28T10:00:00Z (9d ago) and had 10 slots up to \
         2026-03-10T01:15:00Z, the last that was started. No success is on record. The one run \
         that is still there failed.",
        remedy: Some("kubectl -n db get jobs --sort-by=.metadata.creationTimestamp"),
    },
    // Started 20 minutes ago, and due once a day.
    Expected {
        code: "no-pod-ready",
        also: &[],
        detail: "mirror-29552160 has had no ready pod since 2026-03-10T08:00:00Z (20m ago). Its pods were \
         not read.",
        remedy: Some("kubectl -n shop describe pods -l job-name=mirror-29552160"),
    },
    Expected {
        code: "no-room-in-quota",
        also: &[],
        detail: "ResourceQuota jobs is used up: 20 of 20 Jobs (count/jobs.batch). The API server will refuse \
         the Job of the run scheduled at 2026-03-10T08:00:00Z unless Jobs are deleted before then.",
        remedy: Some(
            "kubectl -n batch patch resourcequota jobs --type=merge -p \
             '{\"spec\":{\"hard\":{\"count/jobs.batch\":\"21\"}}}'",
        ),
    },
    // 10:30 and 14:30 were missed. Four hours apart, and 8.5 hours since the first: the third such
    // step is 18:30.
    Expected {
        code: "phantom-start",
        also: &["resume-starts-at-once"],
        detail: "If it is resumed now, Kubernetes 1.25.3 starts a Job for 2026-03-09T18:30:00Z, which is \
         no time of \"30 6-16/4 * * 1-5\". The last real slot was 2026-03-09T14:30:00Z.",
        remedy: Some(
            "kubectl -n shop patch cronjob stock --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":3600}}'",
        ),
    },
    // Twelve hours of twelve.
    Expected {
        code: "pod-config-missing",
        also: &[],
        detail: "invoices-29552160 cannot make a container for its pod invoices-29552160-m2w6z since \
         2026-03-10T08:00:01Z (19m ago, 94 times), container main: CreateContainerConfigError: \
         secret \"invoices-db\" not found. Until it ends, nothing else starts (concurrencyPolicy: \
         Forbid).",
        remedy: Some(
            "kubectl -n billing describe pod invoices-29552160-m2w6z  # as soon as what is missing is \
             there, the pod goes on by itself",
        ),
    },
    Expected {
        code: "pod-crashes",
        also: &[],
        detail: "reindex-29552160 does not get through. Its pod reindex-29552160-t5b8r ended with exit \
         code 137 (OOMKilled) in container main at 2026-03-10T08:09:31Z (2m29s ago); it was \
         restarted 5 times. The kubelet waits longer before each start (CrashLoopBackOff). Its \
         memory limit is 256Mi.",
        remedy: Some("kubectl -n shop logs reindex-29552160-t5b8r -c main --previous"),
    },
    // Due at 08:15 and 08:30.
    Expected {
        code: "pod-image-not-pulled",
        also: &["blocked-by-running-job"],
        detail: "thumbnails-29552160 gets no image for its pod thumbnails-29552160-7xk2p since \
         2026-03-10T08:00:02Z (39m ago, 12 times), container main: ImagePullBackOff: \
         registry.example.com/thumbnails:2.0: not found. Until it ends, nothing else \
         starts (concurrencyPolicy: Forbid).",
        remedy: Some(
            "kubectl -n shop describe pod thumbnails-29552160-7xk2p  # the Job keeps its template; \
             after correcting the CronJob: kubectl -n shop delete job thumbnails-29552160; the \
             controller then immediately starts thumbnails-29552190 for the run scheduled at \
             2026-03-10T08:30:00Z (10m late)",
        ),
    },
    Expected {
        code: "pod-not-scheduled",
        also: &[],
        detail: "train-29551800 finds no node for its pod train-29551800-q9d4m since 2026-03-10T02:00:00Z \
         (7h ago, 84 times): 0/6 nodes are available: 1 node(s) didn't match Pod's node \
         affinity/selector, 5 Insufficient nvidia.com/gpu.",
        remedy: Some("kubectl -n ml describe pod train-29551800-q9d4m"),
    },
    // One second apart at first, then twice as long each time, up to a minute.
    Expected {
        code: "pods-refused",
        also: &[],
        detail: "The service account of the pods does not exist. import-29552160 cannot create its pods \
         since 2026-03-10T08:00:00Z (25m ago); it was refused 31 times, last at \
         2026-03-10T08:25:03Z: pods \"import-29552160-\" is forbidden: error looking up service \
         account batch/importer: serviceaccount \"importer\" not found.",
        remedy: Some("kubectl -n batch get serviceaccounts"),
    },
    Expected {
        code: "refuses-too-many-missed",
        also: &[],
        detail: "144 slots were missed since 2026-03-10T00:00:00Z: more than 100. This release records \
         FailedNeedsStart every 10 seconds, starts nothing, and does not recover by itself.",
        remedy: Some(
            "kubectl -n shop patch cronjob sync --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":150}}'  # the controller then immediately starts \
             sync-1773144000 for the run scheduled at 2026-03-10T12:00:00Z (70s late)",
        ),
    },
    Expected {
        code: "resume-starts-at-once",
        also: &[],
        detail: "If it is resumed now, the controller starts reindex-29551740 for the slot of \
         2026-03-10T01:00:00Z, 13h late. For 1 other missed slot it starts nothing.",
        remedy: Some(
            "kubectl cronjob-doctor resume -n db reindex --catch-up=skip  # resumes it without \
             that run",
        ),
    },
    // The Job of today ran at 07:00 UTC, but the controller says 06:00 UTC for tomorrow.
    Expected {
        code: "next-run-announced-differs",
        also: &[],
        detail: "The controller announces 2026-11-22T06:00:00Z, but by the schedule, read in UTC, the \
         next slot is 2026-11-22T07:00:00Z.",
        remedy: Some(
            "If the controller manager runs in another zone, pass --controller-time-zone, or set \
             spec.timeZone.",
        ),
    },
    // Thursday and Friday. A day apart, so that the search begins on Saturday at 09:00.
    Expected {
        code: "resume-starts-nothing",
        also: &[],
        detail: "2 slots since 2026-03-11T09:00:00Z got no Job, the last at 2026-03-13T09:00:00Z, 2d3h \
         ago. If it is resumed now, this release's estimate finds none of them: it starts nothing \
         and records no event. The first run would be that of 2026-03-16T09:00:00Z.",
        remedy: Some("kubectl -n shop create job digest-by-hand --from=cronjob/digest"),
    },
    // Those of 08:10 to 08:25; that of 08:30 is not due to be over. 12:20 are 740 seconds.
    Expected {
        code: "runs-longer-than-period",
        also: &[],
        detail: "4 of the 4 runs that are known were not over when the next one was due. The longest \
         takes 12m, and runs are due every 5m. With Allow up to 3 of them run at once.",
        remedy: Some("Make spec.schedule sparser than 12m."),
    },
    // The nights of the 8th and the 9th; an hour would not reach back to 22:00.
    Expected {
        code: "runs-past-deadline",
        also: &[],
        detail: "The 2 runs scheduled from 2026-03-08T22:00:00Z to 2026-03-09T22:00:00Z were not started \
         within startingDeadlineSeconds: 300, and will not be started any more. Nothing shows what \
         delayed them; the controller may have been down. The next run is scheduled at \
         2026-03-10T22:00:00Z.",
        remedy: Some(
            "kubectl -n shop create job mirror-by-hand --from=cronjob/mirror  # to let runs start up \
             to 60m late: kubectl -n shop patch cronjob mirror --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":3600}}'",
        ),
    },
    Expected {
        code: "schedule-unparseable",
        also: &[],
        detail: "Kubernetes 1.36 cannot read \"30 6 * * 7\": end of range (7) above maximum (6): 7. \
         Nothing is started.",
        remedy: Some("7 is not Sunday here: use 0"),
    },
    // The library itself answers so: 14:08 UTC was 03:53 by the old clock, and is 02:53 by the new.
    Expected {
        code: "search-stands-still",
        also: &[],
        detail: "The slot 2026-04-04T14:08:00Z is the last one: when the controller asks for the one \
         after it, the cron library answers with the same again, since the clock of Pacific/Chatham \
         is changed there. Nothing is started after it.",
        remedy: Some(
            "Choose an hour that the clock of Pacific/Chatham neither skips nor repeats, or set \
             spec.timeZone to Etc/UTC.",
        ),
    },
    // Thursday 13:00 to 18:00, and eleven on Friday. The first two are an hour apart, so that the
    // search begins less than two hours before Sunday, 20:00.
    Expected {
        code: "slots-lost-silently",
        also: &[],
        detail: "17 slots since 2026-03-05T12:00:00Z got no Job. The last was 2026-03-06T18:00:00Z, 2d2h \
         ago; this release's estimate looks for it where there is none, so it starts nothing and \
         records no event. The next run is that of 2026-03-09T08:00:00Z.",
        remedy: Some("kubectl -n shop create job office-by-hand --from=cronjob/office"),
    },
    Expected {
        code: "start-overdue",
        also: &[],
        detail: "The run scheduled at 2026-03-10T05:00:00Z had not started at 2026-03-10T14:00:40Z, 9h \
         later, and nothing explains it. The controller manager may not be running.",
        remedy: Some(
            "kubectl -n kube-system get lease kube-controller-manager -o yaml  # renewTime must \
             be some seconds old",
        ),
    },
    Expected {
        code: "sub-minute-every",
        also: &[],
        detail: "\"@every 30s\" is due every 30 seconds, but Jobs are named by the minute of their slot. \
         Of the slots of one minute only one is started.",
        remedy: Some(
            "kubectl -n shop patch cronjob probe --type=merge -p '{\"spec\":{\"schedule\":\"* * * \
             * *\"}}'",
        ),
    },
    // 03:00 of the 9th to the 20th.
    Expected {
        code: "suspended-long",
        also: &["resume-starts-at-once"],
        detail: "It is suspended. 12 slots got no Job, the first at 2026-03-09T03:00:00Z, 11d ago. \
         spec.suspend was set by kubectl-patch, at 2026-03-08T16:20:11Z at the latest.",
        remedy: Some("kubectl cronjob-doctor resume -n db cleanup"),
    },
    Expected {
        code: "template-suspended",
        also: &[],
        detail: "spec.jobTemplate.spec.suspend is true: Jobs are created, but start no pods. 1 Job waits \
         for that to change.",
        remedy: Some(
            "kubectl -n ml patch cronjob train --type=merge -p \
             '{\"spec\":{\"jobTemplate\":{\"spec\":{\"suspend\":false}}}}'",
        ),
    },
    Expected {
        code: "time-zone-not-read",
        also: &[],
        detail: "spec.timeZone is Asia/Tokyo, but Kubernetes 1.24.17 does not read it: runs follow the \
         clock of the controller manager, taken to be UTC.",
        remedy: None,
    },
    // 09:00 is 03:30 UTC where clocks are five and a half hours ahead.
    Expected {
        code: "time-zone-unset-not-utc",
        also: &[],
        detail: "The schedule is read as UTC time, but none of the 3 runs that are known, such as that of \
         2026-03-10T03:30:00Z, is one of its slots. All fit a clock at UTC+05:30: the controller \
         manager seems to run in such a zone, unless the schedule was changed after these runs.",
        remedy: Some(
            "Set spec.timeZone to the zone that is meant; for predictions, pass \
             --controller-time-zone.",
        ),
    },
    // The first missed is 07:00 on the 7th; a hundred hours later the estimate is 101.
    Expected {
        code: "too-many-missed-soon",
        also: &["resume-starts-at-once"],
        detail: "It is suspended, and 80 slots were missed since 2026-03-07T06:00:00Z. At \
         2026-03-11T11:00:00Z, in 20h, the controller counts more than 100. From then on the \
         controller records the warning TooManyMissedTimes, and still starts the last slot.",
        remedy: Some(
            "kubectl -n shop patch cronjob rates --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":1800}}'",
        ),
    },
    // From Friday 17:05 to Monday 09:02 there are 767 times five minutes, and one. Really missed:
    // 17:05 to 17:55, eleven, and Monday 09:00.
    Expected {
        code: "too-many-missed",
        also: &["resume-starts-at-once", "uneven-schedule-can-lose"],
        detail: "If it is resumed now, the controller counts 768 missed starts since \
         2026-03-06T17:00:00Z; really there are 12. It records the warning TooManyMissedTimes and \
         starts the run of 2026-03-09T09:00:00Z all the same.",
        remedy: Some(
            "kubectl -n shop patch cronjob prices --type=merge -p \
             '{\"spec\":{\"startingDeadlineSeconds\":150}}'",
        ),
    },
    Expected {
        code: "ttl-hides-failures",
        also: &[],
        detail: "ttlSecondsAfterFinished is 600: Jobs are deleted 10m after their end, failed ones and \
         their logs too, whatever the history limits say.",
        remedy: Some(
            "kubectl -n shop patch cronjob invoices --type=merge -p \
             '{\"spec\":{\"jobTemplate\":{\"spec\":{\"ttlSecondsAfterFinished\":null}}}}'",
        ),
    },
    // From Friday 18:00 to Monday 08:00 there are 62 hours.
    Expected {
        code: "uneven-schedule-can-lose",
        also: &[],
        detail: "Runs are 1h to 2d14h apart. If two or more are missed and it is resumed in a long pause, \
         this release may find none of them: it starts nothing and records no event.",
        remedy: Some(
            "kubectl -n shop create job desk-by-hand --from=cronjob/desk  # makes up for a lost \
             run",
        ),
    },
    Expected {
        code: "unknown-time-zone",
        also: &[],
        detail: "spec.timeZone is \"europe/berlin\": unknown time zone europe/berlin. The controller \
         starts nothing, and does not look again until something changes.",
        remedy: Some(
            "kubectl -n shop patch cronjob opening --type=merge -p \
             '{\"spec\":{\"timeZone\":\"Europe/Berlin\"}}'",
        ),
    },
    Expected {
        code: "vanished-job-still-active",
        also: &[],
        detail: "status.active names feed-29552160, but there is no such Job in the namespace. The \
         controller drops it, with the event MissingJob, when it looks next.",
        remedy: Some(
            "kubectl -n kube-system get lease kube-controller-manager -o yaml  # renewTime must \
             be some seconds old",
        ),
    },
    Expected {
        code: "zone-in-schedule",
        also: &[],
        detail: "The schedule is \"CRON_TZ=Europe/Berlin 0 18 * * *\". Kubernetes 1.36 still runs it, but \
         refuses TZ for new objects: this CronJob cannot be created again.",
        remedy: Some(
            "kubectl -n shop patch cronjob closing --type=merge -p '{\"spec\":{\"schedule\":\"0 \
             18 * * *\",\"timeZone\":\"Europe/Berlin\"}}'",
        ),
    },
];
