//! What each rule finds in a manifest, and what its fixes make of it.

use cronjob_doctor::internals::lint::{LintFinding, LintSettings, apply};
use cronjob_doctor::internals::rules::lint_rules;
use similar::{ChangeTag, TextDiff};

use crate::lint_properties::report;

/// On November 21, 2026. The manifests in examples/lint are further cases.
///
/// - `[rule]` begins the cases of a rule, `[rule help]` those that show the help, too. Behind it are edits
///   that all of them share.
/// - Any other line that is not indented is a case: edits of [`spec`], separated by ` | `, or `.` for none.
///   It may begin with its releases, such as `@1.20` or `@1.24-1.36`; without, they are `1.36`. ` --- `
///   begins another document. Cases of which the same comes can share a line, separated by ` ;; `.
/// - An edit is a line of the spec; `job.LINE` and `pod.LINE` for the specs in the template; `+TEXT` at the
///   end; `OLD => NEW` anywhere. `\n` is a line break.
/// - What comes of a case is behind ` -> ` or in the indented lines below it: findings as `7:13 message`,
///   with the releases unless it applies to all, and the lines that the fixes change (`~7 new`) and add
///   (`+7 new`). With `UPDATE=1` it is written.
const TABLE: &str = r#"
[clock-change-skips-run]
schedule: '30 2 * * *' | timeZone: America/New_York -> 7:13 no run at 02:30 on 2027-03-14 and 2028-03-12, when the clock in America/New_York changes
schedule: '0,30 2 * * 0' | timeZone: Europe/Berlin
  7:13 no run at 02:00, 02:30 on 2027-03-28 and 2028-03-26, when the clock in Europe/Berlin changes
# A Sunday in both years.
schedule: '30 2 * * 1-5' | timeZone: Europe/Berlin
# Runs that continue at their pace lose nothing.
schedule: '*/15 * * * *' | timeZone: Europe/Berlin ;; schedule: '*/15 0-5 * * *' | timeZone: Europe/Berlin
schedule: '0 1-4 * * *' | timeZone: Europe/Berlin ;; schedule: '0 3 * * *' | timeZone: Europe/Berlin
schedule: '@every 1h' | timeZone: Europe/Berlin ;; schedule: '30 2 * * *' | timeZone: Etc/UTC
# Clocks were changed there until 2015.
schedule: '30 2 * * *' | timeZone: Europe/Istanbul

[clock-change-repeats-run]
schedule: '0,30 2 * * *' | timeZone: Europe/Berlin
  7:13 two runs at 02:00, 02:30 on 2027-10-31 and 2028-10-29, when the clock in Europe/Berlin changes
# Runs that continue at their pace double nothing.
schedule: '*/15 * * * *' | timeZone: Europe/Berlin ;; schedule: '*/15 0-5 * * *' | timeZone: Europe/Berlin
schedule: '0 1-4 * * *' | timeZone: Europe/Berlin ;; schedule: '0 3 * * *' | timeZone: Europe/Berlin
schedule: '30 2 * * *' | timeZone: Etc/UTC

[schedule-search-hangs]
# Summer time ends on 3 April 2027 at 14:00 UTC, when the islands have 03:45.
schedule: 53 4 * * * | timeZone: Pacific/Chatham ;; schedule: 30 2 * * * | timeZone: Europe/Berlin
schedule: 53 3 * * * | timeZone: Etc/UTC

[forbid-without-active-deadline] schedule: 0 6 * * *
concurrencyPolicy: Allow
# Only the deadline of the Job covers a pod that never starts.
concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 60
concurrencyPolicy: Forbid | pod.activeDeadlineSeconds: 60
  13:34 only limits pods that have started: a run whose pod cannot be created or scheduled blocks all later ones indefinitely
concurrencyPolicy: Forbid | job.activeDeadlineSeconds: null -> 8:22 without activeDeadlineSeconds, a run that hangs blocks all later ones indefinitely

[active-deadline-over-period]
schedule: '*/5 * * * *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 7200
  11:30 a run that hangs for 120m blocks the runs that are due every 5m
schedule: '*/5 * * * *' | concurrencyPolicy: Allow | job.activeDeadlineSeconds: 700
  11:30 runs that hang for 11m40s and are due every 5m: up to 3 at the same time
schedule: '*/5 * * * *' | concurrencyPolicy: Replace | job.activeDeadlineSeconds: 600
  11:30 has no effect: a run is replaced after 5m, before 10m have passed
# Up to the next run.
schedule: '*/5 * * * *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 300
schedule: '0 6 * * *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 86400
# Never runs.
schedule: '0 0 30 2 *' | concurrencyPolicy: Forbid | job.activeDeadlineSeconds: 86400

[runs-pile-up]
schedule: '*/5 * * * *' | job.activeDeadlineSeconds: 60
# It ends the pods that hang.
schedule: '*/5 * * * *' | pod.activeDeadlineSeconds: 60 ;; schedule: '*/5 * * * *' | concurrencyPolicy: Allow
schedule: '*/5 * * * *' | concurrencyPolicy: Forbid ;; schedule: '*/20 * * * *'

[replace-short-period]
schedule: '*/5 * * * *' | concurrencyPolicy: Replace ;; schedule: '* * * * *' | concurrencyPolicy: Forbid

[retries-over-period]
schedule: '*/5 * * * *' | job.backoffLimit: 6 ;; schedule: '*/5 * * * *' | job.activeDeadlineSeconds: 240
schedule: '*/15 * * * *'

