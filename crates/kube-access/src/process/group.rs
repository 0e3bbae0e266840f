//! Process groups, so that a program and its children end together.

#[cfg(unix)]
pub(super) use unix::Group;
#[cfg(unix)]
pub(crate) use unix::terminate;

#[cfg(not(unix))]
pub(super) use elsewhere::Group;
#[cfg(not(unix))]
pub(crate) use elsewhere::terminate;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::process::{Child, Command};

    /// The running group. A terminal's Ctrl-C does not reach it.
    static UNDER_WAY: Mutex<Option<Pid>> = Mutex::new(None);

    fn under_way() -> MutexGuard<'static, Option<Pid>> {
        UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process group of a program. It is killed when dropped, unless the program has exited.
    pub(crate) struct Group(Option<Pid>);

    impl Group {
        /// Starts a program in its own group.
        pub(crate) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
            // `terminate` must wait until the group is known.
            let mut under_way = under_way();
            let child = command.process_group(0).spawn()?;
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            let group = id.and_then(Pid::from_raw);
            *under_way = group;
            Ok((child, Group(group)))
        }

        /// The program has exited; its children may continue.
        pub(crate) fn release(mut self) {
            self.0 = None;
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            *under_way() = None;
            if let Some(group) = self.0 {
                // It may have exited.
                let _ = kill_process_group(group, Signal::KILL);
            }
        }
    }

    /// Terminates the running group, if there is one. Until `then` has returned, nothing else sees that the group has
    /// ended: `then` may exit, and the failure of the program must not be reported before.
    pub(crate) fn terminate(then: impl FnOnce()) {
        let mut under_way = under_way();
        if let Some(group) = under_way.take() {
            let _ = kill_process_group(group, Signal::TERM);
        }
        then();
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;

    use tokio::process::{Child, Command};

    /// Does nothing: only the program itself is killed when it is dropped.
    pub(crate) struct Group;

    impl Group {
        pub(crate) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
            Ok((command.spawn()?, Group))
        }

        pub(crate) fn release(self) {}
    }

    pub(crate) fn terminate(then: impl FnOnce()) {
        then();
    }
}
