use super::super::dialog::{DialogStage, Operation};
use super::super::keys::{Effect, KEYS, Key};
use super::*;
use cronjob_diagnosis::kubectl::PLAIN;
use kube_model::testing::{self, at};
use kube_model::{ConcurrencyPolicy, CronJob, CronJobEvidence, ObjectKey};

const USUAL: Size = Size {
    width: 80,
    height: 24,
};

fn now() -> Timestamp {
    at("2026-11-21T12:00:05Z")
}

fn cron_job(name: &str, schedule: &str) -> CronJob {
    let mut cron_job = testing::cron_job(name);
    cron_job.creation_timestamp = Some(at("2026-11-21T12:00:00Z"));
    cron_job.spec.schedule = schedule.to_owned();
    cron_job.spec.time_zone = Some("Etc/UTC".to_owned());
    cron_job.spec.starting_deadline_seconds = Some(3600);
    cron_job
}

fn object(name: &str) -> ObjectKey {
    ObjectKey::new("shop", name)
}

#[track_caller]
fn begins(effect: Option<&Effect>, operation: Operation, name: &str) {
    let expected = Effect::BeginChange(operation, object(name));
    assert_eq!(effect, Some(&expected));
}

fn look(app: &mut App, now: Timestamp) {
    let controller = Controller::assumed();
    app.refresh(&controller, &PLAIN, now);
}

/// `broken` never runs, `early` runs at 13:00, `late` at 14:00.
fn app_of(context: DashboardContext) -> App {
    let all = [
        cron_job("late", "0 14 * * *"),
        cron_job("early", "0 13 * * *"),
        cron_job("broken", "0 0 31 2 *"),
    ];
    app_with(context, all.to_vec())
}

fn app_with(context: DashboardContext, all: Vec<CronJob>) -> App {
    let all_evidence = all.into_iter().map(|cron_job| CronJobEvidence {
        cron_job,
        ..CronJobEvidence::default()
    });
    let coverage = Coverage::all(now());
    let mut app = App::new(context, LiveSurvey::new(all_evidence), coverage, USUAL);
    look(&mut app, now());
    app
}

fn app() -> App {
    app_of(DashboardContext::default())
}

fn names(app: &App) -> Vec<String> {
    let seen = app.list.visible(10);
    let name = |(object, selected): (&ObjectKey, bool)| {
        let mark = if selected { ">" } else { "" };
        format!("{mark}{}", object.name)
    };
    seen.map(name).collect()
}

fn press(app: &mut App, keys: &str) -> Option<Effect> {
    let effects = keys.chars().map(|key| app.press(Key::Char(key)));
    effects.last().flatten()
}

#[test]
fn rows_are_sorted_by_health_then_next_run() {
    let mut app = app();
    assert_eq!(names(&app), [">broken", "early", "late"]);
    press(&mut app, "N");
    assert_eq!(names(&app), [">broken", "early", "late"]);
    press(&mut app, "N");
    assert_eq!(names(&app), ["late", "early", ">broken"]);
    press(&mut app, "X");
    assert_eq!(names(&app), ["early", "late", ">broken"]);
}

#[test]
fn selection_stays_on_its_row() {
    let mut app = app();
    press(&mut app, "jj");
    assert_eq!(names(&app), ["broken", "early", ">late"]);
    app.survey.set_cron_job(cron_job("late", "not a schedule"));
    app.survey.set_cron_job(cron_job("another", "0 15 * * *"));
    look(&mut app, now());
    assert_eq!(names(&app), ["broken", ">late", "early", "another"]);
    app.survey.remove_cron_job(&cron_job("late", ""));
    look(&mut app, now());
    assert_eq!(names(&app), ["broken", ">early", "another"]);
}

/// Keys may arrive faster than redraws: each acts on the state after the previous one.
#[test]
fn key_after_filter_acts_on_filtered_rows() {
    let mut app = app();
    press(&mut app, "/late");
    app.press(Key::Enter);
    begins(press(&mut app, "t").as_ref(), Operation::Trigger, "late");
}

#[test]
fn filters_match_names_and_problems() {
    let mut app = app();
    for (filter, expected) in [
        ("EARLY", "early"),
        ("shop/ a", "early late"),
        ("!", "broken"),
        ("!error", "broken"),
        ("!never-s", "broken"),
        ("!ok l", "early late"),
        ("!suspended", ""),
    ] {
        press(&mut app, &format!("/{filter}"));
        app.press(Key::Enter);
        let names = names(&app).join(" ").replace('>', "");
        assert_eq!(names, expected, "{filter}");
    }
    app.press(Key::Esc);
    assert_eq!(app.list.len(), 3);
    press(&mut app, "!");
    assert_eq!(app.list.len(), 1);
    press(&mut app, "!");
    assert_eq!(app.list.len(), 3);
}

