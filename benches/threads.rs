//! Records how forward passes divide their work among threads. `npm run bench -- threads` compiles
//! this and simulates any number of threads.

#[cfg(target_arch = "wasm32")]
mod common;

#[cfg(target_arch = "wasm32")]
#[allow(clippy::unwrap_used, reason = "a benchmark ends by panicking")]
#[allow(unreachable_pub, reason = "JavaScript reaches it")]
mod record {
    use super::common::batch;
    use pollster::block_on;
    use wasm_bindgen::prelude::wasm_bindgen;
    use webert::backend::cpu::Cpu;
    use webert::engine::{Folder, LoadOptions, Model, ModelLoader};
    use webert::model::encoder::{Scratch, Span, encode};
    use webert_kernels::simulation::{begin_record, end_record};
    use webert_kernels::{Activation, Matrix, Precision, Rows, Workspace, linear};

    #[wasm_bindgen]
    extern "C" {
        /// Returns milliseconds since some moment.
        #[wasm_bindgen(js_namespace = performance)]
        fn now() -> f64;
    }

    /// Runs `work` and returns its record: the milliseconds outside regions, then for each region 1 if
    /// threads have their own parts, the number of its items, and the milliseconds of each item.
    fn record(work: impl FnOnce()) -> Vec<f64> {
        begin_record(now);
        let start = now();
        work();
        let whole = now() - start;
        let regions = end_record();
        let mut numbers = vec![whole - regions.iter().map(|region| region.wall).sum::<f64>()];
        for region in regions {
            let parts = f64::from(u8::from(region.has_parts));
            numbers.extend([parts, region.items.len() as f64]);
            numbers.extend(region.items);
        }
        numbers
    }

    /// Returns the milliseconds that the clock adds to an item: the least of many.
    #[wasm_bindgen]
    pub fn clock() -> f64 {
        let between = || {
            let start = now();
            now() - start
        };
        (0..1000).map(|_| between()).fold(f64::INFINITY, f64::min)
    }

    /// A model that is being loaded.
    #[wasm_bindgen]
    pub struct WeightsOf(ModelLoader<Cpu>);

    #[wasm_bindgen]
    impl WeightsOf {
        #[wasm_bindgen(constructor)]
        pub fn new(config_json: &[u8], dtype: &str) -> Self {
            let files = vec![("config.json".to_owned(), config_json.to_vec())];
            let options = LoadOptions::with_dtype(dtype, None).unwrap();
            let folder = Folder::read(&files).unwrap();
            let mut loader = ModelLoader::new(folder, Cpu::default(), options).unwrap();
            loader.begin_file("model.safetensors").unwrap();
            Self(loader)
        }

        /// Takes the next bytes of the weights.
        pub fn push(&mut self, bytes: &[u8]) {
            self.0.push(bytes).unwrap();
        }

        pub fn finish(self) -> Passes {
            Passes { model: block_on(self.0.finish()).unwrap(), scratch: Scratch::default() }
        }
    }

    #[wasm_bindgen]
    pub struct Passes {
        model: Model<Cpu>,
        scratch: Scratch<Cpu>,
    }

    #[wasm_bindgen]
    impl Passes {
        /// Returns the record of a pass over `count` texts of `length` tokens.
        pub fn record(&mut self, count: usize, length: usize, threads: usize) -> Vec<f64> {
            let mut backend = self.model.engine().backend().unwrap();
            backend.set_threads(threads);
            let (config, encoder) = (self.model.config(), self.model.engine().encoder());
            let batch = batch(count, length, config.vocab);
            let span = Span { layers: config.layers, ..Span::default() };
            let scratch = &mut self.scratch;
            record(|| {
                encode(&mut *backend, config, &encoder, batch, scratch, &span).unwrap();
            })
        }
    }

    /// Returns the record of a linear layer, `[rows, inputs]` to `[rows, outputs]`, e.g. the one that
    /// chooses the number of threads at load time.
    #[wasm_bindgen]
    pub fn layer(sizes: &[usize], int8: bool, threads: usize) -> Vec<f64> {
        let &[rows, inputs, outputs] = sizes else { return Vec::new() };
        let precision = if int8 { Precision::I8 } else { Precision::F32 };
        let weight = Matrix::zeros(outputs, inputs, precision).unwrap();
        let (mut x, mut y) = (Rows::default(), Rows::default());
        x.shape(rows, inputs).unwrap();
        let (bias, mut workspace) = (vec![0.0; outputs], Workspace::new(threads));
        record(|| {
            linear(&x, &weight, &bias, Activation::Identity, &mut y, &mut workspace).unwrap();
        })
    }
}

fn main() {}
