//! A local clock that a test can set, for the programs that it starts.

use std::path::PathBuf;
use std::process::Command;

use jiff::Timestamp;

use super::folder::Folder;

pub(crate) struct LocalClock {
    folder: Folder,
}

impl LocalClock {
    /// A clock that shows this time now; `None` where a program's clock cannot be replaced, which is reported.
    pub(crate) fn showing(now: &str) -> Option<Self> {
        let clock = LocalClock {
            folder: Folder::new("clock", &[]),
        };
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/local_clock.c");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(clock.library())
            .args([source, "-ldl"])
            .status();
        if !cfg!(target_env = "gnu") || !compiled.is_ok_and(|status| status.success()) {
            eprintln!("skipped: the local clock cannot be replaced here (requires cc and glibc)");
            return None;
        }
        clock.set(now);
        Some(clock)
    }

    fn library(&self) -> PathBuf {
        self.folder.join("clock.so")
    }

    /// Sets the clock to this time, from which it continues.
    #[allow(
        clippy::disallowed_methods,
        reason = "the time shown does not depend on it"
    )]
    pub(crate) fn set(&self, now: &str) {
        let now: Timestamp = now.parse().unwrap();
        let ahead = now.as_second() - Timestamp::now().as_second();
        self.folder.write("new", ahead.to_string());
        std::fs::rename(self.folder.join("new"), self.folder.join("ahead")).unwrap();
    }

    /// The variables of the environment of a program that has this clock.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        [
            ("LD_PRELOAD", text(self.library())),
            ("LOCAL_CLOCK", text(self.folder.join("ahead"))),
        ]
    }
}
