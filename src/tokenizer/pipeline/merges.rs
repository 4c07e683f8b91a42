//! The merges of byte-pair encoding, applied to the symbols of a word.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The pairs of symbols that are merged, and their order.
#[derive(Debug, Clone)]
pub(super) struct Merges {
    /// A hash table with open addressing. Its size is a power of two, and at most half of it is
    /// used.
    slots: Vec<MergeEntry>,
}

/// A slot of the hash table. It is free if `merged` is `u32::MAX`.
#[derive(Debug, Clone, Copy)]
struct MergeEntry {
    pair: (u32, u32),
    merge: Merge,
}

/// The merge of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Merge {
    /// A pair with a lower rank is merged first.
    rank: u32,
    /// The id of the merged symbol.
    merged: u32,
}

const FREE: u32 = u32::MAX;

/// A symbol of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) id: u32,
    /// The length in bytes; 0 after the symbol was merged into the previous one.
    pub(super) len: u32,
    /// The indices of the previous and the next symbol; `u32::MAX` at the ends of the word.
    before: u32,
    after: u32,
}

impl Symbol {
    pub(super) fn new(id: u32, len: usize) -> Self {
        Self { id, len: len as u32, before: FREE, after: FREE }
    }
}

/// Pairs that can be merged. The lowest rank comes first; of equal ranks, the leftmost pair.
pub(super) type Queue = BinaryHeap<Reverse<(u32, u32, u32)>>;

impl Merges {
    /// Returns a table. `pairs` are the ids of two symbols and of the merged symbol, in the order
    /// of ranks. For a repeated pair, the later rank is used.
    pub(super) fn new(pairs: &[(u32, u32, u32)]) -> Self {
        let free = MergeEntry { pair: (0, 0), merge: Merge { rank: 0, merged: FREE } };
        let mut slots = vec![free; (pairs.len() * 2).next_power_of_two().max(2)];
        for (rank, &(left, right, merged)) in (0..).zip(pairs) {
            let at = Self::place(&slots, (left, right));
            slots[at] = MergeEntry { pair: (left, right), merge: Merge { rank, merged } };
        }
        Self { slots }
    }

    /// Returns the slot of a pair, or the free slot for it.
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

    /// Merges pairs of `symbols` until none can be merged. `queue` must be empty, and is empty
    /// afterwards. For n symbols, the time is O(n log n).
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

    /// Adds the symbol with index `at` and the next one to the queue, if they can be merged.
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
        /// The result equals repeatedly searching the whole word for the best pair.
        #[test]
        fn the_best_pair_is_always_next(
            pairs in proptest::collection::btree_set((0..6_u32, 0..6_u32), 0..12),
            word in proptest::collection::vec(0..4_u32, 0..40),
        ) {
            // Every pair has its own id, so 4 and 5 can be merged further.
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
