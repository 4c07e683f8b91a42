//! `bindgen web|node INPUT.wasm OUT_DIR NAME`: writes NAME_bg.wasm with its JavaScript glue.
//!
//! The same as the `wasm-bindgen` program, which takes minutes to install; this is built along
//! with the crate.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

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
    if target == "web" {
        add_release(&Path::new(out_dir).join(format!("{name}.js")))?;
    }
    Ok(())
}

/// Adds the function `release` to the JavaScript in `path`: it drops the instance and its memory,
/// which a module that is imported would otherwise hold for good.
fn add_release(path: &Path) -> Result<(), Box<dyn Error>> {
    let glue = fs::read_to_string(path)?;
    let declared =
        |line: &str| Some(line.strip_prefix("let ")?.strip_suffix(" = null;")?.to_owned());
    let caches: Vec<String> =
        glue.lines().filter_map(declared).filter(|name| name.starts_with("cached")).collect();
    if caches.is_empty() || !glue.contains("\nlet wasmModule, wasmInstance, wasm;\n") {
        return Err(format!("{}: not the variables that were expected", path.display()).into());
    }
    let caches = caches.join(" = ");
    // finalizers of objects and closures still call what it exported
    let release = format!(
        "\nexport function release() {{
    wasm = new Proxy({{}}, {{ get: () => () => {{}} }});
    wasmModule = wasmInstance = __wbg_init_promise = undefined;
    {caches} = null;
}}\n"
    );
    fs::write(path, glue + &release)?;
    Ok(())
}
