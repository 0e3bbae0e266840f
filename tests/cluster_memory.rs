//! `scan -A` of a large cluster stays small: 2,500 CronJobs and 12,500 Jobs of three kilobytes
//! each are 38 MB on the wire. The benchmark measures more of them.

use crate::support::apart;
use crate::support::peak;
use crate::support::run::program;

use std::process::Stdio;

use apart::Apart;

const CRON_JOBS: usize = 2_500;
const JOBS_OF_EACH: usize = 5;
const MEGABYTE: u64 = 1_000_000;
/// It takes 71 MB, 34 of them for the program itself, which is not optimized.
const MOST: u64 = 78 * MEGABYTE;

#[test]
fn a_scan_of_a_large_cluster_stays_small() {
    if apart::serve_if_asked() {
        return;
    }
    let name = "cluster_memory::a_scan_of_a_large_cluster_stays_small";
    let server = Apart::start(&["--exact", name, "--nocapture"], CRON_JOBS, JOBS_OF_EACH);
    for format in [&[][..], &["-o", "json"]] {
        let taken = peak::taken(
            program()
                .args(["scan", "-A", "--quiet", "--server", server.url()])
                .args(["--token", "admin-token", "--insecure-skip-tls-verify"])
                .args(format)
                .stdout(Stdio::null()),
        );
        assert!(taken.status.success(), "{format:?}: {taken:?}");
        eprintln!("{format:?}: {taken:?}");
        // Less than this, and it has not read what it should have read.
        let plausible = 20 * MEGABYTE..MOST;
        assert!(plausible.contains(&taken.peak), "{format:?}: {taken:?}");
    }
}
