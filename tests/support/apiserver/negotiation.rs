//! Which of its languages the server answers in.

use super::http::Request;
use super::resources::Resource;
use super::status::Status;

/// A language that objects can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    /// JSON is YAML, and that is what we write.
    Yaml,
    Protobuf,
}

const ALL: [Media; 3] = [Media::Json, Media::Yaml, Media::Protobuf];
/// What the route of a list offers, and in that order.
const OF_LISTS: [&str; 5] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
];

impl Media {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Media::Json => "application/json",
            Media::Yaml => "application/yaml",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// One alternative of an Accept header.
struct Clause<'a> {
    kind: &'a str,
    quality: f64,
    /// Whether it wants the object turned into a table or the like, which this server cannot.
    transforms: bool,
}

/// The language for objects of a resource, or of none.
pub(crate) fn negotiate(
    request: &Request,
    resource: Option<&Resource>,
    list: bool,
) -> Result<Media, Status> {
    let Some(header) = request.header("accept").filter(|text| !text.is_empty()) else {
        return Ok(Media::Json);
    };
    let is_custom = resource.is_some_and(|resource| resource.message.is_none());
    let offered: Vec<Media> = ALL
        .into_iter()
        .filter(|media| !is_custom || *media != Media::Protobuf)
        .collect();
    preferred(header, &offered).ok_or_else(|| {
        if is_custom {
            let names: Vec<&str> = ALL.iter().map(|media| media.content_type()).collect();
            let names = names.join(", ");
            Status::not_acceptable(format!(
                "only the following media types are accepted: {names}"
            ))
        } else {
            Status::no_representation(if list { &OF_LISTS } else { &OF_LISTS[..3] })
        }
    })
}

/// The language for a refusal; any resource's may be said in protobuf.
pub(crate) fn for_errors(request: &Request) -> Option<Media> {
    match request.header("accept") {
        None | Some("") => Some(Media::Json),
        Some(header) => preferred(header, &ALL),
    }
}

/// Whether JSON is to be indented: on request, and for clients that look like people.
pub(crate) fn wants_pretty(request: &Request) -> bool {
    if let Some(pretty) = request.parameter("pretty") {
        return matches!(pretty, "1" | "true");
    }
    let agent = request.header("user-agent").unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"]
        .iter()
        .any(|known| agent.starts_with(known))
}

fn preferred(header: &str, offered: &[Media]) -> Option<Media> {
    let mut clauses: Vec<Clause<'_>> = header.split(',').map(clause).collect();
    // Stable: among equals the first one wins.
    clauses.sort_by(|left, right| {
        right
            .quality
            .total_cmp(&left.quality)
            .then(left.vagueness().cmp(&right.vagueness()))
    });
    clauses
        .iter()
        .filter(|clause| !clause.transforms)
        .find_map(|clause| offered.iter().copied().find(|media| clause.matches(*media)))
}

fn clause(text: &str) -> Clause<'_> {
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    let mut clause = Clause {
        kind,
        quality: 1.0,
        transforms: false,
    };
    for part in parts {
        match part.split_once('=') {
            Some(("q", quality)) => clause.quality = quality.parse().unwrap_or(1.0),
            Some(("as", _)) => clause.transforms = true,
            _ => {}
        }
    }
    clause
}

impl Clause<'_> {
    fn vagueness(&self) -> u8 {
        match self.kind {
            "*/*" => 2,
            kind if kind.ends_with("/*") => 1,
            _ => 0,
        }
    }

    fn matches(&self, media: Media) -> bool {
        matches!(self.kind, "*/*" | "application/*") || self.kind == media.content_type()
    }
}
