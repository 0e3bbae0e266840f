//! What the other verbs use of those that need a cluster, if the program is built without the feature `cluster`. There is
//! no connection then ([`crate::cluster`]), so that nothing of it is called.

pub(super) mod interrupt {
    /// Nothing is interrupted.
    pub(crate) static SIGNALS: () = ();
}

pub(super) mod logs {
    use crate::evidence::Live;
    use cronjob_diagnosis::diagnose::{Facts, LogTail};

    pub(crate) fn log_tails(live: &Live, _: &Facts<'_>, _: u64) -> Vec<LogTail> {
        match *live.session {}
    }
}

/// Follows the cluster for `scan --watch`.
pub(super) mod watch {
    use crate::evidence::{Live, World};
    use crate::output::scan::Layout;
    use cronjob_diagnosis::survey::RowSelection;

    pub(crate) struct Screen;

    impl Screen {
        pub(crate) fn new(_: RowSelection, _: Layout, _: bool) -> Self {
            Screen
        }
    }

    pub(crate) fn watch(live: &Live, _: World, _: Screen) -> anyhow::Result<()> {
        match *live.session {}
    }
}

/// Runs programs for `lint -k`.
pub(super) mod kustomize {
    use std::path::Path;

    use anyhow::bail;

    pub(crate) fn render(_: &Path) -> anyhow::Result<Vec<u8>> {
        bail!("-k runs a program: this program was built without the feature \"cluster\"")
    }
}
