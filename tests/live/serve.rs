//! `serve`: metrics and a report over HTTP that follow the cluster.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use crate::live::prelude::*;
use crate::live::scene::server as scene;
use crate::support::control_plane::{eventually, wait_until};

/// An exporter of all namespaces that runs until it is dropped.
pub(crate) struct Exporter {
    pub(crate) going: RunningCall,
    pub(crate) address: String,
}

/// A response over HTTP.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) code: u16,
    head: String,
    pub(crate) body: String,
}

impl Exporter {
    fn start(server: &ApiServer) -> Exporter {
        Exporter::of(Call::by(server, "viewer", "serve -A --listen=127.0.0.1:0"))
    }

    pub(crate) fn of(call: Call<'_>) -> Exporter {
        let going = RunningCall::start(call);
        let start = "Serving on http://";
        let said = going.message_where(|line| line.starts_with(start));
        let address = said[start.len()..].to_owned();
        Exporter { going, address }
    }

    /// Starts, and waits until the first lists are complete.
    pub(crate) fn ready(server: &ApiServer) -> Exporter {
        let exporter = Exporter::start(server);
        exporter.wait_until_ready();
        exporter
    }

    pub(crate) fn wait_until_ready(&self) {
        wait_until("ready", || self.get("/readyz").code == 200);
    }

    fn connect(&self) -> TcpStream {
        connect(&self.address)
    }

    fn ask(&self, method: &str, path: &str) -> Response {
        ask(&self.address, method, path)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.ask("GET", path)
    }

    fn metrics(&self) -> String {
        let response = self.get("/metrics");
        assert_eq!(response.code, 200, "{response:?}");
        response.body
    }

    /// Waits until a line is among the metrics, or is not.
    #[track_caller]
    pub(crate) fn wait_for(&self, line: &str, is_there: bool) {
        wait_until(line, || {
            let has = self.metrics().lines().any(|known| known == line);
            has == is_there
        });
    }
}

/// A server, and an exporter that is ready.
fn ready() -> (ApiServer, Exporter) {
    let server = noon();
    let exporter = Exporter::ready(&server);
    (server, exporter)
}

pub(crate) fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    let timeout = Some(Duration::from_secs(60));
    stream.set_read_timeout(timeout).unwrap();
    stream
}

pub(crate) fn ask(address: &str, method: &str, path: &str) -> Response {
    let host = format!("Host: {address}\r\n");
    send(connect(address), method, path, &host)
}

