//! Post-processors, applied in order. Each one takes the parts that the previous one returns.

use super::{Trim, trim::Rule};
use crate::Result;
use crate::tokenizer::files::tokenizer_json::{Pieces, no_template};
use crate::tokenizer::template::{MAX_SLOTS, Template, TemplateItem};

/// A part of an encoding: text and special tokens, in order.
type Part = Vec<TemplateItem>;

/// The post-processors so far, applied to a single text and to a text with its pair.
pub(super) struct Chain {
    single: Vec<Part>,
    pair: Vec<Part>,
    /// The number of special tokens that truncation leaves room for.
    added: [usize; 2],
    rules: Vec<Rule>,
}

impl Default for Chain {
    fn default() -> Self {
        let bare = Template::bare();
        let parts = |slots: &[TemplateItem]| slots.iter().map(|&slot| vec![slot]).collect();
        let (single, pair) = (parts(&bare.single), parts(&bare.pair));
        Self { single, pair, added: [0; 2], rules: Vec::new() }
    }
}

impl Chain {
    /// Adds a rule that trims spans.
    pub(super) fn trim(&mut self, add_prefix_space: bool) {
        let is_behind = |parts: &[Part], is_pair: bool| {
            let is = |slot: &TemplateItem| matches!(slot, TemplateItem::Text { pair, .. } if *pair == is_pair);
            parts.iter().filter_map(|part| part.iter().position(is)).any(|at| at > 0)
        };
        let is_behind = [
            is_behind(&self.single, false),
            is_behind(&self.pair, false),
            is_behind(&self.pair, true),
        ];
        self.rules.push(Rule { add_prefix_space, is_behind });
    }

    /// Applies BertProcessing.
    pub(super) fn bert(&mut self, cls: u32, sep: u32) {
        self.wrap([2, 3], |at, _| match at {
            0 => (Some(special(cls, 0)), special(sep, 0)),
            _ => (None, special(sep, 1)),
        });
    }

    /// Applies RobertaProcessing. All types become 0.
    pub(super) fn roberta(&mut self, cls: u32, sep: u32) {
        self.wrap([2, 4], |at, part| {
            for slot in part {
                *slot = match *slot {
                    TemplateItem::Special { id, .. } => special(id, 0),
                    TemplateItem::Text { pair, .. } => {
                        TemplateItem::Text { pair, type_id: 0, type_of_rest: 0 }
                    }
                };
            }
            (Some(special(if at == 0 { cls } else { sep }, 0)), special(sep, 0))
        });
    }

    /// Adds special tokens around each part.
    fn wrap(
        &mut self,
        added: [usize; 2],
        around: impl Fn(usize, &mut Part) -> (Option<TemplateItem>, TemplateItem),
    ) {
        for parts in [&mut self.single, &mut self.pair] {
            for (at, part) in parts.iter_mut().enumerate() {
                let (before, after) = around(at, part);
                part.splice(0..0, before);
                part.push(after);
            }
        }
        self.added = [self.added[0] + added[0], self.added[1] + added[1]];
    }

    /// Applies TemplateProcessing. Returns false if the number of parts is not supported.
    pub(super) fn template(&mut self, template: &Pieces) -> bool {
        for (is_pair, parts) in [(false, &mut self.single), (true, &mut self.pair)] {
            // The number of parts decides, even if the input has a pair.
            let pieces = match parts.len() {
                1 => &template.single,
                2 => &template.pair,
                _ => return false,
            };
            let fill = |piece: &Part| match piece[..] {
                [TemplateItem::Text { pair, type_id, .. }] => {
                    let mut part = parts[usize::from(pair)].clone();
                    part.iter_mut().for_each(|slot| slot.set_type(type_id));
                    part
                }
                _ => piece.clone(),
            };
            let new = pieces.iter().map(fill).collect();
            *parts = new;
            let of = if is_pair { &template.pair } else { &template.single };
            let count = |slot: &&TemplateItem| matches!(slot, TemplateItem::Special { .. });
            self.added[usize::from(is_pair)] += of.iter().flatten().filter(count).count();
        }
        true
    }

    /// Returns the template of all post-processors, and the rules for trimming spans.
    pub(super) fn finish(self) -> Result<(Template, Option<Trim>)> {
        let [single, pair] = [self.single, self.pair].map(|parts| parts.concat());
        if single.len().max(pair.len()) > MAX_SLOTS {
            return Err(no_template());
        }
        let template = Template { single, pair, added: self.added };
        let trim = Some(Trim(self.rules)).filter(|trim| !trim.0.is_empty());
        Ok((template, trim))
    }
}

fn special(id: u32, type_id: u32) -> TemplateItem {
    TemplateItem::Special { id, type_id }
}
