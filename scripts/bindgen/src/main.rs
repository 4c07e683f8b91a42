//! `bindgen web|node INPUT.wasm OUT_DIR NAME`: writes NAME_bg.wasm with its JavaScript glue.
//!
//! The same as the `wasm-bindgen` program, which takes minutes to install; this is built along
//! with the crate.

use std::env;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [target, input, out_dir, name] = args.as_slice() else {
        return Err("usage: bindgen web|node INPUT.wasm OUT_DIR NAME".into());
    };
    let mut bindgen = Bindgen::new();
    match target.as_str() {
        // The package says where its wasm is: no `new URL("…_bg.wasm")` for bundlers to trip over.
        "web" => bindgen.web(true)?.omit_default_module_path(true).typescript(true),
        // Only tests run this way: the runner calls their exports itself, and starts them itself.
        "node" => {
            bindgen.nodejs_module(true)?.typescript(false).export_wasm(true).emit_start(false)
        }
        other => return Err(format!("target {other:?} is neither web nor node").into()),
    };
    bindgen.input_path(input).out_name(name).debug(false).generate(out_dir)?;
    Ok(())
}
