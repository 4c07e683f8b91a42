//! Runs a program on a text. Its backtracking stack is on the heap, and each step takes fuel.

use super::fold;
use super::parse::{Assert, Mode};
use super::program::{Inst, Program, SetId};
use super::{Fuel, Spent};

/// The maximum size of the backtracking stack.
const MAX_FRAMES: usize = 1 << 22;

/// The value of a slot without a position.
const NONE: usize = usize::MAX;

/// The number of an instruction, and the byte of the text where it is executed.
type Position = (usize, usize);

/// An entry of the backtracking stack.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// An alternative.
    Branch { pc: usize, at: usize },
    /// The previous value of a slot.
    Slot { slot: usize, old: usize },
    /// A run that may be shorter, down to the end `low`.
    Shorter { pc: usize, low: usize, at: usize },
    /// A run that may be longer, by up to `more` characters.
    Longer { pc: usize, at: usize, more: u32 },
    /// A look-behind that may begin up to `more` characters earlier.
    Earlier { pc: usize, at: usize, more: u32 },
}

/// Buffers that are reused between matches.
#[derive(Debug, Default)]
pub(super) struct Memory {
    slots: Vec<usize>,
    frames: Vec<Frame>,
}

/// A search in a text.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) text: &'a str,
    pub(super) memory: &'a mut Memory,
    pub(super) fuel: &'a mut Fuel,
}

