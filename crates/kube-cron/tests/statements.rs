//! Descriptions of schedules, compared with `vectors/statements.txt`.

use crate::support::differences::assert_none;
use crate::support::random::Random;
use jiff::Timestamp;
use kube_cron::{
    BundledZones, Dialect, Endless, ParseError, Schedule, Surprise, SurpriseKind, Timetable, Zones,
    means_something_else_before_1_22,
};

const STATEMENTS: &str = include_str!("vectors/statements.txt");

struct Question<'a> {
    /// What is asked besides the expression.
    context: Vec<&'a str>,
    text: &'a str,
}

impl<'a> Question<'a> {
    fn read(written: &'a str) -> Self {
        let (context, text) = written.split_once(": ").unwrap_or(("", written));
        let context = context.split(' ').collect();
        Question { context, text }
    }

    fn parsed(&self) -> Result<Schedule, ParseError> {
        let dialect = match self.context.last() {
            Some(&"v1.1") => Dialect::V1_1,
            Some(&"seconds") => Dialect::V1_2Seconds,
            _ => Dialect::V3_0,
        };
        Schedule::parse(self.text, dialect, &BundledZones)
    }

    fn schedule(&self) -> Schedule {
        self.parsed().unwrap()
    }

    /// The schedule in the zone that the question begins with.
    fn timetable(&self) -> Timetable {
        let zone = BundledZones.load(self.context[0]).unwrap();
        self.schedule().in_zone(&zone)
    }
}