[job-template-suspended] schedule: 0 6 * * *
job.suspend: true -> 10:16 Jobs start no pods and pile up
# A queue may suspend them.
job.suspend: true | jobTemplate:\n => jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n
job.suspend: false

[kueue-label-on-cronjob] schedule: 0 6 * * *
.

[kueue-label-on-cronjob] schedule: 0 6 * * * | metadata:\n => metadata:\n  labels:\n    kueue.x-k8s.io/queue-name: batch\n
.
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  +18     metadata:
  +19       labels:
  +20         kueue.x-k8s.io/queue-name: batch
# The fix adds what is missing around the label, and leaves what it cannot add it to.
jobTemplate:\n => jobTemplate:\n    metadata:\n      annotations:\n        a: b\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  +14       labels:
  +15         kueue.x-k8s.io/queue-name: batch
jobTemplate:\n => jobTemplate:\n    metadata:\n      labels:\n        app: a\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  +14         kueue.x-k8s.io/queue-name: batch
jobTemplate:\n => jobTemplate:\n    metadata: {labels: {app: a}}\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
  ~11     metadata: {labels: {app: a, kueue.x-k8s.io/queue-name: batch}}
jobTemplate:\n => jobTemplate:\n    metadata: {labels: {kueue.x-k8s.io/queue-name: batch}}\n
jobTemplate:\n => jobTemplate:\n    metadata: {}\n ;; jobTemplate:\n => jobTemplate:\n    metadata:\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label
jobTemplate:\n => jobTemplate:\n    metadata: {annotations: {a: b}}\n
  5:32 Kueue does not read the labels of a CronJob, and its Jobs do not have this label

[starting-deadline-under-10s] schedule: 0 9 * * *
@1.20 startingDeadlineSeconds: 7 -> 8:28 Kubernetes 1.20 syncs only every 10 seconds: about 3 of 10 runs are seen too late and missed
startingDeadlineSeconds: 7 -> 8:28 a run that cannot start within 7s is missed without an event
startingDeadlineSeconds: 0 ;; startingDeadlineSeconds: 10 ;; startingDeadlineSeconds: -1
startingDeadlineSeconds: ten

[suspend-unset] schedule: 0 9 * * *
suspend: null -> 6:1 suspend is not set, so that a manual suspension stays
suspend: false ;; suspend: true ;; suspend: 'no'

[starting-deadline-over-100-periods]
schedule: '* * * * *' | startingDeadlineSeconds: 6001
  8:28 1h40m1s covers more than 100 runs that are 60s apart: each sync records TooManyMissedTimes once they are missed
@1.20 schedule: '*/5 * * * *' | startingDeadlineSeconds: 86400
  8:28 24h covers more than 100 runs that are 5m apart: nothing starts again once they are missed
# Exactly a hundred are few; and the largest number is just large.
schedule: '* * * * *' | startingDeadlineSeconds: 6000
schedule: '0 6 * * *' | startingDeadlineSeconds: 9223372036854775807
  8:28 106751991167300d15h30m7s covers more than 100 runs that are 24h apart: each sync records TooManyMissedTimes once they are missed
schedule: '0 6 * * *' | startingDeadlineSeconds: 86400
# Two runs a day, a minute apart: 1440 minutes have room for more than 100 minutes.
schedule: '0,1 0 * * *' | startingDeadlineSeconds: 86400
  8:28 24h covers more than 100 runs that are 60s apart: each sync records TooManyMissedTimes once they are missed
@1.20 schedule: '0,1 0 * * *' | startingDeadlineSeconds: 86400
# 108 runs on a working day.
@1.20 schedule: '*/5 9-17 * * 1-5' | startingDeadlineSeconds: 43200
  8:28 12h covers more than 100 runs that are 5m apart: nothing starts again once they are missed

[starting-deadline-unset-stops]
@1.19-1.22 schedule: '*/10 * * * *' -> 7:13 after 16h50m without a start, Kubernetes 1.20 never starts it again (1.19 to 1.20)
@1.20 schedule: 0 * * * * ;; @1.20 schedule: '*/10 * * * *' | startingDeadlineSeconds: 300

[starting-deadline-unset]
@1.20-1.22 schedule: '* * * * *'
  7:13 after 100m without a start, the controller records TooManyMissedTimes, but still starts the latest run (1.21 to 1.22)
schedule: '*/5 * * * *' ;; schedule: '* * * * *' | startingDeadlineSeconds: 60

[uneven-schedule-catch-up]
@1.26.3-1.28 schedule: 0 8-18 * * * -> 7:13 runs are 60m to 14h apart: those that are missed before a pause may never start (1.27 to 1.28)
@1.27.2-1.28 schedule: 0 8-18 * * * -> 7:13 runs are 60m to 14h apart: those that are missed before a pause may never start (1.28)
schedule: 0 8-18 * * * | startingDeadlineSeconds: 3601 -> 7:13 runs are 60m to 14h apart: those that are missed before a pause may never start
# What is always made up for.
schedule: 0 8-18 * * * | startingDeadlineSeconds: 3600 ;; schedule: 0 9 * * 1-5 ;; schedule: '*/7 * * * *'
schedule: 0 * * * *

[start-at-unscheduled-time]
@1.20-1.27.3 schedule: 0 8-18 * * *
  7:13 after two missed runs Kubernetes 1.27.3 can start one during the pause of 14h, at a time that is not in the schedule (1.21 to 1.24, 1.27.3)
@1.25.3 schedule: 0 8-18 * * * | startingDeadlineSeconds: 3600

