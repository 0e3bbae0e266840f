//! Enums that documents write as strings.

/// Defines an enum with the string of each variant, or takes the strings of one that is defined elsewhere,
/// and implements `as_str`, `Serialize` and `JsonSchema` with them. One that is forgotten does not compile.
/// One that is defined here implements `FromStr`, too.
///
/// The crate that calls it depends on `serde` and `schemars`.
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

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": Self::STRINGS })
            }
        }
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
