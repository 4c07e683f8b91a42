//! Finds the parameters in the graph. An exporter keeps the names of biases, norms and tables. The
//! matrices of linear layers lose theirs, and are found by what follows them:
//!
//! 1. the tensor's own name, e.g. of a Gemm's weight,
//! 2. the bias that is added to the product: `X.bias` belongs to `X.weight`,
//! 3. the node's name, e.g. `/encoder/layer.0/attention/self/query/MatMul`.
//!
//! The operation decides whether a tensor is transposed: neither its name nor its shape shows it.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, GraphNode, Id};
use super::source::{Form, Shared, Source, constant, linear, origin};
use crate::checkpoint::fault::{Outcome, bad, unsupported};

/// A parameter of the file.
#[derive(Debug)]
pub(super) struct Found {
    /// The name in a checkpoint of PyTorch, without the prefix of a wrapper.
    pub(super) name: String,
    pub(super) source: Source,
    /// The node that computes with it, for messages.
    pub(super) node: String,
    /// Whether the node computes in an unknown way.
    pub(super) is_unknown: bool,
}

/// The maximum number of nodes on a way that is searched, and of nodes that take one result there.
/// Exporters need 6.
const MAX_VISITS: usize = 32;

/// Returns the parameters. `weight_of` returns the name of a layer's weight from the name of its
/// bias, if it is not simply `X.weight` for `X.bias`.
///
/// # Errors
/// `Unsupported` with the node, if a weight is used in an unknown way.
pub(super) fn find(
    graph: &Graph,
    weight_of: &dyn Fn(&str) -> Option<String>,
) -> Outcome<Vec<Found>> {
    let mut found = Vec::new();
    let mut tables = HashMap::new();
    for node in &graph.nodes {
        let Some(source) = used_by(graph, node)? else { continue };
        let own = base_name(graph.name(source.data));
        let is_table = *tables.entry(source.data).or_insert_with(|| is_table(graph, source.data));
        let gathers = is_gather(node);
        // the decoder of a masked LM that is tied to the table
        if is_table && !gathers {
            continue;
        }
        let name = (own.ends_with(".weight").then(|| own.to_owned()))
            .or_else(|| {
                let bias = bias_after(graph, node).filter(|_| !gathers)?;
                weight_of(&bias).or_else(|| Some(format!("{}.weight", bias.strip_suffix(".bias")?)))
            })
            .or_else(|| name_of_node(&node.name, gathers).map(|name| format!("{name}.weight")));
        match name {
            Some(name) => found.push(Found { name, source, node: node.title(), is_unknown: false }),
            None if gathers => {}
            None => {
                return unsupported(format!(
                    "the weight \"{}\" of {} has no name, and no bias with a name follows",
                    graph.name(source.data),
                    node.title()
                ));
            }
        }
    }
    named(graph, &mut found)?;
    Ok(found)
}

/// Returns the weight that a node multiplies or looks up; `None` for other nodes.
fn used_by(graph: &Graph, node: &GraphNode) -> Outcome<Option<Source>> {
    let weight = |n: usize| match node.input(n) {
        Some(value) => origin(graph, value, node),
        None => Ok(None),
    };
    let flip = |source: Source| Source { transposed: !source.transposed, ..source };
    Ok(match node.op.as_str() {
        "Gather" => table(graph, node)?,
        "GatherBlockQuantized" => blocks_of_table(graph, node)?,
        "MatMul" => weight(1)?.map(flip),
        "Gemm" | "FusedMatMul" => match weight(1)? {
            Some(source) if is_plain(node) => {
                let transposes = node.int("transB").unwrap_or(0) != 0;
                Some(if transposes { source } else { flip(source) })
            }
            Some(_) => {
                return unsupported(format!(
                    "{} has factors or transposes its input",
                    node.title()
                ));
            }
            None => None,
        },
        "MatMulInteger" => match weight(1)? {
            Some(source) => Some(flip(of_integers(graph, node, source)?)),
            None => None,
        },
        "MatMulNBits" => blocks(graph, node)?,
        "MatMulBnb4" => bnb4(graph, node)?,
        "Conv" => weight(1)?,
        "Attention"
        | "QAttention"
        | "PackedAttention"
        | "QLinearMatMul"
        | "DynamicQuantizeMatMul"
        | "MatMulIntegerToFloat"
        | "ConvInteger"
        | "QLinearConv"
        | "EmbedLayerNormalization" => {
            return unsupported(format!("{} is fused", node.title()));
        }
        _ => None,
    })
}