#[test]
fn change_shows_text_asks_and_finishes() {
    let mut app = app();
    let begun = press(&mut app, "js");
    begins(begun.as_ref(), Operation::Suspend, "early");
    // Before the change is confirmed, it can be canceled without waiting.
    assert_eq!(press(&mut app, "q"), Some(Effect::AbandonChange));
    assert_eq!(app.note(), Some("Nothing was changed."));
    press(&mut app, "s");
    app.show_change_text("shop/early\n  Nothing starts.\n");
    let answers = ["run", "skip", "cancel"].map(str::to_owned).to_vec();
    app.ask_about_change("Run, skip, or cancel?".to_owned(), answers);
    assert_eq!(press(&mut app, "x"), None, "no answer begins with that");
    assert_eq!(app.press(Key::Left), None);
    assert_eq!(app.press(Key::Enter), Some(Effect::Answer(Some(1))));
    // A change may be running: only the second ctrl-c quits.
    assert_eq!(app.press(Key::Ctrl('c')), None);
    assert_eq!(app.press(Key::Ctrl('c')), Some(Effect::Quit));
    app.show_change_text("cronjob.batch/early suspended\n");
    assert_eq!(app.finish_change(true), Some(Effect::Quit));
    assert_eq!(app.note(), Some("cronjob.batch/early suspended"));
    assert_eq!(app.dialog, None);
}

#[test]
fn declined_change_leaves_a_note_and_failed_change_stays() {
    let mut app = app();
    press(&mut app, "s");
    let answers = ["yes", "no"].map(str::to_owned).to_vec();
    app.ask_about_change("Suspend broken?".to_owned(), answers.clone());
    assert_eq!(app.press(Key::Esc), Some(Effect::Answer(None)));
    app.show_change_text("Nothing was changed.\n");
    assert_eq!(app.finish_change(false), None);
    assert_eq!(
        (app.dialog.as_ref(), app.note()),
        (None, Some("Nothing was changed."))
    );
    press(&mut app, "s");
    app.ask_about_change("Suspend broken?".to_owned(), answers);
    assert_eq!(press(&mut app, "y"), Some(Effect::Answer(Some(0))));
    app.show_change_text("error: no\n");
    app.finish_change(false);
    assert_eq!(
        app.dialog.as_ref().map(|dialog| &dialog.stage),
        Some(&DialogStage::Failed)
    );
    assert_eq!(press(&mut app, "q"), None);
    assert_eq!(app.dialog, None);
}

#[test]
fn read_only_app_changes_nothing() {
    let mut app = app_of(DashboardContext {
        read_only: true,
        ..DashboardContext::default()
    });
    assert_eq!(press(&mut app, "s"), None);
    assert_eq!(press(&mut app, "t"), None);
    let note = "--read-only: cannot trigger";
    assert_eq!(app.note(), Some(note));
    look(&mut app, at("2026-11-21T12:00:11Z"));
    assert_eq!(app.note(), None);
}

#[test]
fn disconnection_keeps_its_start() {
    let mut app = app();
    app.set_disconnected("first".to_owned());
    look(&mut app, at("2026-11-21T12:00:30Z"));
    app.set_disconnected("second".to_owned());
    let disconnected = Disconnected {
        since: now(),
        reason: "second".to_owned(),
    };
    assert_eq!(app.disconnected.as_ref(), Some(&disconnected));
    app.set_connected();
    assert_eq!(
        (app.disconnected.as_ref(), app.note()),
        (None, Some("reconnected"))
    );
}

#[test]
fn q_goes_back_and_then_quits() {
    let mut app = app();
    press(&mut app, "e");
    assert_eq!(app.explained_cron_job(), Some(&object("broken")));
    app.explain(Some("one\ntwo"));
    // Keys act on the explained CronJob.
    begins(press(&mut app, "t").as_ref(), Operation::Trigger, "broken");
    app.finish_change(true);
    press(&mut app, "q");
    assert_eq!(app.page, Page::List);
    assert_eq!(press(&mut app, "q"), Some(Effect::Quit));
}

