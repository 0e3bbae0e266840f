//! A program and all that it starts, which end together.

use tokio::process::{Child, Command};

#[cfg(unix)]
pub(super) use unix::{Group, terminate};

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicI32, Ordering};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::{Child, Command};

    /// The group that is under way. A terminal's Ctrl-C does not reach it.
    static UNDER_WAY: AtomicI32 = AtomicI32::new(0);

    /// The process group of a program. It is killed unless the program ended by itself.
    pub(in crate::cluster) struct Group(Option<Pid>);

    impl Group {
        /// Lets a command begin a group of its own.
        pub(in crate::cluster) fn prepare(command: &mut Command) {
            command.process_group(0);
        }

        /// The group that a program began.
        pub(in crate::cluster) fn of(child: &Child) -> Self {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            UNDER_WAY.store(id.unwrap_or(0), Ordering::Relaxed);
            Group(id.and_then(Pid::from_raw))
        }

        /// The program has ended by itself: what it left behind may stay.
        pub(in crate::cluster) fn release(mut self) {
            self.0 = None;
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            UNDER_WAY.store(0, Ordering::Relaxed);
            if let Some(group) = self.0 {
                // It may be gone already.
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
    }

    /// Terminates the group that is under way, if there is one.
    pub(in crate::cluster) fn terminate() {
        if let Some(group) = Pid::from_raw(UNDER_WAY.swap(0, Ordering::Relaxed)) {
            let _ = kill_process_group(group, Signal::TERM);
        }
    }
}

#[cfg(not(unix))]
pub(super) use elsewhere::{Group, terminate};

#[cfg(not(unix))]
mod elsewhere {
    use super::{Child, Command};

    /// Nothing: the program alone is killed when it is dropped.
    pub(in crate::cluster) struct Group;

    impl Group {
        pub(in crate::cluster) fn prepare(_: &mut Command) {}

        pub(in crate::cluster) fn of(_: &Child) -> Self {
            Group
        }

        pub(in crate::cluster) fn release(self) {}
    }

    pub(in crate::cluster) fn terminate() {}
}
