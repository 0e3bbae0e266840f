//! Calls as a person types them, and what is asserted about what they print.

/// The arguments of a call: a text that is split as a shell splits it, single arguments, or some of each.
pub(crate) trait CommandLine: Send + Sync {
    fn arguments(&self) -> Vec<String>;
}

impl<T: CommandLine + ?Sized> CommandLine for &T {
    fn arguments(&self) -> Vec<String> {
        (**self).arguments()
    }
}

impl CommandLine for str {
    fn arguments(&self) -> Vec<String> {
        shlex::split(self).unwrap()
    }
}

impl CommandLine for String {
    fn arguments(&self) -> Vec<String> {
        self.as_str().arguments()
    }
}

impl<T: AsRef<str> + Send + Sync> CommandLine for [T] {
    fn arguments(&self) -> Vec<String> {
        self.iter().map(|one| one.as_ref().to_owned()).collect()
    }
}

impl<T: AsRef<str> + Send + Sync> CommandLine for Vec<T> {
    fn arguments(&self) -> Vec<String> {
        self.as_slice().arguments()
    }
}

impl<T: AsRef<str> + Send + Sync, const N: usize> CommandLine for [T; N] {
    fn arguments(&self) -> Vec<String> {
        self.as_slice().arguments()
    }
}

impl<A: CommandLine, B: CommandLine> CommandLine for (A, B) {
    fn arguments(&self) -> Vec<String> {
        [self.0.arguments(), self.1.arguments()].concat()
    }
}

impl<A: CommandLine, B: CommandLine, C: CommandLine> CommandLine for (A, B, C) {
    fn arguments(&self) -> Vec<String> {
        [self.0.arguments(), self.1.arguments(), self.2.arguments()].concat()
    }
}

/// A table of tests that make one call each: a name, the statements before the call, the call, and after an arrow its
/// exit code, what it wrote to stdout, where that matters, and after another arrow a condition that must hold. All
/// output is compared with a snapshot. `(server)` starts the server of the file.
macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $name:ident $(($server:ident))? { $($before:tt)* }
        $ran:expr => $code:literal $(, $stdout:expr)? $(=> $holds:expr)?;
    )*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            $(let $server = server();)?
            $($before)*
            let ran = $ran;
            assert_ran!(ran, $code $(, $stdout)?);
            $(assert!($holds, "{ran}");)?
        }
    )*};
}
