//! A board that follows a real start.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::control_plane::prelude::*;

/// A call that would go on for ever.
struct Follower(Child);

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_pipe_hears_of_a_start() {
    let Some(plane) = shared_plane() else { return };
    let ns = Namespace::new(plane, "watched");
    let spec = json!({"schedule": ns.clock.hourly(10), "timeZone": "Etc/UTC", "suspend": true});
    ns.create("late", &spec);
    ns.set_last("late", ns.clock.hours_and_minutes_ago(1, 10));
    let child = Command::new(env!("CARGO_BIN_EXE_kubectl-cronjob_doctor"))
        .args([
            "scan",
            "--watch",
            "-o",
            "wide",
            "-n",
            "watched",
            "--kubeconfig",
        ])
        .arg(plane.kubeconfig("admin"))
        .env_clear()
        .env("HOME", "/no/such/folder")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut follower = Follower(child);
    let mut lines = BufReader::new(follower.0.stdout.take().unwrap()).lines();
    let mut next = || cells(&lines.next().unwrap().unwrap());
    let headings = next();
    let column = |row: &[String], heading: &str| {
        let place = headings.iter().position(|known| known == heading);
        row[place.unwrap()].clone()
    };
    let row = next();
    let expected = ("True".to_owned(), "0".to_owned());
    assert_eq!((column(&row, "SUSPEND"), column(&row, "ACTIVE")), expected);
    ns.edit("late", &json!({"spec": {"suspend": false}}));
    // The edit may come before the start, or both at once.
    let row = loop {
        let row = next();
        assert_eq!(
            (row[1].as_str(), column(&row, "SUSPEND").as_str()),
            ("late", "False")
        );
        if column(&row, "ACTIVE") == "1" {
            break row;
        }
    };
    assert_eq!(
        (column(&row, "MISSED"), column(&row, "HEALTH")),
        ("0".to_owned(), "ok".to_owned())
    );
}

/// The cells of a line; there are three blanks between them.
fn cells(line: &str) -> Vec<String> {
    let cells = line.split("   ").map(str::trim);
    cells
        .filter(|cell| !cell.is_empty())
        .map(str::to_owned)
        .collect()
}