[suspended]
schedule: 0 6 * * * | suspend: true -> 8:12 starts nothing until it is resumed, and then immediately starts the latest missed run
schedule: 0 6 * * * | suspend: false
# Never runs: somebody triggers it.
schedule: 0 0 30 2 * | suspend: true

[invalid-expectation] schedule: 0 6 * * *
namespace: shop => namespace: shop\n  annotations:\n    cronjob-doctor/max-duration: 1h30m\n    cronjob-doctor/success-within: 7d\n    cronjob-doctor/runbook: call Ada\n    example.com/max-duration: often
namespace: shop => namespace: shop\n  annotations:\n    cronjob-doctor/max-duration: 1.5h\n    cronjob-doctor/succes-within: 7d\n    cronjob-doctor/runbook: ''
  7:34 "1.5h" is not a duration of at least 1s
  8:35 unknown annotation; did you mean cronjob-doctor/success-within?
  9:29 the value is empty
# A number is rejected by the API server.
namespace: shop => namespace: shop\n  annotations:\n    cronjob-doctor/max-duration: 30

[history-limit-hides-failures] schedule: 0 6 * * *
failedJobsHistoryLimit: 1 ;; failedJobsHistoryLimit: null

[history-limit-hides-successes] schedule: 0 6 * * *
@1.20 successfulJobsHistoryLimit: 0 -> 8:31 a successful Job is deleted immediately, and nothing records that it ran

[history-limit-high] schedule: 0 6 * * *
successfulJobsHistoryLimit: 100 | failedJobsHistoryLimit: 51
  8:31 keeps 100 finished Jobs and their pods
  9:27 keeps 51 finished Jobs and their pods
successfulJobsHistoryLimit: 50

[ttl-hides-failures]
# Gone before the morning, or before the next run.
schedule: '0 2 * * *' | job.ttlSecondsAfterFinished: 3600 -> 10:32 Jobs are deleted 60m after they finish, including failed ones and their logs
schedule: '0 2 * * *' | job.ttlSecondsAfterFinished: 0 -> 10:32 finished Jobs are deleted immediately, including failed ones and their logs
schedule: '0 2 * * *' | job.ttlSecondsAfterFinished: 28800
schedule: '*/5 * * * *' | job.ttlSecondsAfterFinished: 600
schedule: '*/5 * * * *' | job.ttlSecondsAfterFinished: 100 -> 10:32 Jobs are deleted 100s after they finish, including failed ones and their logs

[ttl-before-history-limit] schedule: 0 2 * * *
successfulJobsHistoryLimit: 7 | job.ttlSecondsAfterFinished: 86400
  8:31 never keeps 7: Jobs are deleted 24h after they finish, and one finishes every 24h
# The failed ones are reported where the successful ones are fine.
successfulJobsHistoryLimit: 2 | failedJobsHistoryLimit: 3 | job.ttlSecondsAfterFinished: 86400
  9:27 never keeps 3: Jobs are deleted 24h after they finish, and one finishes every 24h
successfulJobsHistoryLimit: 7 | job.ttlSecondsAfterFinished: 604800
suspend: false | job.ttlSecondsAfterFinished: 86400
# Another rule reports it.
successfulJobsHistoryLimit: 7 | job.ttlSecondsAfterFinished: 60

[on-failure-loses-logs] schedule: 0 6 * * *
.

[api-version-removed] schedule: 0 6 * * *
@1.19-1.26 batch/v1 => batch/v1beta1 -> 1:13 batch/v1beta1 is no longer served in Kubernetes 1.25 and later (1.21 to 1.24)
@1.6-1.21 batch/v1 => batch/v2alpha1 -> 1:13 batch/v2alpha1 is no longer served in Kubernetes 1.21 and later (1.8 to 1.20)
@1.24 .
# The fix is the newest version that is served.
@1.24 batch/v1 => batch/v1beta1
  1:13 batch/v1beta1 is no longer served in Kubernetes 1.25 and later
  ~1 apiVersion: batch/v1
@1.20 batch/v1 => batch/v2alpha1
  1:13 batch/v2alpha1 is no longer served in Kubernetes 1.21 and later
  ~1 apiVersion: batch/v1beta1

[duplicate-name]
schedule: 0 6 * * * --- schedule: 0 6 * * * | namespace: shop => namespace: depot --- schedule: 0 6 * * * |   namespace: shop\n =>
schedule: 0 6 * * * | name: report\n  namespace => generateName: report-\n  namespace --- schedule: 0 6 * * * | name: report\n  namespace => generateName: report-\n  namespace
# A patch has no schedule.
schedule: 0 6 * * * --- schedule: 0 6 * * * |   schedule: 0 6 * * *\n =>

[never-scheduled]
@1.24-1.36 schedule: 0 0 31 2,4 * -> 7:13 the schedule never runs: February 31 and April 31 do not exist
# Up to 1.21 `*/8` is a star, so that 29 February must be a Sunday, which it is in 2032.
@1.20-1.22 schedule: 0 0 29 2 */8
  7:13 the schedule never runs: no matching day of the month is a Sunday within five years (the next is 2032-02-29) (1.20 to 1.21)
# Intended.
schedule: 0 0 30 2 * | suspend: true

[either-day-field]
# 21 November 2026 is a Saturday.
# Since 1.22 a field with a step is no longer an asterisk; before, both fields had to match.
@1.21 schedule: '0 0 */2 * 1'
@1.22 schedule: '0 0 */2 * 1'
  7:13 a match of either day field is enough: it runs on Sat 2026-11-21 (day 21), Mon 2026-11-23 (both), Mon 2026-11-30 (a Monday)
