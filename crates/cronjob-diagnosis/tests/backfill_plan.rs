//! Which missed runs a backfill starts, which it skips, and its notes.

use cronjob_controller::controller::{Controller, Model};
use cronjob_diagnosis::change::backfill::{BackfillPlan, BackfillRefusal, BackfillSelection, plan};
use cronjob_diagnosis::diagnose::Facts;
use jiff::Timestamp;
use kube_model::{ConcurrencyPolicy, CronJob, Event, Job};
use serde_json::json;

use crate::support::model::{self, active, at, cron_job, ended, owner};
use crate::support::recorded::controller;

/// An hourly `CronJob` that was created at 05:30 and suspended after its run of 06:00, which is done. It is
/// 09:30, and it missed the runs scheduled at 07:00, 08:00 and 09:00.
struct Case {
    cron_job: CronJob,
    jobs: Vec<Job>,
    events: Vec<Event>,
    choice: BackfillSelection,
    release: &'static str,
    model: Model,
    jobs_read: bool,
    now: Timestamp,
}

impl Case {
    fn new() -> Self {
        let mut cron_job = cron_job("hourly", "0 * * * *");
        cron_job.creation_timestamp = Some(at("05:30"));
        cron_job.spec.suspend = Some(true);
        cron_job.status.last_schedule_time = Some(at("06:00"));
        cron_job.status.last_successful_time = Some(at("06:05"));
        Case {
            cron_job,
            jobs: vec![succeeded(job("06:00"), "06:05")],
            events: Vec::new(),
            choice: BackfillSelection {
                since: Some(at("06:00")),
                max: 100,
                ..BackfillSelection::default()
            },
            release: "1.36",
            model: Model::Kubernetes,
            jobs_read: true,
            now: at("09:30"),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn choosing(self, change: impl FnOnce(&mut BackfillSelection)) -> Self {
        self.with(|case| {
            case.choice.since = None;
            change(&mut case.choice);
        })
    }

    /// Times of the day with a space between them.
    fn naming(self, times: &str) -> Self {
        let times = times.split(' ').map(at);
        self.choosing(|choice| choice.scheduled_times = times.collect())
    }

    /// Not suspended; the policy is Allow.
    fn awake(self) -> Self {
        self.with(|case| case.cron_job.spec.suspend = Some(false))
    }

    fn plan(&self) -> Result<BackfillPlan, BackfillRefusal> {
        let controller = Controller {
            model: self.model,
            ..controller(self.release)
        };
        let mut facts = Facts::gather(
            &controller,
            &self.cron_job,
            &self.jobs,
            &self.events,
            self.now,
        );
        facts.input.coverage.as_of = self.now;
        facts.input.coverage.jobs_read = self.jobs_read;
        plan(&facts, &self.choice)
    }

    /// `run 07:00 hourly-29552100` and `leave 06:00 1 ran: already succeeded`, in order.
    fn lines(&self) -> Vec<String> {
        let plan = self.plan().unwrap();
        let clock = |at: Timestamp| at.strftime("%H:%M").to_string();
        let left = plan.left_out.iter().map(|left| {
            let (first, count, why) = (clock(left.first), left.count, left.why.as_str());
            let detail = &left.detail;
            (left.first, format!("leave {first} {count} {why}: {detail}"))
        });
        let run = plan.steps.iter().map(|step| {
            let time = step.scheduled_time;
            (time, format!("run {} {}", clock(time), step.job_name))
        });
        let mut all: Vec<_> = left.chain(run).collect();
        all.sort();
        all.into_iter().map(|(_, line)| line).collect()
    }

    /// The text of a note that the plan may have.
    fn find_note(&self, code: &str) -> Option<String> {
        let mut notes = self.plan().unwrap().notes.into_iter();
        let note = notes.find(|note| note.code == code)?;
        Some(note.text)
    }

    /// The text of a note that the plan has.
    #[track_caller]
    fn note(&self, code: &str) -> String {
        self.find_note(code).unwrap()
    }

    fn codes(&self) -> String {
        let notes = self.plan().unwrap().notes.into_iter();
        let marked = |warning| if warning { "!" } else { "" };
        let codes = notes.map(|note| format!("{}{}", note.code, marked(note.warning)));
        codes.collect::<Vec<_>>().join(" ")
    }

    fn refusal(&self) -> String {
        self.plan().unwrap_err().to_string()
    }
}

/// The case after a change.
fn changed(change: impl FnOnce(&mut Case)) -> Case {
    Case::new().with(change)
}

fn job(scheduled_time: &str) -> Job {
    model::job("hourly", at(scheduled_time))
}

fn succeeded(job: Job, end: &str) -> Job {
    ended(job, "Complete", at(end))
}

const RUN_7: &str = "run 07:00 hourly-29552100";
const RUN_8: &str = "run 08:00 hourly-29552160";
const RUN_9: &str = "run 09:00 hourly-29552220";
const RAN_6: &str = "leave 06:00 1 ran: already succeeded";

/// With `successfulJobsHistoryLimit: 0`, the controller deleted the Job of 06:00 and recorded no success.
#[test]
fn deleted_job_without_a_recorded_success_counts_as_unsuccessful() {
    let case = changed(|case| {
        case.cron_job.spec.successful_jobs_history_limit = Some(0);
        case.cron_job.status.last_successful_time = Some(at("05:05"));
        case.jobs.clear();
        let mut deleted = Event {
            namespace: "shop".to_owned(),
            reason: "SuccessfulDelete".to_owned(),
            message: "Deleted job hourly-29552040".to_owned(),
            first_timestamp: Some(at("06:05")),
            ..Event::default()
        };
        deleted.involved_object.kind = "CronJob".to_owned();
        deleted.involved_object.name = "hourly".to_owned();
        deleted.involved_object.namespace = "shop".to_owned();
        case.events.push(deleted);
    });
    let ran = "leave 06:00 1 ran: already ran and did not succeed";
    assert_eq!(case.lines(), [ran, RUN_7, RUN_8, RUN_9]);
}

#[test]
fn missed_runs_start_oldest_first_and_others_are_skipped() {
    assert_eq!(Case::new().lines(), [RAN_6, RUN_7, RUN_8, RUN_9]);
}

/// As with a clock that is years ahead: more runs than can be examined were missed since the last start.
#[test]
fn last_runs_of_many_years_are_found_from_the_end() {
    let years_later = |last| {
        Case::new()
            .choosing(|choice| choice.last = Some(last))
            .with(|case| {
                case.cron_job.spec.schedule = "* * * * *".to_owned();
                case.now = "2044-03-10T09:30:30Z".parse().unwrap();
            })
            .plan()
            .unwrap()
    };
    let first = |last| {
        let steps = years_later(last).steps;
        (steps.len(), steps[0].scheduled_time.to_string())
    };
    assert_eq!(first(1), (1, "2044-03-10T09:30:00Z".to_owned()));
    // Runs before the last hundred are found, too.
    assert_eq!(first(100).0, 100);
    assert_eq!(first(5_000).1, "2044-03-06T22:11:00Z");
}

#[test]
fn job_has_the_name_and_annotation_of_the_release() {
    let [utc, berlin] = ["2026-03-10T07:00:00Z", "2026-03-10T08:00:00+01:00"].map(Some);
    let [minute, second] = ["hourly-29552100", "hourly-1773126000"];
    // The annotation came with 1.28, minutes with 1.21.
    let cases = [
        ("1.36", None, minute, utc),
        ("1.36", Some("Europe/Berlin"), minute, berlin),
        ("1.27", None, minute, None),
        ("1.20", None, second, None),
    ];
    for (release, zone, name, timestamp) in cases {
        let case = changed(|case| {
            case.release = release;
            case.cron_job.spec.time_zone = zone.map(str::to_owned);
        });
        let step = &case.plan().unwrap().steps[0];
        let first = (step.job_name.as_str(), step.scheduled_timestamp.as_deref());
        assert_eq!(first, (name, timestamp), "{release} {zone:?}");
    }
}

#[test]
fn last_selects_the_latest_missed_runs() {
    let last = |count| Case::new().choosing(|choice| choice.last = Some(count));
    assert_eq!(last(1).lines(), [RUN_9]);
    assert_eq!(last(2).lines(), [RUN_8, RUN_9]);
    // There are no more than three; nothing else was asked for.
    assert_eq!(last(5).lines(), [RUN_7, RUN_8, RUN_9]);
    let within = changed(|case| {
        case.choice.last = Some(1);
        case.choice.until = Some(at("08:30"));
    });
    assert_eq!(within.lines(), [RUN_8]);
}

#[test]
fn named_runs_are_selected() {
    let named = |times| Case::new().naming(times);
    assert_eq!(named("09:00 07:00 09:00").lines(), [RUN_7, RUN_9]);
    assert_eq!(named("06:00").lines(), [RAN_6]);
    assert_texts!(named("07:10").refusal(), named("10:00").refusal());
}

#[test]
fn every_counts_from_the_last_run() {
    let every = |time: &str| {
        let case = Case::new().naming(time);
        case.with(|case| case.cron_job.spec.schedule = "@every 45m".to_owned())
    };
    // 06:00, 06:45, 07:30, 08:15, 09:00.
    assert_eq!(every("07:30").lines(), ["run 07:30 hourly-29552130"]);
    insta::assert_snapshot!(every("08:00").refusal());
}

/// Two runs in the same minute would get the same name.
#[test]
fn job_name_is_used_once() {
    let case = changed(|case| {
        case.cron_job.spec.schedule = "@every 30s".to_owned();
        case.choice.since = Some(at("07:00"));
        case.choice.until = Some(at("07:01"));
    })
    .lines();
    let expected = [
        "run 07:00 hourly-29552100",
        "leave 07:00 1 nameTaken: hourly-29552100 is the Job of another run in the same minute",
        "run 07:01 hourly-29552101",
    ];
    assert_eq!(case, expected);
}

#[test]
fn without_selection_the_missed_runs_are_counted() {
    let none = Case::new().choosing(|_| {});
    insta::assert_snapshot!(none.refusal());
    let done = none.with(|case| case.cron_job.status.last_schedule_time = Some(at("09:00")));
    let done = done.with(|case| {
        for scheduled_time in ["07:00", "08:00", "09:00"] {
            case.jobs.push(succeeded(job(scheduled_time), "09:05"));
        }
    });
    insta::assert_snapshot!(done.refusal());
}

#[test]
fn runs_beyond_max_are_skipped() {
    let case = changed(|case| case.choice.max = 1);
    let expected = [RAN_6, RUN_7, "leave 08:00 2 beyondMax: exceeds --max 1"];
    assert_eq!(case.lines(), expected);
}

#[test]
fn existing_job_with_the_name_skips_the_run() {
    let with = |change: fn(&mut Job)| {
        let mut job = job("07:00");
        change(&mut job);
        changed(|case| {
            case.jobs.push(job);
            case.choice.until = Some(at("07:00"));
        })
    };
    let line = |change| with(change).lines().pop().unwrap();
    assert_texts!(
        line(|_| {}),
        line(|job| *job = ended(job.clone(), "Failed", at("07:05"))),
        line(|job| job.owner_references = vec![].into()),
        line(|job| job.owner_references = vec![owner("Workflow", "hourly", "2")].into()),
    );
}

/// kubectl's own annotation marks the Job as manually created; the annotation of the scheduled time names its run.
#[test]
fn manual_job_with_scheduled_time_counts_as_the_run() {
    let mut job = succeeded(job("07:20"), "07:25");
    job.name = "by-hand".to_owned();
    let scheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp";
    let manual = ("cronjob.kubernetes.io/instantiate", "manual");
    job.annotations = [manual, (scheduled, "2026-03-10T07:00:00Z")]
        .into_iter()
        .collect();
    let case = changed(|case| {
        case.jobs.push(job);
        case.choice.until = Some(at("07:00"));
    });
    let ran_7 = "leave 07:00 1 ran: by-hand already ran for this scheduled time";
    assert_eq!(case.lines(), [RAN_6, ran_7]);
}

/// Before the last start the history limits may have removed a Job.
#[test]
fn unknown_runs_start_only_with_include_unknown() {
    let unknown = changed(|case| {
        case.cron_job.creation_timestamp = Some(at("04:30"));
        case.cron_job.spec.successful_jobs_history_limit = Some(1);
        case.choice.since = Some(at("05:00"));
        case.choice.until = Some(at("07:00"));
    });
    insta::assert_snapshot!(unknown.lines().join("\n"));
    let included = unknown.with(|case| case.choice.include_unknown = true);
    let run_5 = "run 05:00 hourly-29551980";
    assert_eq!(included.lines(), [run_5, RAN_6, RUN_7]);
    insta::assert_snapshot!(included.note("mayHaveRun"));
    let named = included.with(|case| {
        case.choice.include_unknown = false;
        case.choice.scheduled_times = vec![at("05:00")];
    });
    assert_eq!(named.lines(), [run_5]);
}

/// With a limit of 0, only the time of its last success remains of a backfill.
#[test]
fn deleted_successful_job_makes_earlier_runs_unknown() {
    let case = changed(|case| {
        case.cron_job.spec.successful_jobs_history_limit = Some(0);
        case.jobs.clear();
        case.cron_job.status.last_successful_time = Some(at("08:20"));
        case.choice.since = Some(at("07:00"));
    });
    insta::assert_snapshot!(case.lines().join("\n"));
}

#[test]
fn runs_before_creation_are_skipped() {
    let case = changed(|case| {
        case.cron_job.creation_timestamp = Some(at("07:30"));
        case.cron_job.status.last_schedule_time = None;
        case.cron_job.status.last_successful_time = None;
        case.jobs.clear();
    });
    let expected = [
        "leave 06:00 2 notCreated: the CronJob was created at Tue 2026-03-10 07:30 UTC",
        RUN_8,
        RUN_9,
    ];
    assert_eq!(case.lines(), expected);
    let named = case.with(|case| case.choice.scheduled_times = vec![at("07:00")]);
    assert_eq!(named.lines(), [RUN_7]);
    // The controller uses a status that was restored from elsewhere, and so does the plan.
    let restored = named.with(|case| {
        case.choice.scheduled_times.clear();
        case.cron_job.status.last_schedule_time = Some(at("06:00"));
    });
    assert_eq!(restored.lines()[1..], [RUN_7, RUN_8, RUN_9]);
}

#[test]
fn unread_jobs_and_other_obstacles_are_refused() {
    let refusal = |change: fn(&mut Case)| changed(change).refusal();
    assert_texts!(
        refusal(|case| case.jobs_read = false),
        refusal(|case| case.cron_job.deletion_timestamp = Some(at("09:00"))),
        refusal(|case| case.model = Model::Kubebuilder),
        refusal(|case| case.cron_job.spec.schedule = "0 25 * * *".to_owned()),
    );
}

/// Nothing shows why the controller has not started the run of 09:00 yet; it starts it at its next sync.
#[test]
fn due_run_is_left_to_the_controller() {
    let awake = Case::new().awake();
    let left_9 = "leave 09:00 1 controllerStarts: the controller starts it at its next sync";
    assert_eq!(awake.lines(), [RAN_6, RUN_7, RUN_8, left_9]);
    insta::assert_snapshot!(awake.note("controllerStarts"));
    let polling = awake.with(|case| case.release = "1.20");
    insta::assert_snapshot!(polling.note("controllerStarts"));
}

#[test]
fn blocked_run_is_left_to_the_controller() {
    let running = job("06:00");
    let blocked = Case::new().awake().with(|case| {
        case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Forbid;
        case.cron_job.status.active = vec![active(&running)];
        case.cron_job.status.last_successful_time = None;
        case.jobs = vec![running];
    });
    insta::assert_snapshot!(blocked.lines().join("\n"));
    assert_texts!(blocked.note("policy"), blocked.note("controllerStarts"));
}

#[test]
fn named_due_run_warns_about_the_controller() {
    let named = || Case::new().awake().naming("09:00");
    assert_eq!(named().lines(), [RUN_9]);
    let text = |release| {
        let case = named().with(|case| case.release = release);
        case.note("controllerMayStart")
    };
    assert_texts!(text("1.36"), text("1.27"), text("1.20"), text("1.37"));
}

#[test]
fn note_about_resume_names_the_latest_missed_run() {
    let all = Case::new();
    insta::assert_snapshot!(all.note("resumeFindsJob"));
    let older = changed(|case| case.choice.until = Some(at("08:00")));
    insta::assert_snapshot!(older.note("resumeStarts"));
    // Once it is done the Job is there, and older runs get the same note.
    let done = older.with(|case| case.jobs.push(succeeded(job("09:00"), "09:20")));
    assert!(done.find_note("resumeFindsJob").is_some());
    let quiet = changed(|case| case.cron_job.spec.starting_deadline_seconds = Some(60));
    assert_eq!(quiet.find_note("resumeFindsJob"), None);
    assert_eq!(quiet.find_note("resumeStarts"), None);
}

#[test]
fn every_plan_has_the_basic_notes() {
    let codes = "resumeFindsJob! historyLimits";
    assert_eq!(Case::new().codes(), codes);
    let nothing = changed(|case| case.choice.until = Some(at("06:00")));
    assert_eq!(nothing.codes(), "");
}

#[test]
fn history_limits_delete_older_jobs_first() {
    let note = |limit| {
        let case = changed(|case| case.cron_job.spec.successful_jobs_history_limit = Some(limit));
        case.find_note("historyLimits")
    };
    let [three, two, none] = [3, 2, 0].map(|limit| note(limit).unwrap());
    assert_texts!(three, two, none);
    assert_eq!(note(4), None);
}

#[test]
fn template_settings_are_noted() {
    let case = changed(|case| {
        let template = json!({"spec": {"suspend": true, "ttlSecondsAfterFinished": 90}});
        case.cron_job.spec.job_template = template.into();
    });
    assert_texts!(case.note("templateSuspended"), case.note("ttl"));
}

#[test]
fn next_scheduled_run_is_noted() {
    let awake = Case::new()
        .awake()
        .with(|case| case.cron_job.spec.concurrency_policy = ConcurrencyPolicy::Replace);
    assert_texts!(awake.note("nextRun"), awake.note("policy"));
}
