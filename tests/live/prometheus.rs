//! A Prometheus that collects from exporters and evaluates rules every second.

use std::fmt::Write as _;
use std::fs::File;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use test_requirements::PROMETHEUS;

use crate::live::serve::ask;
use crate::support::control_plane::eventually;
use crate::support::prelude::*;

/// A server that runs until it is dropped.
pub(crate) struct Prometheus {
    child: Child,
    address: String,
    _folder: Folder,
}

impl Prometheus {
    /// Starts it with rules; `None` where it is not installed, which is reported.
    pub(crate) fn start(exporters: &[&str], rules: &str) -> Option<Prometheus> {
        Prometheus::alerting(exporters, rules, None)
    }

    /// The same, with the address of an Alertmanager.
    pub(crate) fn alerting(
        exporters: &[&str],
        rules: &str,
        alertmanager: Option<&str>,
    ) -> Option<Prometheus> {
        let (targets, alerted) = (json!(exporters), json!(Vec::from_iter(alertmanager)));
        let config = format!(
            "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [rules.yaml]\nscrape_configs:\n\
             - job_name: cronjob-doctor\n  static_configs: [{{targets: {targets}}}]\n\
             alerting: {{alertmanagers: [{{static_configs: [{{targets: {alerted}}}]}}]}}\n"
        );
        let files = [("prometheus.yml", config.as_str()), ("rules.yaml", rules)];
        let folder = Folder::new("prometheus", &files);
        // The port is free at this moment.
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = port.local_addr().unwrap().to_string();
        drop(port);
        let log = File::create(folder.join("log")).unwrap();
        let child = Command::new("prometheus")
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address={address}"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let Ok(child) = child else {
            PROMETHEUS.skip();
            return None;
        };
        let prometheus = Prometheus {
            child,
            address,
            _folder: folder,
        };
        eventually("Prometheus listens", || {
            TcpListener::bind(&prometheus.address).err()
        });
        eventually("Prometheus is ready", || {
            Some(()).filter(|()| ask(&prometheus.address, "GET", "/-/ready").code == 200)
        });
        Some(prometheus)
    }

    /// The value of an expression at a time, or now; `None` if it has no result.
    pub(crate) fn value(&self, expression: &str, at: Option<i64>) -> Option<f64> {
        let mut encoded = String::new();
        for byte in expression.bytes() {
            write!(encoded, "%{byte:02x}").unwrap();
        }
        let at = at.map_or_else(String::new, |at| format!("&time={at}"));
        let path = format!("/api/v1/query?query={encoded}{at}");
        let response = ask(&self.address, "GET", &path);
        assert_eq!(response.code, 200, "{expression}: {}", response.body);
        let answer: Value = serde_json::from_str(&response.body).unwrap();
        let value = answer["data"]["result"][0]["value"][1].as_str()?;
        Some(value.parse().unwrap())
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