/// Compares the answers of a section.
#[track_caller]
fn answers(section: &str, answer: impl Fn(&Question<'_>) -> String) {
    let heading = format!("\n[{section}]\n");
    let (_, rows) = STATEMENTS.split_once(&heading).unwrap();
    let (rows, _) = rows.split_once("\n\n").unwrap_or((rows, ""));
    let rows = rows.lines().filter(|row| !row.starts_with("# "));
    let wrong = rows.filter_map(|row| {
        let (question, expected) = row.split_once(" => ").unwrap();
        let got = answer(&Question::read(question));
        (got != expected).then(|| format!("{question}\n  got  {got}\n  want {expected}"))
    });
    assert_none(&wrong.collect::<Vec<_>>());
}

fn joined<T>(items: impl IntoIterator<Item = T>, shown: impl Fn(T) -> String) -> String {
    let items: Vec<String> = items.into_iter().map(shown).collect();
    or_nothing(Some(items.join("; ")).filter(|shown| !shown.is_empty()))
}

fn or_nothing(text: Option<impl ToString>) -> String {
    text.map_or("nothing".to_owned(), |text| text.to_string())
}

#[test]
fn descriptions_match_the_recorded_sentences() {
    answers("sentence", |question| match question.parsed() {
        Ok(schedule) => schedule.describe().sentence,
        Err(error) => error.to_string(),
    });
    answers("fields", |question| {
        joined(question.schedule().describe().fields, |field| {
            format!("{} {}: {}", field.name, field.text, field.meaning)
        })
    });
    answers("days", |question| {
        format!("{:?}", question.schedule().describe().days)
    });
    answers("examples", |question| {
        let count = question.context[0].parse().unwrap();
        let from = jiff::civil::date(2026, 3, 1);
        let examples = question.schedule().day_examples(from, count);
        joined(examples, |example| example.to_string())
    });
    answers("changed", |question| {
        let after = question.context[0].parse().unwrap();
        let difference = means_something_else_before_1_22(question.text, after);
        or_nothing(difference.map(|one| {
            assert!(one.runs_since);
            one.at
        }))
    });
}

#[test]
fn hints_match_the_recorded_ones() {
    answers("hint", |question| {
        or_nothing(question.parsed().unwrap_err().hint())
    });
}

#[test]
fn schedules_are_equal_if_they_match_the_same_times_in_the_same_zone() {
    let parse = |text: &str| Schedule::parse(text, Dialect::V3_0, &BundledZones).unwrap();
    let equal = |one: &str, other: &str| parse(one) == parse(other);
    assert!(equal("0,30 9 * * *", "30,0 9 * * *"));
    assert!(equal("@daily", "0 0 * * *"));
    assert!(equal("0 9 * * mon", "0 9 * * 1"));
    assert!(equal(
        "TZ=Asia/Tokyo 0 9 * * *",
        "CRON_TZ=Asia/Tokyo 0 9 * * *"
    ));
    assert!(!equal("0 9 * * *", "0 10 * * *"));
    assert!(!equal("TZ=Asia/Tokyo 0 9 * * *", "0 9 * * *"));
    assert!(!equal("TZ=Asia/Tokyo 0 9 * * *", "TZ=Asia/Seoul 0 9 * * *"));
    assert!(!equal("@every 1h", "@hourly"));
}

#[test]
fn reasons_for_schedules_that_never_run_match_the_recorded_ones() {
    answers("never", |question| {
        let after = question.context[1].parse().unwrap();
        let never = question.timetable().why_never(after);
        let never = never.map(|never| never.to_string());
        let sentence = question.schedule().describe().sentence;
        if let Some(why) = sentence.strip_prefix("never: ") {
            assert_eq!(never.as_deref(), Some(why));
        }
        or_nothing(never)
    });
    let apia = Question::read("Pacific/Apia: 0 0 5 * *").timetable();
    let next = apia.next("2011-12-20T00:00:00Z".parse().unwrap());
    assert_eq!(next, Err(Endless));
}

#[test]
fn short_months_steps_and_minutes_to_spare_match_the_recorded_ones() {
    answers("short months", |question| {
        or_nothing(question.schedule().short_months())
    });
    answers("steps", |question| {
        joined(question.schedule().steps(), |step| {
            let end = if step.is_open { " to the end" } else { "" };
            format!("{} {:?}{end}", step.text, step.values)
        })
    });
    answers("idle field", |question| {
        or_nothing(question.schedule().idle_day_field())
    });
    answers("minutes to spare", |question| {
        let schedule = question.schedule();
        let minutes = schedule.minutes_to_spare();
        assert!(schedule.later(minutes + 1).is_none());
        minutes.to_string()
    });
}

#[test]
fn text_of_a_later_schedule_parses_to_that_schedule() {
    let berlin = Question::read("CRON_TZ=Europe/Berlin  @weekly").schedule();
    let later = berlin.later(30).unwrap();
    assert_eq!(later.text(), "30 0 * * 0");
    assert_eq!(later.own_zone().unwrap().name(), "Europe/Berlin");
    let mut random = Random::new(8);
    for _ in 0..300 {
        let minutes = (0..=random.below(12)).map(|_| random.below(60).to_string());
        let text = format!("{} 3,4 1-7 * */2", minutes.collect::<Vec<_>>().join(","));
        let schedule = Question::read(&text).schedule();
        let minutes = u32::try_from(random.below(60)).unwrap();
        if let Some(later) = schedule.later(minutes) {
            assert_eq!(Question::read(later.text()).schedule(), later);
            assert_eq!(schedule.period(), later.period(), "{text}");
        }
    }
}

/// The effects between two moments, or between the beginnings of two years.
fn surprises(question: &Question<'_>) -> Vec<Surprise> {
    let moment = |text: &str| -> Timestamp {
        let moment = text.parse().ok();
        moment.unwrap_or_else(|| format!("{text}-01-01T12:00:00Z").parse().unwrap())
    };
    let [from, until] = [1, 2].map(|word: usize| moment(question.context[word]));
    question.timetable().surprises(from, until)
}

fn effects(question: &Question<'_>) -> String {
    joined(surprises(question), |one| {
        format!("{:?} {} {}", one.kind, one.date, one.times())
    })
}

#[test]
fn effects_of_clock_changes_match_the_recorded_ones() {
    answers("surprises", effects);
    let effects = |asked: &str| effects(&Question::read(asked));
    // Newfoundland changed its clocks at 00:01 until 2011: asked for the run after the first 23:25, v3.0.1 answers
    // with that very time, and never advances.
    assert!(effects("America/St_Johns 2005 2006: 25,45 */9 * * *").contains("Lost"));
    // Samoa had no December 30, 2011.
    assert!(effects("Pacific/Apia 2011 2012: 0 12 * * *").contains("Lost 2011-12-30 12:00"));
    assert!(!effects("Pacific/Apia 2011 2012: 0 * * * *").contains("Lost"));
    assert!(effects("Pacific/Apia 2011 2012: 0 12 30 12 *").starts_with("Lost"));
    // A schedule for every hour of one day does not keep its interval across the change.
    let hours = effects("Pacific/Apia 2011 2012: 0 * 30 12 *");
    assert_eq!(
        hours,
        "Lost 2011-12-30 00:00, 01:00, 02:00, 03:00 and 20 more"
    );
}

#[test]
fn effect_names_its_change_and_lists_some_of_its_times() {
    let all = surprises(&Question::read("America/New_York 2021 2033: * 2 8 3 *"));
    let [one] = all.as_slice() else {
        panic!("{all:?}")
    };
    assert_eq!((one.kind, one.count), (SurpriseKind::Lost, 60));
    assert_eq!(one.local_times.len(), Surprise::LISTED);
    assert_eq!(one.change.at.to_string(), "2026-03-08T07:00:00Z");
    let offsets = (one.change.before, one.change.after);
    assert_eq!(offsets, (-5 * 3600, -4 * 3600));
}
