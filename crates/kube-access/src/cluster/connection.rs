//! How well the watches of a resource work, and when that is worth reporting.

/// How many watches in a row that end soon are not reported.
const FEW: u32 = 3;

/// The state of the connection for a resource. Each end of a watch is followed by another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connection {
    /// A watch has been open for a while.
    Steady,
    /// No watch has been open for a while, and nothing was reported.
    Opening(Tries),
    /// It was reported as lost, and not as back since.
    Lost(Tries),
}

/// What was tried since a watch was open for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tries {
    attempts: u32,
    /// The attempts to which the server opened a watch.
    openings: u32,
}

impl Connection {
    pub(super) fn new() -> Self {
        Connection::Opening(Tries::default())
    }

    fn tries(self) -> Tries {
        match self {
            Connection::Steady => Tries::default(),
            Connection::Opening(tries) | Connection::Lost(tries) => tries,
        }
    }

    fn count(&mut self, change: impl FnOnce(&mut Tries)) {
        let mut tries = self.tries();
        change(&mut tries);
        *self = match self {
            Connection::Steady | Connection::Opening(_) => Connection::Opening(tries),
            Connection::Lost(_) => Connection::Lost(tries),
        };
    }

    /// A watch is about to be opened.
    pub(super) fn begin_attempt(&mut self) {
        self.count(|tries| tries.attempts = tries.attempts.saturating_add(1));
    }

    /// The server accepted to open a watch.
    pub(super) fn opened(&mut self) {
        self.count(|tries| tries.openings = tries.openings.saturating_add(1));
    }

    /// The server sent something other than events: that it opens another watch does not show that it works.
    pub(super) fn distrust(&mut self) {
        self.count(|tries| tries.openings = FEW);
    }

    /// Whether the server opens watches again and again that end soon.
    pub(super) fn is_unstable(self) -> bool {
        self.tries().openings >= FEW
    }

    /// It is reported as lost.
    pub(super) fn lose(&mut self) {
        *self = Connection::Lost(self.tries());
    }

    /// A watch is open. Returns whether a lost connection is back.
    pub(super) fn note_open(&mut self) -> bool {
        let Connection::Lost(tries) = *self else {
            return false;
        };
        if self.is_unstable() {
            return false;
        }
        *self = Connection::Opening(tries);
        true
    }

    /// A watch has been open for a while. Returns whether a lost connection is back.
    pub(super) fn note_steady(&mut self) -> bool {
        let before = std::mem::replace(self, Connection::Steady);
        matches!(before, Connection::Lost(_))
    }

    pub(super) fn is_steady(self) -> bool {
        self == Connection::Steady
    }

    /// The attempts since a watch was open for a while.
    pub(super) fn attempts(self) -> u32 {
        self.tries().attempts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_is_back_with_the_next_watch_unless_they_end_soon() {
        let mut connection = Connection::new();
        connection.begin_attempt();
        connection.lose();
        connection.begin_attempt();
        connection.opened();
        assert!(connection.note_open());
        assert!(!connection.note_open(), "once");
        assert!(!connection.is_unstable());
        for _ in 0..FEW {
            connection.begin_attempt();
            connection.opened();
        }
        assert!(connection.is_unstable());
        connection.lose();
        connection.begin_attempt();
        connection.opened();
        assert!(!connection.note_open(), "it may end soon");
        assert!(connection.note_steady());
        assert!(connection.is_steady() && !connection.is_unstable());
        assert_eq!(connection.attempts(), 0);
    }

    #[test]
    fn server_that_sends_no_events_is_not_trusted_when_it_opens_a_watch() {
        let mut connection = Connection::Steady;
        connection.distrust();
        connection.lose();
        connection.begin_attempt();
        connection.opened();
        assert!(!connection.note_open());
        assert_eq!(connection.attempts(), 1);
    }
}