schedule: '0 0 1 * 0-6' -> 7:13 the day of month has no effect: the other day field matches every day, and one match is enough
schedule: '0 0 * * 1' ;; schedule: '0 0 1 * *' ;; schedule: '0 0 1 * ?' ;; schedule: '0 0 */1 * 1'
schedule: '@weekly' ;; schedule: '@every 1h'

[every-minute-of-hour]
schedule: '* 6 * * 1-5' -> 7:13 runs 60 times, every minute from 06:00 to 06:59
schedule: '* * 1 * *' -> 7:13 runs every minute of day 1 of the month
schedule: '* * * * *' ;; schedule: '* 9-17 * * 1-5' ;; schedule: '*/5 6 * * *' ;; schedule: '0 * 1 * *'
schedule: '* * * * 1' ;; schedule: '@every 1m'

[stepped-star-changed]
# 21 November 2026 is a Saturday: day 23 is odd and a Monday, 25 is odd and a Wednesday.
@1.20-1.24 schedule: '0 0 */2 * 1' -> 7:13 since Kubernetes 1.22 a match of either day field is enough: it then also runs on 2026-11-25 (1.20 to 1.21)
@1.21 schedule: '0 0 */2 * *' ;; @1.21 schedule: '0 0 13 * 5' ;; @1.21 schedule: '*/2 0 1 * *'

[sub-minute-every]
# The names of Jobs have minutes since 1.21.
@1.20-1.22 schedule: '@every 30s' -> 7:13 due every 30s, but only one run per minute is started (1.21 to 1.22)
schedule: '@every 60s'

[every-not-aligned-to-clock]
schedule: '@every 90m' ;; schedule: '@daily' ;; schedule: '0 0 * * *'

[day-not-in-every-month]
@1.20-1.37 schedule: '0 0 30 * *' -> 7:13 February has no day 30: it runs in 11 of 12 months
schedule: '0 0 28-31 * *'
# Other rules report what never runs and what cannot be parsed.
schedule: '0 0 30 2 *' ;; schedule: '0 0 32 * *'

[held-by-sidecar] schedule: 0 6 * * *
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33
  16:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the Job does not finish
concurrencyPolicy: Replace | +          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33
  17:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the next run deletes the Job before it finishes
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n          - name: istio-proxy
  16:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the Job does not finish
  18:19 Istio does not end on its own: unless report stops it, the Job does not finish
. ;; +          - name: db\n            image: gcr.io/example/worker:1.33
# The image is the main container.
registry.example.com/report => docker.io/fluent/fluent-bit
# Istio injects its own image, perhaps as a native sidecar.
+          - name: istio-proxy\n            image: auto
containers:\n => initContainers:\n          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n            restartPolicy: Always\n          containers:\n
# Commands that stop a sidecar, and one that does not.
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n            args: [--quitquitquit, --port=5432]
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n            args: [sh, -c, 'curl -X POST localhost:9091/quitquitquit']
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n            args: ['until test -f /tmp/done; do sleep 1; done; kill 1']
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n            args: [pkill, gce-proxy]
+          - name: db\n            image: gcr.io/cloudsql-docker/gce-proxy:1.33\n            args: [--timeout=5, 7]
  16:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the Job does not finish
+          - 7 ;; +          - {} ;; +          - name: 
[held-by-sidecar help] schedule: 0 6 * * *
+          - name: cloud-sql-proxy
  16:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the Job does not finish
  help: Move the container to initContainers, with restartPolicy: Always.
@1.28 +          - name: cloud-sql-proxy
  16:19 Cloud SQL Auth Proxy does not end on its own: unless report stops it, the Job does not finish
  help: Start the proxy (version 2) with --quitquitquit and --exit-zero-on-sigterm, and send POST http://localhost:9091/quitquitquit at the end of the main container.
@1.28 +          - name: envoy
  16:19 Envoy does not end on its own: unless report stops it, the Job does not finish
  help: Stop this container at the end of the main container.
# Annotations have no effect on a container that no webhook injects.
+          - name: vault-agent
  16:19 Vault Agent does not end on its own: unless report stops it, the Job does not finish
  help: Move the container to initContainers, with restartPolicy: Always.
@1.28 +          - name: istio-proxy
  16:19 Istio does not end on its own: unless report stops it, the Job does not finish
  help: Send POST http://localhost:15020/quitquitquit at the end of the main container.
# The name alone is enough, and the message is the same for all releases.
@1.24-1.36 +          - name: envoy
  16:19 Envoy does not end on its own: unless report stops it, the Job does not finish
  help: Move the container to initContainers, with restartPolicy: Always.

