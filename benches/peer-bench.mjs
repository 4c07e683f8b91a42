// webert as a contestant in a page of a benchmark that compares it with others: the same weights, ids and texts for all.
// Served with dist/ beside it. Uses the public API in the page's own thread, as the others do.

/**
 * @param modelUrl a folder with config.json, model.safetensors and a vocabulary
 * @param options `device`, `threads`, `dtype` of the contestant; `tokenizerOnly` for the tokenizer's row
 */
export async function load(modelUrl, { device, threads, dtype, tokenizerOnly = false }) {
  const { AutoModel, AutoTokenizer, Tensor } = await import(new URL("../dist/index.js", import.meta.url));
  if (tokenizerOnly) {
    const tokenizer = await AutoTokenizer.from_pretrained(modelUrl);
    return {
      /** How many tokens the lines have in all. */
      tokenize: (lines) =>
        tokenizer(lines, { return_tensor: false }).input_ids.reduce((sum, ids) => sum + ids.length, 0),
    };
  }
  const how = { device, threads, dtype, worker: false };
  let model = await AutoModel.from_pretrained(modelUrl, how);
  if (model.info.head !== "none") {
    await model.dispose();
    model = await AutoModel.from_pretrained(await withoutHead(modelUrl), how);
  }
  if (threads > 1 && model.info.threads < threads) throw new Error(`webert runs in ${model.info.threads} thread here`);
  const ids = (values, dims) => new Tensor("int64", BigInt64Array.from(values, BigInt), dims);
  return {
    /** Int32Arrays of batch · seq, row-major; gives batch · seq · hidden numbers. */
    async encode(inputIds, attentionMask, typeIds, { batch, seq }) {
      const dims = [batch, seq];
      const { last_hidden_state } = await model({
        input_ids: ids(inputIds, dims),
        attention_mask: ids(attentionMask, dims),
        token_type_ids: ids(typeIds, dims),
      });
      return last_hidden_state.data;
    },
    dispose: () => model.dispose(),
  };
}

/** The files of a checkpoint whose configuration names no head. */
async function withoutHead(modelUrl) {
  const file = (name) => fetch(`${modelUrl.replace(/\/?$/, "/")}${name}`);
  const config = { ...(await (await file("config.json")).json()), architectures: ["BertModel"] };
  return {
    files: { "config.json": new Blob([JSON.stringify(config)]), "model.safetensors": await file("model.safetensors") },
  };
}