/// Returns whether a Gemm or a FusedMatMul computes x·W + b or x·Wᵀ + b.
fn is_plain(node: &GraphNode) -> bool {
    node.factors[0] == 1.0
        && (node.op != "Gemm" || node.factors[1] == 1.0 || node.input(2).is_none())
        && ["transA", "transBatchA", "transBatchB"]
            .iter()
            .all(|name| node.int(name).unwrap_or(0) == 0)
}

/// Returns the weight of a product of integers, with the scale that the product is multiplied by
/// afterwards: `Cast(MatMulInteger(x, w)) · (scale of x · scale of w)`.
fn of_integers(graph: &Graph, node: &GraphNode, source: Source) -> Outcome<Source> {
    let scale = after_product(graph, node).and_then(|(scale, _)| {
        let factors = graph.producer(scale).filter(|node| node.op == "Mul")?;
        factors.inputs.iter().take(2).copied().find(|&input| !graph.is_dynamic(input))
    });
    let Some(scale) = scale.filter(|_| source.form == Form::Plain) else {
        return unsupported(format!("the scale of {} is not found", node.title()));
    };
    let zero = node.input(3).map(|zero| constant(graph, zero, node)).transpose()?;
    let scale = constant(graph, scale, node)?;
    // a scale per column of the tensor, i.e. per row of the parameter
    let shared = Shared::Axis(if source.transposed { 0 } else { 1 });
    Ok(Source { form: Form::Linear { scale, zero, shared }, ..source })
}

/// Returns the factor of an integer product, and the scaled product.
fn after_product(graph: &Graph, node: &GraphNode) -> Option<(Id, Id)> {
    let next = |id| graph.consumers(id).take(MAX_VISITS);
    let cast = next(node.output()).find(|next| next.op == "Cast")?;
    let product = next(cast.output()).find(|next| next.op == "Mul")?;
    let factor = product.inputs.iter().take(2).copied().find(|&input| input != cast.output())?;
    Some((factor, product.output()))
}

/// Returns the weight of a node MatMulNBits.
fn blocks(graph: &Graph, node: &GraphNode) -> Outcome<Option<Source>> {
    let (Some(data), Some(scale)) = (node.input(1), node.input(2)) else { return Ok(None) };
    let bits = int(node, "bits", 4)?;
    let block = int(node, "block_size", 0)?;
    if ![2, 4, 8].contains(&bits) || !block.is_power_of_two() || !(16..=1 << 16).contains(&block) {
        return unsupported(format!(
            "{} has {bits} bits in blocks of {block}, expected 2, 4 or 8 bits in blocks of at least 16",
            node.title()
        ));
    }
    // the order of columns, of GPTQ
    if node.input(4).is_some() {
        return unsupported(format!("{} has an order of columns (g_idx)", node.title()));
    }
    let form = Form::Blocks {
        rows: int(node, "N", 0)?,
        cols: int(node, "K", 0)?,
        bits,
        block,
        scale: constant(graph, scale, node)?,
        zero: node.input(3).map(|zero| constant(graph, zero, node)).transpose()?,
    };
    Ok(Some(Source { data: constant(graph, data, node)?, transposed: false, form }))
}

/// Returns the weight of a node MatMulBnb4.
fn bnb4(graph: &Graph, node: &GraphNode) -> Outcome<Option<Source>> {
    let (Some(data), Some(scale)) = (node.input(1), node.input(2)) else { return Ok(None) };
    let (kind, block) = (int(node, "quant_type", 1)?, int(node, "block_size", 0)?);
    if kind != 1 || block == 0 {
        return unsupported(format!("{} has other numbers than NF4", node.title()));
    }
    let form = Form::Bnb4 {
        rows: int(node, "N", 0)?,
        cols: int(node, "K", 0)?,
        block,
        scale: constant(graph, scale, node)?,
    };
    Ok(Some(Source { data: constant(graph, data, node)?, transposed: false, form }))
}

