//! The flags that set the address of the cluster and the user.

use crate::live::prelude::*;

/// The flags with which the viewer needs no kubeconfig.
fn flags_of(server: &ApiServer) -> [String; 3] {
    let authority = server.file("ca.crt", server.authority());
    [
        format!("--server={}", server.url()),
        "--token=viewer-token".to_owned(),
        format!("--certificate-authority={}", authority.display()),
    ]
}

#[test]
fn connection_flags_need_no_kubeconfig() {
    let server = server();
    assert_ran!(Call::new(("scan -A", NOW, flags_of(&server))).run(), 0);
    let url = server.url();
    let flags = format!("-A {NOW} -s {url} --token=viewer-token --insecure-skip-tls-verify");
    assert_ran!(Call::new(flags).run(), 0);
    for request in server.requests() {
        assert_eq!(request.header("Authorization"), Some("Bearer viewer-token"));
    }
}

/// There is no kubeconfig that the errors could refer to.
#[test]
fn connection_flags_with_invalid_values_are_errors() {
    let server = "--server=https://127.0.0.1:1";
    let flags = [
        ["--server=a b", "--token=a"],
        [server, "--certificate-authority=/no/such/folder/file"],
        [server, "--client-certificate=/no/such/folder/file"],
    ];
    let errors = flags.map(|flags| Call::new(("scan", NOW, &flags)).run().refused());
    insta::assert_snapshot!(errors.concat());
}

/// As in client-go, it is refused before any request is sent.
#[test]
fn namespace_that_cannot_be_part_of_a_path_is_refused() {
    let server = server();
    let errors = ["a/b", "a%2Fb", ".."].map(|name| {
        let error = view(&server, ["scan", "-n", name]).refused();
        let suspend = ask(&server, "admin", ["suspend", "--all", "-n", name]);
        assert_eq!(suspend.refused(), error);
        // With -A, the namespace is neither used nor checked.
        let all = view(&server, ["scan", "-A", "-n", name]);
        assert_eq!(all.fine(), ALL);
        error
    });
    insta::assert_snapshot!(errors.concat());
    let requests = server.requests();
    assert!(requests.iter().all(|one| !one.path.contains("namespaces")));
}

calls! {
    /// As in kubectl. A variable that was never set is empty, too.
    empty_namespace_flag_is_ignored {} view(&server(), ["scan", "-n", ""]) => 0;
    client_certificate_that_is_not_pem_is_an_error(server) {
        let pem = server.file("no.pem", "no certificate").display().to_string();
        let pair = format!("--client-certificate {pem} --client-key {pem}");
    } Call::new(("scan --server=https://127.0.0.1:1", pair)).run() => 2;
    connection_flags_override_the_kubeconfig(server) {
        let elsewhere = Kubeconfig::user("nobody")
            .namespace("shop")
            .url("https://127.0.0.1:1")
            .wrong_authority();
        let call = Call::new(("scan", NOW, flags_of(&server)));
    } call.with(&server, &elsewhere).run() => 0;
    impersonation_without_the_right_is_refused {} view(&server(), "scan --as=admin") => 2;
}

#[test]
fn connection_flags_work_before_and_after_the_verb() {
    let server = server();
    let path = server.kubeconfig(&Kubeconfig::user("viewer"));
    let path = path.to_str().unwrap();
    for arguments in [
        ["--kubeconfig", path, "-n", "shop", "scan", NOW],
        ["-n", "shop", "scan", "--kubeconfig", path, NOW],
        ["scan", NOW, "--kubeconfig", path, "-n", "shop"],
        ["-n", "shop", NOW, "scan", "--kubeconfig", path],
        ["-n", "shop", NOW, "--kubeconfig", path, "--context=test"],
    ] {
        assert_eq!(Call::new(arguments).run().fine(), SHOP);
    }
}

