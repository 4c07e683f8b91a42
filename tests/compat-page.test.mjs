// The parts of a pipeline that a page uses in its own thread, with its models in Workers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blank, withPage } from "./browser.mjs";

const found = async ({ threads, device }) => {
  const { pipeline, AutoConfig, FillMaskPipeline, BertTokenizer, Tensor } = await import("/dist/index.js");
  const source = "/models/minilm-mlm/";
  const pipe = await pipeline("fill-mask", source, { device, threads });
  const asked = () =>
    performance.getEntriesByType("resource").filter(({ name }) => /\.(wasm|json|safetensors)$/.test(name)).length;
  const before = asked();
  const { input_ids } = pipe.tokenizer("Paris is the [MASK] of France.");
  const { logits } = await pipe.model(pipe.tokenizer("Paris is the [MASK] of France."));
  const at = input_ids.tolist()[0].indexOf(BigInt(pipe.tokenizer.mask_token_id));
  const word = pipe.tokenizer.decode([logits[0][at].argmax().item()]);
  const result = {
    word,
    fetched: [before, asked()],
    type: pipe.model.config.model_type,
    isInstance: pipe instanceof FillMaskPipeline && input_ids instanceof Tensor,
  };
  result.isTokenizer = pipe.tokenizer instanceof BertTokenizer;
  result.hidden = (await AutoConfig.from_pretrained(source)).hidden_size;
  await pipe.dispose();
  return result;
};

test("pipe.tokenizer and pipe.model in a page reuse what the Worker fetched and compiled", async () => {
  for (const threads of [1, 2]) {
    const urls = [];
    await withPage(
      { path: blank, prepare: (page) => page.on("request", (request) => urls.push(request.url())) },
      async (page) => {
        const result = await page.evaluate(found, { threads, device: "wasm" });
        assert.deepEqual(result, {
          word: "capital",
          fetched: [0, 0],
          type: "bert",
          isInstance: true,
          isTokenizer: true,
          hidden: 384,
        });
      },
    );
    for (const file of [/\.wasm$/, /\/tokenizer\.json$/, /\.safetensors$/])
      assert.equal(urls.filter((url) => file.test(url)).length, 1, `${file}, ${threads} threads`);
  }
});
