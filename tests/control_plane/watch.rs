//! `scan --watch` while a real run starts.

use crate::control_plane::prelude::*;
use crate::live::call::Call;
use crate::live::running_call::RunningCall;

#[test]
fn scan_watch_shows_a_started_run() {
    let ns = namespace!("watched");
    let spec = json!({"schedule": ns.clock.hourly(10), "timeZone": "Etc/UTC", "suspend": true});
    ns.create("late", &spec);
    ns.set_last("late", ns.clock.hours_and_minutes_ago(1, 10));
    let kubeconfig = ns.plane.kubeconfig("admin");
    let kubeconfig = ["--kubeconfig", kubeconfig.to_str().unwrap()];
    let watch = RunningCall::start(Call::new(("scan --watch -o wide -n watched", kubeconfig)));
    let next = || cells(&watch.line());
    let headings = next();
    let column = |row: &[String], heading: &str| {
        let place = headings.iter().position(|known| known == heading);
        row[place.unwrap()].clone()
    };
    let row = next();
    let expected = ["True", "0"];
    assert_eq!([column(&row, "SUSPEND"), column(&row, "ACTIVE")], expected);
    ns.edit("late", &json!({"spec": {"suspend": false}}));
    // The edit may be shown before the start, or together with it.
    let row = loop {
        let row = next();
        assert_eq!([&row[1], &column(&row, "SUSPEND")], ["late", "False"]);
        if column(&row, "ACTIVE") == "1" {
            break row;
        }
    };
    let expected = ["0", "ok"];
    assert_eq!([column(&row, "MISSED"), column(&row, "HEALTH")], expected);
}

/// The cells of a line, which are separated by three spaces.
fn cells(line: &str) -> Vec<String> {
    let cells = line.split("   ").map(str::trim);
    cells
        .filter(|cell| !cell.is_empty())
        .map(str::to_owned)
        .collect()
}
