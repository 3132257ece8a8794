//! A small cache whose entries are never replaced, shared by threads.

use std::sync::OnceLock;

/// Up to `N` values, each with a key. Entries are only ever added, so lookups need no lock.
#[derive(Debug, Clone)]
pub(super) struct AppendOnlyCache<K, V, const N: usize>([OnceLock<(K, V)>; N]);

impl<K, V, const N: usize> Default for AppendOnlyCache<K, V, N> {
    fn default() -> Self {
        AppendOnlyCache(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl<K, V, const N: usize> AppendOnlyCache<K, V, N> {
    /// Returns the value of the first key that is wanted.
    pub fn find(&self, wanted: impl Fn(&K) -> bool) -> Option<&V> {
        let kept = self.0.iter().map_while(OnceLock::get);
        kept.into_iter().find(|(key, _)| wanted(key)).map(|(_, value)| value)
    }

    /// Keeps a value; returns `false` if there is no room.
    pub fn insert(&self, key: K, value: V) -> bool {
        let mut entry = (key, value);
        for place in &self.0 {
            match place.set(entry) {
                Ok(()) => return true,
                Err(refused) => entry = refused,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_found_and_there_is_room_for_so_many() {
        let few: AppendOnlyCache<u8, char, 2> = AppendOnlyCache::default();
        assert_eq!(few.find(|key| *key == 1), None);
        assert!(few.insert(1, 'a') && few.insert(2, 'b'));
        assert!(!few.insert(3, 'c'));
        assert_eq!((few.find(|key| *key == 2), few.find(|key| *key == 3)), (Some(&'b'), None));
    }

    #[test]
    fn threads_keep_side_by_side() {
        let few: AppendOnlyCache<usize, usize, 8> = AppendOnlyCache::default();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let few = &few;
                scope.spawn(move || (few.insert(thread, thread), few.insert(thread + 4, thread + 4)));
            }
        });
        for key in 0..8 {
            assert_eq!(few.find(|other| *other == key), Some(&key));
        }
    }
}