/// Sends a request, and reads the response.
fn send(mut stream: TcpStream, method: &str, path: &str, headers: &str) -> Response {
    // The request is sent in one piece, because a client that sends it slowly can be cut off.
    let request = format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Response {
        code: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

/// Asserts that a connection was closed or reset before the read timeout of this test, and returns what was received.
#[track_caller]
pub(crate) fn rest_of(stream: &mut TcpStream) -> String {
    let mut rest = Vec::new();
    let end = stream.read_to_end(&mut rest);
    let kind = end.map_err(|error| error.kind()).err();
    assert_ne!(kind, Some(std::io::ErrorKind::WouldBlock));
    String::from_utf8_lossy(&rest).into_owned()
}

/// The metrics that `scan` prints.
fn scanned(server: &ApiServer) -> String {
    let scan = Call::by(server, "viewer", "scan -A -o prometheus --quiet");
    scan.run().stdout
}

fn value(metrics: &str, name: &str) -> i64 {
    let mut lines = metrics.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap().parse().unwrap()
}

/// Everything but the time of the scan and the version of the server.
fn without_time(metrics: &str) -> Vec<&str> {
    let of_serve = [
        "cronjob_doctor_scan_timestamp_seconds ",
        "# HELP cronjob_doctor_build_info ",
        "# TYPE cronjob_doctor_build_info ",
        "cronjob_doctor_build_info{",
    ];
    let lines = metrics.lines();
    lines
        .filter(|line| !of_serve.iter().any(|start| line.starts_with(start)))
        .collect()
}

const SUSPENDED: &str = r#"cronjob_doctor_suspended{namespace="shop",cronjob="nightly"} 1"#;

fn suspend(server: &ApiServer, suspend: bool) {
    set(server, "nightly", "suspend", json!(suspend));
}

/// Adds the CronJob `shop/stuck` with a Job whose pod cannot pull its image.
fn stuck(server: &ApiServer) {
    let mut running = job("shop", "stuck", "2026-11-21T02:05:00Z", None);
    running["status"]["ready"] = json!(0);
    let mut stuck = cron_job("shop", "stuck", "5 2 * * *");
    stuck["status"] = status_with_active(&running);
    server.put(pod_of(&running, "x7k2p", &image_pull_fails("not found")));
    server.put(stuck);
    server.put(running);
}

#[test]
fn metrics_are_those_of_scan() {
    let server = scene();
    stuck(&server);
    let exporter = Exporter::ready(&server);
    let scan = scanned(&server);
    let response = exporter.get("/metrics");
    assert_eq!(without_time(&response.body), without_time(&scan));
    // The finding of the pod, and of the CronJob that never runs.
    for code in ["pod-image-pull-fails", "never-scheduled"] {
        assert_contains!(response.body, code);
    }
    let kind = "content-type: text/plain; version=0.0.4; charset=utf-8";
    assert_contains!(response.head, kind);
    let build = concat!(
        "\ncronjob_doctor_build_info{version=\"",
        env!("CARGO_PKG_VERSION"),
        "\"} 1\n"
    );
    assert_contains!(response.body, build);
}

/// The page has a policy of its own in its markup; a policy for frames only works as a header.
#[test]
fn responses_have_security_headers() {
    let (_server, exporter) = ready();
    let policies = [
        (
            "/",
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        ("/metrics", "default-src 'none'; frame-ancestors 'none'"),
        ("/nothing", "default-src 'none'; frame-ancestors 'none'"),
    ];
    for (path, policy) in policies {
        let head = exporter.get(path).head;
        for header in [
            &format!("content-security-policy: {policy}"),
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(
                head.lines().any(|line| line == header),
                "{path}: {header} {head}"
            );
        }
    }
    assert_contains!(
        exporter.get("/").body,
        "http-equiv=\"Content-Security-Policy\""
    );
}

/// Prometheus and browsers ask for it.
#[test]
fn responses_are_compressed_for_clients_that_accept_it() {
    let server = noon();
    for number in 0..100 {
        let name = format!("report-{number}");
        server.add(cron_job("shop", &name, "0 0 31 2 *"));
    }
    let exporter = Exporter::ready(&server);
    for path in ["/metrics", "/"] {
        let plain = exporter.get(path);
        assert_lacks!(plain.head, "content-encoding");
        assert_contains!(plain.head, "vary: accept-encoding");
        let mut stream = exporter.connect();
        let host = &exporter.address;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: br, gzip;q=0.9\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        let end = response
            .windows(4)
            .position(|end| end == b"\r\n\r\n")
            .unwrap();
        let (head, body) = response.split_at(end + 4);
        assert_contains!(String::from_utf8_lossy(head), "content-encoding: gzip");
        assert!(body.len() * 3 < plain.body.len(), "{path}: {}", body.len());
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(body);
        decoder.read_to_string(&mut text).unwrap();
        assert!(without_time(&text) == without_time(&plain.body), "{path}");
    }
}

#[test]
fn metrics_follow_the_cluster() {
    let (server, exporter) = ready();
    exporter.wait_for(SUSPENDED, false);
    suspend(&server, true);
    exporter.wait_for(SUSPENDED, true);
    let never = r#"cronjob_doctor_health{namespace="shop",cronjob="never"} 3"#;
    server.put(cron_job("shop", "never", "0 0 31 2 *"));
    exporter.wait_for(never, true);
    server.delete("batch/v1", "CronJob", "shop", "never");
    exporter.wait_for(never, false);
    // A Job fails.
    let scheduled = "2026-11-21T11:00:00Z";
    let failed = r#"cronjob_doctor_last_run_result{namespace="shop",cronjob="nightly"} 0"#;
    exporter.wait_for(failed, false);
    let mut job = job("shop", "nightly", scheduled, None);
    job["status"] = ended_status("Failed", [scheduled, "2026-11-21T11:01:00Z"]);
    server.put(job);
    exporter.wait_for(failed, true);
}

#[test]
fn exporter_is_ready_after_the_first_lists() {
    let server = noon();
    let cron_jobs = Match::path("/apis/batch/v1/cronjobs").method("GET");
    server.fault(cron_jobs, Fault::Hold);
    let exporter = Exporter::start(&server);
    server.wait_for_request(|one| one.line() == "GET /apis/batch/v1/cronjobs");
    let reading = (503, "reading CronJobs, Jobs and events\n".to_owned());
    for path in ["/readyz", "/metrics", "/"] {
        let response = exporter.get(path);
        assert_eq!((response.code, response.body), reading, "{path}");
    }
    assert_eq!(exporter.get("/healthz").body, "ok\n");
    server.clear_faults();
    exporter.wait_until_ready();
    assert!(exporter.metrics().contains("nightly"));
}

#[test]
fn first_lists_that_are_forbidden_are_an_error() {
    let server = noon();
    let call = Call::by(&server, "nobody", "serve -A --listen=127.0.0.1:0");
    let ran = call.run().refused();
    assert_contains!(ran, "error: cannot list cronjobs.batch");
}

#[test]
fn unknown_paths_and_methods_are_refused() {
    let (_server, exporter) = ready();
    for path in ["/metric", "/metrics/", "/debug/pprof", "/..", "//"] {
        assert_eq!(exporter.get(path).code, 404, "{path}");
    }
    for path in ["/", "/metrics", "/healthz", "/readyz"] {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            let response = exporter.ask(method, path);
            assert_eq!(response.code, 405, "{method} {path}");
            assert_contains!(response.head, "allow: get, head");
        }
        let head = exporter.ask("HEAD", path);
        assert_eq!((head.code, head.body.as_str()), (200, ""), "{path}");
        let length = format!("content-length: {}", exporter.get(path).body.len());
        assert!(head.head.contains(&length), "{path}: {length} {head:?}");
    }
    // Queries are ignored.
    assert_eq!(exporter.get("/healthz?verbose").code, 200);
}

#[test]
fn page_is_the_report() {
    let server = scene();
    let exporter = Exporter::ready(&server);
    let page = exporter.get("/");
    assert_eq!(page.code, 200);
    assert!(page.head.contains("content-type: text/html; charset=utf-8"));
    assert_starts!(page.body.to_ascii_lowercase(), "<!doctype html>");
    for name in ["nightly", "hourly", "never"] {
        assert_contains!(page.body, name);
    }
    // It is not computed again for some seconds.
    server.put(cron_job("shop", "another", "0 0 31 2 *"));
    let another = r#"cronjob_doctor_health{namespace="shop",cronjob="another"} 3"#;
    exporter.wait_for(another, true);
    assert!(exporter.get("/").body == page.body);
}

#[test]
fn exporter_continues_after_the_server_restarts() {
    let (server, exporter) = ready();
    server.wait_for(|requests| watches(requests) == 3);
    server.stop();
    let start = "warning: connection to the cluster lost, retrying: ";
    while !exporter.going.message().starts_with(start) {}
    // Changes from now on are unknown, so the time of the metrics does not advance.
    let name = "cronjob_doctor_scan_timestamp_seconds";
    let lost = eventually("metrics as of the loss", || {
        let before = value(&exporter.metrics(), name);
        let begun = Instant::now();
        wait_until("two seconds", || begun.elapsed() > Duration::from_secs(2));
        Some(before).filter(|before| value(&exporter.metrics(), name) == *before)
    });
    for path in ["/healthz", "/readyz"] {
        assert_eq!(exporter.get(path).code, 200, "{path}");
    }
    server.restart();
    suspend(&server, true);
    exporter.wait_for(SUSPENDED, true);
    wait_until("the time of the metrics advances", || {
        value(&exporter.metrics(), name) > lost
    });
}

#[test]
fn exporter_continues_after_watches_are_closed_and_expire() {
    let (server, exporter) = ready();
    server.wait_for(|requests| watches(requests) == 3);
    server.put(job("other", "some", "2026-11-21T02:00:00Z", None));
    server.compact();
    server.close_watches();
    suspend(&server, true);
    exporter.wait_for(SUSPENDED, true);
    server.close_watches();
    suspend(&server, false);
    exporter.wait_for(SUSPENDED, false);
}

#[test]
fn watches_are_opened_again_after_rejected_credentials() {
    let (server, exporter) = ready();
    server.wait_for(|requests| watches(requests) == 3);
    let cron_jobs = Match::path("/apis/batch/v1/cronjobs");
    server.fault(cron_jobs, Fault::Status(401));
    server.close_watches();
    let going = &exporter.going;
    going.message_where(|line| line.starts_with("warning: "));
    assert!(exporter.metrics().contains("nightly"));
    server.clear_faults();
    suspend(&server, true);
    exporter.wait_for(SUSPENDED, true);
}

/// Pods are not watched, but read again while a Job may have a problem.
#[test]
fn exporter_reads_pods_again_while_a_job_may_have_a_problem() {
    let (server, exporter) = ready();
    let pods = |one: &Recorded| one.line() == "GET /api/v1/namespaces/shop/pods";
    assert!(server.requests_where(pods).is_empty());
    stuck(&server);
    server.wait_for_request(pods);
    let scan = scanned(&server);
    wait_until("the metrics of scan", || {
        without_time(&exporter.metrics()) == without_time(&scan)
    });
}

#[test]
fn slow_clients_are_cut_off() {
    let (_server, exporter) = ready();
    let mut slow = exporter.connect();
    slow.write_all(b"GET /metrics HTTP/1.1\r\nHost: ").unwrap();
    let mut silent = exporter.connect();
    // Others are served in the meantime.
    assert_eq!(exporter.get("/metrics").code, 200);
    for stream in [&mut slow, &mut silent] {
        assert_lacks!(rest_of(stream), "200 OK");
    }
}

/// A page of another site can make its own name resolve to the loopback address.
#[test]
fn loopback_listener_answers_only_loopback_names() {
    let server = noon();
    let names = |listen: &str, names: &[&str], code: u16| {
        let call = Call::by(&server, "viewer", format!("serve -A {listen}"));
        let exporter = Exporter::of(call);
        exporter.wait_until_ready();
        let (_, port) = exporter.address.rsplit_once(':').unwrap();
        let address = format!("127.0.0.1:{port}");
        for name in names {
            let host = name.replace("PORT", port);
            let response = send(connect(&address), "GET", "/healthz", &host);
            assert_eq!(response.code, code, "{listen} {name:?}");
        }
    };
    let local = [
        "Host: localhost:PORT\r\n",
        "Host: LOCALHOST\r\n",
        "Host: 127.0.0.1:PORT\r\n",
        "Host: 127.8.9.10\r\n",
        "Host: [::1]:PORT\r\n",
    ];
    let others = [
        "",
        "Host: \r\n",
        "Host: attacker.example:PORT\r\n",
        "Host: localhost.attacker.example\r\n",
        "Host: 192.0.2.1\r\n",
        "Host: attacker.example@localhost\r\n",
        "Host: localhost@127.0.0.1\r\n",
        "Host: localhost\r\nHost: localhost\r\n",
    ];
    names("--listen=127.0.0.1:0", &local, 200);
    names("--listen=127.0.0.1:0", &others, 421);
    // Other machines may use any name.
    names("--listen=:0", &[&local[..], &others[2..5]].concat(), 200);
}

#[test]
fn large_heads_are_refused() {
    let (_server, exporter) = ready();
    let mut stream = exporter.connect();
    let head = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    // It may be cut off in the middle.
    let _ = stream.write_all(head.as_bytes());
    assert_lacks!(rest_of(&mut stream), "200 OK");
    assert_eq!(exporter.get("/healthz").code, 200);
}

#[test]
fn many_clients_are_served() {
    let (_server, exporter) = ready();
    // More than may be connected at the same time.
    let address = exporter.address.as_str();
    thread::scope(|scope| {
        for path in ["/metrics", "/", "/readyz"].repeat(100) {
            scope.spawn(move || assert_eq!(ask(address, "GET", path).code, 200));
        }
    });
}

#[test]
fn signals_end_the_exporter() {
    for (signal, code) in [("TERM", 0), ("INT", 130)] {
        let server = noon();
        let exporter = Exporter::ready(&server);
        exporter.going.signal(signal);
        assert_eq!(exporter.going.end(), (vec![], Some(code)), "{signal}");
    }
}

#[test]
fn serve_with_files_now_or_an_invalid_address_is_refused() {
    for (flag, said) in [
        ("-f=examples", "-f cannot be used with serve"),
        (NOW, "--now cannot be used with serve"),
        ("--listen=nowhere", "cannot listen on nowhere"),
    ] {
        let ran = Call::new(["serve", flag]).run().refused();
        assert_starts!(ran, &format!("error: {said}"));
    }
}
