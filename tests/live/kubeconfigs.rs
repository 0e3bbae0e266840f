//! Which kubeconfig is used, and the errors about it.

use crate::live::prelude::*;

/// The kubeconfig of a viewer as a tree, for tests that change it.
fn tree(server: &ApiServer) -> Value {
    server.kubeconfig_tree(&Kubeconfig::user("viewer").namespace("shop"))
}

/// `scan` with a kubeconfig of that text.
fn scan_with(server: &ApiServer, kubeconfig: &str, arguments: impl CommandLine) -> Ran {
    let path = server.file("config", kubeconfig);
    let arguments = ("scan", NOW, arguments);
    let call = Call::new(arguments).masking(server);
    call.variable("KUBECONFIG", path.to_str().unwrap()).run()
}

/// `scan` with a valid kubeconfig that `change` has changed.
fn scan_after(change: impl FnOnce(&mut Value), arguments: impl CommandLine) -> Ran {
    let server = server();
    let mut config = tree(&server);
    change(&mut config);
    scan_with(&server, &config.to_string(), arguments)
}

#[test]
fn missing_kubeconfig_is_an_error_of_each_verb() {
    let refused = |arguments: &str| Call::new(arguments).run().refused();
    let expected = refused(&format!("scan {NOW}"));
    insta::assert_snapshot!(expected);
    for verb in "explain next-runs history simulate load report".split(' ') {
        assert_eq!(refused(&format!("{verb} {NOW}")), expected);
    }
    assert_ran!(Call::new([NOW]).run(), 2);
    // Files can neither be changed instead of a cluster nor be watched.
    let without_files = expected.replace(", or read files with -f", "");
    for verb in "suspend resume trigger backfill".split(' ') {
        assert_eq!(refused(&format!("{verb} a")), without_files);
    }
    assert_eq!(refused("scan --watch"), without_files);
    let neither = "/no/such/folder/a::/no/such/folder/b";
    let call = Call::new(("scan", NOW)).variable("KUBECONFIG", neither);
    assert_ran!(call.run(), 2);
}

