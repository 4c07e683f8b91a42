//! The best of many scores: the kernels' one ranking, which tasks use, too.

pub(crate) use webert_kernels::top_indices as top_k;
