//! Counts what was compared, and keeps what did not come true.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::compare::{Comparison, Kind, MARGIN, Verdict, compare};
use super::driver::{Act, Scope};
use super::forecasts::{Forecasts, Made};
use super::history::History;
use super::record::{Key, Record, now};

/// A forecast that nothing has ended is compared after this time.
const LONGEST: SignedDuration = SignedDuration::from_mins(6);
/// How much later it is known what happened.
const KNOWN: SignedDuration = SignedDuration::from_secs(8);
/// A forecast is not compared if something changed so shortly before it that the forecast may not include the change.
const UNSETTLED: SignedDuration = SignedDuration::from_millis(600);

/// What was compared.
pub(crate) struct Tally {
    seed: u64,
    forecasts: usize,
    conditional: usize,
    left_out: BTreeMap<&'static str, usize>,
    entries: BTreeMap<(Kind, String), usize>,
    hidden: usize,
    seconds: i64,
    pub(crate) mismatches: Vec<String>,
}

/// What to do with a forecast.
enum Window {
    Open,
    LeftOut(&'static str),
    Until(Timestamp),
}

impl Tally {
    pub(crate) fn new(seed: u64) -> Tally {
        Tally {
            seed,
            forecasts: 0,
            conditional: 0,
            left_out: BTreeMap::new(),
            entries: BTreeMap::new(),
            hidden: 0,
            seconds: 0,
            mismatches: Vec::new(),
        }
    }

    /// Compares the forecasts that something has ended, or all at the end.
    pub(crate) fn compare(
        &mut self,
        forecasts: &Forecasts,
        record: &Record,
        acts: &[Act],
        end: Option<Timestamp>,
    ) {
        let made = std::mem::take(&mut *forecasts.made.lock().unwrap());
        let histories = record.histories();
        let mut open = Vec::new();
        for mut made in made {
            let history = &histories[&made.key];
            made.forecast.evidence.was_disturbed = was_disturbed(&made, acts);
            match window(&made, history, acts, end) {
                Window::Open => open.push(made),
                Window::LeftOut(why) => *self.left_out.entry(why).or_default() += 1,
                Window::Until(until) => {
                    let comparison = compare(&made.forecast, history, until);
                    self.count(&made, &comparison, until);
                    let mismatches = comparison.mismatches();
                    if !mismatches.is_empty() {
                        self.report(&made, history, acts, until, &mismatches);
                    }
                }
            }
        }
        drop(histories);
        forecasts.made.lock().unwrap().append(&mut open);
    }

    fn count(&mut self, made: &Made, comparison: &Comparison, until: Timestamp) {
        self.forecasts += 1;
        let is_conditional = |(kind, _): &(Kind, Verdict)| *kind != Kind::Fact;
        self.conditional += usize::from(comparison.entries.iter().any(is_conditional));
        self.hidden += comparison.hidden;
        self.seconds += until.duration_since(made.to).as_secs();
        for (entry, (kind, verdict)) in made.forecast.entries.iter().zip(&comparison.entries) {
            let verdict = match verdict {
                Verdict::CameTrue => "came true".to_owned(),
                Verdict::CameLate => "came true late".to_owned(),
                Verdict::ConditionNotMet => "condition not met".to_owned(),
                Verdict::Undecided(why) => format!("not decided: {why}"),
                Verdict::Wrong(_) => "WRONG".to_owned(),
            };
            let after = if entry.is_edited {
                "after an edit "
            } else {
                ""
            };
            let verdict = format!("{after}{verdict}");
            *self.entries.entry((*kind, verdict)).or_default() += 1;
        }
    }

    fn report(
        &mut self,
        made: &Made,
        history: &History,
        acts: &[Act],
        until: Timestamp,
        mismatches: &[String],
    ) {
        let (namespace, name) = &made.key;
        let number = self.mismatches.len();
        let stem = format!("{}-{number}-{name}", self.seed);
        let since = made.from - SignedDuration::from_mins(5);
        let recent = |at: Timestamp| at >= since && at <= until;
        let acts = acts
            .iter()
            .filter(|act| recent(act.from) && act.scope.covers(&made.key));
        let acts: Vec<String> = acts.map(Act::to_string).collect();
        let what = format!(
            "{namespace}/{name}, forecast at {}, compared until {until}\n{mismatches:#?}\n{acts:#?}\n\
             {:#?}\n{history:#?}\n{:#}\n",
            made.to, made.forecast.evidence, made.item
        );
        let folder = folder();
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{stem}.txt"));
        std::fs::write(&file, what).unwrap();
        let state = folder.join(format!("{stem}-state.json"));
        std::fs::write(state, made.state.as_str()).unwrap();
        let text = format!(
            "{namespace}/{name}, forecast at {}, compared until {until}: {} ({})",
            made.to,
            mismatches.join("; "),
            file.display()
        );
        eprintln!("mismatch: {text}");
        self.mismatches.push(text);
    }

    pub(crate) fn summary(&self, acts: &[Act], events: &BTreeMap<String, usize>) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} forecasts compared ({} of them conditional) over {} minutes each on average {} s; \
             {} mismatches",
            self.forecasts,
            self.conditional,
            self.seconds / 60,
            self.seconds / i64::try_from(self.forecasts.max(1)).unwrap(),
            self.mismatches.len()
        );
        for (why, count) in &self.left_out {
            let _ = writeln!(text, "  not compared, {why}: {count}");
        }
        let _ = writeln!(
            text,
            "  Jobs created by retries that nothing showed: {}",
            self.hidden
        );
        for ((kind, verdict), count) in &self.entries {
            let _ = writeln!(text, "  {} {verdict}: {count}", kind.as_str());
        }
        let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
        for act in acts {
            *by_kind.entry(act.what).or_default() += 1;
        }
        let _ = writeln!(text, "acts: {by_kind:?}");
        let _ = write!(text, "events: {events:?}");
        text
    }
}

fn window(made: &Made, history: &History, acts: &[Act], end: Option<Timestamp>) -> Window {
    let mut until = None::<Timestamp>;
    for act in acts
        .iter()
        .filter(|act| act.ends_forecasts && act.scope.covers(&made.key))
    {
        if act.to + MARGIN < made.from {
            continue;
        }
        if act.from <= made.to {
            return Window::LeftOut("made during an act");
        }
        until = Some(until.map_or(act.from, |until| until.min(act.from)));
    }
    let until = until
        .map(|at| at - MARGIN)
        .into_iter()
        .chain([made.to + LONGEST])
        .chain(end);
    let until = until.min().unwrap_or(made.to);
    if end.is_none() && until + KNOWN > now() {
        return Window::Open;
    }
    if until <= made.to {
        return Window::LeftOut("an act follows immediately");
    }
    if history.changes_in(made.from - UNSETTLED, made.to + UNSETTLED / 3) {
        return Window::LeftOut("made while something changed");
    }
    Window::Until(until)
}

/// Whether there was an act after the first run of the forecast was due.
fn was_disturbed(made: &Made, acts: &[Act]) -> bool {
    let due = made.item["decision"]["scheduledTime"].as_str();
    let due = due.map(|text| text.parse::<Timestamp>().unwrap());
    let mut acts = acts.iter().filter(|act| act.scope.covers(&made.key));
    acts.any(|act| due.is_some_and(|due| act.to >= due) && act.from <= made.to)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("forecast-trial")
}

impl Scope {
    fn covers(&self, key: &Key) -> bool {
        match self {
            Scope::All => true,
            Scope::Namespace(namespace) => *namespace == key.0,
            Scope::CronJob(one) => one == key,
        }
    }
}