[uneven-step]
schedule: '*/7 * * * *' -> 7:13 */7 is not every 7 minutes: minute 0 comes 4 minutes after minute 56
schedule: '*/59 * * * *' -> 7:13 */59 is not every 59 minutes: minute 0 comes 1 minute after minute 59
schedule: '3/25 * * * *' -> 7:13 3/25 is not every 25 minutes: minute 3 comes 10 minutes after minute 53
schedule: '0 */5 * * *' -> 7:13 */5 is not every 5 hours: hour 0 comes 4 hours after hour 20
schedule: '0 0 */2 * *' -> 7:13 */2 is not every 2 days: day 1 comes 1 day after day 31
schedule: '0 0 * * */2' -> 7:13 */2 is not every 2 days: weekday 0 comes 1 day after weekday 6
schedule: '0 0 1 */5 *' -> 7:13 */5 is not every 5 months: month 1 comes 2 months after month 11
# Even.
schedule: '*/5 * * * *' ;; schedule: '7/20 * * * *' ;; schedule: '0 */6 * * *' ;; schedule: '0 0 1 */3 *'
# Within one hour, or on one day of the week, no turn comes.
schedule: '*/25 3 * * *' ;; schedule: '0 */5 * * 1' ;; schedule: '0 0 */2 1 *'
# Ends where it is told to.
schedule: '0 9-17/3 * * *' ;; schedule: '0-50/25 * * * *'
# Begins where it is told to.
schedule: '30/20 * * * *' ;; schedule: '@every 7m'

[step-too-large]
schedule: '*/90 * * * *' -> 7:13 */90 matches only minute 0
schedule: '30/45 * * * *' -> 7:13 30/45 matches only minute 30
schedule: '0-30/45 * * * *' -> 7:13 0-30/45 matches only minute 0
schedule: '0 */48 * * *' -> 7:13 */48 matches only hour 0
schedule: '0 0 */40 * *' -> 7:13 */40 matches only day of month 1
schedule: '0 0 1 */18 *' -> 7:13 */18 matches only month 1
schedule: '0 0 * * */14' -> 7:13 */14 matches only day of week 0
# A whole round is as it says.
schedule: '*/60 * * * *' ;; schedule: '5/60 * * * *' ;; schedule: '0 */24 * * *' ;; schedule: '0 0 1 */12 *'
schedule: '*/30 5-5/2 * * *'

[time-zone-in-schedule]
@1.20-1.31 schedule: TZ=Europe/Berlin 0 9 * * *
  7:13 Kubernetes 1.28 accepts TZ= without supporting it, and 1.29 rejects it in new objects (1.22 to 1.28)
@1.28 schedule: "CRON_TZ=Europe/Berlin */5 9 * * *"
  7:13 Kubernetes 1.28 accepts TZ= without supporting it, and 1.29 rejects it in new objects
  ~7   schedule: "*/5 9 * * *"
  +16   timeZone: Europe/Berlin
@1.28 schedule: TZ=UTC */5 9 * * *
  7:13 Kubernetes 1.28 accepts TZ= without supporting it, and 1.29 rejects it in new objects
  ~7   schedule: '*/5 9 * * *'
  +16   timeZone: UTC
# There is no timeZone yet.
@1.23 schedule: TZ=Europe/Berlin 0 9 * * * -> 7:13 Kubernetes 1.23 accepts TZ= without supporting it, and 1.29 rejects it in new objects
# The API server rejects it.
@1.28 schedule: TZ=UTC 0 9 * * * | timeZone: Etc/UTC
@1.28 schedule: TZ=Local 0 9 * * * ;; @1.28 schedule: TZ= 0 9 * * *
  7:13 Kubernetes 1.28 accepts TZ= without supporting it, and 1.29 rejects it in new objects

[time-zone-alias] schedule: 0 9 * * *
timeZone: US/Eastern
  8:13 US/Eastern is an old name of America/New_York
  ~8   timeZone: America/New_York
# Ignored there.
@1.24 timeZone: US/Eastern
# Zones that are like others are no old names.
timeZone: Europe/Oslo ;; timeZone: UTC ;; timeZone: Etc/UTC ;; timeZone: GMT ;; timeZone: CET
timeZone: us/eastern

[time-zone-abbreviation] schedule: 0 9 * * *
timeZone: America/New_York
# This one changes its clocks, and Hawaii does not.
timeZone: EST5EDT ;; timeZone: HST

[time-zone-sign] schedule: 0 9 * * *
timeZone: Etc/GMT-1 -> 8:13 Etc/GMT-1 is UTC+01:00, 1 hour ahead of UTC
timeZone: Etc/GMT ;; timeZone: Etc/GMT+0

[time-zone-ignored] schedule: 0 9 * * *
@1.23-1.27 timeZone: Europe/Berlin -> 8:13 Kubernetes 1.24 ignores this field by default (1.23 to 1.24)
# The same as without it.
@1.24 timeZone: Etc/UTC

[time-zone-unset]
# Too few set one, or as many do not; UTC is the default; or the zone has no effect.
schedule: 0 8 * * * --- schedule: 0 8 * * *
schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: 0 8 * * *
schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: 0 8 * * * --- schedule: 0 8 * * *
schedule: 0 9 * * * | timeZone: Etc/UTC --- schedule: 0 9 * * * | timeZone: Etc/UTC --- schedule: 0 8 * * *
schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: '*/5 * * * *'
schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: 0 9 * * * | timeZone: Europe/Berlin --- schedule: '@every 24h'

[invalid-value]
# Sunday is 0.
schedule: 0 2 * * 7
  7:13 Invalid value: "0 2 * * 7": end of range (7) above maximum (6): 7
  ~7   schedule: 0 2 * * 0
schedule: '0 2 * * 1,7'
  7:13 Invalid value: "0 2 * * 1,7": end of range (7) above maximum (6): 7
  ~7   schedule: '0 2 * * 1,0'
schedule: 0 2 * * 5-7
  7:13 Invalid value: "0 2 * * 5-7": end of range (7) above maximum (6): 5-7
  ~7   schedule: 0 2 * * 5-6,0