#[test]
fn flags_that_name_entries_of_a_missing_kubeconfig_are_errors() {
    let flags = ["--context=prod", "--cluster=prod", "--user=prod"];
    let errors = flags.map(|flag| Call::new(format!("scan {flag}")).run().refused());
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn kubeconfig_in_the_home_directory_is_read() {
    let server = server();
    let config = server.kubeconfig(&Kubeconfig::user("viewer").namespace("shop"));
    let home = config.parent().unwrap().join("home");
    std::fs::create_dir_all(home.join(".kube")).unwrap();
    std::fs::rename(config, home.join(".kube/config")).unwrap();
    let call = Call::new(format!("scan {NOW}")).variable("HOME", home.to_str().unwrap());
    assert_ran!(call.run(), 0);
}

/// The first file that defines a name is used for it, and missing files are ignored.
#[test]
fn kubeconfigs_of_a_list_are_merged_and_the_first_entry_wins() {
    let server = server();
    let whole = tree(&server);
    let part = |names: &str| {
        let mut part = json!({"apiVersion": "v1", "kind": "Config"});
        for name in names.split(' ') {
            part[name] = whole[name].clone();
        }
        server.file("part", &part.to_string()).display().to_string()
    };
    let parts = ["clusters current-context", "contexts", "users"].map(part);
    let list = parts.join(":/no/such/folder:");
    let scan = |list: &str| {
        let call = Call::new(format!("scan {NOW}")).masking(&server);
        call.variable("KUBECONFIG", list).run()
    };
    assert_ran!(scan(&list), 0);

    let mut other = whole.clone();
    other["users"][0]["user"]["token"] = json!("stolen");
    let other = server.file("other", &other.to_string());
    assert_ran!(scan(&format!("{list}:{}", other.display())), 0);

    let without = [part("clusters current-context"), part("contexts")].join(":");
    assert_ran!(scan(&without), 2);
}

/// As in kubectl 1.32, also for equal entries. Names of several files may repeat: the first one wins.
#[test]
fn duplicate_name_in_a_kubeconfig_is_an_error() {
    let errors = ["clusters", "contexts", "users"].map(|list| {
        let twice = |config: &mut Value| {
            let first = config[list][0].clone();
            config[list].as_array_mut().unwrap().push(first);
        };
        scan_after(twice, "").refused()
    });
    insta::assert_snapshot!(errors.concat());
    let server = server();
    let config = server.file("config", &tree(&server).to_string());
    let twice = format!("{0}:{0}", config.display());
    let call = Call::new(format!("scan {NOW}")).masking(&server);
    assert_eq!(call.variable("KUBECONFIG", &twice).run().code, 0);
}

#[test]
fn invalid_kubeconfig_is_an_error_without_its_content() {
    let texts = [
        "a: [b\n  - c: {",
        "hello",
        // The text around the mistake may be secret, and is not quoted.
        "{users: [{name: a, user: {token: secret}}], clusters: none}",
        "",
    ];
    let errors = texts.map(|text| {
        let server = ApiServer::start(Options::default());
        scan_with(&server, text, "").refused()
    });
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn unknown_context_cluster_or_user_is_an_error() {
    let flags = ["--context=gone", "--cluster=gone", "--user=gone"];
    let errors = flags.map(|flag| scan_after(|_| (), [flag]).refused());
    insta::assert_snapshot!(errors.concat());
    let errors = ["cluster", "user"].map(|what| {
        let gone = |config: &mut Value| config["contexts"][0]["context"][what] = json!("gone");
        scan_after(gone, "").refused()
    });
    insta::assert_snapshot!(errors.concat());
    // With a flag for the credentials, the user of the context is not needed.
    let gone = |config: &mut Value| config["contexts"][0]["context"]["user"] = json!("gone");
    assert_ran!(scan_after(gone, "--token viewer-token"), 0);
}

#[test]
fn kubeconfig_without_a_current_context_needs_flags() {
    let none = |config: &mut Value| config["current-context"] = json!("");
    assert_ran!(scan_after(none, ""), 2);
    assert_ran!(scan_after(none, "--user=test-user"), 2);
    assert_ran!(scan_after(none, "--context=test"), 0);
    // A cluster is enough; the namespace is then `default`.
    let cluster = ["--cluster=test-cluster", "--user=test-user"];
    assert_ran!(scan_after(none, cluster), 0, "");
    assert_ran!(scan_after(none, (&cluster, "-A")), 0);
    // A server is enough, too.
    let server = server();
    let mut config = tree(&server);
    none(&mut config);
    let url = server.url();
    let flags = format!("-A --user=test-user --insecure-skip-tls-verify --server {url}");
    assert_ran!(scan_with(&server, &config.to_string(), flags), 0);
}

#[test]
fn context_with_invalid_settings_is_an_error() {
    let nested = |section: &'static str, name: &'static str, field: &'static str, value: Value| {
        move |config: &mut Value| config[section][0][name][field] = value
    };
    let cluster = |field, value| nested("clusters", "cluster", field, value);
    let user = |field, value| nested("users", "user", field, value);
    let token = |config: &mut Value| {
        config["users"][0]["user"] = json!({"tokenFile": "/no/such/folder/token"});
    };
    let two_logins = |config: &mut Value| {
        config["users"][0]["user"] =
            json!({"token": "SECRET", "username": "a", "password": "SECRET"});
    };
    let runs = [
        scan_after(cluster("insecure-skip-tls-verify", json!(true)), ""),
        scan_after(two_logins, ""),
        scan_after(cluster("server", json!("")), ""),
        scan_after(cluster("server", json!("https://a b/")), ""),
        scan_after(cluster("server", Value::Null), ""),
        scan_after(cluster("certificate-authority-data", json!("hello")), ""),
        scan_after(|_| (), "--certificate-authority=/no/such/folder/ca"),
        scan_after(token, ""),
        scan_after(user("client-certificate", json!("/no/such/folder/crt")), ""),
    ];
    insta::assert_snapshot!(runs.map(Ran::refused).concat());
}

/// A device has no end, and a large file may be a mistake.
#[test]
fn files_are_read_up_to_a_limit() {
    let zero = "/dev/zero";
    let field = |section: &'static str, name: &'static str, fields: Value| {
        move |config: &mut Value| {
            let object = config[section][0][name].as_object_mut().unwrap();
            object.remove("certificate-authority-data");
            object.remove("token");
            object.extend(fields.as_object().unwrap().clone());
        }
    };
    let user = |fields| field("users", "user", fields);
    let no_key = json!({"client-certificate": zero, "client-key": "/no/such/folder/key"});
    let key = json!({"client-certificate": "Cargo.toml", "client-key": zero});
    let authority = json!({"certificate-authority": zero});
    let certificate = "--client-certificate=Cargo.toml";
    let runs = [
        Call::new(format!("scan --kubeconfig {zero}")).run(),
        scan_after(|_| (), ["--certificate-authority", zero]),
        scan_after(field("clusters", "cluster", authority), ""),
        scan_after(user(json!({"tokenFile": zero})), ""),
        scan_after(user(no_key), ""),
        scan_after(|_| (), [certificate, "--client-key", zero]),
        scan_after(user(key), certificate),
        scan_after(|_| (), ["--kuberc", zero]),
    ];
    insta::assert_snapshot!(runs.map(Ran::refused).concat());
}

#[test]
fn kubeconfig_above_a_limit_of_the_parser_is_an_error() {
    let values = format!("a: [{}1]", "1,".repeat(250_000));
    let texts = [
        values,
        format!("a: {}", "[".repeat(100) + &"]".repeat(100)),
        "---\na: b\n".repeat(2_000),
    ];
    let errors = texts.map(|text| {
        let server = ApiServer::start(Options::default());
        scan_with(&server, &text, "").refused()
    });
    insta::assert_snapshot!(errors.concat());
}

/// A kubeconfig with nothing but `count` contexts.
fn contexts(count: usize) -> String {
    let context = |n| json!({"name": format!("c{n}"), "context": {"cluster": "x"}});
    json!({"contexts": (1..=count).map(context).collect::<Vec<_>>()}).to_string()
}

fn viewer_of_shop() -> Kubeconfig {
    Kubeconfig::user("viewer").namespace("shop")
}

/// `scan` with that kubeconfig.
fn scan_by(server: &ApiServer, config: &Kubeconfig, arguments: &str) -> Ran {
    Call::new(("scan", NOW, arguments))
        .with(server, config)
        .run()
}

calls! {
    pod_without_a_service_account_token_is_an_error {
        let call = Call::new("scan").variable("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    } call.variable("KUBERNETES_SERVICE_PORT", "https").run() => 2;
    kubeconfig_flag_overrides_a_wrong_variable(server) {
        let good = server.kubeconfig(&viewer_of_shop());
        let call = Call::new(["scan", NOW, "--kubeconfig", good.to_str().unwrap()]);
    } call.variable("KUBECONFIG", "/no/such/folder").run() => 0;
    wrong_kubeconfig_flag_is_an_error_despite_a_valid_variable(server) {
        let call = Call::new(format!("scan {NOW} --kubeconfig /no/such/folder/config"));
    } call.with(&server, &viewer_of_shop()).run() => 2;
    kubeconfig_that_is_a_directory_is_an_error {} Call::new("scan --kubeconfig src").run() => 2;
    error_about_a_context_names_up_to_a_few_contexts {} scan_with(&server(), &contexts(3), "") => 2;
    error_about_a_context_counts_many_contexts {} scan_with(&server(), &contexts(13), "--context=c0") => 2;
    namespace_of_the_context_is_used_without_a_flag {} scan_by(&server(), &viewer_of_shop(), "") => 0;
    namespace_flag_overrides_the_context {} scan_by(&server(), &viewer_of_shop(), "-n ops") => 0;
    all_namespaces_flag_overrides_the_context {} scan_by(&server(), &viewer_of_shop(), "-A") => 0;
    all_namespaces_flag_overrides_the_namespace_flag {} scan_by(&server(), &viewer_of_shop(), "-A -n ops") => 0;
    namespace_flag_is_used_if_the_context_has_none {} scan_by(&server(), &Kubeconfig::user("viewer"), "-nshop") => 0;
    namespace_default_is_used_if_none_is_given(server) {
        let default = "GET /apis/batch/v1/namespaces/default/cronjobs".to_owned();
    } scan_by(&server, &Kubeconfig::user("viewer"), "") => 0, "" => server.lines().contains(&default);
}
