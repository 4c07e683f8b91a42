//! Values from and to JavaScript, by hand: derived code for every type of option and answer made
//! the download 11 kB longer.

use js_sys::{Array, JSON, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::{JsResult, Utf16, bad_input, set};

/// What a JavaScript value can be read as.
pub(super) trait FromJs: Sized {
    /// In words, for messages.
    const IS: &'static str;
    /// The value, where it is one.
    fn from_js(value: &JsValue) -> Option<Self>;
}

impl FromJs for String {
    const IS: &'static str = "a string";
    fn from_js(value: &JsValue) -> Option<Self> {
        value.as_string()
    }
}

impl FromJs for bool {
    const IS: &'static str = "true or false";
    fn from_js(value: &JsValue) -> Option<Self> {
        value.as_bool()
    }
}

impl FromJs for i64 {
    const IS: &'static str = "a whole number";
    fn from_js(value: &JsValue) -> Option<Self> {
        value.as_f64().filter(|number| number.trunc() == *number).map(|number| number as Self)
    }
}

impl FromJs for usize {
    const IS: &'static str = "a whole number, 0 or more";
    fn from_js(value: &JsValue) -> Option<Self> {
        // Infinity becomes the greatest
        i64::from_js(value)
            .filter(|&number| number >= 0)
            .map(|number| Self::try_from(number).unwrap_or(Self::MAX))
    }
}

/// null where there may be nothing.
impl<T: FromJs> FromJs for Option<T> {
    const IS: &'static str = T::IS;
    fn from_js(value: &JsValue) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_js(value).map(Some) }
    }
}

impl<T: FromJs> FromJs for Vec<T> {
    const IS: &'static str = "an array of such";
    fn from_js(value: &JsValue) -> Option<Self> {
        let array = value.dyn_ref::<Array>()?;
        let mut values = Self::with_capacity(array.length() as usize);
        for value in array.iter() {
            values.push(T::from_js(&value)?);
        }
        Some(values)
    }
}

impl<A: FromJs, B: FromJs> FromJs for (A, B) {
    const IS: &'static str = "an array of two";
    fn from_js(value: &JsValue) -> Option<Self> {
        let array = value.dyn_ref::<Array>()?;
        Some((A::from_js(&array.get(0))?, B::from_js(&array.get(1))?))
    }
}

/// Reads a value that has to be there.
pub(super) fn read<T: FromJs>(name: &str, value: &JsValue) -> JsResult<T> {
    T::from_js(value).ok_or_else(|| unfit(name, T::IS, value))
}

/// Apart from [`read`], which there is one of for each type.
#[cold]
fn unfit(name: &str, is: &str, value: &JsValue) -> JsValue {
    let found = JSON::stringify(value).ok().and_then(|found| found.as_string());
    bad_input(format!("{name} is {is}, not {}", found.unwrap_or_default()))
}

/// The properties of an object of options.
pub(super) struct Fields<'a>(pub(super) &'a JsValue);

impl Fields<'_> {
    /// A property; `None` where it is undefined.
    pub(super) fn get<T: FromJs>(&self, name: &str) -> JsResult<Option<T>> {
        let value = self.property(name);
        if value.is_undefined() { Ok(None) } else { read(name, &value).map(Some) }
    }

    /// A property; `None` where it is undefined or null.
    pub(super) fn given<T: FromJs>(&self, name: &str) -> JsResult<Option<T>> {
        Ok(self.get::<Option<T>>(name)?.flatten())
    }

    /// Of what is no object, too, all properties are undefined.
    #[inline(never)]
    pub(super) fn property(&self, name: &str) -> JsValue {
        Reflect::get(self.0, &name.into()).unwrap_or_default()
    }

    /// A property, or what holds where it is undefined.
    pub(super) fn or<T: FromJs>(&self, name: &str, default: T) -> JsResult<T> {
        Ok(self.get(name)?.unwrap_or(default))
    }
}

/// What goes out to JavaScript.
pub(super) trait ToJs {
    /// As a value; `units` are those of the text that its bytes are counted in.
    fn to_js(&self, units: &Utf16) -> JsValue;
}

impl<T: ToJs> ToJs for Vec<T> {
    fn to_js(&self, units: &Utf16) -> JsValue {
        let array = Array::new();
        for value in self {
            array.push(&value.to_js(units));
        }
        array.into()
    }
}

/// An object of these properties, but for those that are undefined.
pub(super) fn object(properties: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in properties {
        if !value.is_undefined() {
            set(&object, name, value);
        }
    }
    object.into()
}

/// True, or undefined.
pub(super) fn flag(is_set: bool) -> JsValue {
    if is_set { JsValue::TRUE } else { JsValue::UNDEFINED }
}
