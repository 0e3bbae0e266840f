//! The cost of `lint`: many CronJobs, much other YAML, and one file. `cargo bench --bench lint` prints Markdown.
//! `cargo bench --bench lint -- 100` reads 100 MB of other YAML instead of 1,000.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and may fail"
)]

#[path = "../tests/support/peak.rs"]
mod peak;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const FILES: usize = 1_000;
const CRON_JOBS_OF_EACH: usize = 10;
/// The size of the other YAML, unless an argument sets another one.
const MEGABYTES: usize = 1_000;
const ROUNDS: usize = 5;

fn main() {
    let given = std::env::args().skip(1).find_map(|one| one.parse().ok());
    let megabytes = given.unwrap_or(MEGABYTES);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint");
    let many = folder.join("many");
    let other = folder.join(format!("other-{megabytes}"));
    let one = folder.join("one.yaml");
    let size = write_cron_jobs(&many);
    write_other(&other, megabytes);
    fs::write(&one, cron_job(0)).unwrap();

    println!("| what | median | peak memory | |");
    println!("|---|---:|---:|---:|");
    let cron_jobs = FILES * CRON_JOBS_OF_EACH;
    let what = format!(
        "{cron_jobs} CronJobs of {} bytes in {FILES} files",
        size / cron_jobs
    );
    row(&what, &many, Some(size));
    let what = format!("{megabytes} MB of other YAML");
    row(&what, &other, Some(megabytes * 1_000_000));
    row("one file", &one, None);
    let read = median(|| {
        let began = Instant::now();
        let bytes: usize = files(&other)
            .iter()
            .map(|file| fs::read(file).unwrap().len())
            .sum();
        assert!(bytes >= megabytes * 1_000_000);
        began.elapsed().as_secs_f64()
    });
    println!(
        "| reading the {megabytes} MB, on one thread | {read:.3} s | - | {:.0} MB/s |",
        megabytes as f64 / read
    );
}

fn row(what: &str, path: &Path, bytes: Option<usize>) {
    let mut peak = 0;
    let seconds = median(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"));
        command
            .arg("lint")
            .arg("-R")
            .arg(path)
            .arg("-q")
            .stdout(Stdio::null());
        if bytes.is_none() {
            // Sampling the memory would take longer than the process itself.
            let began = Instant::now();
            assert!(command.status().unwrap().success());
            return began.elapsed().as_secs_f64();
        }
        let taken = peak::taken(&mut command);
        assert!(taken.status.success());
        peak = peak.max(taken.peak);
        taken.time.as_secs_f64()
    });
    let speed = bytes.map_or(String::new(), |bytes| {
        format!("{:.0} MB/s", bytes as f64 / 1e6 / seconds)
    });
    let memory = match peak {
        0 => "-".to_owned(),
        peak => format!("{:.0} MB", peak as f64 / 1e6),
    };
    println!("| {what} | {seconds:.4} s | {memory} | {speed} |");
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut all: Vec<f64> = (0..ROUNDS).map(|_| measure()).collect();
    all.sort_by(f64::total_cmp);
    all[ROUNDS / 2]
}

/// Writes all CronJobs, and returns their size in bytes.
fn write_cron_jobs(folder: &Path) -> usize {
    fs::create_dir_all(folder).unwrap();
    let mut bytes = 0;
    for file in 0..FILES {
        let mut text = String::new();
        for nth in 0..CRON_JOBS_OF_EACH {
            text.push_str("---\n");
            text.push_str(&cron_job(file * CRON_JOBS_OF_EACH + nth));
        }
        bytes += text.len();
        fs::write(folder.join(format!("{file:04}.yaml")), text).unwrap();
    }
    bytes
}

/// A typical CronJob of about 1.5 KB.
fn cron_job(nth: usize) -> String {
    let minute = nth % 60;
    let hour = nth / 60 % 24;
    let mut text = format!(
        "apiVersion: batch/v1
kind: CronJob
metadata:
  name: report-{nth}
  namespace: shop-{}
  labels:
    app.kubernetes.io/name: report
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/managed-by: kustomize
  annotations:
    example.com/owner: team-reports@example.com
spec:
  # Every night, when the shop is quiet.
  schedule: {minute} {hour} * * *
  timeZone: Europe/Berlin
  startingDeadlineSeconds: 600
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      activeDeadlineSeconds: 1800
      backoffLimit: 2
      template:
        metadata:
          labels:
            app.kubernetes.io/name: report
        spec:
          restartPolicy: Never
          serviceAccountName: report
          containers:
          - name: report
            image: registry.example.com/report:1.4.2
            args: [\"--since\", \"24h\", \"--format\", \"pdf\"]
            env:
",
        nth / 100
    );
    for (name, value) in [
        ("DATABASE_HOST", "postgres.shop.svc.cluster.local"),
        ("DATABASE_PORT", "5432"),
        ("BUCKET", "reports"),
        ("LOG_LEVEL", "info"),
    ] {
        write!(
            text,
            "            - name: {name}\n              value: \"{value}\"\n"
        )
        .unwrap();
    }
    text.push_str(
        "            resources:
              requests:
                cpu: 100m
                memory: 128Mi
              limits:
                memory: 256Mi
            volumeMounts:
            - name: scratch
              mountPath: /scratch
          volumes:
          - name: scratch
            emptyDir: {}
",
    );
    text
}

/// Writes files of 100 KB with `Deployment`s and `ConfigMap`s, unless they exist.
fn write_other(folder: &Path, megabytes: usize) {
    fs::create_dir_all(folder).unwrap();
    let mut text = String::new();
    let mut nth = 0;
    while text.len() < 100_000 {
        let deployment = cron_job(nth)
            .replace("CronJob", "Deployment")
            .replace("batch/v1", "apps/v1");
        text.push_str("---\n");
        text.push_str(&deployment);
        text.push_str(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: script\ndata:\n  run.sh: |\n",
        );
        text.push_str("    exec backup \\\n      --to s3://bucket\n");
        nth += 1;
    }
    for file in 0..megabytes * 1_000_000 / 100_000 {
        let path = folder.join(format!("{file:05}.yaml"));
        if !path.exists() {
            fs::write(path, &text).unwrap();
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
