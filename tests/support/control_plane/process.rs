//! Programs that end when the test does, and the folder they write to.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// So long a program may take to become ready; machines that test are often busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two questions whether it is.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs its arguments, and kills them when its input is closed: when the
/// [`Process`] is dropped, and when the test program ends, in whatever way.
const NURSE: &str = r#""$@" </dev/null & read -r _; kill -9 $!; wait"#;

/// A program that runs until it is dropped.
pub(super) struct Process {
    nurse: Child,
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
        let nurse = Command::new("sh")
            .args(["-c", NURSE, "sh"])
            .arg(program)
            .args(arguments)
            // Whoever interrupts the test does not interrupt the nurse.
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
            nurse,
            log,
            program: program.to_owned(),
        }
    }

    /// Fails the test where the program has ended with a complaint.
    pub(super) fn check(&self) {
        let log = std::fs::read_to_string(&self.log).unwrap();
        let fatal = |line: &&str| {
            line.contains("\"command failed\"") || line.contains("address already in use")
        };
        let complaint = log.lines().find(fatal);
        assert_eq!(complaint, None, "{} ended: {log}", self.program.display());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.nurse.stdin.take());
        let _ = self.nurse.wait();
    }
}

/// Asks again and again until there is an answer.
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

/// Asks again and again until it is so.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    eventually(what, || is_so().then_some(()));
}

/// Removes a folder when its input is closed; the programs that write there end
/// at the same moment.
const BROOM: &str = r#"read -r _; rm -rf "$1" || { sleep 1; rm -rf "$1"; }"#;

/// A folder that is removed when it is dropped, or when the test program ends.
pub(super) struct Folder {
    path: PathBuf,
    broom: Child,
}

impl Folder {
    pub(super) fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        let broom = Command::new("sh")
            .args(["-c", BROOM, "sh"])
            .arg(&path)
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        Folder { path, broom }
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
        drop(self.broom.stdin.take());
        let _ = self.broom.wait();
    }
}