schedule: "0 2 * * 6-7"
  7:13 Invalid value: "0 2 * * 6-7": end of range (7) above maximum (6): 6-7
  ~7   schedule: "0 2 * * 6,0"
# Every day of the week is better said with a star, and a step over Sunday means nothing here.
schedule: 0 2 * * 0-7 -> 7:13 Invalid value: "0 2 * * 0-7": end of range (7) above maximum (6): 0-7
schedule: 0 2 * * 1-7/2 -> 7:13 Invalid value: "0 2 * * 1-7/2": end of range (7) above maximum (6): 1-7/2
schedule: 0 2 * * 8 -> 7:13 Invalid value: "0 2 * * 8": end of range (8) above maximum (6): 8
# A zone moves to its field.
schedule: CRON_TZ=Europe/Berlin 0 2 * * *
  7:13 Invalid value: "CRON_TZ=Europe/Berlin 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
  ~7   schedule: 0 2 * * *
  +16   timeZone: Europe/Berlin
schedule: TZ=Europe/Nowhere 0 2 * * *
  7:13 Invalid value: "TZ=Europe/Nowhere 0 2 * * *": provided bad location Europe/Nowhere: unknown time zone Europe/Nowhere
  7:13 Invalid value: "TZ=Europe/Nowhere 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
schedule: TZ=Europe/Berlin 0 2 * *
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * *": expected exactly 5 fields, found 4: [0 2 * *]
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
schedule: TZ=Europe/Berlin 0 2 * * * | timeZone: Etc/UTC
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
# Letters of the wrong case.
schedule: 0 2 * * * | timeZone: europe/berlin
  8:13 Invalid value: "europe/berlin": unknown time zone europe/berlin
  ~8   timeZone: Europe/Berlin

[unsupported-value]
schedule: 0 2 * * * | concurrencyPolicy: 'forbid'
  8:22 Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"
  ~8   concurrencyPolicy: 'Forbid'

[unknown-field]
Schedule: 0 2 * * *
  7:3 unknown field "spec.Schedule"
  ~7   schedule: 0 2 * * *
# The right one is there already.
schedule: 0 2 * * * | Schedule: 0 3 * * * -> 8:3 unknown field "spec.Schedule"
# Another word is a guess.
shedule: 0 2 * * * -> 7:3 unknown field "spec.shedule"

[wrong-type]
schedule: 0 2 * * * | startingDeadlineSeconds: "300"
  8:28 json: cannot unmarshal string into Go struct field CronJobSpec.spec.startingDeadlineSeconds of type int64
  ~8   startingDeadlineSeconds: 300
schedule: 0 2 * * * | suspend: 'true'
  8:12 json: cannot unmarshal string into Go struct field CronJobSpec.spec.suspend of type bool
  ~8   suspend: true
# Quotes alone do not make a schedule of a number.
schedule: 5 -> 7:13 json: cannot unmarshal number into Go struct field CronJobSpec.spec.schedule of type string
schedule: 0 2 * * * | suspend: 'yes' -> 8:12 json: cannot unmarshal string into Go struct field CronJobSpec.spec.suspend of type bool

[unserved-version] schedule: 0 2 * * *
@1.25 batch/v1 => batch/v1beta1
  1:13 no matches for kind "CronJob" in version "batch/v1beta1"
  ~1 apiVersion: batch/v1
@1.24 batch/v1 => batch/v1beta1 ;; @1.20 batch/v1 => batch/v2alpha1

# restartPolicy is changed where only one value is valid. The default, Always, is not valid either.
[missing-value help] schedule: 0 2 * * *
restartPolicy: Never => restartPolicy: Always
  12:26 Required value: valid values: "OnFailure", "Never"
  help: Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.
restartPolicy: Never\n           =>
  11:9 Required value: valid values: "OnFailure", "Never"
  help: Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.
restartPolicy: Never => restartPolicy: Always | job.podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A, status: 'True'}]}]}
  13:26 Required value: valid values: "OnFailure", "Never"
  help: Set restartPolicy: Never, the only value that podFailurePolicy allows.
  ~13           restartPolicy: Never

[unsupported-value help] schedule: 0 2 * * *
@1.21 restartPolicy: Never => restartPolicy: Always
  12:26 Unsupported value: "Always": supported values: "OnFailure", "Never"
  help: Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.
# Another word in the wrong case is that word.
restartPolicy: Never => restartPolicy: never
  12:26 Unsupported value: "never": supported values: "Always", "OnFailure", "Never"
  help: Did you mean Never?
  12:26 Unsupported value: "never": supported values: "OnFailure", "Never"
  help: Did you mean Never?
  ~12           restartPolicy: Never
restartPolicy: Never => restartPolicy: Sometimes
  12:26 Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"
  help: Use one of the values in the message.
  12:26 Unsupported value: "Sometimes": supported values: "OnFailure", "Never"
  help: Use one of the values in the message.

# What releases reject, and in which words: worked out from validateCronJobSpec, validateScheduleFormat, validateTimeZone
# and the warnings of cronJobStrategy in kubernetes/kubernetes. 1.36 answered for itself in tests/validation_vectors.rs.
[invalid-value]
@1.21 schedule: TZ=Europe/Berlin 0 2 * * *
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * * *": Expected exactly 5 fields, found 6: TZ=Europe/Berlin 0 2 * * *
@1.22 schedule: TZ=Europe/Berlin 0 2 * * * ;; @1.28 schedule: TZ=Europe/Berlin 0 2 * * *
@1.29 schedule: TZ=Europe/Berlin 0 2 * * *
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
  ~7   schedule: 0 2 * * *
  +16   timeZone: Europe/Berlin
