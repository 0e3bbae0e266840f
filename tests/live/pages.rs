//! Lists are read in pages, even if their version expires on the server in between.

use crate::live::listeners;
use crate::live::prelude::*;

const CRON_JOBS: &str = "/apis/batch/v1/cronjobs";

/// The limit of each request for CronJobs, and whether it continued a list.
fn pages(server: &ApiServer) -> Vec<(Option<String>, bool)> {
    let lists = server.requests_where(|request| request.path == CRON_JOBS);
    let page = |request: &Recorded| {
        let limit = request.parameter("limit").map(str::to_owned);
        (limit, request.parameter("continue").is_some())
    };
    lists.iter().map(page).collect()
}

fn of_one<const N: usize>(continued: [bool; N]) -> [(Option<String>, bool); N] {
    continued.map(|more| (Some("1".to_owned()), more))
}

#[test]
fn list_is_the_same_with_each_chunk_size() {
    for (size, count) in [(1, 3), (2, 2), (3, 1), (500, 1)] {
        let server = server();
        let flag = format!("--chunk-size={size}");
        assert_eq!(view(&server, ["scan", "-A", &flag]).fine(), ALL);
        let expected: Vec<_> = (0..count)
            .map(|page| (Some(size.to_string()), page > 0))
            .collect();
        assert_eq!(pages(&server), expected);
    }
}

/// How much larger further pages are depends on how quickly they come.
#[test]
fn list_begins_with_a_page_of_500() {
    let server = server();
    for number in 0..1200 {
        server.add(cron_job("shop", &format!("many-{number}"), "0 2 * * *"));
    }
    view(&server, "scan -A -o json").fine();
    let pages = pages(&server);
    assert_eq!(pages[0], (Some("500".to_owned()), false));
    assert!((2..=3).contains(&pages.len()), "{pages:?}");
}

calls! {
    /// The refusal has a token with which the list can be continued.
    expired_list_continues_with_the_token_of_the_refusal(server) {
        server.fault(Match::path(CRON_JOBS).page(2), Fault::Expired.times(1));
    } view(&server, "scan -A --chunk-size=1")
        => 0, ALL => pages(&server) == of_one([false, true, true, true]);
    expired_list_without_a_token_is_read_again(server) {
        server.fault(Match::path(CRON_JOBS).page(2), Fault::Status(410).times(1));
    } view(&server, "scan -A --chunk-size=1")
        => 0, ALL => pages(&server) == of_one([false, true, false, true, true]);
    chunk_size_zero_reads_the_list_in_one_request(server) {}
        view(&server, "scan -A --chunk-size=0") => 0, ALL => pages(&server) == [(None, false)];
    /// A list that never ends is not read any further.
    list_that_repeats_its_token_is_an_error(server) {
        let same = "{\"kind\":\"CronJobList\",\"apiVersion\":\"batch/v1\",\"items\":[],\
                    \"metadata\":{\"resourceVersion\":\"1\",\"continue\":\"same\"}}";
        server.fault(Match::path(CRON_JOBS), Fault::Body("application/json", same));
    } view(&server, "scan -A") => 2, "" => pages(&server).len() <= 3;
    /// kubectl shows it, but nobody asked for it.
    list_with_an_object_of_another_kind_is_an_error(server) {
        let list = r#"{"kind":"CronJobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"1"},"items":[
            {"apiVersion":"v1","kind":"Secret","metadata":{"name":"nightly","namespace":"shop"}}]}"#;
        server.fault(Match::path(CRON_JOBS), Fault::Body("application/json", list));
    } view(&server, "scan -A") => 2, "";
    /// The token is a different one each time.
    list_that_never_ends_is_an_error {
        let small = listeners::endless_list();
        let scan = format!("scan -A {NOW} --kubernetes-version=1.36 --server {}", small.url());
        let ran = Call::new(scan).run();
    } ran.replacing(&small.url(), "SERVER") => 2, "";
}

/// `-v` shows the request for each page; the durations vary between runs.
#[test]
fn verbose_flag_shows_each_request_with_its_duration() {
    let server = server();
    let ran = view(&server, "scan -A -v --chunk-size=2");
    assert_eq!((ran.stdout.as_str(), ran.code), (ALL, 0));
    let mut requests: Vec<String> = ran
        .stderr
        .lines()
        .map(|line| {
            let (request, time) = line.rsplit_once(" in ").unwrap();
            assert!(
                time.strip_suffix(" ms").unwrap().parse::<u32>().is_ok(),
                "{line}"
            );
            request.to_owned()
        })
        .filter(|request| request.contains("cronjobs") || request.contains("version"))
        .collect();
    requests.sort();
    let expected = [
        "GET SERVER/apis/batch/v1/cronjobs?limit=2 200 OK",
        "GET SERVER/apis/batch/v1/cronjobs?limit=2&continue=... 200 OK",
        "GET SERVER/version 200 OK",
    ];
    assert_eq!(requests, expected);
}

/// A response without an end would fill the memory.
#[test]
fn response_that_never_ends_is_cut_off() {
    for (code, expected) in [
        (200, "(GET /version): larger than 32 MiB"),
        (
            400,
            "the server responded with 400: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
             xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ),
    ] {
        let small = listeners::endless_answer(code);
        let ran = Call::new(format!("scan -A --server {}", small.url())).run();
        assert_eq!(ran.code, 2);
        let error = ran.stderr.lines().next().unwrap();
        assert_ends!(error, expected);
    }
}
