//! kube-cron compared with robfig/cron itself, compiled and run on this machine.
//!
//! Needs Go and Debian's `golang-github-robfig-cron-dev`; reports that it was skipped if they are
//! missing. The optional `ROBFIG_V1_GOPATH` names a GOPATH with v1.1.0 in it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::support::differences::assert_none;
use crate::support::expressions;
use crate::support::moments::{at, second};
use crate::support::random::{Random, setting};
use crate::support::zones::{ODD_ZONES, names_in};
use kube_cron::{DatabaseChoice, ZoneDatabase};
use kube_cron::{Dialect, Schedule, Zone, Zones, go_quote};
use test_requirements::{ROBFIG_V1, ROBFIG_V3, Requirement, TIME_ZONES};

/// Debian's folder of Go sources.
const DEBIAN_GOPATH: &str = "/usr/share/gocode";
/// Random cases, unless `CASES` asks for another number.
const CASES: usize = 24_000;

#[test]
fn robfig_cron_v3_answers_the_same() {
    compare(Path::new(DEBIAN_GOPATH), Dialect::V3_0);
}

/// Files as `zic` no longer writes them by default, and some that no program should write.
#[test]
fn robfig_cron_answers_the_same_in_odd_zone_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("odd-zones");
    for (name, file) in ODD_ZONES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.bytes()).unwrap();
    }
    let Some(oracle) = build_oracle(Path::new(DEBIAN_GOPATH), Dialect::V3_0) else {
        return;
    };
    let zones =
        ZoneDatabase::open_in(DatabaseChoice::System, [folder.as_path()].into_iter()).unwrap();
    ask(&oracle, Dialect::V3_0, &zones, 4_000);
}

#[test]
fn robfig_cron_v1_answers_the_same() {
    let Some(gopath) = std::env::var_os("ROBFIG_V1_GOPATH") else {
        return ROBFIG_V1.skip();
    };
    compare(Path::new(&gopath), Dialect::V1_1);
}

/// Reports what was done: on stderr, and in a file for a run of all tests.
fn report(dialect: Dialect, line: &str) {
    eprintln!("{line}");
    let file = format!("upstream-live-{}.txt", dialect.version());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(path, format!("{line}\n")).unwrap();
}

struct Question {
    spec: String,
    zone: Arc<Zone>,
    from: i64,
    count: usize,
}

fn compare(gopath: &Path, dialect: Dialect) {
    let Some(oracle) = build_oracle(gopath, dialect) else {
        return;
    };
    // Both sides read the machine's own zones.
    let Ok(zones) = ZoneDatabase::open(DatabaseChoice::System) else {
        return TIME_ZONES.skip();
    };
    let cases = setting("CASES").unwrap_or(CASES);
    ask(&oracle, dialect, &zones, cases);
}

/// Asks both sides this number of random questions in all zones of a folder.
fn ask(oracle: &Path, dialect: Dialect, zones: &ZoneDatabase, cases: usize) {
    let folder = zones.folder().unwrap();
    let seed = setting("SEED").unwrap_or(20_261_121);
    let mut random = Random::new(seed);
    let names = names_in(folder);
    let loaded = names.iter().filter_map(|name| zones.load(name).ok());
    let zones_by_name: Vec<Arc<Zone>> = loaded.collect();
    let mut child = Command::new(oracle)
        .env("ZONEINFO", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle was just built");
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut compared = 0;
    let mut differences = Vec::new();
    while compared < cases {
        // In batches: the oracle flushes when its input ends or its buffer is full.
        let questions: Vec<Question> = (0..cases.min(4_000))
            .map(|_| question(&mut random, &zones_by_name, dialect))
            .collect();
        let text: String = questions.iter().map(Question::line).collect();
        let writer = std::thread::spawn(move || {
            stdin.write_all(text.as_bytes()).unwrap();
            stdin.write_all(b"\n").unwrap();
            stdin.flush().unwrap();
            stdin
        });
        for question in &questions {
            let theirs = answers
                .next()
                .expect("one answer for each question")
                .unwrap();
            let ours = answer(question, dialect, zones);
            if ours != theirs {
                differences.push(format!("{question:?}\n  ours   {ours}\n  theirs {theirs}"));
            }
            compared += 1;
        }
        let end = answers.next().unwrap().unwrap();
        assert!(end.starts_with("bad question"), "{end}");
        stdin = writer.join().unwrap();
    }
    drop(stdin);
    child.wait().unwrap();
    let version = dialect.version();
    let done = format!("robfig/cron {version}: {compared} cases compared, seed {seed}");
    report(dialect, &done);
    assert_none(&differences);
}

fn requirement(dialect: Dialect) -> Requirement {
    if dialect == Dialect::V1_1 {
        ROBFIG_V1
    } else {
        ROBFIG_V3
    }
}

fn build_oracle(gopath: &Path, dialect: Dialect) -> Option<PathBuf> {
    if !gopath.join("src/github.com/robfig/cron").is_dir() {
        requirement(dialect).skip();
        return None;
    }
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("robfig-{}", dialect.version()));
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&target)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/robfig.go"))
        .env("GO111MODULE", "off")
        .env("GOPATH", gopath)
        .status();
    let Ok(status) = built else {
        requirement(dialect).skip();
        return None;
    };
    assert!(status.success(), "the oracle does not compile");
    Some(target)
}

