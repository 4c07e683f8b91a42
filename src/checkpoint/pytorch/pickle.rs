//! Pickles of tensors. No code of a pickle is run. The machine supports the operations that
//! `torch.save` writes for a dictionary of tensors, and rejects all other operations and names.

mod operations;
mod value;

pub(super) use value::{Place, StorageView, Value, View};

use operations::{Bytes, Operation, parse, refused};
use std::collections::BTreeMap;

use super::globals::{Global, Rebuild, global};
use crate::checkpoint::fault::{Outcome, append, bad, reserve, unsupported};

/// The name of a pickle in messages about memory.
const PICKLE: &str = "a pickle";

/// The maximum length of a pickle in bytes. The pickle of BERT-large has 50 kB.
const LONGEST: usize = 16 << 20;

/// The maximum number of operations of a pickle. The pickle of BERT-large has 20,000.
const MOST_OPERATIONS: usize = 1 << 18;

/// The maximum number of elements that are copied between containers.
const MOST_COPIES: usize = 1 << 20;

/// The maximum length of a storage's key in bytes. PyTorch's keys are numbers.
const LONGEST_KEY: usize = 128;

/// The maximum number of dimensions of a tensor, as in PyTorch.
const MOST_DIMENSIONS: usize = 64;

/// Reads one pickle from pieces of any size.
#[derive(Default)]
pub(super) struct Machine {
    values: Vec<Value>,
    stack: Vec<Place>,
    /// Heights of the stack at the marks.
    marks: Vec<usize>,
    memo: BTreeMap<u32, Place>,
    /// The first bytes of an incomplete operation.
    carry: Vec<u8>,
    read: usize,
    operations: usize,
    copies: usize,
    result: Option<Place>,
}

impl Machine {
    /// Reads from the front of `bytes`, up to the end of the pickle. Returns whether the pickle is complete.
    pub(super) fn push(&mut self, bytes: &mut &[u8]) -> Outcome<bool> {
        while self.result.is_none() && !bytes.is_empty() {
            let before = self.carry.len();
            let mut carry = std::mem::take(&mut self.carry);
            let taken = if before == 0 {
                self.run(bytes)?
            } else {
                // The length doubles each time. Otherwise, a long text would be copied again for
                // each of its bytes.
                let (now, _) = bytes.split_at(before.max(256).min(bytes.len()));
                append(&mut carry, now, PICKLE)?;
                self.run(&carry)?
            };
            // The kept bytes hold no complete operation. The bytes after the first complete one are
            // still in `bytes`.
            let from_bytes = match taken {
                0 if before == 0 => {
                    append(&mut carry, bytes, PICKLE)?;
                    bytes.len()
                }
                0 => carry.len() - before,
                _ => {
                    carry.clear();
                    taken - before
                }
            };
            *bytes = &bytes[from_bytes..];
            self.carry = carry;
            self.read += taken;
            if self.read + self.carry.len() > LONGEST {
                return bad(format!("a pickle has more than {LONGEST} bytes"));
            }
        }
        Ok(self.result.is_some())
    }

    /// Returns the pickled value; `None` until the pickle is complete.
    pub(super) fn result(&self) -> Option<&Value> {
        self.values.get(self.result? as usize)
    }

    pub(super) fn value(&self, place: Place) -> &Value {
        self.values.get(place as usize).unwrap_or(&Value::None)
    }