/// Cells of ten minutes from 12:00: 13:00 is the seventh cell, 14:00 the thirteenth.
#[test]
fn timeline_counts_runs_in_cells() {
    let mut app = app();
    press(&mut app, "v");
    look(&mut app, now());
    let cells = |app: &App, name: &str| {
        let counts = app.timeline.counts(&object(name));
        let runs = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        runs.map(|(cell, count)| (cell, *count)).collect::<Vec<_>>()
    };
    assert_eq!(cells(&app, "early"), [(6, 1)]);
    assert_eq!(cells(&app, "late"), [(12, 1)]);
    assert_eq!(cells(&app, "broken"), []);
    app.survey.set_cron_job(cron_job("late", "*/4 12 * * *"));
    look(&mut app, now());
    // 12:04 and 12:08; 12, 16; 20, 24, 28; 32, 36; 40, 44, 48; 52, 56.
    assert_eq!(
        cells(&app, "late")[..6],
        [(0, 2), (1, 2), (2, 3), (3, 2), (4, 3), (5, 2)]
    );
    press(&mut app, "------");
    look(&mut app, now());
    assert_eq!(app.timeline.cell(), 86_400);
    // Today has fourteen more runs, other days have fifteen: ten and more have one sign.
    assert_eq!(cells(&app, "late")[..2], [(0, 10), (1, 10)]);
}

/// Each key of the help does something, and no other letter or sign does.
#[test]
fn help_names_all_keys() {
    let named = |key: char| {
        let mut names = KEYS.iter().flat_map(|(keys, _)| keys.split([' ', ',']));
        names.any(|name| name == key.to_string())
    };
    // Aliases: `=` is plus without shift, space is page down.
    let unnamed = ['=', ' '];
    for key in ' '..='~' {
        let does = [false, true].into_iter().any(|zoomed| {
            let mut app = app();
            app.press(Key::Down);
            if zoomed {
                press(&mut app, "v-");
            }
            let before = format!("{app:?}");
            app.press(Key::Char(key)).is_some() || format!("{app:?}") != before
        });
        let named = named(key) || unnamed.contains(&key);
        assert_eq!(does, named, "{key:?}");
    }
}

#[test]
fn usual_terminal_is_divided() {
    let parts = |size: Size| (size.findings(), size.rows(), size.page());
    assert_eq!(parts(USUAL), (6, 14, 20));
    let least = Size::MINIMUM;
    assert_eq!(parts(least), (0, 6, 6));
    assert!(least.is_enough() && !least.is_wide());
}

#[test]
fn logs_are_shown_from_their_end_and_only_of_the_page() {
    let mut app = app();
    assert_eq!(
        press(&mut app, "l"),
        Some(Effect::ReadLogs(object("broken")))
    );
    app.show_logs(&object("early"), "of another");
    let lines: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
    app.show_logs(&object("broken"), &lines.join("\n"));
    let Page::Logs { text, .. } = &app.page else {
        panic!("{:?}", app.page);
    };
    let (shown, above) = text.visible(app.size.page());
    assert_eq!(above + shown.len(), 100);
    assert_eq!(app.target(), Some(&object("broken")));
    press(&mut app, "q");
    assert_eq!(app.page, Page::List);
    // They come too late.
    app.show_logs(&object("broken"), "late");
    assert_eq!(app.page, Page::List);
}

/// What comes while the help is shown is there afterwards.
#[test]
fn help_returns_to_the_page_and_position_it_was_opened_from() {
    let mut app = app();
    press(&mut app, "e");
    let lines: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
    app.explain(Some(&lines.join("\n")));
    press(&mut app, "jjj");
    let page = app.page.clone();
    press(&mut app, "?");
    assert_eq!(app.target(), Some(&object("broken")));
    press(&mut app, "?");
    assert_eq!(app.page, page);
    press(&mut app, "l?");
    app.show_logs(&object("broken"), &lines.join("\n"));
    press(&mut app, "jq");
    let Page::Logs { text, .. } = &app.page else {
        panic!("{:?}", app.page);
    };
    assert_eq!(text.lines().len(), 100);
    press(&mut app, "q?q");
    assert_eq!(app.page, Page::List);
}

#[test]
fn failed_trigger_can_be_forced_under_forbid_only() {
    for (policy, forced) in [
        (ConcurrencyPolicy::Forbid, true),
        (ConcurrencyPolicy::Allow, false),
    ] {
        let mut one = cron_job("early", "0 13 * * *");
        one.spec.concurrency_policy = policy;
        let mut app = app_with(DashboardContext::default(), vec![one]);
        press(&mut app, "t");
        app.finish_change(false);
        let begun = press(&mut app, "T");
        let expected = Effect::BeginChange(Operation::ForcedTrigger, object("early"));
        assert_eq!(begun, forced.then_some(expected));
    }
}
