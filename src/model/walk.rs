//! The walk over the parameters of a model. An operation on every parameter is a [`Visitor`] or a
//! loop over `leaves`.

use super::parameters::{
    Bottleneck, Convolution, Encoder, FeedForward, Head, Layer, MaskedLm, Normed, RelativeTable,
    SpanConvolution,
};
use crate::Result;
use crate::backend::train::Parameter;
use crate::backend::{Embeddings, Linear, Norm};

/// Visits each parameter of a walk and returns its replacement in the result.
pub trait Visitor<M, V> {
    /// Replacement of a matrix.
    type Matrix;
    /// Replacement of a vector.
    type Vector;
    /// Visits a matrix.
    ///
    /// # Errors
    /// Errors of the visitor; they end the walk.
    fn matrix(&mut self, matrix: M) -> Result<Self::Matrix>;
    /// Visits a vector. Errors: as [`Visitor::matrix`].
    fn vector(&mut self, vector: V) -> Result<Self::Vector>;
}

/// One parameter of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaf<M, V> {
    /// A matrix.
    Matrix(M),
    /// A vector.
    Vector(V),
}

impl<T> Leaf<T, T> {
    /// Returns the value of either kind.
    pub fn into_inner(self) -> T {
        let (Self::Matrix(inner) | Self::Vector(inner)) = self;
        inner
    }
}

/// Whether a model may have the parameters of families other than BERT's.
const FAMILIES: bool = cfg!(feature = "families");

