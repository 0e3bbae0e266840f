//! Proxies between here and the server, as the environment or the kubeconfig names them.

use serde_json::{Value, json};

use crate::live::call::Call;
use crate::live::listeners::{answering, proxy_to};
use crate::live::scene::{NOW, SHOP, server};
use crate::support::apiserver::{ApiServer, Kubeconfig};

/// A name that no resolver knows: only a proxy can get there.
const FAR: &str = "https://cluster.invalid:6443";

fn port(server: &ApiServer) -> u16 {
    server.url().rsplit_once(':').unwrap().1.parse().unwrap()
}

fn far() -> Kubeconfig {
    Kubeconfig::user("viewer").namespace("shop").url(FAR)
}

/// The server's certificate knows it by another name than the proxy does.
const FLAGS: [&str; 3] = ["scan", NOW, "--tls-server-name=localhost"];

#[test]
fn the_environment_names_one() {
    let server = server();
    for name in ["HTTPS_PROXY", "https_proxy"] {
        let proxy = proxy_to(port(&server));
        let address = format!("http://127.0.0.1:{}", proxy.port);
        let call = Call::new(&FLAGS)
            .with(&server, &far())
            .variable(name, &address);
        assert_eq!(call.run().fine(), SHOP);
        let asked = proxy.asked();
        assert!(!asked.is_empty(), "{name}");
        assert!(
            asked
                .iter()
                .all(|line| line == "CONNECT cluster.invalid:6443 HTTP/1.1")
        );
    }
}

#[test]
fn the_kubeconfig_names_one() {
    let server = server();
    let proxy = proxy_to(port(&server));
    let path = server.kubeconfig(&far());
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    config["clusters"][0]["cluster"]["proxy-url"] =
        json!(format!("http://127.0.0.1:{}", proxy.port));
    let path = server.file("kubeconfig", &config.to_string());
    let call = Call::new(&FLAGS).variable("KUBECONFIG", path.to_str().unwrap());
    assert_ran!(call.run(), 0);
    assert!(!proxy.asked().is_empty());
}

#[test]
fn a_server_on_this_machine_is_reached_without() {
    let server = server();
    let config = Kubeconfig::user("viewer").namespace("shop");
    let proxy = answering("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    let address = format!("http://127.0.0.1:{}", proxy.port);
    let call = Call::new(&["scan", NOW])
        .with(&server, &config)
        .variable("HTTPS_PROXY", &address)
        .variable("HTTP_PROXY", &address)
        .variable("ALL_PROXY", &address);
    assert_ran!(call.run(), 0);
    assert!(proxy.asked().is_empty());
}

#[test]
fn some_servers_are_excepted() {
    let server = server();
    for (list, is_excepted) in [("example.com,.invalid", true), ("example.com", false)] {
        let proxy = answering("HTTP/1.1 502 Bad Gateway\r\n\r\n");
        let address = format!("http://127.0.0.1:{}", proxy.port);
        let call = Call::new(&["scan", NOW, "--request-timeout=5s"])
            .with(&server, &far())
            .variable("HTTPS_PROXY", &address)
            .variable("NO_PROXY", list);
        assert_eq!(call.run().code, 2);
        assert_eq!(proxy.asked().is_empty(), is_excepted, "{list}");
    }
}

#[test]
fn the_proxy_refuses() {
    let server = server();
    let proxy = answering("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    let address = format!("http://127.0.0.1:{}", proxy.port);
    let call = Call::new(&FLAGS)
        .with(&server, &far())
        .variable("HTTPS_PROXY", &address);
    assert_ran!(call.run().replacing(&address, "PROXY"), 2);
}

#[test]
fn the_proxy_is_not_there() {
    let server = server();
    let call = Call::new(&FLAGS).with(&server, &far());
    assert_ran!(call.variable("HTTPS_PROXY", "http://127.0.0.1:1").run(), 2);
}

#[test]
fn somebody_sends_us_elsewhere() {
    let small = answering(
        "HTTP/1.1 302 Found\r\nLocation: https://login.example.com/\r\nContent-Length: 0\r\n\r\n",
    );
    let url = format!("http://127.0.0.1:{}", small.port);
    let ran = Call::new(&["scan", NOW, "--server", &url]).run();
    assert_ran!(ran.replacing(&url, "SERVER"), 2);
}
