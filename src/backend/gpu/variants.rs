//! The variants of linear.wgsl: how a workgroup cuts its tile among invocations. All of them
//! compute the same function, and none is the fastest on every device and for every shape.

use std::fmt::{self, Write};

use super::minify::shader;

/// Groups of sums that an invocation has at most: more would not stay in registers.
#[cfg(test)]
const MOST_SUMS: u32 = 32;

/// Bytes of workgroup memory of shared/x_normed.wgsl.
const NORM_MEMORY: u32 = 1536;

/// The operands of linear.wgsl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    Floats,
    /// 8-bit integers; the rows were quantized before.
    Quantized,
    /// 8-bit integers; the kernel quantizes the rows.
    Rounded,
}

/// How linear.wgsl divides its work. See the shader's comment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Rows per invocation.
    pub(super) rows: u32,
    /// Columns per invocation, a multiple of 4.
    pub(super) columns: u32,
    /// Invocations across columns, 8 or 16.
    pub(super) threads_x: u32,
    /// Invocations across rows, 8 or 16.
    pub(super) threads_y: u32,
    /// Divisions of the groups of a step among invocations.
    pub(super) slices: u32,
    /// Groups of x and weights loaded into workgroup memory per step.
    pub(super) groups: u32,
    /// Steps that are in workgroup memory at a time: 1, or 2 to wait once a step.
    pub(super) buffers: u32,
}

// The variants that a device measures. Rows and columns per invocation, invocations across columns
// and rows, slices, groups per step.
/// The default of small results.
pub(super) const TILE_32X32: &Tile = &tile([4, 4], [8, 8], 1, 4);
/// The default of large results.
pub(super) const TILE_64X64: &Tile = &tile([4, 4], [16, 16], 1, 4);
pub(super) const TILE_128X64: &Tile = &tile([8, 4], [16, 16], 1, 4);
pub(super) const TILE_128X128: &Tile = &tile([8, 8], [16, 16], 1, 4);
pub(super) const TILE_64X128: &Tile = &tile([8, 8], [16, 8], 1, 4);
/// 64 invocations with 8 × 8 results each.
pub(super) const TILE_64X64_BY_64: &Tile = &tile([8, 8], [8, 8], 1, 4);
/// 128 invocations with 16 × 8 results each.
pub(super) const TILE_128X128_BY_128: &Tile = &tile([16, 8], [16, 8], 1, 4);
/// Four slices, for few rows.
pub(super) const TILE_32X32_SLICED: &Tile = &tile([4, 4], [8, 8], 4, 8);
/// Four slices, for fewer rows.
pub(super) const TILE_16X32_SLICED: &Tile = &tile([2, 4], [8, 8], 4, 16);
/// Two slices, in less workgroup memory.
pub(super) const TILE_16X32_HALVED: &Tile = &tile([2, 4], [8, 8], 2, 8);
/// 256 invocations with 4 × 8 results each.
pub(super) const TILE_64X128_BY_256: &Tile = &tile([4, 8], [16, 16], 1, 4);
/// Two steps in workgroup memory.
pub(super) const TILE_64X64_DOUBLED: &Tile = &tile([4, 4], [16, 16], 1, 4).doubled();
/// Two steps in workgroup memory.
pub(super) const TILE_64X128_DOUBLED: &Tile = &tile([8, 8], [16, 8], 1, 2).doubled();

/// Every variant. Tests and benchmarks name them by their place here; nothing else does.
pub(super) const TILES: [&Tile; 18] = [
    TILE_32X32,
    TILE_64X64,
    TILE_128X64,
    TILE_64X128_BY_256,
    TILE_128X128,
    &tile([8, 8], [16, 16], 1, 2),
    TILE_64X128,
    TILE_64X64_BY_64,
    TILE_128X128_BY_128,
    TILE_32X32_SLICED,
    TILE_16X32_SLICED,
    TILE_16X32_HALVED,
    TILE_64X64_DOUBLED,
    &tile([8, 8], [8, 8], 1, 4).doubled(),
    &tile([8, 8], [16, 8], 1, 4).doubled(),
    TILE_64X128_DOUBLED,
    &tile([8, 8], [16, 16], 1, 2).doubled(),
    &tile([16, 8], [16, 8], 1, 2).doubled(),
];

const fn tile(
    [rows, columns]: [u32; 2],
    [threads_x, threads_y]: [u32; 2],
    slices: u32,
    groups: u32,
) -> Tile {
    Tile { rows, columns, threads_x, threads_y, slices, groups, buffers: 1 }
}

/// Writes rows × columns of the tile, rows × columns of an invocation, slices, groups and buffers.
impl fmt::Debug for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, columns, slices, groups, buffers, .. } = self;
        let (high, wide) = (self.height(), self.width());
        write!(f, "{high}x{wide}/{rows}x{columns}/{slices}/{groups}/{buffers}")
    }
}

impl Tile {
    /// Rows of the tile.
    pub(super) fn height(&self) -> u32 {
        self.rows * self.threads_y
    }

    /// Columns of the tile.
    pub(super) fn width(&self) -> u32 {
        self.columns * self.threads_x
    }

    /// Returns the tile with two steps in workgroup memory.
    const fn doubled(self) -> Self {
        Self { buffers: 2, ..self }
    }