/// Defines the walk, for shared and for mutable references. It visits every parameter once, in the
/// order of the fields.
macro_rules! walk {
    ($walk:ident $($mutable:ident)?) => {
        impl<M, V> Linear<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Linear<W::Matrix, W::Vector>> {
                Ok(Linear {
                    weight: visitor.matrix(&$($mutable)? self.weight)?,
                    bias: visitor.vector(&$($mutable)? self.bias)?,
                    activation: self.activation,
                })
            }
        }

        impl<V> Norm<V> {
            fn $walk<'a, M: 'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Norm<W::Vector>> {
                Ok(Norm {
                    weight: visitor.vector(&$($mutable)? self.weight)?,
                    bias: visitor.vector(&$($mutable)? self.bias)?,
                    eps: self.eps,
                    kind: self.kind,
                })
            }
        }

        impl<M, V> Embeddings<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Embeddings<W::Matrix, W::Vector>> {
                let positions = (&$($mutable)? self.position).into_iter().next();
                let types = (&$($mutable)? self.token_type).into_iter().next();
                let tasks = (&$($mutable)? self.task_type).into_iter().find(|_| FAMILIES);
                let norm = (&$($mutable)? self.norm).into_iter().next();
                Ok(Embeddings {
                    word: visitor.matrix(&$($mutable)? self.word)?,
                    position: positions.map(|table| visitor.matrix(table)).transpose()?,
                    token_type: types.map(|table| visitor.matrix(table)).transpose()?,
                    task_type: tasks.map(|table| visitor.matrix(table)).transpose()?,
                    norm: norm.map(|norm| norm.$walk(visitor)).transpose()?,
                })
            }
        }

        impl<M, V> Layer<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Layer<W::Matrix, W::Vector>> {
                let distances = (&$($mutable)? self.distances).into_iter().find(|_| FAMILIES);
                Ok(Layer {
                    qkv: self.qkv.$walk(visitor)?,
                    positions: (&$($mutable)? self.positions)
                        .into_iter()
                        .find(|_| FAMILIES)
                        .map(|linear| linear.$walk(visitor))
                        .transpose()?,
                    distances: distances.map(|vectors| visitor.vector(vectors)).transpose()?,
                    attention_output: self.attention_output.$walk(visitor)?,
                    attention_norm: self.attention_norm.$walk(visitor)?,
                    intermediate: self.intermediate.$walk(visitor)?,
                    output: self.output.$walk(visitor)?,
                    output_norm: self.output_norm.$walk(visitor)?,
                    bottleneck: (&$($mutable)? self.bottleneck)
                        .into_iter()
                        .find(|_| FAMILIES)
                        .map(|bottleneck| bottleneck.$walk(visitor))
                        .transpose()?,
                    feed_forwards: (&$($mutable)? self.feed_forwards)
                        .into_iter()
                        .filter(|_| FAMILIES)
                        .map(|feed_forward| feed_forward.$walk(visitor))
                        .collect::<Result<_>>()?,
                    span: (&$($mutable)? self.span)
                        .into_iter()
                        .find(|_| FAMILIES)
                        .map(|span| span.$walk(visitor))
                        .transpose()?,
                })
            }
        }

        impl<M, V> Bottleneck<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Bottleneck<W::Matrix, W::Vector>> {
                let attention = (&$($mutable)? self.attention).into_iter().next();
                let value = (&$($mutable)? self.value).into_iter().next();
                Ok(Bottleneck {
                    input: self.input.$walk(visitor)?,
                    attention: attention.map(|normed| normed.$walk(visitor)).transpose()?,
                    value: value.map(|linear| linear.$walk(visitor)).transpose()?,
                    output: self.output.$walk(visitor)?,
                })
            }
        }

        impl<M, V> Normed<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Normed<W::Matrix, W::Vector>> {
                Ok(Normed {
                    linear: self.linear.$walk(visitor)?,
                    norm: self.norm.$walk(visitor)?,
                })
            }
        }

        impl<M, V> FeedForward<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<FeedForward<W::Matrix, W::Vector>> {
                Ok(FeedForward {
                    intermediate: self.intermediate.$walk(visitor)?,
                    output: self.output.$walk(visitor)?,
                    norm: self.norm.$walk(visitor)?,
                })
            }
        }

        impl<M, V> SpanConvolution<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<SpanConvolution<W::Matrix, W::Vector>> {
                Ok(SpanConvolution {
                    depthwise: visitor.vector(&$($mutable)? self.depthwise)?,
                    pointwise: self.pointwise.$walk(visitor)?,
                    kernel: self.kernel.$walk(visitor)?,
                    value: self.value.$walk(visitor)?,
                })
            }
        }

        impl<M, V> RelativeTable<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<RelativeTable<W::Matrix, W::Vector>> {
                let norm = (&$($mutable)? self.norm).into_iter().next();
                Ok(RelativeTable {
                    table: visitor.matrix(&$($mutable)? self.table)?,
                    norm: norm.map(|norm| norm.$walk(visitor)).transpose()?,
                })
            }
        }

        impl<M, V> Convolution<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Convolution<W::Matrix, W::Vector>> {
                Ok(Convolution {
                    linear: self.linear.$walk(visitor)?,
                    norm: self.norm.$walk(visitor)?,
                })
            }
        }

        impl<M, V> MaskedLm<M, V> {
            fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<MaskedLm<W::Matrix, W::Vector>> {
                let transform = (&$($mutable)? self.transform).into_iter().next();
                let norm = (&$($mutable)? self.norm).into_iter().next();
                let decoder = (&$($mutable)? self.decoder).into_iter().next();
                let wider = (&$($mutable)? self.wider).into_iter().find(|_| FAMILIES);
                Ok(MaskedLm {
                    transform: transform.map(|linear| linear.$walk(visitor)).transpose()?,
                    norm: norm.map(|norm| norm.$walk(visitor)).transpose()?,
                    decoder: decoder.map(|matrix| visitor.matrix(matrix)).transpose()?,
                    wider: wider.map(|linear| linear.$walk(visitor)).transpose()?,
                    widths: self.widths,
                    bias: visitor.vector(&$($mutable)? self.bias)?,
                })
            }
        }

        impl<M, V> Encoder<M, V> {
            /// Visits every parameter, always in the same order. Returns the structure of the
            /// visitor's results.
            ///
            /// # Errors
            /// Errors of the visitor.
            pub fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Encoder<W::Matrix, W::Vector>> {
                let embeddings = self.embeddings.$walk(visitor)?;
                let projection = (&$($mutable)? self.projection).into_iter().next();
                let projection = projection.map(|linear| linear.$walk(visitor)).transpose()?;
                let bias = (&$($mutable)? self.relative_bias).into_iter().find(|_| FAMILIES);
                let relative_bias = bias.map(|bias| visitor.vector(bias)).transpose()?;
                let relative = (&$($mutable)? self.relative).into_iter().find(|_| FAMILIES);
                let relative = relative.map(|table| table.$walk(visitor)).transpose()?;
                let convolution = (&$($mutable)? self.convolution).into_iter().find(|_| FAMILIES);
                let convolution = convolution.map(|of| of.$walk(visitor)).transpose()?;
                let table = (&$($mutable)? self.rotary_table).into_iter().find(|_| FAMILIES);
                let rotary_table = table.map(|table| visitor.vector(table)).transpose()?;
                let norm = (&$($mutable)? self.first_norm).into_iter().find(|_| FAMILIES);
                let first_norm = norm.map(|norm| norm.$walk(visitor)).transpose()?;
                let layers = (&$($mutable)? self.layers).into_iter();
                let layers = layers.map(|layer| layer.$walk(visitor)).collect::<Result<_>>()?;
                let depth = self.depth;
                Ok(Encoder {
                    embeddings,
                    projection,
                    relative_bias,
                    relative,
                    convolution,
                    rotary_table,
                    first_norm,
                    layers,
                    depth,
                })
            }
        }

        impl<M, V> Head<M, V> {
            /// Visits every parameter, always in the same order. Returns the structure of the
            /// visitor's results.
            ///
            /// # Errors
            /// Errors of the visitor.
            pub fn $walk<'a, W: Visitor<&'a $($mutable)? M, &'a $($mutable)? V>>(
                &'a $($mutable)? self,
                visitor: &mut W,
            ) -> Result<Head<W::Matrix, W::Vector>> {
                let Self { kind, pooler, masked_lm, dense, norm, output } = self;
                let pooler = pooler.into_iter().next();
                let masked_lm = masked_lm.into_iter().next();
                let dense = dense.into_iter().next();
                let norm = norm.into_iter().next();
                let output = output.into_iter().next();
                Ok(Head {
                    kind: *kind,
                    pooler: pooler.map(|linear| linear.$walk(visitor)).transpose()?,
                    masked_lm: masked_lm.map(|head| head.$walk(visitor)).transpose()?,
                    dense: dense.map(|linear| linear.$walk(visitor)).transpose()?,
                    norm: norm.map(|norm| norm.$walk(visitor)).transpose()?,
                    output: output.map(|linear| linear.$walk(visitor)).transpose()?,
                })
            }
        }
    };
}

