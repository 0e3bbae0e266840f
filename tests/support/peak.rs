//! Measures a process: how long it runs, and how much memory it uses at its peak.

#![allow(dead_code, reason = "each user needs its own part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail in any way")]

use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often the peak is read. The peak never decreases, so only the last milliseconds before the end are missed, when
/// a process releases memory rather than allocates it.
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// The time and the memory that a process took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) time: Duration,
    /// In bytes; 0 where the system has no `/proc`.
    pub(crate) peak: u64,
    pub(crate) status: ExitStatus,
}

/// Runs a command to its end.
pub(crate) fn taken(command: &mut Command) -> Taken {
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // A process that has ended has no memory, and no such line.
        peak = std::fs::read_to_string(&status)
            .ok()
            .and_then(|status| high_water_mark(&status))
            .unwrap_or(peak);
        if let Some(status) = child.try_wait().unwrap() {
            return Taken {
                time: began.elapsed(),
                peak,
                status,
            };
        }
        sleep(POLL_INTERVAL);
    }
}

/// Reads `VmHWM:   123456 kB`.
fn high_water_mark(status: &str) -> Option<u64> {
    let mut lines = status.lines();
    let rest = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}
