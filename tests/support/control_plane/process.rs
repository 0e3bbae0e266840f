//! Programs that end when the test does, and the folder they write to.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a program may take to become ready; test machines are often busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two checks.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs its arguments, and kills them when its stdin is closed: when the [`Process`] is dropped, and when the test
/// program ends, in any way.
const WATCHDOG: &str = r#""$@" </dev/null & read -r _; kill -9 $!; wait"#;

/// A program that runs until it is dropped.
pub(super) struct Process {
    watchdog: Child,
    log: PathBuf,
    program: PathBuf,
}

impl Process {
    /// Starts a program that logs to a file of its name in the folder.
    pub(super) fn start(
        folder: &Folder,
        name: &str,
        program: &Path,
        environment: &[(&str, &str)],
        arguments: &[String],
    ) -> Process {
        assert!(program.is_file(), "there is no {}", program.display());
        let log = folder.file(&format!("{name}.log"));
        let output = File::create(&log).unwrap();
        let watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, "sh"])
            .arg(program)
            .args(arguments)
            // An interrupt of the test must not reach the watchdog.
            .process_group(0)
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        Process {
            watchdog,
            log,
            program: program.to_owned(),
        }
    }

    /// Fails the test if the program has ended with an error.
    pub(super) fn check(&self) {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let fatal = |line: &&str| {
            line.contains("\"command failed\"") || line.contains("address already in use")
        };
        let error = log.lines().find(fatal);
        assert_eq!(error, None, "{} ended: {log}", self.program.display());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

/// Asks repeatedly until there is an answer.
pub(crate) fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "timed out: {what}");
        sleep(PAUSE);
    }
}

/// Asks repeatedly until the condition is true.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    eventually(what, || is_so().then_some(()));
}

/// Removes a folder when its stdin is closed; the programs that write there end at the same moment.
const CLEANER: &str = r#"read -r _; rm -rf "$1" || { sleep 1; rm -rf "$1"; }"#;

/// A folder that is removed when it is dropped, or when the test program ends.
pub(super) struct Folder {
    path: PathBuf,
    cleaner: Child,
}

impl Folder {
    pub(super) fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        let cleaner = Command::new("sh")
            .args(["-c", CLEANER, "sh"])
            .arg(&path)
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        Folder { path, cleaner }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.cleaner.stdin.take());
        let _ = self.cleaner.wait();
    }
}
