//! The cost of `scan` on a large cluster, compared with fetching the same lists and with kubectl.
//! `cargo bench --bench cluster` prints Markdown.
//!
//! It runs against the test server, in a process of its own, or against a real one:
//! `cargo bench --bench cluster -- https://127.0.0.1:6443 TOKEN`. With `contexts`, it measures `scan -A` of ten clusters
//! together, compared with one of them alone, and of many small contexts; with `history`, it measures `history` of a
//! file with a million stored runs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and may fail"
)]

#[path = "../tests/support/apart.rs"]
mod apart;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../tests/support/apiserver/mod.rs"]
mod apiserver;
#[path = "../tests/support/peak.rs"]
mod peak;

use std::process::{Command, Stdio};
use std::time::Instant;

use apart::Apart;
use prost::Message;
use prost::bytes::Bytes;

const CRON_JOBS: usize = 10_000;
const JOBS_OF_EACH: usize = 5;
const ROUNDS: usize = 5;
/// The microseconds that a list takes for each object: a real API server takes 0.6 s for 5,000 Jobs.
const PACE: usize = 120;
const SLOW_PACE: usize = 180;
const LISTS: [&str; 2] = ["cronjobs", "jobs"];

fn main() {
    if apart::serve_if_asked() {
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .filter(|argument| *argument != "--bench")
        .collect();
    match given.as_slice() {
        [] => {
            let server = Apart::start(&[], CRON_JOBS, JOBS_OF_EACH);
            measure(&Cluster {
                server: server.url(),
                token: "admin-token",
            });
        }
        ["contexts"] => measure_contexts(),
        ["history"] => measure_history(),
        [server, token] => measure(&Cluster { server, token }),
        _ => println!("expected nothing, or the address of a server and a token"),
    }
}

/// `scan -A` of ten clusters of 1,000 `CronJob`s, one by one and all together. They answer like real API servers, the
/// first one slowly.
fn measure_contexts() {
    let servers: Vec<Apart> = (0..10)
        .map(|number| {
            let pace = if number == 0 { SLOW_PACE } else { PACE };
            Apart::with_pace(&[], 1_000, JOBS_OF_EACH, pace)
        })
        .collect();
    let mut kubeconfig = String::from(
        "apiVersion: v1\nkind: Config\nusers: [{name: u, user: {token: admin-token}}]\n",
    );
    let (mut clusters, mut contexts) = (String::from("clusters:\n"), String::from("contexts:\n"));
    for (number, server) in servers.iter().enumerate() {
        let url = server.url();
        clusters.push_str(&format!(
            "- {{name: c{number}, cluster: {{server: '{url}', insecure-skip-tls-verify: true}}}}\n"
        ));
        contexts.push_str(&format!(
            "- {{name: c{number}, context: {{cluster: c{number}, user: u}}}}\n"
        ));
    }
    kubeconfig.push_str(&clusters);
    kubeconfig.push_str(&contexts);
    let path = std::env::temp_dir().join(format!("contexts-{}", std::process::id()));
    std::fs::write(&path, kubeconfig).unwrap();
    let scan = |flag: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"));
        command.args(["scan", "-A", "--quiet", flag]);
        cost(command.env("KUBECONFIG", &path))
    };
    let flags = ["--context=c0", "--context=c1", "--all-contexts"];
    let mut costs = [const { Vec::new() }; 3];
    // All take turns, so that a disturbance affects each.
    for _ in 0..ROUNDS {
        for (flag, costs) in flags.iter().zip(&mut costs) {
            costs.push(scan(flag));
        }
    }
    let medians = costs.map(|costs| median(&costs));
    println!("| context | median | peak memory |\n|---|---:|---:|");
    for (flag, Cost { seconds, megabytes }) in flags.iter().zip(medians) {
        println!(
            "| `{flag}` | {seconds:.2} s | {:.0} MB |",
            megabytes.unwrap()
        );
    }
    let [slow, one, all] = medians;
    let longer = (all.seconds / slow.seconds - 1.0) * 100.0;
    let more = (all.megabytes.unwrap() - one.megabytes.unwrap()) / 9.0;
    println!("\nAll take {longer:.0} % longer than the slow one, and each adds {more:.1} MB.");
    drop(servers);
    println!("\n| contexts | median |\n|---|---:|");
    let empty = Apart::start(&[], 0, 0);
    let closed = "https://127.0.0.1:1";
    for (count, url) in [
        (20, closed),
        (400, closed),
        (5_000, closed),
        (400, empty.url()),
    ] {
        std::fs::write(&path, many_contexts(count, url)).unwrap();
        let costs: Vec<Cost> = (0..3).map(|_| scan("--all-contexts")).collect();
        let what = if url == closed { "refuse" } else { "answer" };
        println!("| {count} that {what} | {:.2} s |", median(&costs).seconds);
    }
    std::fs::remove_file(path).unwrap();
}