/// Returns an attribute that is a size.
fn int(node: &GraphNode, name: &str, default: i64) -> Outcome<usize> {
    let value = node.int(name).unwrap_or(default);
    match usize::try_from(value) {
        Ok(size) => Ok(size),
        Err(_) => bad(format!("{}: {name} is {value}, expected a size", node.title())),
    }
}

fn is_gather(node: &GraphNode) -> bool {
    matches!(node.op.as_str(), "Gather" | "GatherBlockQuantized")
}

/// Returns whether a node looks up rows of a tensor.
fn is_table(graph: &Graph, data: Id) -> bool {
    graph.consumers(data).any(|node| {
        is_gather(node) && node.input(0) == Some(data)
            || matches!(node.op.as_str(), "DequantizeLinear" | "Identity" | "Cast")
                && graph
                    .consumers(node.output())
                    .any(|user| is_gather(user) && user.input(0) == Some(node.output()))
    })
}

/// Returns the table of a node Gather, if its numbers are weights.
fn table(graph: &Graph, node: &GraphNode) -> Outcome<Option<Source>> {
    let Some(data) = node.input(0).filter(|&data| !graph.is_dynamic(data)) else {
        return Ok(None);
    };
    // Gather also looks up sizes and other constants, which can be computed in any way.
    let Ok(Some(source)) = origin(graph, data, node) else { return Ok(None) };
    let is_named = base_name(graph.name(source.data)).ends_with(".weight");
    if !is_named && node.input(1).is_none_or(|indices| !graph.is_dynamic(indices)) {
        return Ok(None);
    }
    if node.int("axis").unwrap_or(0) != 0 || source.transposed {
        return if is_named {
            unsupported(format!("{} looks up columns of a weight", node.title()))
        } else {
            Ok(None)
        };
    }
    if source.form != Form::Plain {
        return Ok(Some(source));
    }
    let form = dequantised(graph, node)?;
    Ok(Some(Source { form, ..source }))
}

/// Returns the form of a table that is dequantised after the look-up.
fn dequantised(graph: &Graph, gather: &GraphNode) -> Outcome<Form> {
    let mut at = gather.output();
    for moved in [false, true, true, true] {
        let mut next = graph.consumers(at);
        let Some(first) = next.next() else { break };
        match first.op.as_str() {
            "DequantizeLinear" => {
                return Ok(match linear(graph, first, 1)? {
                    // the axes are others by now, so only one scale for all has a meaning
                    Form::Linear { scale, zero, .. } if moved => {
                        Form::Linear { scale, zero, shared: Shared::All }
                    }
                    form => form,
                });
            }
            "Transpose" | "Unsqueeze" | "Reshape" | "Squeeze" => at = first.output(),
            _ => break,
        }
    }
    Ok(Form::Plain)
}

/// Returns the table of a node GatherBlockQuantized.
fn blocks_of_table(graph: &Graph, node: &GraphNode) -> Outcome<Option<Source>> {
    let (Some(data), Some(scale)) = (node.input(0), node.input(2)) else { return Ok(None) };
    let (0, axis @ 1, block @ 1.., 4) = (
        int(node, "gather_axis", 0)?,
        int(node, "quantize_axis", 1)?,
        int(node, "block_size", 128)?,
        int(node, "bits", 4)?,
    ) else {
        return unsupported(format!("{} has other axes or bits than are read", node.title()));
    };
    let zero = node.input(3).map(|zero| constant(graph, zero, node)).transpose()?;
    let form = Form::Linear {
        scale: constant(graph, scale, node)?,
        zero,
        shared: Shared::Blocks { axis, block },
    };
    Ok(Some(Source { data: constant(graph, data, node)?, transposed: false, form }))
}

/// Returns the name of the bias that is added to the result of a node.
fn bias_after(graph: &Graph, node: &GraphNode) -> Option<String> {
    if matches!(node.op.as_str(), "Gemm" | "Conv") {
        return named_bias(graph, node.input(2)?);
    }
    let product = (node.op == "MatMulInteger").then(|| after_product(graph, node)).flatten();
    let mut waiting = vec![product.map_or(node.output(), |(_, product)| product)];
    for _ in 0..MAX_VISITS {
        for next in graph.consumers(waiting.pop()?).take(MAX_VISITS) {
            match next.op.as_str() {
                "Add" => {
                    let bias =
                        next.inputs.iter().take(2).find_map(|&input| named_bias(graph, input));
                    if bias.is_some() {
                        return bias;
                    }
                }
                "Reshape" | "Identity" | "Cast" | "QuantizeLinear" | "DequantizeLinear" => {
                    waiting.push(next.output());
                }
                _ => {}
            }
        }
    }
    None
}