@1.29 schedule: TZ=Europe/Berlin 0 2 * * * | timeZone: Europe/Berlin
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
# The field is behind a feature gate that is off in 1.24, and is dropped.
@1.24 schedule: TZ=Europe/Berlin 0 2 * * * | timeZone: Europe/Berlin
@1.25 schedule: TZ=Europe/Berlin 0 2 * * * | timeZone: Europe/Berlin
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule
# Without a space: an unreadable schedule up to 1.21, a failed request up to 1.34, and two errors since.
@1.21 schedule: TZ=UTC -> 7:13 Invalid value: "TZ=UTC": Expected exactly 5 fields, found 1: TZ=UTC
@1.22 schedule: TZ=UTC ;; @1.28 schedule: TZ=UTC ;; @1.34 schedule: TZ=UTC -> 7:13 the API server panics on this schedule, and the request fails
@1.35 schedule: TZ=UTC
  7:13 Invalid value: "TZ=UTC": invalid schedule format: runtime error: slice bounds out of range [:-1]
  7:13 Invalid value: "TZ=UTC": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
# The characters of a zone's name are checked since 1.27.
@1.24 schedule: 0 2 * * * | timeZone: ../UTC ;; @1.24 schedule: 0 2 * * * | timeZone: Mars/Base
@1.26 schedule: 0 2 * * * | timeZone: ../UTC -> 8:13 Invalid value: "../UTC": time: invalid location name
@1.27 schedule: 0 2 * * * | timeZone: ../UTC -> 8:13 Invalid value: "../UTC": unknown time zone ../UTC
@1.25 schedule: 0 2 * * * | timeZone: '' -> 8:13 Invalid value: "": timeZone must be nil or non-empty string
@1.25 schedule: 0 2 * * * | timeZone: Mars/Base -> 8:13 Invalid value: "Mars/Base": unknown time zone Mars/Base
@1.8 schedule: 0 2 * * * | batch/v1 => batch/v1beta1 | name: report\n  namespace => name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.y\n  namespace
@1.9 schedule: 0 2 * * * | batch/v1 => batch/v1beta1 | name: report\n  namespace => name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.y\n  namespace
  4:9 Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.y": must be no more than 52 characters
@1.19 schedule: 0 2 * * * | batch/v1 => batch/v1beta1 | name: report\n  namespace => name: Nightly\n  namespace
  4:9 Invalid value: "Nightly": a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
@1.19 schedule: 0 2 * * * | batch/v1 => batch/v1beta1 | - name: report => - name: Main
  14:19 Invalid value: "Main": a DNS-1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
@1.20 schedule: 0 2 * * * | batch/v1 => batch/v1beta1 | - name: report => - name: Main
  14:19 Invalid value: "Main": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
@1.33 schedule: 0 2 * * * | namespace: shop => namespace: shop\n  labels: {a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}
  6:15 Invalid value: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb": must be no more than 63 characters
@1.34 schedule: 0 2 * * * | namespace: shop => namespace: shop\n  labels: {a: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb}
  6:15 Invalid value: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb": must be no more than 63 bytes
@1.21 schedule: 0 2 * * * | job.selector: {matchLabels: {a: b}}
  10:17 Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: `selector` will be auto-generated
@1.36 schedule: 0 2 * * * | job.selector: {matchLabels: {a: b}} -> 10:17 Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated
[server-warning]
@1.26-1.37 schedule: 0 2 * * * | name: report\n  namespace => name: nightly.report\n  namespace
  4:9 this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots] (1.27 to 1.37)
[missing-value] schedule: 0 2 * * *
@1.21-1.36 restartPolicy: Never\n           => -> 11:9 Required value: valid values: "OnFailure", "Never" (1.22 to 1.36)
[unsupported-value] schedule: 0 2 * * *
@1.21-1.36 restartPolicy: Never\n           => -> 11:9 Unsupported value: "Always": supported values: "OnFailure", "Never" (1.21)
# The empty policy is replaced by the default before it is checked.
concurrencyPolicy: ''
concurrencyPolicy: forbid
  8:22 Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"
  ~8   concurrencyPolicy: Forbid
[unserved-version help] schedule: 0 2 * * *
@1.20 .
  1:13 no matches for kind "CronJob" in version "batch/v1"
  help: Did you mean batch/v1beta1?
@1.21 .
@1.21 batch/v1 => batch/v2alpha1
  1:13 no matches for kind "CronJob" in version "batch/v2alpha1"
  help: Did you mean batch/v1?
  ~1 apiVersion: batch/v1
batch/v1 => batch/v2
  1:13 no matches for kind "CronJob" in version "batch/v2"
  help: Did you mean batch/v1?

# kubectl looks for the version first, the API server then decodes the object, and only then checks
# rules: one run finds the errors of all stages, and does not report the misspelled field as missing, too.
[unserved-version] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
.
  1:13 no matches for kind "CronJob" in version "batch/v1beta1"
  ~1 apiVersion: batch/v1
[unknown-field] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
. -> 16:13 unknown field "spec.jobTemplate.spec.template.spec.containers[0].imag"
[unsupported-value] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
. -> 8:22 Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"
[missing-value] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
.
"#;

