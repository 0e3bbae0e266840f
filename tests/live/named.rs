//! CronJobs by the names that outputs print.

use crate::live::prelude::*;

/// Every output prints `ops/never`, and every verb takes it.
#[test]
fn namespace_with_name_selects_as_the_flag_does() {
    let server = server();
    // The kubeconfig chooses `shop`.
    let call = |words: &str| view(&server, words);
    let by_flag = call("explain never -n ops -o json");
    let by_flag = by_flag.document();
    for words in [
        "explain ops/never -o json",
        "explain ops/never -n ops -o json",
    ] {
        assert_eq!(call(words).document()["items"], by_flag["items"], "{words}");
    }
    for words in [
        "scan ops/never",
        "scan shop/nightly shop/hourly",
        "history ops/never",
        "simulate shop/nightly --for 1d",
    ] {
        assert_eq!(call(words).code, 0, "{words}");
    }
}

#[test]
fn names_of_several_namespaces_are_refused_before_a_request() {
    let server = server();
    for (words, error) in [
        (
            "explain shop/nightly ops/never",
            "the names are of several namespaces: shop and ops",
        ),
        (
            "explain shop/nightly -n ops",
            "shop/nightly is not in the namespace of -n ops",
        ),
        (
            "scan shop/nightly -A",
            "-A cannot be used with shop/nightly",
        ),
    ] {
        let ran = view(&server, words);
        assert_eq!(ran.code, 2, "{words}");
        assert_starts!(ran.stderr, &format!("error: {error}\n"));
    }
    assert!(server.requests().is_empty());
}

#[test]
fn version_in_the_type_of_kubectl_is_accepted() {
    let ran = doctor(
        "explain cronjob.v1.batch/nightly -f examples/cluster -n shop --now 2026-11-21T02:13:08Z",
    );
    assert_eq!(ran.code, 0, "{ran}");
}
