//! The memory that a large cluster takes stays small. For `scan -A`, 2,500 CronJobs and 12,500 Jobs of three kilobytes
//! each are 38 MB on the wire. The benchmark measures more of them.

use crate::support::apart;
use crate::support::peak;
use crate::support::run::program;

use std::ops::Range;
use std::process::Stdio;

use apart::Apart;

const CRON_JOBS: usize = 2_500;
const JOBS_OF_EACH: usize = 5;
const MEGABYTE: u64 = 1_000_000;
/// It takes 58 MB, 34 of them for the program itself, which is not optimized.
const MOST: u64 = 66_000_000;

#[test]
fn scan_of_a_large_cluster_takes_little_memory() {
    if apart::serve_if_asked() {
        return;
    }
    let name = "cluster_memory::scan_of_a_large_cluster_takes_little_memory";
    let server = Apart::start(&["--exact", name, "--nocapture"], CRON_JOBS, JOBS_OF_EACH);
    for format in [&["scan"][..], &["scan", "-o", "json"]] {
        // If it took less, it would not have read everything.
        takes(20 * MEGABYTE..MOST, format, &server);
    }
}

/// A thousand CronJobs are enough to see what is kept of each. It takes 52 to 58 MB, depending on what runs at the same
/// time, 34 of them for the program itself.
#[test]
fn report_of_a_large_cluster_takes_little_memory() {
    if apart::serve_if_asked() {
        return;
    }
    let name = "cluster_memory::report_of_a_large_cluster_takes_little_memory";
    let server = Apart::start(&["--exact", name, "--nocapture"], 1_000, JOBS_OF_EACH);
    takes(20 * MEGABYTE..62 * MEGABYTE, &["report"], &server);
}

#[track_caller]
fn takes(plausible: Range<u64>, call: &[&str], server: &Apart) {
    let taken = peak::taken(
        program()
            .args(call)
            .args(["-A", "--quiet", "--server", server.url()])
            .args(["--token", "admin-token", "--insecure-skip-tls-verify"])
            .stdout(Stdio::null()),
    );
    assert!(taken.status.success(), "{call:?}: {taken:?}");
    eprintln!("{call:?}: {taken:?}");
    assert!(plausible.contains(&taken.peak), "{call:?}: {taken:?}");
}
