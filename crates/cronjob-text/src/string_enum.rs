//! Enums that documents write as strings.

/// Defines an enum with the string of each variant, or takes the strings of one that is defined elsewhere,
/// and implements `as_str` and `Serialize` with them, and `JsonSchema` with the feature `schema`. One that is forgotten does not compile.
/// One that is defined here implements `FromStr`, too.
///
/// The crate that calls it depends on `serde`.
#[macro_export]
macro_rules! string_enum {
    (impl $vis:vis $name:ident { $($variant:ident = $string:literal),+ $(,)? }) => {
        impl $name {
            /// All of them, as documents write them.
            $vis const STRINGS: &'static [&'static str] = &[$($string),+];

            /// As documents write it.
            #[allow(clippy::trivially_copy_pass_by_ref, reason = "some enums hold data")]
            $vis fn as_str(&self) -> &'static str {
                match self {
                    $($name::$variant { .. } => $string,)+
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $crate::string_schema! { $name }
    };
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $string:literal),+ $(,)?
        }
    ) => {
        $(#[$about])*
        $vis enum $name {
            $($(#[$of_variant])* $variant),+
        }

        $crate::string_enum! { impl $vis $name { $($variant = $string),+ } }

        impl std::str::FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text {
                    $($string => Ok($name::$variant),)+
                    _ => Err(()),
                }
            }
        }
    };
}

/// The schema of an enum that is written as strings.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "schema")]
macro_rules! string_schema {
    ($name:ident) => {
        impl $crate::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::schemars::json_schema!({ "type": "string", "enum": Self::STRINGS })
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "schema"))]
macro_rules! string_schema {
    ($name:ident) => {};
}
