use crate::apiserver::Kubeconfig;
use crate::call::Call;
use crate::scene::{NOW, server};

#[test]
fn probe() {
    let server = server();
    for args in [
        vec!["trigger", "nightly", "--yes", "--name=again"],
        vec!["trigger", "nightly", "--yes", "--name=again"],
        vec!["trigger", "nightly", "--yes"],
        vec!["trigger", "hourly", "--dry-run"],
        vec!["trigger", "hourly", "--dry-run=server", "--image=x:2", "--env=A=1", "-o", "yaml", "--", "sh", "-c", "date"],
        vec!["trigger", "hourly", "--env=A-"],
        vec!["trigger", "hourly", "-c", "mian", "--image=x"],
        vec!["trigger", "hourly"],
        vec!["trigger", "--all", "--yes", "--dry-run=server", "-o", "name"],
        vec!["trigger", "--help"],
    ] {
        let mut args = args.clone();
        args.insert(1, NOW);
        let config = Kubeconfig::user("admin").namespace("shop");
        let ran = Call::new(&args).with(&server, &config).run();
        println!("$ {args:?}\n{}---\n{}=== {}", ran.stdout, ran.stderr, ran.code);
    }
    for r in server.requests() {
        println!("{} {:?} {}", r.line(), r.query, String::from_utf8_lossy(&r.body));
    }
}
