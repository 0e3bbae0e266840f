//! Names of enum variants in documents.

/// Names the variants of an enum: `as_str`, its serialization, and a schema that lists the names.
///
/// Deriving would turn each variant with a comment into a schema of its own.
macro_rules! json_names {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// The name in documents.
            #[allow(clippy::trivially_copy_pass_by_ref, reason = "the same for all enums")]
            pub fn as_str(&self) -> &'static str {
                match self {
                    $($type::$variant { .. } => $name),+
                }
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($type)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($name),+] })
            }
        }
    };
}