    /// Returns the text at a place, if the value is a text.
    pub(super) fn text(&self, place: Place) -> Option<&str> {
        match self.value(place) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns all storages that the pickle names, with repetitions.
    pub(super) fn storages(&self) -> impl Iterator<Item = &StorageView> {
        self.values.iter().filter_map(|value| match value {
            Value::Storage(storage) => Some(&**storage),
            _ => None,
        })
    }

    /// Executes the complete operations in `all`. Returns the number of their bytes.
    fn run(&mut self, all: &[u8]) -> Outcome<usize> {
        let mut bytes = Bytes { all, at: 0 };
        let mut done = 0;
        while self.result.is_none() {
            let Some(operation) = parse(&mut bytes)? else { break };
            self.operations += 1;
            if self.operations > MOST_OPERATIONS {
                return bad(format!("a pickle has more than {MOST_OPERATIONS} operations"));
            }
            match operation {
                Operation::Refused => return unsupported(refused(all[done])),
                operation => self.execute(operation)?,
            }
            done = bytes.at;
        }
        Ok(done)
    }

    fn execute(&mut self, operation: Operation) -> Outcome<()> {
        match operation {
            Operation::Nothing | Operation::Refused => Ok(()),
            Operation::Push(value) => self.add(value),
            Operation::Mark => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            Operation::Stop => {
                self.result = Some(self.pop()?);
                self.memo.clear();
                Ok(())
            }
            Operation::Put(name) => self.put(name),
            Operation::Memoize => self.put(self.memo.len() as u32), // at most MOST_OPERATIONS
            Operation::Get(name) => self.get(name),
            Operation::Tuple(count) => {
                let items = match count {
                    Some(count) => self.pop_many(count)?,
                    None => self.pop_marked()?,
                };
                self.add(Value::Tuple(items))
            }
            Operation::Append => {
                let items = self.pop_many(1)?;
                self.append(items)
            }
            Operation::Appends => {
                let items = self.pop_marked()?;
                self.append(items)
            }
            Operation::SetItem => {
                let items = self.pop_many(2)?;
                self.set(&items)
            }
            Operation::SetItems => {
                let items = self.pop_marked()?;
                self.set(&items)
            }
            Operation::Global(module, name) => self.global(&module, &name),
            Operation::StackGlobal => self.stack_global(),
            Operation::Reduce => {
                let items = self.pop_many(2)?;
                let made = self.call(items[0], items[1])?;
                self.add(made)
            }
            Operation::NewObject => self.new_object(),
            Operation::Build => self.build(),
            Operation::Persistent => {
                let place = self.pop()?;
                let storage = self.storage(place)?;
                self.add(Value::Storage(Box::new(storage)))
            }
        }
    }

    /// Stores the top of the stack in the memo.
    fn put(&mut self, name: u32) -> Outcome<()> {
        self.memo.insert(name, self.top()?);
        Ok(())
    }

    /// Pushes a value of the memo.
    fn get(&mut self, name: u32) -> Outcome<()> {
        let Some(&place) = self.memo.get(&name) else {
            return bad(format!("a pickle asks for value {name}, which it has not kept"));
        };
        self.stack.push(place);
        Ok(())
    }

    /// Pops the module and the name of an object, and pushes the object.
    fn stack_global(&mut self) -> Outcome<()> {
        let items = self.pop_many(2)?;
        match (self.text(items[0]), self.text(items[1])) {
            (Some(module), Some(name)) => {
                let (module, name) = (module.to_owned(), name.to_owned());
                self.global(&module, &name)
            }
            _ => bad("a pickle names an object by something that is no text"),
        }
    }

    /// Pops a class and its arguments, and pushes a new object. The only class is OrderedDict.
    fn new_object(&mut self) -> Outcome<()> {
        let items = self.pop_many(2)?;
        match self.value(items[0]) {
            Value::Global(Global::OrderedDict) => self.add(Value::Dict(Vec::new())),
            Value::Global(other) => {
                unsupported(format!("the pickle makes a {}, expected tensors", other.name()))
            }
            _ => bad("a pickle makes an object of something that is no class"),
        }
    }

    /// Pops the attributes of an OrderedDict, e.g. the versions of modules, and ignores them.
    fn build(&mut self) -> Outcome<()> {
        self.pop_many(1)?;
        match self.value(self.top()?) {
            Value::Dict(_) => Ok(()),
            _ => unsupported("the pickle sets the state of an object, expected tensors"),
        }
    }

    fn add(&mut self, value: Value) -> Outcome<()> {
        reserve(&mut self.values)?;
        reserve(&mut self.stack)?;
        self.stack.push(self.values.len() as Place); // at most MOST_OPERATIONS
        self.values.push(value);
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str) -> Outcome<()> {
        match global(module, name) {
            Some(known) => self.add(Value::Global(known)),
            None => unsupported(format!(
                "expected a pickle of tensors, got one that names \"{}.{}\"; nothing of it is run",
                shown(module),
                shown(name)
            )),
        }
    }

    /// Returns the height of the stack at the last mark. Operations on single values stop there.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn top(&self) -> Outcome<Place> {
        match self.stack.last() {
            Some(&place) if self.stack.len() > self.floor() => Ok(place),
            _ => bad("a pickle takes a value from an empty stack"),
        }
    }

