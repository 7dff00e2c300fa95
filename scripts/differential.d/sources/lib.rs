//! Generic functions, closures, panics and traits in Rust. Never run.
use std::collections::BTreeMap;

pub trait Weigh {
    fn weigh(&self) -> u64;
}

impl<T: AsRef<[u8]>> Weigh for T {
    fn weigh(&self) -> u64 {
        self.as_ref().iter().map(|&b| u64::from(b)).filter(|v| v % 3 != 0).sum()
    }
}

#[no_mangle]
pub extern "C" fn rust_entry(count: u32) -> u64 {
    let mut seen = BTreeMap::new();
    for i in 0..count {
        seen.entry(format!("{i}")).or_insert_with(Vec::new).push(i * 2);
    }
    let words: Vec<String> = seen.iter().map(|(k, v)| format!("{k}{}", v[0])).collect();
    words.iter().map(|w| w.weigh()).max().unwrap() / u64::from(count)
}