    /// Bytes of workgroup memory with these operands.
    pub(super) fn memory(&self, operands: Operands) -> u32 {
        let sums = if self.slices > 1 { 4 * self.height() * self.width() } else { 0 };
        let (group, norm) = match operands {
            Operands::Floats => (16, 0), // the norm of variants for few rows fits
            Operands::Quantized => (16 + 4 / 2, 0),
            Operands::Rounded => (16 + 4 / 2, NORM_MEMORY),
        };
        group * self.groups * self.buffers * (self.height() + self.width()) + sums + norm
    }

    /// Invocations per workgroup.
    pub(super) fn threads(&self) -> u32 {
        self.threads_x * self.threads_y * self.slices
    }

    /// Returns the constants of linear.wgsl and the shader with its repetitions written out, for
    /// these operands.
    pub(super) fn source(&self, operands: Operands) -> String {
        let [floats, rounds] = [Operands::Floats, Operands::Rounded].map(|of| of == operands);
        let &Self { rows, columns, threads_x, threads_y, slices, groups, buffers } = self;
        let (threads, quads) = (self.threads(), columns / 4);
        let constants = [
            ("ROWS", rows),
            ("COLUMNS", columns),
            ("THREADS_X", threads_x),
            ("THREADS_Y", threads_y),
            ("SLICES", slices),
            ("K_GROUPS", groups),
            ("BUFFERS", buffers),
            ("THREADS", threads),
            ("QUADS", quads),
            ("SLICE_GROUPS", groups / slices),
            ("SPREAD", (8 / groups).max(1)),
        ];
        let mut source = String::new();
        for (name, value) in constants {
            // writing to a string never fails
            let _ = writeln!(source, "const {name} = {value}u;");
        }
        if slices > 1 {
            let size = threads_x * threads_y;
            let sums = rows * quads;
            let _ = writeln!(
                source,
                "var<workgroup> slice_sums: array<array<vec4<f32>, {size}>, {sums}>;"
            );
        }
        let counts = [
            ("X_LOADS", if rounds { 0 } else { self.height() * groups / threads }),
            ("W_LOADS", self.width() * groups / threads),
            ("OTHER_SLICES", slices - 1),
            ("INTEGERS", u32::from(!floats)),
            ("ROUNDS", u32::from(rounds)),
            ("READS_FLOATS", u32::from(floats || rounds)),
            ("FLOAT_GROUPS", if floats { groups / slices } else { 0 }),
            ("SLICE_BLOCKS", if floats { 0 } else { groups / slices / 2 }),
            ("FOUR", 4),
            ("QUADS", quads),
            ("ROWS", rows),
        ];
        repeat(shader!("linear").lines(), &counts, &mut source);
        source
    }
}

/// Returns attention_wide.wgsl with its repetitions written out.
pub(super) fn attention_wide() -> String {
    let counts = [("ROWS", 4), ("CHUNK", 8), ("LANES", 8), ("LOADS", 4)];
    let mut source = String::new();
    repeat(shader!("attention_wide").lines(), &counts, &mut source);
    source
}

/// Writes the lines. Those between `#each NAME COUNT` and `#end` are repeated COUNT times, with
/// #NAME replaced by the number of the repetition. COUNT is the name of one of `counts`.
fn repeat<'a>(lines: impl Iterator<Item = &'a str>, counts: &[(&str, u32)], source: &mut String) {
    let mut block: Option<(&str, &str, Vec<&str>)> = None;
    let mut depth = 0;
    for line in lines {
        if line.starts_with("#each") {
            depth += 1;
        } else if line.starts_with("#end") {
            depth -= 1;
        }
        match &mut block {
            None if depth == 1 => {
                let mut words = line.split_whitespace().skip(1);
                let (name, count) = (words.next(), words.next());
                block = Some((name.unwrap_or_default(), count.unwrap_or_default(), Vec::new()));
            }
            None => {
                source.push_str(line);
                source.push('\n');
            }
            Some((_, _, inside)) if depth > 0 => inside.push(line),
            Some(_) => {
                let Some((name, count, inside)) = block.take() else { continue };
                let count = counts.iter().find(|(known, _)| *known == count).map_or(0, |c| c.1);
                let mut once = String::new();
                repeat(inside.into_iter(), counts, &mut once);
                for number in 0..count {
                    source.push_str(&once.replace(&format!("#{name}"), &number.to_string()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_SUMS, Operands, TILES, repeat};

    #[test]
    fn tiles_are_whole() {
        // All but one fit WebGPU's least limit, in 8 bits all but seven.
        let too_large =
            |operands| TILES.iter().filter(|tile| tile.memory(operands) > 16_384).count();
        assert_eq!([Operands::Floats, Operands::Quantized].map(too_large), [1, 7]);
        for tile in TILES {
            assert!(tile.threads() <= 256);
            assert!(tile.rows * tile.columns / 4 <= MOST_SUMS);
            // every load is within the tile, and every group belongs to a slice
            assert_eq!(tile.height() * tile.groups % tile.threads(), 0);
            assert_eq!(tile.width() * tile.groups % tile.threads(), 0);
            assert_eq!(tile.groups % tile.slices, 0);
            // and every block of 8-bit integers, which is two groups
            assert_eq!(tile.groups / tile.slices % 2, 0);
        }
    }

    #[test]
    fn lines_are_repeated() {
        let mut source = String::new();
        let text = "a\n#each i N\nb#i\n#each j M\nc#i#j;\n#end\n#end\nd";
        repeat(text.lines(), &[("N", 2), ("M", 1)], &mut source);
        assert_eq!(source, "a\nb0\nc00;\nb1\nc10;\nd\n");
    }
}