fn question(random: &mut Random, zones: &[Arc<Zone>], dialect: Dialect) -> Question {
    let zone = Arc::clone(random.pick(zones));
    let mut spec = expressions::expression(random);
    if random.one_in(2000) {
        // Minutes that do not exist: upstream checks each minute of five years.
        ", * * * *".clone_into(&mut spec);
    }
    if dialect.has_zone_prefix() && random.one_in(8) {
        let prefix = random.pick(&["TZ=", "CRON_TZ=", "tz="]);
        let name = match random.below(20) {
            0 => "Mars/Base",
            1 => "",
            2 => "America",
            3 => "../UTC",
            4 => "europe/berlin",
            _ => random.pick(zones).name(),
        };
        let blank = if random.one_in(30) { "" } else { " " };
        spec = format!("{prefix}{name}{blank}{spec}");
    }
    Question {
        spec,
        from: moment(random, &zone),
        zone,
        count: 1 + random.below(8),
    }
}

/// Mostly near changes of the offset, where the results of upstream are most unexpected.
fn moment(random: &mut Random, zone: &Zone) -> i64 {
    let (from, until) = if random.one_in(4) {
        ("1970-01-01T00:00:00Z", "2110-01-01T00:00:00Z")
    } else {
        ("2012-06-01T00:00:00Z", "2037-01-01T00:00:00Z")
    };
    let anywhere = random.between(second(from), second(until));
    if random.one_in(4) {
        return anywhere;
    }
    let changes = zone.changes(at(anywhere), at(anywhere + 400 * 86_400));
    if changes.is_empty() {
        return anywhere;
    }
    let near = random.pick(&changes).at.as_second();
    let span = *random.pick(&[900, 7_200, 100_000, 3_000_000]);
    near + random.between(-span, span / 2)
}

fn answer(question: &Question, dialect: Dialect, zones: &dyn Zones) -> String {
    let schedule = match Schedule::parse(&question.spec, dialect, zones) {
        Ok(schedule) => schedule,
        Err(error) if error.is_panic() => return "panic".to_owned(),
        Err(error) => return format!("error: {}", go_quote(&error.to_string())),
    };
    let timetable = schedule.in_zone(&question.zone);
    let mut runs = Vec::new();
    // This is not the iterator, because that detects where upstream goes around in a circle.
    let mut at = at(question.from);
    while runs.len() < question.count {
        match timetable.next(at) {
            Ok(Some(run)) => at = run,
            Ok(None) => break,
            Err(_) => return "hang".to_owned(),
        }
        runs.push(at.as_second().to_string());
    }
    if runs.len() < question.count {
        runs.push("never".to_owned());
    }
    runs.join(" ")
}

impl Question {
    fn line(&self) -> String {
        let spec = go_quote(&self.spec);
        let (zone, from, count) = (self.zone.name(), self.from, self.count);
        format!("{spec}\u{1f}{zone}\u{1f}{from}\u{1f}{count}\n")
    }
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (zone, from) = (self.zone.name(), at(self.from));
        write!(f, "{:?} in {zone} from {from}", self.spec)
    }
}
