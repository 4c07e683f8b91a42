//! Figures of devices from their data sheets: named examples, whose figures can be overridden.

/// The figures of a device. A core runs workgroups: a streaming multiprocessor (NVIDIA), compute
/// unit (AMD) or dual subslice (Intel).
#[derive(Debug, Clone)]
pub(crate) struct Device {
    pub(crate) name: &'static str,
    figures: Vec<(&'static str, f64, &'static str)>,
}

/// Names of the figures, and their meaning.
const MEANINGS: [&str; 15] = [
    "cores",
    "multiply-adds in f32 a core and clock",
    "clock, GHz",
    "multiply-adds in f16 for one in f32",
    "additions, comparisons and shifts of integers for one multiply-add in f32",
    "products of four 8-bit integers for one multiply-add in f32",
    "GB/s of memory",
    "GB/s of the cache that all cores share",
    "bytes a core and clock of workgroup memory",
    "KiB a core of workgroup memory",
    "invocations a core",
    "workgroups a core",
    "ns from a load to its number, past the core's own cache",
    "µs from the end of a dispatch to the beginning of the next one",
    "µs from the call to the first dispatch, and from the last one to the answer",
];

const NAMES: [&str; 15] = [
    "cores",
    "lanes",
    "ghz",
    "half",
    "integer",
    "dot",
    "memory",
    "cache",
    "shared",
    "storage",
    "threads",
    "workgroups",
    "latency",
    "launch",
    "submit",
];

/// The example devices, with the sources in docs/notes/webgpu.md. The last three figures are
/// guesses and must be measured.
const DEVICES: [(&str, [f64; 15]); 5] = [
    (
        "iris-xe",
        [
            6.0, 128.0, 1.35, 2.0, 1.0, 1.0, 68.3, 518.0, 128.0, 128.0, 1792.0, 32.0, 300.0, 5.0,
            150.0,
        ],
    ),
    (
        "m2",
        [
            10.0, 128.0, 1.398, 1.0, 1.0, 0.05, 102.4, 205.0, 128.0, 60.0, 1536.0, 24.0, 300.0,
            5.0, 150.0,
        ],
    ),
    (
        "adreno-730",
        [
            4.0, 256.0, 0.9, 2.0, 1.0, 0.1, 51.2, 150.0, 128.0, 32.0, 2048.0, 16.0, 400.0, 10.0,
            300.0,
        ],
    ),
    (
        "rtx-4070",
        [
            46.0, 128.0, 2.475, 1.0, 0.5, 0.5, 504.0, 2000.0, 128.0, 100.0, 1536.0, 24.0, 250.0,
            3.0, 100.0,
        ],
    ),
    (
        "h200",
        [
            132.0, 128.0, 1.98, 2.0, 0.5, 0.5, 4800.0, 5500.0, 128.0, 228.0, 2048.0, 32.0, 300.0,
            3.0, 100.0,
        ],
    ),
];

impl Device {
    /// Returns the device named in the arguments, or the first one, with figures overridden by
    /// NAME=VALUE. Fails for any other argument.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut device = Self::named(DEVICES[0]);
        for argument in arguments {
            if let Some(found) = DEVICES.into_iter().find(|(name, _)| name == argument) {
                device = Self::named(found);
            }
        }
        for argument in arguments {
            if DEVICES.iter().any(|(name, _)| name == argument) {
                continue;
            }
            let number = argument.split_once('=').and_then(|(n, v)| Some((n, v.parse().ok()?)));
            let figure = number.and_then(|(name, value): (&str, f64)| {
                let found = device.figures.iter_mut().find(|(known, ..)| *known == name)?;
                found.1 = value;
                Some(())
            });
            if figure.is_none() {
                let devices = DEVICES.map(|(name, _)| name).join(", ");
                let figures = NAMES.join(", ");
                return Err(format!(
                    "{argument}: neither a device ({devices}) nor FIGURE=VALUE ({figures})"
                ));
            }
        }
        Ok(device)
    }

    fn named((name, values): (&'static str, [f64; 15])) -> Self {
        let figures = NAMES.into_iter().zip(values).zip(MEANINGS);
        Self {
            name,
            figures: figures.map(|((name, value), meaning)| (name, value, meaning)).collect(),
        }
    }

    /// Returns a figure by name.
    pub(crate) fn get(&self, name: &str) -> f64 {
        self.figures.iter().find(|(known, ..)| *known == name).map_or(f64::NAN, |figure| figure.1)
    }

    /// Returns the clocks per second.
    pub(crate) fn clocks(&self) -> f64 {
        1e9 * self.get("ghz")
    }

    /// Returns the f32 operations per second, two per multiply-add.
    pub(crate) fn peak(&self) -> f64 {
        2.0 * self.get("cores") * self.get("lanes") * self.clocks()
    }

    /// Prints the figures.
    pub(crate) fn print(&self) {
        println!("{}: {:.2} TFLOP/s in f32", self.name, self.peak() / 1e12);
        for (name, value, meaning) in &self.figures {
            println!("    {name:10} {value:8} {meaning}");
        }
    }
}