    fn pop(&mut self) -> Outcome<Place> {
        let place = self.top()?;
        self.stack.pop();
        Ok(place)
    }

    fn pop_many(&mut self, count: usize) -> Outcome<Vec<Place>> {
        match self.stack.len().checked_sub(count) {
            Some(at) if at >= self.floor() => Ok(self.stack.split_off(at)),
            _ => bad("a pickle takes a value from an empty stack"),
        }
    }

    fn pop_marked(&mut self) -> Outcome<Vec<Place>> {
        match self.marks.pop() {
            Some(at) if at <= self.stack.len() => Ok(self.stack.split_off(at)),
            _ => bad("a pickle lacks a mark"),
        }
    }

    fn append(&mut self, items: Vec<Place>) -> Outcome<()> {
        let place = self.top()?;
        match self.values.get_mut(place as usize) {
            Some(Value::List(list)) => {
                list.extend(items);
                Ok(())
            }
            _ => bad("a pickle appends to something that is no list"),
        }
    }

    fn set(&mut self, items: &[Place]) -> Outcome<()> {
        let place = self.top()?;
        match self.values.get_mut(place as usize) {
            Some(Value::Dict(entries)) if items.len().is_multiple_of(2) => {
                entries.extend(items.chunks(2).map(|pair| (pair[0], pair[1])));
                Ok(())
            }
            _ => bad("a pickle sets items of something that is no dictionary"),
        }
    }

    /// Returns a copy of the elements of a tuple or list.
    fn items(&mut self, place: Place) -> Outcome<Vec<Place>> {
        let (Value::Tuple(items) | Value::List(items)) = self.value(place) else {
            return bad("a pickle has no sequence where one is expected");
        };
        let items = items.clone();
        self.copies += items.len();
        match self.copies > MOST_COPIES {
            true => bad(format!("a pickle copies more than {MOST_COPIES} elements")),
            false => Ok(items),
        }
    }

    /// Returns the value of a call of `function`.
    fn call(&mut self, function: Place, arguments: Place) -> Outcome<Value> {
        let Value::Global(function) = self.value(function).clone() else {
            return bad("a pickle calls something that is no function");
        };
        let Value::Tuple(_) = self.value(arguments) else {
            return bad("a pickle calls a function without a tuple of arguments");
        };
        let arguments = self.items(arguments)?;
        match function {
            Global::OrderedDict => {
                let mut entries = Vec::new();
                for &list in arguments.first().into_iter() {
                    for pair in self.items(list)? {
                        match self.items(pair)?[..] {
                            [key, value] => entries.push((key, value)),
                            _ => return bad("a pickle has a dictionary of something but pairs"),
                        }
                    }
                }
                Ok(Value::Dict(entries))
            }
            Global::Size => match arguments[..] {
                [sizes] => Ok(Value::Tuple(self.items(sizes)?)),
                _ => bad("a pickle makes a torch.Size of something but one tuple"),
            },
            Global::Bytes => Ok(Value::Other),
            Global::Rebuild(rebuild) => self.rebuild(rebuild, &arguments),
            Global::TypedTensor => self.typed(&arguments),
            other => unsupported(format!("the pickle calls {}, expected tensors", other.name())),
        }
    }

    /// Returns a tensor with attributes, which are ignored. Arguments: function, class, its arguments, state.
    fn typed(&mut self, arguments: &[Place]) -> Outcome<Value> {
        let &[function, class, inner, _] = arguments else {
            return bad("a pickle makes a tensor of too few arguments");
        };
        match (self.value(function), self.value(class)) {
            (Value::Global(Global::Rebuild(_)), Value::Global(Global::Tensor)) => {
                self.call(function, inner)
            }
            _ => {
                unsupported("the pickle has a tensor of a class of its own, expected torch.Tensor")
            }
        }
    }