#[test]
fn rules_find_what_the_table_lists() {
    let (mut actual, mut rule, mut shared) = (String::new(), "", "");
    for line in TABLE.lines().filter(|line| !line.starts_with(' ')) {
        if let Some(group) = line.strip_prefix('[') {
            let (name, edits) = group.split_once(']').unwrap();
            (rule, shared) = (name, edits.trim());
        }
        if line.is_empty() || line.starts_with(['[', '#']) {
            actual = actual + line + "\n";
            continue;
        }
        let cases = line.split(" -> ").next().unwrap();
        let mut outcomes = cases.split(" ;; ").map(|case| outcome(rule, shared, case));
        let outcome = outcomes.next().unwrap();
        assert!(outcomes.all(|other| other == outcome), "{cases}");
        actual += &match outcome.trim() {
            "" => format!("{cases}\n"),
            one if !one.contains('\n') && cases.len() + one.len() < 147 => {
                format!("{cases} -> {one}\n")
            }
            _ => format!("{cases}\n{outcome}"),
        };
    }
    if std::env::var_os("UPDATE").is_some() {
        let source = std::fs::read_to_string(file!()).unwrap();
        std::fs::write(file!(), source.replace(TABLE, &actual)).unwrap();
        return;
    }
    let difference = TextDiff::from_lines(TABLE, &actual);
    let difference = difference
        .unified_diff()
        .header("expected", "actual")
        .to_string();
    assert!(TABLE == actual, "{difference}");
}

fn outcome(rule: &str, shared: &str, case: &str) -> String {
    let (releases, edits) = match case.strip_prefix('@') {
        Some(case) => case.split_once(' ').unwrap(),
        None => ("1.36", case),
    };
    let documents = edits.split(" --- ").map(|edits| manifest(shared, edits));
    let text = documents.collect::<Vec<_>>().join("---\n");
    let (rule, with_help) = match rule.split_once(' ') {
        Some((rule, "help")) => (rule, true),
        _ => (rule, false),
    };
    let mut outcome = String::new();
    let findings = findings(rule, releases, &text);
    for finding in &findings {
        let found = &finding.found;
        let (place, message) = (found.place, &found.message);
        outcome += &format!("  {}:{} {message}", place.line, place.column);
        if let Some(releases) = &finding.releases {
            outcome += &format!(" ({releases})");
        }
        outcome += "\n";
        if with_help {
            let help = found.help.as_deref().unwrap_or(finding.lint.remedy);
            outcome += &format!("  help: {help}\n");
        }
    }
    let fixes = findings.iter();
    let fixes: Vec<_> = fixes.filter_map(|one| one.found.fix.as_ref()).collect();
    let (has_fixes, has_all) = (!fixes.is_empty(), fixes.len() == findings.len());
    let after = apply(&text, fixes).text;
    assert!(text.lines().count() <= after.lines().count(), "{after}");
    assert_eq!(has_fixes, after != text, "{after}");
    let mut removed = Vec::new();
    for change in TextDiff::from_lines(&text, &after).iter_all_changes() {
        let (sign, index) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => {
                removed.push(change.old_index());
                continue;
            }
            ChangeTag::Insert if removed.contains(&change.new_index()) => ('~', change.new_index()),
            ChangeTag::Insert => ('+', change.new_index()),
        };
        outcome += &format!("  {sign}{} {}", index.unwrap() + 1, change.value());
    }
    if has_fixes && has_all {
        assert!(self::findings(rule, releases, &after).is_empty(), "{after}");
    }
    outcome
}

/// A `CronJob` with a spec, of which `lines` are the fields that a test is about. Its template is
/// fine.
fn spec(lines: &str) -> String {
    let indented = lines.replace('\n', "\n  ");
    format!(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: report\n  namespace: shop\nspec:\n\
         \x20 {indented}\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          \
         restartPolicy: Never\n          containers:\n          - name: report\n            \
         image: registry.example.com/report:1.4.2\n"
    )
}

fn manifest(shared: &str, own: &str) -> String {
    let edits = shared.split(" | ").chain(own.split(" | "));
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    for edit in edits.filter(|edit| !["", "."].contains(edit)) {
        let edit = edit.replace("\\n", "\n");
        let (old, new) = if let Some((old, new)) = edit.split_once(" =>") {
            (old, new.strip_prefix(' ').unwrap_or(new).to_owned())
        } else if let Some(line) = edit.strip_prefix("job.") {
            let new = format!("    spec:\n      {line}\n      template");
            ("    spec:\n      template", new)
        } else if let Some(line) = edit.strip_prefix("pod.") {
            let before = "          restartPolicy";
            (before, format!("          {line}\n{before}"))
        } else if let Some(end) = edit.strip_prefix('+') {
            ("report:1.4.2\n", format!("report:1.4.2\n{end}\n"))
        } else {
            lines.push(edit);
            continue;
        };
        others.push((old.to_owned(), new));
    }
    let text = spec(&lines.join("\n"));
    others.into_iter().fold(text, |text, (old, new)| {
        assert!(text.contains(&old), "{old:?} is not in {text}");
        text.replace(&old, &new)
    })
}

fn findings(rule: &str, releases: &str, text: &str) -> Vec<LintFinding> {
    assert!(lint_rules().any(|(known, _)| known.name == rule), "{rule}");
    let settings = LintSettings {
        releases: releases.parse().unwrap(),
        severities: lint_rules()
            .filter(|(_, lint)| lint.is_off_by_default)
            .map(|(_, lint)| (lint.code, Some(lint.severity)))
            .collect(),
    };
    let report = report(text.as_bytes(), settings);
    let mut findings = report.findings;
    findings.retain(|finding| finding.rule.is_called(rule));
    findings
}