#[test]
fn impersonation_is_sent() {
    let server = server();
    let flags = "scan --as=viewer --as-group=a --as-group 'b c' --as-uid=42";
    assert_ran!(ask(&server, "admin", flags), 0);
    for request in server.requests() {
        assert_eq!(request.header("Impersonate-User"), Some("viewer"));
        assert_eq!(request.headers("Impersonate-Group"), ["a", "b c"]);
        assert_eq!(request.header("Impersonate-Uid"), Some("42"));
        assert_eq!(request.header("Authorization"), Some("Bearer admin-token"));
    }
}

/// Names are sent as kubectl sends them, and names that a header cannot contain are refused.
#[test]
fn impersonation_sends_utf_8_and_refuses_control_characters() {
    let server = server();
    ask(&server, "admin", "scan --as=jürgen --as-group=müller");
    for request in server.requests() {
        assert_eq!(request.header("Impersonate-User"), Some("jürgen"));
        assert_eq!(request.header("Impersonate-Group"), Some("müller"));
    }
    let server = self::server();
    let flags = [
        &["--as=a\nb"][..],
        &["--as=a", "--as-group=\u{1b}"],
        &["--as=a", "--as-uid=\r"],
    ];
    let errors = flags.map(|flags| ask(&server, "admin", ("scan", flags)).refused());
    insta::assert_snapshot!(errors.concat());
    assert!(server.requests().is_empty());
}

/// As in kubectl, they take precedence over all others and are sent without the escapes of the address.
#[test]
fn credentials_in_the_address_are_sent_and_never_shown() {
    let server = server();
    let secret = |url: &str| url.replace("://", "://user:SE%40CRET@");
    let url = secret(&server.url());
    let config = Kubeconfig::user("viewer").namespace("shop").url(&url);
    let unauthorized = "you must be logged in to the server (Unauthorized)\n";
    let ran = Call::new(format!("scan {NOW} -v"))
        .with(&server, &config)
        .run();
    let lines: Vec<&str> = ran.stderr.split_inclusive('\n').collect();
    let [traced, error, _] = lines[..] else {
        panic!("{ran:?}");
    };
    assert_starts!(traced, "GET SERVER/version 401 Unauthorized in ");
    assert_eq!(error, format!("error: {unauthorized}"));
    for request in server.requests() {
        // user:SE@CRET
        let basic = "Basic dXNlcjpTRUBDUkVU";
        assert_eq!(request.header("Authorization"), Some(basic));
    }
    // Documents do not contain them, either.
    let pair = server.client_certificate("admin", false);
    let config = Kubeconfig::certificate(&pair).namespace("shop").url(&url);
    let outputs = [
        "report -o json",
        "report",
        "scan -v",
        "suspend nightly --yes",
    ]
    .map(|arguments| {
        let ran = Call::new((arguments, NOW)).with(&server, &config).run();
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout + &ran.stderr
    });
    assert_contains!(outputs[0], "\"server\": \"SERVER\"");
    for text in &outputs {
        assert_lacks!(text, "CRET");
    }
    // The server or the proxy cannot be reached, or the address is invalid.
    let nowhere = secret("https://127.0.0.1:1");
    let proxy = secret("http://127.0.0.1:1");
    let far = secret("https://cluster.invalid");
    for (url, proxy) in [
        (nowhere.as_str(), ""),
        ("http://user:SECRET@a b", ""),
        (&far, &proxy),
        (&far, "htxp://user:SECRET@127.0.0.1:1"),
    ] {
        let call = Call::new(["scan", NOW, "--server", url]);
        let ran = call.variable("HTTPS_PROXY", proxy).run();
        assert_eq!(ran.code, 2, "{ran:?}");
        for secret in ["user", "CRET"] {
            assert_lacks!(ran.stderr, secret);
        }
    }
}

#[test]
fn impersonation_of_a_group_without_a_user_is_refused() {
    let server = server();
    let flags = ["--as-group=a", "--as-uid=42"];
    let errors = flags.map(|flag| ask(&server, "admin", ["scan", flag]).refused());
    insta::assert_snapshot!(errors.concat());
    assert!(server.requests().is_empty());
}
