//! What can go wrong between a client and an API server, on demand.

use std::collections::HashMap;
use std::sync::Mutex;

use super::request::Request;

/// A condition on requests; all of its parts must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    path: Option<String>,
    method: Option<String>,
    page: Option<usize>,
    watch: Option<bool>,
}

impl Match {
    /// Every request.
    pub(crate) fn any() -> Match {
        Match::default()
    }

    /// Requests for exactly this path.
    pub(crate) fn path(path: &str) -> Match {
        Match {
            path: Some(path.to_owned()),
            ..Match::default()
        }
    }

    pub(crate) fn method(mut self, method: &str) -> Match {
        self.method = Some(method.to_owned());
        self
    }

    /// The page of a list, counted from 1. A request without a continue token starts at 1.
    pub(crate) fn page(mut self, number: usize) -> Match {
        self.page = Some(number);
        self
    }

    /// Only watches, or only other requests.
    pub(crate) fn watch(mut self, watch: bool) -> Match {
        self.watch = Some(watch);
        self
    }

    /// Whether all but the page fits.
    pub(crate) fn fits_but_for_page(&self, request: &Request) -> bool {
        let path = self.path.as_ref().is_none_or(|path| *path == request.path);
        let method = self
            .method
            .as_ref()
            .is_none_or(|method| *method == request.method);
        let watch = self
            .watch
            .is_none_or(|watch| watch == request.flag("watch"));
        path && method && watch
    }
}

/// One thing that goes wrong.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// An error with this code and its usual message.
    Status(u16),
    /// A refusal with its own message, by a policy, a quota or a webhook.
    Refusal {
        code: u16,
        reason: &'static str,
        message: &'static str,
        cause: Option<&'static str>,
    },
    /// 410, as for a continue token that is too old; with a token to continue.
    Expired,
    /// The answer of an overloaded API server.
    TooManyRequests {
        retry_after: u64,
    },
    /// No answer, until the server stops.
    Hang,
    /// 200, and then bytes of the head, or of a body of blanks, one after the other, until the server stops.
    DripHead,
    DripBody,
    /// The real answer, once the faults are cleared.
    Hold,
    /// The real answer, which ends after that many bytes of its body.
    CutOff(usize),
    /// Meaningless bytes, with the content type that the client requested.
    Garbage,
    /// Protobuf whose envelope is fine, and whose message is not.
    WrongProtobuf,
    /// The connection ends without an answer, and without the closing message of TLS.
    Reset,
    /// The HTML page of a proxy in front of the server.
    Html(u16),
    /// 200 with that type and that body.
    Body(&'static str, &'static str),
    /// Another client, or a proxy that sends a request twice, made this change a moment before with this field manager.
    Preceded(&'static str),
    /// The request to create an object has this result, and its answer breaks there.
    Creation(Fate, Break),
    /// The real answer; the connections of the requests after it break.
    Before(NextConnection),
    /// 200, as if the object had been changed: a webhook has removed the change.
    Ignored,
    /// A webhook removes the annotations of the change.
    WithoutAnnotations,
}

/// What happened to an object, by the time of the answer to the request that creates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    NotCreated,
    Exists,
    Finished,
    Deleted,
    /// Another client has created one of that name before.
    Taken,
    /// A webhook has changed its name.
    Renamed,
    /// A webhook has suspended it.
    Suspended,
}

/// Where an answer breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    Nowhere,
    BeforeAnswer,
    InHead,
    InBody,
    Timeout,
}

/// What happens to the connections of the next requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NextConnection {
    #[default]
    Whole,
    /// All of them are refused.
    Refused,
    /// The next one ends before the TLS handshake.
    EndsBeforeTls,
    /// The next one ends after that many bytes of the request.
    EndsAfter(usize),
}

/// A fault and how often it happens.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    fault: Fault,
    times: usize,
}

impl Fault {
    /// A refusal without its own cause.
    pub(crate) fn refusal(code: u16, reason: &'static str, message: &'static str) -> Fault {
        Fault::Refusal {
            code,
            reason,
            message,
            cause: None,
        }
    }

    /// Happens that many times and then no more; without this, it stays.
    pub(crate) fn times(self, times: usize) -> Scripted {
        Scripted { fault: self, times }
    }
}

impl From<Fault> for Scripted {
    fn from(fault: Fault) -> Scripted {
        Scripted {
            fault,
            times: usize::MAX,
        }
    }
}

struct Rule {
    condition: Match,
    scripted: Scripted,
    /// The current page of each path's list.
    pages: HashMap<String, usize>,
}

/// The faults that are yet to happen.
#[derive(Default)]
pub(crate) struct Faults {
    rules: Mutex<Vec<Rule>>,
}

impl Faults {
    pub(crate) fn add(&self, condition: Match, scripted: Scripted) {
        self.rules.lock().unwrap().push(Rule {
            condition,
            scripted,
            pages: HashMap::new(),
        });
    }

    pub(crate) fn clear(&self) {
        self.rules.lock().unwrap().clear();
    }

    pub(crate) fn are_cleared(&self) -> bool {
        self.rules.lock().unwrap().is_empty()
    }

    /// What goes wrong with this request; the earliest rule counts.
    pub(crate) fn strike(&self, request: &Request) -> Option<Fault> {
        let mut rules = self.rules.lock().unwrap();
        let mut struck = None;
        for rule in rules.iter_mut() {
            if !rule.condition.fits_but_for_page(request) {
                continue;
            }
            let page = rule.pages.entry(request.path.clone()).or_default();
            *page = if request.parameter("continue").is_some() {
                *page + 1
            } else {
                1
            };
            let fits = rule.condition.page.is_none_or(|wanted| wanted == *page);
            if struck.is_none() && fits && rule.scripted.times > 0 {
                rule.scripted.times -= 1;
                struck = Some(rule.scripted.fault.clone());
            }
        }
        struck
    }
}
