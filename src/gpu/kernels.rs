//! The compute shaders: which fragments of shaders/ make which kernel, and their pipelines.

use wgpu::{
    ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor,
    ShaderSource,
};

use crate::backend::Precision;

/// A kernel; its binding 0 is the uniform `Params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// Rows of a matrix by number.
    Gather(Precision),
    /// LayerNorm, with a residual or without.
    Norm,
    /// A linear layer over five rows or more.
    Linear(Precision),
    /// A linear layer over one to four rows.
    LinearFew(Precision),
    /// A linear layer on an adapter that is a program.
    LinearDirect(Precision),
    /// Attention without its probabilities.
    Attention,
    /// The same on an adapter that is a program.
    AttentionDirect,
    /// Attention's probabilities alone.
    Probabilities,
}

/// A shader's override constants.
pub(super) type Constants<'a> = &'a [(&'static str, f64)];

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("../../shaders/", $name, ".wgsl"))
    };
}

impl Kernel {
    /// The WGSL: fragments one after another.
    fn source(self) -> String {
        let weight = |precision| match precision {
            Precision::F32 => shader!("weight_f32"),
            Precision::F16 => shader!("weight_f16"),
            Precision::Bf16 => shader!("weight_bf16"),
            Precision::I8 => shader!("weight_i8"),
        };
        let activation = shader!("activation");
        let fragments: &[&str] = match self {
            Self::Gather(precision) => &[weight(precision), shader!("gather")],
            Self::Norm => &[shader!("norm")],
            Self::Linear(precision) => &[weight(precision), activation, shader!("linear")],
            Self::LinearFew(precision) => &[weight(precision), activation, shader!("linear_few")],
            Self::LinearDirect(precision) => {
                &[weight(precision), activation, shader!("linear_direct")]
            }
            Self::Attention => &[shader!("heads"), shader!("attention")],
            Self::AttentionDirect => &[shader!("heads"), shader!("attention_direct")],
            Self::Probabilities => &[shader!("heads"), shader!("probabilities")],
        };
        [&[shader!("prelude")], fragments].concat().concat()
    }
}

/// Every kernel's name and WGSL, for tests.
pub fn sources() -> Vec<(String, String)> {
    let precisions = [Precision::F32, Precision::F16, Precision::Bf16, Precision::I8];
    let with = |kernel: fn(Precision) -> Kernel| precisions.map(kernel);
    let kernels = [
        with(Kernel::Gather).as_slice(),
        &with(Kernel::Linear),
        &with(Kernel::LinearFew),
        &with(Kernel::LinearDirect),
        &[Kernel::Norm, Kernel::Attention, Kernel::AttentionDirect, Kernel::Probabilities],
    ]
    .concat();
    kernels.into_iter().map(|kernel| (format!("{kernel:?}"), kernel.source())).collect()
}

/// Pipelines, compiled when they are first needed.
#[derive(Default)]
pub(super) struct Pipelines(Vec<Compiled>);

struct Compiled {
    kernel: Kernel,
    constants: Vec<(&'static str, f64)>,
    pipeline: ComputePipeline,
}

impl Pipelines {
    /// The pipeline of a kernel with these constants.
    pub(super) fn get(
        &mut self,
        device: &wgpu::Device,
        kernel: Kernel,
        constants: Constants<'_>,
    ) -> &ComputePipeline {
        let same = |c: &Compiled| c.kernel == kernel && c.constants == constants;
        let place = self.0.iter().position(same).unwrap_or_else(|| {
            let pipeline = compile(device, kernel, constants);
            self.0.push(Compiled { kernel, constants: constants.to_vec(), pipeline });
            self.0.len() - 1
        });
        &self.0[place].pipeline
    }
}

fn compile(device: &wgpu::Device, kernel: Kernel, constants: Constants<'_>) -> ComputePipeline {
    let source = ShaderSource::Wgsl(kernel.source().into());
    let module = device.create_shader_module(ShaderModuleDescriptor { label: None, source });
    device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: PipelineCompilationOptions {
            constants,
            // each kernel writes workgroup memory before it reads it
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}