/// A kubeconfig with that many contexts, each with a user and a cluster of its own.
fn many_contexts(count: usize, url: &str) -> String {
    let named = |what: &str, part: &dyn Fn(usize) -> String| {
        let parts = (0..count).map(|number| format!("- {{name: c{number}, {}}}\n", part(number)));
        format!("{what}:\n{}", parts.collect::<String>())
    };
    let users = named("users", &|_| "user: {token: admin-token}".to_owned());
    let clusters = named("clusters", &|_| {
        format!("cluster: {{server: '{url}', insecure-skip-tls-verify: true}}")
    });
    let contexts = named("contexts", &|number| {
        format!("context: {{cluster: c{number}, user: c{number}}}")
    });
    format!("apiVersion: v1\nkind: Config\n{users}{clusters}{contexts}")
}

/// `history --recorder` of a file with 90 days of 500 hourly `CronJob`s.
fn measure_history() {
    let folder = tempfile::tempdir().unwrap();
    let (file, manifests) = (
        folder.path().join("runs.db"),
        folder.path().join("all.yaml"),
    );
    let (end, hours) = (1_795_564_800, 90 * 24); // 2026-11-25T00:00:00Z
    let begin = end - hours * 3600;
    let mut store = rusqlite::Connection::open(&file).unwrap();
    let schema = include_str!("../src/recorder/databases/schema.sql");
    let header = "PRAGMA application_id = 0x636a6472; PRAGMA user_version = 1;";
    store.execute_batch(&format!("{schema} {header}")).unwrap();
    let transaction = store.transaction().unwrap();
    let run = "INSERT INTO run VALUES (?1, ?2, '', 'scheduled', 'onTime', ?3, ?4, ?5, ?6, '', ?7, ?2 + 1, ?2 + 40)";
    let watched = "INSERT INTO watched VALUES (?1, ?2)";
    transaction.execute(watched, [begin, end]).unwrap();
    let mut all = String::new();
    for number in 0..500 {
        let (name, uid) = (
            format!("hourly-{number:03}"),
            format!("{number:08}-0000-4000-8000-000000000000"),
        );
        let cron_job = "INSERT INTO cron_job VALUES (?1, ?2, 'shop', ?3, ?4, ?5, NULL)";
        let parameters = rusqlite::params![number, uid, name, begin, end];
        transaction.execute(cron_job, parameters).unwrap();
        let mut insert = transaction.prepare(run).unwrap();
        for hour in 0..hours {
            let failed = (hour * 7 + number) % 97 == 0;
            let result = if failed { "failed" } else { "succeeded" };
            let reason = failed
                .then_some("BackoffLimitExceeded: Job has reached the specified backoff limit");
            let cause = failed.then_some("failed");
            let job = format!("{number:08}-{hour:04}-4000-8000-000000000000");
            let at = begin + hour * 3600;
            let code = failed.then_some(1);
            insert
                .execute(rusqlite::params![
                    number, at, result, cause, reason, code, job
                ])
                .unwrap();
        }
        all.push_str(&format!(
            "---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: {name}, namespace: shop, uid: {uid}, \
             creationTimestamp: '2026-01-01T00:00:00Z'}}\nspec: {{schedule: '0 * * * *', jobTemplate: {{}}}}\n"
        ));
    }
    transaction.commit().unwrap();
    std::fs::write(&manifests, all).unwrap();
    println!("| what | median | peak memory |\n|---|---:|---:|");
    for arguments in [
        "hourly-007 --since=90d",
        "-A",
        "-A --since=90d -o csv",
        "-A --since=90d -o json",
    ] {
        let of = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"));
            command.args(["history", "-q", "--now=2026-11-25T00:00:00Z", "-n=shop"]);
            command.args(arguments.split(' ')).arg("-f").arg(&manifests);
            cost(command.arg("--recorder").arg(&file))
        };
        let costs: Vec<Cost> = (0..ROUNDS).map(|_| of()).collect();
        let Cost { seconds, megabytes } = median(&costs);
        println!(
            "| `history {arguments}` | {seconds:.2} s | {:.0} MB |",
            megabytes.unwrap()
        );
    }
}

struct Cluster<'a> {
    server: &'a str,
    token: &'a str,
}

/// What one of the programs took: in seconds, and in megabytes at its peak.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    /// `None` where several processes take turns.
    megabytes: Option<f64>,
}

type Program<'a> = (&'static str, Box<dyn Fn() -> Cost + 'a>);