impl Machine<'_> {
    /// Returns the first match that begins at byte `from` or later.
    pub(super) fn search(&mut self, from: usize) -> Result<Option<(usize, usize)>, Spent> {
        let mut at = from;
        loop {
            if let Some(first) = self.program.first {
                let set = &self.program.sets[first as usize];
                let rest = &self.text[at..];
                let Some(found) = rest.find(|c| set.has(c)) else { return Ok(None) };
                // a skipped byte costs less than a step
                self.fuel.take(found as u64 / 8)?;
                at += found;
            }
            if let Some(found) = self.run(at)? {
                return Ok(Some(found));
            }
            match self.char(at) {
                Some(c) => at += c.len_utf8(),
                None => return Ok(None),
            }
        }
    }

    #[inline]
    fn char(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at) {
            Some(&byte) if byte.is_ascii() => Some(char::from(byte)),
            Some(_) => self.text[at..].chars().next(),
            None => None,
        }
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    fn has(&self, set: SetId, at: usize) -> Option<usize> {
        let c = self.char(at)?;
        self.program.sets[set as usize].has(c).then(|| at + c.len_utf8())
    }

    fn push(&mut self, frame: Frame) -> Result<(), Spent> {
        if self.memory.frames.len() == MAX_FRAMES {
            return Err(Spent);
        }
        self.memory.frames.push(frame);
        Ok(())
    }

    fn save(&mut self, slot: u32, value: usize) -> Result<(), Spent> {
        let slot = slot as usize;
        let old = self.memory.slots[slot];
        self.push(Frame::Slot { slot, old })?;
        self.memory.slots[slot] = value;
        Ok(())
    }

    /// Returns the match that begins at byte `start`.
    fn run(&mut self, start: usize) -> Result<Option<(usize, usize)>, Spent> {
        self.memory.slots.clear();
        self.memory.slots.resize(self.program.slots, NONE);
        self.memory.slots[0] = start;
        self.memory.frames.clear();
        let mut next = Some((0, start));
        while let Some((pc, at)) = next {
            self.fuel.take(1)?;
            if matches!(self.program.insts[pc], Inst::Match) {
                // `\K` in a look-ahead can set the start of a match behind its end.
                return Ok(Some((self.memory.slots[0].min(at), at)));
            }
            next = match self.step(pc, at)? {
                Some(next) => Some(next),
                None => self.go_back()?,
            };
        }
        Ok(None)
    }

    /// Executes an instruction. Returns the next instruction and position, or `None` on failure.
    fn step(&mut self, pc: usize, at: usize) -> Result<Option<Position>, Spent> {
        let program = self.program;
        let next = pc + 1;
        let then = |goes_on: bool| goes_on.then_some((next, at));
        Ok(match program.insts[pc] {
            Inst::Char(c) => (self.char(at) == Some(c)).then(|| (next, at + c.len_utf8())),
            Inst::Set(set) => self.has(set, at).map(|end| (next, end)),
            Inst::Run { set, min, max, mode } => self.repeat(pc, at, set, (min, max), mode)?,
            // the first alternative cannot match
            Inst::Split { to, first: Some(first) } if self.has(first, at).is_none() => {
                Some((to as usize, at))
            }
            Inst::Split { to, .. } => self.branch((next, at), to as usize)?,
            Inst::SplitLazy { to } => self.branch((to as usize, at), next)?,
            Inst::Jump(to) => Some((to as usize, at)),
            Inst::Save(slot) => {
                self.save(slot, at)?;
                then(true)
            }
            Inst::Enter(slot) => {
                self.enter(slot, at)?;
                then(true)
            }
            Inst::EnterNot { slot, to } => {
                self.enter(slot, at)?;
                self.branch((next, at), to as usize)?
            }
            Inst::Commit(slot) => {
                self.commit(slot)?;
                then(true)
            }
            Inst::Return(slot) => {
                self.commit(slot)?;
                Some((next, self.memory.slots[slot as usize]))
            }
            Inst::FailNot(slot) => {
                self.undo(self.memory.slots[slot as usize + 1])?;
                None
            }
            Inst::Back { min, max } => match self.back(at, min)? {
                Some(place) => {
                    self.earlier(next, place, max - min)?;
                    Some((next, place))
                }
                None => None,
            },
            Inst::At(slot) => then(self.memory.slots[slot as usize] == at),
            Inst::Empty { slot, to } => match self.memory.slots[slot as usize] == at {
                true => Some((to as usize, at)),
                false => then(true),
            },
            Inst::Captured { ref groups, fold } => {
                self.captured(groups, fold, at)?.map(|end| (next, end))
            }
            Inst::Assert(assert) => then(self.holds(assert, at)),
            Inst::Match => None,
        })
    }

    /// Continues at `next`. On failure, the instruction `other` is tried at the same byte.
    fn branch(&mut self, next: Position, other: usize) -> Result<Option<Position>, Spent> {
        self.push(Frame::Branch { pc: other, at: next.1 })?;
        Ok(Some(next))
    }

    /// Matches a run of characters in a set.
    fn repeat(
        &mut self,
        pc: usize,
        start: usize,
        set: SetId,
        (min, max): (u32, u32),
        mode: Mode,
    ) -> Result<Option<(usize, usize)>, Spent> {
        let most = if mode == Mode::Lazy { min } else { max };
        let (mut at, mut low, mut count) = (start, start, 0);
        while count < most {
            let Some(end) = self.has(set, at) else { break };
            at = end;
            count += 1;
            if count == min {
                low = at;
            }
        }
        self.fuel.take(u64::from(count))?;
        if count < min {
            return Ok(None);
        }
        match mode {
            Mode::Greedy if at > low => self.push(Frame::Shorter { pc: pc + 1, low, at })?,
            Mode::Lazy if max > min => self.push(Frame::Longer { pc, at, more: max - min })?,
            _ => {}
        }
        Ok(Some((pc + 1, at)))
    }

    fn enter(&mut self, slot: u32, at: usize) -> Result<(), Spent> {
        self.save(slot, at)?;
        // `commit` must keep the frame of the second slot, so the frame is counted here.
        let height = self.memory.frames.len() + 1;
        self.save(slot + 1, height)
    }

    /// Drops all frames since `enter`, except the values of slots.
    fn commit(&mut self, slot: u32) -> Result<(), Spent> {
        let height = self.memory.slots[slot as usize + 1];
        let frames = &mut self.memory.frames;
        self.fuel.take(frames.len().saturating_sub(height) as u64)?;
        let mut kept = height;
        for at in height..frames.len() {
            if matches!(frames[at], Frame::Slot { .. }) {
                frames[kept] = frames[at];
                kept += 1;
            }
        }
        frames.truncate(kept);
        Ok(())
    }

    /// Restores the slots, and shrinks the stack to `height`.
    fn undo(&mut self, height: usize) -> Result<(), Spent> {
        self.fuel.take(self.memory.frames.len().saturating_sub(height) as u64)?;
        while self.memory.frames.len() > height {
            if let Some(Frame::Slot { slot, old }) = self.memory.frames.pop() {
                self.memory.slots[slot] = old;
            }
        }
        Ok(())
    }

    /// Returns the position `count` characters earlier.
    fn back(&mut self, at: usize, count: u32) -> Result<Option<usize>, Spent> {
        let mut place = at;
        for _ in 0..count {
            let Some(c) = self.before(place) else { return Ok(None) };
            self.fuel.take(1)?;
            place -= c.len_utf8();
        }
        Ok(Some(place))
    }

    fn earlier(&mut self, pc: usize, at: usize, more: u32) -> Result<(), Spent> {
        if more == 0 || at == 0 {
            return Ok(());
        }
        self.push(Frame::Earlier { pc, at, more })
    }

    /// Backtracks. Returns the next alternative, or `None` if none is left.
    fn go_back(&mut self) -> Result<Option<Position>, Spent> {
        while let Some(frame) = self.memory.frames.pop() {
            self.fuel.take(1)?;
            match frame {
                Frame::Slot { slot, old } => self.memory.slots[slot] = old,
                Frame::Branch { pc, at } => return Ok(Some((pc, at))),
                Frame::Shorter { pc, low, at } => {
                    let at = at - self.before(at).map_or(1, char::len_utf8);
                    if at > low {
                        self.push(Frame::Shorter { pc, low, at })?;
                    }
                    return Ok(Some((pc, at)));
                }
                Frame::Longer { pc, at, more } => {
                    let Inst::Run { set, .. } = self.program.insts[pc] else { continue };
                    let Some(at) = self.has(set, at) else { continue };
                    if more > 1 {
                        self.push(Frame::Longer { pc, at, more: more - 1 })?;
                    }
                    return Ok(Some((pc + 1, at)));
                }
                Frame::Earlier { pc, at, more } => {
                    let at = at - self.before(at).map_or(1, char::len_utf8);
                    self.earlier(pc, at, more - 1)?;
                    return Ok(Some((pc, at)));
                }
            }
        }
        Ok(None)
    }

    /// Matches the text of the first group that has captured. Returns the end of the match.
    fn captured(
        &mut self,
        groups: &[usize],
        fold: bool,
        at: usize,
    ) -> Result<Option<usize>, Spent> {
        for &group in groups {
            let [start, end] = [2 * group, 2 * group + 1].map(|slot| self.memory.slots[slot]);
            if start == NONE || end == NONE || start > end {
                continue;
            }
            self.fuel.take((end - start) as u64)?;
            let (text, rest) = (&self.text[start..end], &self.text[at..]);
            if !fold {
                if rest.starts_with(text) {
                    return Ok(Some(at + text.len()));
                }
                continue;
            }
            let mut others = rest.chars();
            if text.chars().all(|c| others.next().map(fold::simple) == Some(fold::simple(c))) {
                return Ok(Some(self.text.len() - others.as_str().len()));
            }
        }
        Ok(None)
    }

    fn holds(&self, assert: Assert, at: usize) -> bool {
        let (before, next) = (self.before(at), self.char(at));
        let is_word = |c: Option<char>| c.is_some_and(|c| self.program.word.has(c));
        match assert {
            Assert::TextStart => before.is_none(),
            Assert::TextEnd => next.is_none(),
            // As in Oniguruma, no line begins at the end of the text, even after a line feed.
            Assert::LineStart => before.is_none() || (before == Some('\n') && next.is_some()),
            Assert::LineEnd => next.is_none_or(|c| c == '\n'),
            Assert::LastLineEnd => {
                next.is_none() || (next == Some('\n') && at + 1 == self.text.len())
            }
            Assert::WordBoundary => is_word(before) != is_word(next),
            Assert::NoWordBoundary => is_word(before) == is_word(next),
        }
    }
}
