//! Which requests a fault or a warning is for.

use super::http::Request;

/// A condition on requests; all that it says must hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    path: Option<String>,
    method: Option<String>,
    parameters: Vec<(String, Option<String>)>,
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

    /// The page of a list, counted from 1. A request without a continue token begins anew.
    pub(crate) fn page(mut self, number: usize) -> Match {
        self.page = Some(number);
        self
    }

    /// Only watches, or only what is none.
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
        let query = self.parameters.iter().all(|(name, wanted)| {
            let found = request.parameter(name);
            found.is_some() && wanted.as_deref().is_none_or(|value| found == Some(value))
        });
        path && method && watch && query
    }

    pub(crate) fn fits_page(&self, page: usize) -> bool {
        self.page.is_none_or(|wanted| wanted == page)
    }
}
