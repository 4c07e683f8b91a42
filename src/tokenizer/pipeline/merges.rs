//! The merges of byte-pair encoding, applied to the symbols of a word.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which pairs of symbols become one, and in which order.
#[derive(Debug, Clone)]
pub(super) struct Merges {
    /// Open addressing; a power of two, at most half of it taken.
    slots: Vec<MergeEntry>,
}

/// One place of the hash table; free where `merged` is `u32::MAX`.
#[derive(Debug, Clone, Copy)]
struct MergeEntry {
    pair: (u32, u32),
    merge: Merge,
}

/// What becomes of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Merge {
    /// Pairs of a lower rank are merged first.
    rank: u32,
    /// The id of the pair's symbols together.
    merged: u32,
}

const FREE: u32 = u32::MAX;

/// A symbol of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) id: u32,
    /// Its length in bytes of the word; 0 once it is merged into the one before it.
    pub(super) len: u32,
    /// Places in the word of the symbols before and after it; `u32::MAX` where there is none.
    before: u32,
    after: u32,
}

impl Symbol {
    pub(super) fn new(id: u32, len: usize) -> Self {
        Self { id, len: len as u32, before: FREE, after: FREE }
    }
}

/// Pairs that can be merged: the lowest rank first, of one rank the leftmost.
pub(super) type Queue = BinaryHeap<Reverse<(u32, u32, u32)>>;

impl Merges {
    /// `pairs`: ids of two symbols and of both together, in the order of their ranks. Of a pair
    /// given twice the later rank counts.
    pub(super) fn new(pairs: &[(u32, u32, u32)]) -> Self {
        let free = MergeEntry { pair: (0, 0), merge: Merge { rank: 0, merged: FREE } };
        let mut slots = vec![free; (pairs.len() * 2).next_power_of_two().max(2)];
        for (rank, &(left, right, merged)) in (0..).zip(pairs) {
            let at = Self::place(&slots, (left, right));
            slots[at] = MergeEntry { pair: (left, right), merge: Merge { rank, merged } };
        }
        Self { slots }
    }

    /// The place of a pair, or the free one where it would be.
    #[inline]
    fn place(slots: &[MergeEntry], pair: (u32, u32)) -> usize {
        let mask = slots.len() - 1;
        let key = (u64::from(pair.0) << 32) | u64::from(pair.1);
        let mixed = (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed ^ (mixed >> 32)) as usize & mask;
        while slots[at].merge.merged != FREE && slots[at].pair != pair {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    fn get(&self, left: u32, right: u32) -> Option<Merge> {
        let merge = self.slots[Self::place(&self.slots, (left, right))].merge;
        (merge.merged != FREE).then_some(merge)
    }

    /// Merges pairs of `symbols` for as long as there is one. `queue` is empty before and after;
    /// time is linear in the symbols but for the queue's logarithm.
    pub(super) fn apply(&self, symbols: &mut Vec<Symbol>, queue: &mut Queue) {
        let last = symbols.len().saturating_sub(1);
        for at in 0..symbols.len() {
            symbols[at].before = if at == 0 { FREE } else { at as u32 - 1 };
            symbols[at].after = if at == last { FREE } else { at as u32 + 1 };
            self.offer(symbols, at as u32, queue);
        }
        while let Some(Reverse((_, at, merged))) = queue.pop() {
            let left = symbols[at as usize];
            if left.len == 0 || left.after == FREE {
                continue;
            }
            let right = symbols[left.after as usize];
            // The pair may have changed since it was queued.
            if self.get(left.id, right.id).is_none_or(|merge| merge.merged != merged) {
                continue;
            }
            symbols[left.after as usize].len = 0;
            symbols[at as usize] =
                Symbol { id: merged, len: left.len + right.len, after: right.after, ..left };
            if let Some(next) = symbols.get_mut(right.after as usize) {
                next.before = at;
            }
            self.offer(symbols, left.before, queue);
            self.offer(symbols, at, queue);
        }
        symbols.retain(|symbol| symbol.len != 0);
    }

    /// Queues the symbol at place `at` with the one after it, if they can be merged.
    #[inline]
    fn offer(&self, symbols: &[Symbol], at: u32, queue: &mut Queue) {
        let Some(left) = symbols.get(at as usize) else { return };
        let Some(right) = symbols.get(left.after as usize) else { return };
        if let Some(Merge { rank, merged }) = self.get(left.id, right.id) {
            queue.push(Reverse((rank, at, merged)));
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::{Merges, Queue, Symbol};

    proptest! {
        /// As by looking through the whole word for the best pair again and again.
        #[test]
        fn the_best_pair_is_always_next(
            pairs in proptest::collection::btree_set((0..6_u32, 0..6_u32), 0..12),
            word in proptest::collection::vec(0..4_u32, 0..40),
        ) {
            // Every pair has an id of its own: 4 and 5 can be merged further.
            let pairs: Vec<_> = pairs.into_iter().zip(4..).map(|((l, r), id)| (l, r, id)).collect();
            let mut symbols: Vec<_> = word.iter().map(|&id| Symbol::new(id, 1)).collect();
            Merges::new(&pairs).apply(&mut symbols, &mut Queue::new());
            let mut expected = word;
            let rank = |w: &[u32]| pairs.iter().position(|&(l, r, _)| [l, r] == *w);
            while let Some((rank, at)) =
                expected.windows(2).enumerate().filter_map(|(at, w)| Some((rank(w)?, at))).min()
            {
                expected.splice(at..at + 2, [pairs[rank].2]);
            }
            prop_assert_eq!(symbols.iter().map(|symbol| symbol.id).collect::<Vec<_>>(), expected);
        }
    }
}
