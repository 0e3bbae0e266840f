//! Proxies that the environment or the kubeconfig sets.

use crate::live::listeners::{answering, proxy_to, socks_to};
use crate::live::prelude::*;

/// A name that no resolver knows: only a proxy can reach it.
const FAR: &str = "https://cluster.invalid:6443";

fn port(server: &ApiServer) -> u16 {
    server.url().rsplit_once(':').unwrap().1.parse().unwrap()
}

fn far() -> Kubeconfig {
    Kubeconfig::user("viewer").namespace("shop").url(FAR)
}

/// The name in the server's certificate is not the one that is sent to the proxy.
const FLAGS: &str = "scan --tls-server-name=localhost --now=2026-11-21T02:13:08Z";

#[test]
fn proxy_of_the_environment_is_used() {
    let server = server();
    for name in ["HTTPS_PROXY", "https_proxy"] {
        let proxy = proxy_to(port(&server));
        let call = Call::new(FLAGS).with(&server, &far());
        assert_eq!(call.variable(name, &proxy.url()).run().fine(), SHOP);
        let mut asked = proxy.asked();
        asked.dedup();
        assert_eq!(asked, ["CONNECT cluster.invalid:6443 HTTP/1.1"], "{name}");
    }
}

/// A call with a kubeconfig whose cluster has that `proxy-url`.
fn through<'s>(server: &'s ApiServer, config: &Kubeconfig, proxy: &str) -> Call<'s> {
    let path = server.kubeconfig_after(config, |config| {
        config["clusters"][0]["cluster"]["proxy-url"] = json!(proxy);
    });
    let call = Call::new(FLAGS).masking(server);
    call.variable("KUBECONFIG", &path)
}

/// As in kubectl, it is used for servers on this machine and those in `NO_PROXY`, too.
#[test]
fn proxy_of_the_kubeconfig_always_holds() {
    let server = server();
    let near = Kubeconfig::user("viewer").namespace("shop");
    let local = server.url().replace("https://", "");
    for (config, address) in [(far(), "cluster.invalid:6443"), (near.clone(), &local[..])] {
        // Each call has its own proxy, because a connection that a call did not need may be served after
        // the call.
        for (proxy, scheme, asked) in [
            (
                proxy_to(port(&server)),
                "http",
                format!("CONNECT {address} HTTP/1.1"),
            ),
            (socks_to(port(&server)), "socks5", address.to_owned()),
        ] {
            let url = format!("{scheme}://127.0.0.1:{}", proxy.port);
            let call = through(&server, &config, &url);
            let call = call.variable("NO_PROXY", "127.0.0.1,localhost,.invalid");
            assert_eq!(call.run().fine(), SHOP);
            let mut lines = proxy.asked();
            lines.dedup();
            assert_eq!(lines, [asked]);
        }
    }
    // If the proxy cannot be reached, the server is not contacted directly.
    server.clear_requests();
    let errors = ["http", "socks5"].map(|scheme| {
        let call = through(&server, &near, &format!("{scheme}://127.0.0.1:1"));
        call.variable("NO_PROXY", "*").run().refused()
    });
    insta::assert_snapshot!(errors.concat());
    assert!(server.requests().is_empty());
}

#[test]
fn proxy_with_an_invalid_address_is_an_error() {
    let server = server();
    let near = Kubeconfig::user("viewer").namespace("shop");
    let invalid = [
        "htxp://127.0.0.1:1",
        "http://user:SECRET@a b",
        "127.0.0.1:1",
        "socks5h://a",
    ];
    let errors = invalid.map(|proxy| through(&server, &near, proxy).run().refused());
    assert!(server.requests().is_empty());
    let of_environment = ["htxp://user:SECRET@127.0.0.1:1", "a b"].map(|proxy| {
        let call = Call::new(FLAGS).with(&server, &far());
        call.variable("HTTPS_PROXY", proxy).run().refused()
    });
    let errors = errors.concat() + &of_environment.concat();
    assert_lacks!(errors, "SECRET");
    insta::assert_snapshot!(errors);
}

/// Tunnels are used for TLS only, because a proxy may not allow others.
#[test]
fn requests_without_tls_are_sent_to_the_proxy_itself() {
    let server = "--server=http://cluster.invalid:8080/prefix";
    for (variable, asked) in [("HTTP_PROXY", true), ("HTTPS_PROXY", false)] {
        let proxy = answering("HTTP/1.1 418 -\r\nContent-Length: 0\r\n\r\n");
        let address = format!("127.0.0.1:{}", proxy.port);
        let call = Call::new(format!("scan {NOW} {server}")).variable(variable, &address);
        assert_eq!(call.run().code, 2);
        let line = "GET http://cluster.invalid:8080/prefix/version HTTP/1.1";
        let expected = asked.then_some(line);
        assert_eq!(proxy.asked().first().map(String::as_str), expected);
    }
}

#[test]
fn no_proxy_variable_bypasses_the_proxy() {
    let server = server();
    for (list, is_excepted) in [("example.com,.invalid", true), ("example.com", false)] {
        let proxy = answering("HTTP/1.1 502 Bad Gateway\r\n\r\n");
        let call = Call::new(format!("scan {NOW} --request-timeout=5s"))
            .with(&server, &far())
            .variable("HTTPS_PROXY", &proxy.url())
            .variable("NO_PROXY", list);
        assert_eq!(call.run().code, 2);
        assert_eq!(proxy.asked().is_empty(), is_excepted, "{list}");
    }
}

calls! {
    server_on_this_machine_is_reached_without_a_proxy(server) {
        let proxy = answering("HTTP/1.1 502 Bad Gateway\r\n\r\n");
        let names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].into_iter();
        let call = Call::by(&server, "viewer", ("scan", NOW));
        let call = names.fold(call, |call, name| call.variable(name, &proxy.url()));
    } call.run() => 0 => proxy.asked().is_empty();
    proxy_that_refuses_the_tunnel_is_an_error(server) {
        let proxy = answering("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
        let call = Call::new(FLAGS).with(&server, &far());
        let ran = call.variable("HTTPS_PROXY", &proxy.url()).run();
    } ran.replacing(&proxy.url(), "PROXY") => 2;
    proxy_that_is_unreachable_is_an_error(server) { let call = Call::new(FLAGS).with(&server, &far()); }
        call.variable("HTTPS_PROXY", "http://127.0.0.1:1").run() => 2;
    redirect_of_the_server_is_not_followed {
        let small = answering(
            "HTTP/1.1 302 Found\r\nLocation: https://login.example.com/\r\nContent-Length: 0\r\n\r\n",
        );
        let ran = Call::new(format!("scan {NOW} --server {}", small.url())).run();
    } ran.replacing(&small.url(), "SERVER") => 2;
}
