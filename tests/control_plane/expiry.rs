//! A list that expires before its last page is read.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::control_plane::prelude::*;

/// A proxy of the API server that compacts etcd once: before the second page of a list of CronJobs is requested.
struct Proxy {
    plane: &'static ControlPlane,
    has_compacted: AtomicBool,
    /// The path of each request, and the status of the answer.
    answers: Mutex<Vec<(String, u16)>>,
}

impl Proxy {
    /// Starts the proxy, and returns it with its URL.
    fn open(plane: &'static ControlPlane) -> (&'static Proxy, String) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        // The proxy lives until the program ends.
        let proxy: &'static Proxy = Box::leak(Box::new(Proxy {
            plane,
            has_compacted: AtomicBool::new(false),
            answers: Mutex::default(),
        }));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                thread::spawn(move || proxy.forward(stream));
            }
        });
        (proxy, url)
    }

    /// Forwards one request, and its answer.
    fn forward(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let path = first.split(' ').nth(1).unwrap();
        let headers: Vec<String> = lines
            .map_while(Result::ok)
            .take_while(|line| !line.is_empty())
            .collect();
        let accept = headers.iter().find_map(|header| {
            let (name, value) = header.split_once(": ")?;
            name.eq_ignore_ascii_case("accept").then_some(value)
        });
        let is_next_page = path.contains("/cronjobs?") && path.contains("continue=");
        if is_next_page && !self.has_compacted.swap(true, Ordering::SeqCst) {
            self.plane.etcd().compact();
        }
        let accept = [("Accept", accept.unwrap_or("*/*"))];
        let answer = self.plane.api("admin").ask("GET", path, "", &accept);
        self.answers
            .lock()
            .unwrap()
            .push((path.to_owned(), answer.status));
        let mut head = format!("HTTP/1.1 {} -\r\nConnection: close\r\n", answer.status);
        for name in ["Content-Type", "Date"] {
            let value = answer.headers[name].to_str().unwrap();
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", answer.body.len()));
        stream
            .write_all(&[head.as_bytes(), &answer.body].concat())
            .unwrap();
    }
}

#[test]
fn expired_list_is_read_to_its_end() {
    let Some(assets) = assets() else { return };
    // This test has its own control plane, because compaction would also end the watches of other tests. It lives until
    // the program ends.
    let plane: &'static ControlPlane = Box::leak(Box::new(ControlPlane::start(&assets)));
    let ns = Namespace::new(plane, "expiry");
    for name in ["a", "b", "c", "d"] {
        ns.create(name, &json!({"schedule": "0 2 * * *", "suspend": true}));
    }
    let later = "--now=2099-06-01T12:00:00Z";
    let common = ["scan", "-o", "json", "--chunk-size", "1", later];
    let expected = ns.doctor(common).fine();
    let (proxy, url) = Proxy::open(plane);
    let got = ns
        .doctor([&common[..], &["--server", &url]].concat())
        .fine();
    // Its remedies use the same server.
    assert_eq!(got.replace(&format!(" --server {url}"), ""), expected);
    let answers = proxy.answers.lock().unwrap();
    let pages = answers
        .iter()
        .filter(|(path, _)| path.contains("/cronjobs?"));
    let statuses: Vec<u16> = pages.map(|(_, status)| *status).collect();
    assert_eq!(statuses, [200, 410, 200, 200, 200], "{answers:#?}");
}
