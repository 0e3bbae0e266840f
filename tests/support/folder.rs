//! A folder of files that a test makes.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder; it goes with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A folder with files: their paths, and what is in them.
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lint-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        for (file, text) in files {
            folder.write(file, text.as_bytes());
        }
        folder
    }

    pub(crate) fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub(crate) fn file(&self, file: &str) -> String {
        format!("{}/{file}", self.path())
    }

    /// An output without the way to the folder.
    pub(crate) fn shortened(&self, output: &str) -> String {
        output.replace(&format!("{}/", self.path()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
