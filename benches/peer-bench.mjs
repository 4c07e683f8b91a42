// webert as one contestant on a benchmark page that compares several libraries with the same weights, ids and texts.
// The page serves it with dist/ beside it. Like the others, it uses the public API in the thread of the page.

/**
 * @param modelUrl a folder with config.json, model.safetensors and a vocabulary
 * @param options `device`, `threads` and `dtype` of the contestant; `tokenizerOnly` to measure only the tokenizer
 */
export async function load(modelUrl, { device, threads, dtype, tokenizerOnly = false }) {
  const { AutoModel, AutoTokenizer, Tensor } = await import(new URL("../dist/index.js", import.meta.url));
  if (tokenizerOnly) {
    const tokenizer = await AutoTokenizer.from_pretrained(modelUrl);
    return {
      /** Returns the total number of tokens in the lines. */
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
    /** Takes Int32Arrays of batch · seq entries, row-major. Returns batch · seq · hidden numbers. */
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

/** Returns the files of a checkpoint, with a configuration that names no head. */
async function withoutHead(modelUrl) {
  const file = (name) => fetch(`${modelUrl.replace(/\/?$/, "/")}${name}`);
  const config = { ...(await (await file("config.json")).json()), architectures: ["BertModel"] };
  return {
    files: { "config.json": new Blob([JSON.stringify(config)]), "model.safetensors": await file("model.safetensors") },
  };
}
