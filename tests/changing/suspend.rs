//! `suspend`: what it says, what it sends, and what it writes down.

use crate::apiserver::{ApiServer, Kubeconfig, Recorded};
use crate::call::Call;
use crate::scene::{NOW, server};

#[test]
fn probe() {
    let server = server();
    for args in [
        vec!["suspend", "nightly", "--yes"],
        vec!["suspend", "nightly", "--yes"],
        vec!["suspend", "hourly", "--dry-run", "-o", "json"],
        vec!["suspend", "hourly", "--dry-run=server"],
        vec!["suspend", "hourly"],
        vec!["suspend"],
    ] {
        let args = [&args[..], &[NOW]].concat();
        let config = Kubeconfig::user("admin").namespace("shop");
        let ran = Call::new(&args).with(&server, &config).run();
        println!(
            "$ {args:?}\n{}---\n{}=== {}",
            ran.stdout, ran.stderr, ran.code
        );
    }
    for r in server.requests() {
        println!(
            "{} {:?} {}",
            r.line(),
            r.query,
            String::from_utf8_lossy(&r.body)
        );
    }
}