/// All take turns, so that a disturbance affects each.
fn measure(cluster: &Cluster<'_>) {
    let programs: Vec<Program<'_>> = vec![
        (
            "both lists by curl, in pages of 500",
            Box::new(|| cluster.curl()),
        ),
        ("`scan -A`", Box::new(|| cluster.scan(&[]))),
        (
            "`scan -A -o json`",
            Box::new(|| cluster.scan(&["-o", "json"])),
        ),
        (
            "`kubectl get cronjobs,jobs -A -o json`",
            Box::new(|| cluster.kubectl()),
        ),
    ];
    let programs: Vec<_> = programs.into_iter().filter(is_installed).collect();
    let mut costs = vec![Vec::new(); programs.len()];
    for round in 0..ROUNDS {
        for ((name, run), costs) in programs.iter().zip(&mut costs) {
            // kubectl takes a minute and gigabytes each time.
            if round % 2 == 0 || !name.contains("kubectl") {
                costs.push(run());
            }
        }
    }
    let medians: Vec<Cost> = costs.iter().map(|costs| median(costs)).collect();
    let base = medians.first().unwrap().seconds;
    println!("| what | median | beside the first | peak memory |");
    println!("|---|---:|---:|---:|");
    for ((name, _), cost) in programs.iter().zip(&medians) {
        let megabytes = cost.megabytes;
        let megabytes = megabytes.map_or("-".to_owned(), |megabytes| format!("{megabytes:.0} MB"));
        println!(
            "| {name} | {:.2} s | {:.2} | {megabytes} |",
            cost.seconds,
            cost.seconds / base
        );
    }
    let of = |wanted: &str| {
        let names = programs.iter().map(|(name, _)| *name);
        let mut named = names.zip(&medians);
        named.find(|(name, _)| name.contains(wanted))
    };
    if let (Some((_, kubectl)), Some((_, scan))) = (of("kubectl"), of("scan")) {
        let times = kubectl.seconds / scan.seconds;
        println!("\nkubectl takes {times:.0} times as long as `scan -A`.");
    }
}

fn is_installed((name, _): &Program<'_>) -> bool {
    let needed = ["curl", "kubectl"].into_iter().find(|it| name.contains(it));
    needed.is_none_or(|program| {
        let mut help = Command::new(program);
        let help = help
            .arg("--help")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let there = help.status().is_ok();
        if !there {
            println!("{name}: not measured, since {program} is not installed.\n");
        }
        there
    })
}

impl Cluster<'_> {
    fn scan(&self, more: &[&str]) -> Cost {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"));
        command.args(["scan", "-A", "--quiet"]).args(more);
        self.of_process(&mut command)
    }

    fn kubectl(&self) -> Cost {
        let mut command = Command::new("kubectl");
        command.args(["get", "cronjobs,jobs", "-A", "-o", "json"]);
        self.of_process(&mut command)
    }

    fn of_process(&self, command: &mut Command) -> Cost {
        command
            .args(["--server", self.server, "--token", self.token])
            .arg("--insecure-skip-tls-verify")
            .env("KUBECONFIG", "/dev/null")
            .env("HOME", std::env::temp_dir());
        cost(command)
    }

    /// Both lists in parallel, as `scan` fetches them.
    fn curl(&self) -> Cost {
        let began = Instant::now();
        std::thread::scope(|scope| {
            for list in LISTS {
                scope.spawn(move || self.curl_list(list));
            }
        });
        Cost {
            seconds: began.elapsed().as_secs_f64(),
            megabytes: None,
        }
    }

    fn curl_list(&self, list: &str) {
        let path = format!("{}/apis/batch/v1/{list}?limit=500", self.server);
        let mut uri = path.clone();
        loop {
            let output = Command::new("curl")
                .args(["--silent", "--show-error", "--fail", "--insecure"])
                .args(["--header", &format!("Authorization: Bearer {}", self.token)])
                .args(["--header", "Accept: application/vnd.kubernetes.protobuf"])
                .arg(&uri)
                .output()
                .unwrap();
            assert!(output.status.success(), "{uri}: {output:?}");
            let next = next_page(&output.stdout.into());
            if next.is_empty() {
                return;
            }
            uri = format!("{path}&continue={next}");
        }
    }
}

fn cost(command: &mut Command) -> Cost {
    let taken = peak::taken(command.stdout(Stdio::null()).stderr(Stdio::null()));
    // 2 if a context could not be read.
    let is_fine = matches!(taken.status.code(), Some(0 | 2));
    assert!(is_fine, "{command:?}: {taken:?}");
    #[allow(clippy::cast_precision_loss, reason = "it is far from 2^52")]
    let megabytes = taken.peak as f64 / 1e6;
    Cost {
        seconds: taken.time.as_secs_f64(),
        megabytes: Some(megabytes),
    }
}

/// The token of the next page; empty if there is none.
fn next_page(answer: &Bytes) -> String {
    #[derive(Clone, PartialEq, Message)]
    struct Envelope {
        #[prost(bytes = "bytes", tag = "2")]
        raw: Bytes,
    }
    #[derive(Clone, PartialEq, Message)]
    struct List {
        #[prost(message, optional, tag = "1")]
        metadata: Option<ListMeta>,
    }
    #[derive(Clone, PartialEq, Message)]
    struct ListMeta {
        #[prost(string, tag = "3")]
        next: String,
    }
    let envelope = Envelope::decode(answer.slice(4..)).unwrap();
    let list = List::decode(envelope.raw).unwrap();
    list.metadata.unwrap().next
}

fn median(costs: &[Cost]) -> Cost {
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Cost {
        seconds: middle(costs.iter().map(|cost| cost.seconds).collect()).unwrap(),
        megabytes: middle(costs.iter().filter_map(|cost| cost.megabytes).collect()),
    }
}