/// Returns the name of a tensor that is a bias.
fn named_bias(graph: &Graph, value: Id) -> Option<String> {
    let names = [Some(value), constant_behind(graph, value)].into_iter().flatten();
    names.map(|id| base_name(graph.name(id)).to_owned()).find(|name| name.ends_with(".bias"))
}

/// Returns the tensor behind a constant value.
fn constant_behind(graph: &Graph, value: Id) -> Option<Id> {
    let user = graph.consumers(value).next()?;
    origin(graph, value, user).ok().flatten().map(|source| source.data)
}

/// Adds the parameters that keep their names: biases, norms and other tensors that are used as they
/// are. A tensor with equal numbers can stand for several parameters, by nodes Identity.
fn named(graph: &Graph, found: &mut Vec<Found>) -> Outcome<()> {
    let mut names: HashSet<String> = found.iter().map(|found| found.name.clone()).collect();
    for value in graph.values() {
        let name = base_name(graph.name(value));
        let is_named = name.ends_with(".weight") || name.ends_with(".bias");
        let is_tensor = graph
            .producer(value)
            .is_none_or(|node| matches!(node.op.as_str(), "Identity" | "Constant"));
        if !is_named || !is_tensor || graph.is_dynamic(value) {
            continue;
        }
        let Some(user) = graph.consumers(value).next() else { continue };
        if names.contains(name) {
            continue;
        }
        names.insert(name.to_owned());
        found.extend(of_name(graph, value, name, user)?);
    }
    Ok(())
}

/// Operations that use a named tensor as it is: they add it, or multiply by it, or normalise.
const DIRECT: [&str; 11] = [
    "Add",
    "Mul",
    "Sub",
    "LayerNormalization",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "BiasGelu",
    "FastGelu",
    "Gemm",
    "Conv",
    "RMSNormalization",
];

fn of_name(graph: &Graph, value: Id, name: &str, user: &GraphNode) -> Outcome<Option<Found>> {
    let Some(source) = origin(graph, value, user)? else { return Ok(None) };
    let node = user.title();
    let mut found = Found { name: name.to_owned(), source, node, is_unknown: false };
    let mut ends = vec![value];
    for _ in 0..MAX_VISITS {
        let Some(end) = ends.pop() else { break };
        for (user, computes) in graph.users(end) {
            match user.op.as_str() {
                // the name of the result is a parameter's own, and is found by itself
                "Identity" => {}
                "Cast" => ends.push(user.output()),
                "DequantizeLinear" if user.input(0) == Some(end) => {
                    found.source.form = linear(graph, user, 0)?;
                    ends.push(user.output());
                }
                op if computes && DIRECT.contains(&op) => {}
                _ => {
                    found.node = user.title();
                    found.is_unknown = true;
                }
            }
        }
    }
    Ok(Some(found))
}

/// Returns a tensor's name without what tools add to it.
fn base_name(name: &str) -> &str {
    let name = ["_quantized", "_Q4", "_Q8", "_Bnb4"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    name.strip_prefix("0.auto_model.").unwrap_or(name)
}

/// Returns the path of the module that a node belongs to, from the node's name. Repeated modules
/// have a number, e.g. `query_1`.
fn name_of_node(name: &str, gathers: bool) -> Option<String> {
    let (path, op) = name.trim_start_matches('/').rsplit_once('/')?;
    let known: &[&str] = if gathers { &["Gather"] } else { &["MatMul", "Gemm", "Conv"] };
    if !known.iter().any(|known| op.starts_with(known)) {
        return None;
    }
    let path = path.strip_prefix("0/auto_model/").unwrap_or(path);
    let parts = path.split('/').map(|part| match part.rsplit_once('_') {
        Some((module, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => module,
        _ => part,
    });
    Some(parts.collect::<Vec<_>>().join("."))
}
