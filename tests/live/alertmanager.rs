//! An Alertmanager, and what it sends to a receiver.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use test_requirements::ALERTMANAGER;

use crate::live::serve::ask;
use crate::support::control_plane::eventually;
use crate::support::prelude::*;

/// A server that runs until it is dropped.
pub(crate) struct Alertmanager {
    child: Child,
    pub(crate) address: String,
    received: Arc<Mutex<Vec<Notification>>>,
    _folder: Folder,
}

/// An alert that began or ended, as its receiver saw it.
#[derive(Clone, Debug)]
pub(crate) struct Notification {
    pub(crate) at: Instant,
    /// `firing` or `resolved`
    pub(crate) status: String,
    pub(crate) alert: String,
    /// Empty for one about the cluster.
    pub(crate) cron_job: String,
}

impl Alertmanager {
    /// Starts it, with each alert as a notification of its own; `None` where it is not installed, which is reported.
    pub(crate) fn start() -> Option<Alertmanager> {
        let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", receiver.local_addr().unwrap());
        let config = format!(
            "route: {{receiver: test, group_by: ['...'], group_wait: 1s, group_interval: 1s, repeat_interval: 24h}}\n\
             receivers: [{{name: test, webhook_configs: [{{url: '{url}'}}]}}]\n"
        );
        let folder = Folder::new("alertmanager", &[("alertmanager.yml", config.as_str())]);
        // The port is free at this moment.
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = port.local_addr().unwrap().to_string();
        drop(port);
        // The second one is the name in Debian.
        let child = ["alertmanager", "prometheus-alertmanager"]
            .into_iter()
            .find_map(|program| {
                let mut command = Command::new(program);
                command
                    .args(["--config.file=alertmanager.yml", "--storage.path=data"])
                    .args(["--cluster.listen-address=", "--log.level=error"])
                    .arg(format!("--web.listen-address={address}"))
                    .current_dir(folder.path())
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null());
                command.spawn().ok()
            });
        let Some(child) = child else {
            ALERTMANAGER.skip();
            return None;
        };
        let received = Arc::<Mutex<Vec<Notification>>>::default();
        let all = Arc::clone(&received);
        thread::spawn(move || {
            for stream in receiver.incoming() {
                let notifications = receive(stream.unwrap());
                all.lock().unwrap().extend(notifications);
            }
        });
        let alertmanager = Alertmanager {
            child,
            address,
            received,
            _folder: folder,
        };
        eventually("Alertmanager listens", || {
            TcpListener::bind(&alertmanager.address).err()
        });
        eventually("Alertmanager is ready", || {
            Some(()).filter(|()| ask(&alertmanager.address, "GET", "/-/ready").code == 200)
        });
        Some(alertmanager)
    }

    /// What was sent so far, in order.
    pub(crate) fn notifications(&self) -> Vec<Notification> {
        self.received.lock().unwrap().clone()
    }
}

/// Reads a request and answers it.
fn receive(mut stream: TcpStream) -> Vec<Notification> {
    let (mut request, mut some) = (Vec::new(), [0; 4096]);
    let body = loop {
        let count = stream.read(&mut some).unwrap();
        request.extend(&some[..count]);
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let (_, length) = head.split_once("content-length: ").unwrap();
            let length = length.lines().next().unwrap().parse::<usize>().unwrap();
            if body.len() >= length {
                break body.to_owned();
            }
        }
        assert!(count > 0, "{text}");
    };
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(response.as_bytes()).unwrap();
    let document: Value = serde_json::from_str(&body).unwrap();
    let at = Instant::now();
    let alerts = document["alerts"].items().iter();
    let notifications = alerts.map(|alert| {
        let label = |name: &str| {
            alert["labels"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        Notification {
            at,
            status: alert["status"].text().to_owned(),
            alert: label("alertname"),
            cron_job: label("cronjob"),
        }
    });
    notifications.collect()
}

impl Drop for Alertmanager {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
