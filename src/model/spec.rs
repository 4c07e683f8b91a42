//! What a parameter is: its shape, and the tensors of a checkpoint that it is made of.

/// Description of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// Tensors that are stacked by rows into the parameter, all with the same shape. Usually one. A
    /// bias that the family does not have has no tensor and is zeros; if only a part is missing, its
    /// name is empty.
    pub tensors: Vec<TensorName>,
    /// Rows of the whole parameter. For a vector, its length.
    pub rows: usize,
    /// Columns. For a vector usually 1.
    pub cols: usize,
    /// True if weight decay applies. Biases and LayerNorms do not decay.
    pub decays: bool,
    /// How a tensor's rows are placed.
    pub order: RowOrder,
}

/// How the rows of a tensor in a file are placed in its parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// One after another.
    #[default]
    Plain,
    /// The file has the queries, keys and values of each head in turn. In the parameter all queries
    /// come first, then all keys, then all values.
    ByHeads {
        /// Number of heads.
        heads: usize,
    },
    /// The weight of a convolution, `[outputs, inputs / groups, taps]`. In the parameter a row has
    /// the inputs of all groups, and zeros where a group does not read.
    Taps {
        /// Number of taps.
        taps: usize,
        /// Number of groups of inputs and outputs.
        groups: usize,
    },
}

impl RowOrder {
    /// Returns the row of the parameter for a tensor's row; `rows` is the number of its rows.
    pub fn row(self, row: usize, rows: usize) -> usize {
        match self {
            Self::Plain | Self::Taps { .. } => row,
            Self::ByHeads { heads } => {
                let head_dim = rows / (3 * heads);
                let (head, part) = (row / head_dim / 3, row / head_dim % 3);
                (part * heads + head) * head_dim + row % head_dim
            }
        }
    }

    /// Returns the number of columns of a tensor whose parameter has `cols` columns.
    pub fn cols(self, cols: usize) -> usize {
        match self {
            Self::Taps { groups, .. } => cols / groups,
            Self::Plain | Self::ByHeads { .. } => cols,
        }
    }

    /// Returns the shape of a tensor with `rows` rows whose parameter has `cols` columns.
    pub fn shape(self, rows: usize, cols: usize) -> Vec<usize> {
        match self {
            Self::Taps { taps, groups } => vec![rows, cols / groups / taps, taps],
            Self::Plain | Self::ByHeads { .. } => vec![rows, cols],
        }
    }
}

/// Names of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    /// Name without the family's prefix, used to look a tensor up in files of any origin.
    pub canonical: String,
    /// Name in checkpoints of Hugging Face's classes with a head.
    pub checkpoint: String,
    /// How its rows lie in the parameter.
    pub layout: Layout,
}

/// How the rows of a tensor lie in its rows of the parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// In the same order.
    #[default]
    Plain,
    /// The second half comes first.
    HalvesSwapped,
    /// Each head's rows are repeated: `times` heads of queries share one head of keys and values.
    HeadsRepeated {
        /// Rows of a head.
        head_dim: usize,
        /// Number of copies.
        times: usize,
    },
    /// The rows fall into this many groups, and each group has a group of the columns. The other
    /// columns are zeros.
    Groups(usize),
    /// Rows and columns are exchanged. The tensor has a block for each group of rows, which reads a
    /// group of the columns; the other columns are zeros.
    Transposed {
        /// Number of groups.
        groups: usize,
    },
    /// The tensor has the columns of the next word, of the word and of the word before it, one
    /// after another. In the parameter each column has its three neighbours side by side, the
    /// earliest first.
    Trigrams,
}

impl Layout {
    /// Returns the rows and columns of the tensor, given the size of its part of the parameter.
    pub fn tensor_shape(self, rows: usize, cols: usize) -> [usize; 2] {
        match self {
            Self::Plain | Self::HalvesSwapped | Self::Trigrams => [rows, cols],
            Self::HeadsRepeated { times, .. } => [rows / times, cols],
            Self::Groups(groups) => [rows, cols / groups],
            Self::Transposed { groups } => [cols, rows / groups],
        }
    }

    /// Returns the shape of the tensor in its file, given the size of its part of the parameter.
    pub fn file_shape(self, rows: usize, cols: usize) -> Vec<usize> {
        let [first, second] = self.tensor_shape(rows, cols);
        match self {
            // grouped layers are stored as convolutions of width 1
            Self::Groups(_) => vec![first, second, 1],
            Self::Transposed { groups } if groups > 1 => vec![groups, first / groups, second],
            _ => vec![first, second],
        }
    }

    /// Adds row `row` of a transposed tensor to `whole`, the tensor's part of the parameter. Calls
    /// `write` with `whole` after the last row.
    #[cfg(feature = "families")]
    pub(crate) fn transpose(
        self,
        [rows, cols]: [usize; 2],
        row: usize,
        values: &[f32],
        whole: &mut Vec<f32>,
        write: &mut dyn FnMut(usize, &[f32]),
    ) {
        let Self::Transposed { groups } = self else { return };
        let first = row * groups / cols * (rows / groups);
        for (to, value) in (first..).zip(values) {
            whole[to * cols + row] = *value;
        }
        if row + 1 == cols {
            write(0, &std::mem::take(whole));
        }
    }

    /// Calls `write` with each row of the parameter that row `row` of the tensor fills, and with
    /// the values of that row. `rows` and `cols` are the size of the tensor's part of the
    /// parameter.
    pub fn place(
        self,
        [rows, cols]: [usize; 2],
        row: usize,
        values: &[f32],
        write: &mut dyn FnMut(usize, &[f32]),
    ) {
        match self {
            Self::Plain => write(row, values),
            Self::HalvesSwapped => write((row + rows / 2) % rows.max(1), values),
            Self::HeadsRepeated { head_dim, times } => {
                let (head, within) = (row / head_dim, row % head_dim);
                for copy in 0..times {
                    write((head * times + copy) * head_dim + within, values);
                }
            }
            Self::Groups(groups) => {
                let mut whole = vec![0.0; cols];
                let first = row * groups / rows.max(1) * values.len();
                whole[first..first + values.len()].copy_from_slice(values);
                write(row, &whole);
            }
            Self::Trigrams => {
                let words = cols / 3;
                let place = |column: usize| (2 - column % 3) * words + column / 3;
                let whole: Vec<f32> = (0..cols).map(|column| values[place(column)]).collect();
                write(row, &whole);
            }
            // a row of the tensor is a column of the parameter: see [`Layout::transpose`]
            Self::Transposed { .. } => {}
        }
    }
}

impl ParameterSpec {
    /// Returns the rows of each of its tensors.
    pub fn tensor_rows(&self) -> usize {
        self.rows / self.tensors.len().max(1)
    }
}
