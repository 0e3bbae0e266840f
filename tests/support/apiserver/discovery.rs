//! What the server tells about itself: its version.

use super::answering;
use super::http::{Request, Response};
use super::reply;
use super::state::State;

/// Answers for a path that is no resource's.
pub(crate) fn answer(state: &State, request: &Request) -> Response {
    if request.path == "/version" {
        let settings = state.settings.lock().unwrap();
        return reply::raw_json(200, &answering::version(&settings.git_version));
    }
    // What Go's HTTP server says of paths that it does not know.
    let text = b"404 page not found\n".to_vec();
    reply::plain(404, "text/plain; charset=utf-8", text)
}