walk!(map);
walk!(map_mut mut);

impl<M, V> Encoder<M, V> {
    /// Returns the index in `layers` of an executed layer.
    pub fn layer_place(&self, number: usize) -> usize {
        number * self.layers.len() / self.depth.max(1)
    }

    /// Returns the parameters of an executed layer.
    pub fn layer(&self, number: usize) -> &Layer<M, V> {
        &self.layers[self.layer_place(number)]
    }

    /// Returns for each of [`Encoder::leaves`] the index in `layers` of its layer, or `None` for a
    /// parameter of the embeddings.
    pub fn leaf_layers(&self) -> Vec<Option<usize>> {
        let count = |layer: &Layer<M, V>| collect(|visitor| layer.map(visitor).map(drop)).len();
        let layers = self.layers.iter().enumerate();
        let in_layers: Vec<_> =
            layers.flat_map(|(place, layer)| vec![Some(place); count(layer)]).collect();
        let mut leaves = vec![None; self.leaves().len() - in_layers.len()];
        leaves.extend(in_layers);
        leaves
    }

    /// Returns all parameters, in the order of [`Encoder::map`].
    pub fn leaves(&self) -> Vec<Leaf<&M, &V>> {
        collect(|visitor| self.map(visitor).map(drop))
    }

    /// Returns all parameters for changes, in the order of [`Encoder::map`].
    pub fn leaves_mut(&mut self) -> Vec<Parameter<'_, M, V>> {
        collect_mut(|visitor| self.map_mut(visitor).map(drop))
    }
}

impl<M, V> Head<M, V> {
    /// Returns all parameters, in the order of [`Head::map`].
    pub fn leaves(&self) -> Vec<Leaf<&M, &V>> {
        collect(|visitor| self.map(visitor).map(drop))
    }

    /// Returns all parameters for changes, in the order of [`Head::map`].
    pub fn leaves_mut(&mut self) -> Vec<Parameter<'_, M, V>> {
        collect_mut(|visitor| self.map_mut(visitor).map(drop))
    }
}

/// Visitor that collects the leaves of a walk.
struct Collect<T>(Vec<T>);

fn collect<M, V>(walk: impl FnOnce(&mut Collect<Leaf<M, V>>) -> Result<()>) -> Vec<Leaf<M, V>> {
    let mut leaves = Collect(Vec::new());
    // Collecting never fails.
    let _ = walk(&mut leaves);
    leaves.0
}

fn collect_mut<'a, M, V>(
    walk: impl FnOnce(&mut Collect<Parameter<'a, M, V>>) -> Result<()>,
) -> Vec<Parameter<'a, M, V>> {
    let mut leaves = Collect(Vec::new());
    let _ = walk(&mut leaves);
    leaves.0
}

impl<M, V> Visitor<M, V> for Collect<Leaf<M, V>> {
    type Matrix = ();
    type Vector = ();

    fn matrix(&mut self, matrix: M) -> Result<()> {
        self.0.push(Leaf::Matrix(matrix));
        Ok(())
    }

    fn vector(&mut self, vector: V) -> Result<()> {
        self.0.push(Leaf::Vector(vector));
        Ok(())
    }
}

impl<'a, M, V> Visitor<&'a mut M, &'a mut V> for Collect<Parameter<'a, M, V>> {
    type Matrix = ();
    type Vector = ();

    fn matrix(&mut self, matrix: &'a mut M) -> Result<()> {
        self.0.push(Parameter::Matrix(matrix));
        Ok(())
    }

    fn vector(&mut self, vector: &'a mut V) -> Result<()> {
        self.0.push(Parameter::Vector(vector));
        Ok(())
    }
}