    fn rebuild(&mut self, rebuild: Rebuild, arguments: &[Place]) -> Outcome<Value> {
        if rebuild == Rebuild::Parameter {
            return match arguments.first().map(|&data| self.value(data)) {
                Some(Value::Tensor(view)) => Ok(Value::Tensor(view.clone())),
                _ => bad("a pickle makes a parameter of something that is no tensor"),
            };
        }
        let &[storage, offset, shape, strides, ..] = arguments else {
            return bad("a pickle makes a tensor of too few arguments");
        };
        // requires_grad and hooks do not change the numbers, but metadata may negate or conjugate
        // them.
        let (dtype, metadata) = match rebuild {
            Rebuild::TensorV3 => (arguments.get(6), arguments.get(7)),
            _ => (None, arguments.get(6)),
        };
        if let Some(Value::Dict(entries)) = metadata.map(|&place| self.value(place))
            && entries.iter().any(|&(_, value)| !matches!(self.value(value), Value::Bool(false)))
        {
            return unsupported("a tensor is a negated or conjugate view");
        }
        let Value::Storage(storage) = self.value(storage).clone() else {
            return bad("a pickle makes a tensor of something that is no storage");
        };
        let dtype = match dtype.map(|&place| self.value(place)) {
            None => storage.dtype,
            Some(Value::Global(Global::Dtype(dtype))) => Some(*dtype),
            Some(_) => return bad("a pickle makes a tensor of an unknown dtype"),
        };
        let Some(dtype) = dtype else {
            return bad("a pickle makes a tensor without a dtype");
        };
        let offset = self.length(offset)?;
        let (shape, strides) = (self.lengths(shape)?, self.lengths(strides)?);
        if shape.len() != strides.len() || shape.len() > MOST_DIMENSIONS {
            return bad(format!(
                "a pickle makes a tensor of {} sizes and {} strides",
                shape.len(),
                strides.len()
            ));
        }
        Ok(Value::Tensor(Box::new(View { storage: *storage, dtype, offset, shape, strides })))
    }

    fn length(&self, place: Place) -> Outcome<u64> {
        match self.value(place) {
            Value::Int(number) if *number >= 0 => Ok(*number as u64),
            _ => bad("a pickle has a size or offset that is no whole number"),
        }
    }

    fn lengths(&mut self, place: Place) -> Outcome<Vec<u64>> {
        self.items(place)?.into_iter().map(|item| self.length(item)).collect()
    }

    /// Returns the storage of a persistent id: ("storage", class, key, device, elements). In the
    /// older format, a view may follow.
    fn storage(&mut self, place: Place) -> Outcome<StorageView> {
        let id = self.items(place)?;
        let kind = id.first().and_then(|&place| self.text(place)).unwrap_or("nothing");
        if kind != "storage" {
            return unsupported(format!(
                "expected a pickle of tensors, got one with a {}",
                shown(kind)
            ));
        }
        let (&[_, class, key, _, length] | &[_, class, key, _, length, _]) = &id[..] else {
            return bad("a storage is described by too few or too many values");
        };
        let dtype = match self.value(class) {
            Value::Global(Global::Storage(dtype)) => *dtype,
            _ => return bad("a storage is of an unknown class"),
        };
        let key = match self.text(key) {
            Some(key) if key.len() <= LONGEST_KEY => key.to_owned(),
            _ => return bad(format!("a storage has no key of at most {LONGEST_KEY} bytes")),
        };
        let length = self.length(length)?;
        let whole = StorageView { key, dtype, length, offset: 0, view_length: length };
        let Some(Value::Tuple(view)) = id.get(5).map(|&place| self.value(place)) else {
            return Ok(whole);
        };
        let &[_, offset, view_length] = &view[..] else {
            return bad("a view of a storage is described by too few or too many values");
        };
        let (offset, view_length) = (self.length(offset)?, self.length(view_length)?);
        match offset.checked_add(view_length) {
            Some(end) if end <= length => Ok(StorageView { offset, view_length, ..whole }),
            _ => {
                bad(format!("storage {} has {length} elements, less than a view of it", whole.key))
            }
        }
    }
}

/// Returns a text for a message: at most 80 characters, without control characters.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace(char::is_control, "\u{fffd}")
}
