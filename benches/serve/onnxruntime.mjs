// The usual way to serve a model with onnxruntime-node: one session.run per request. benches/serve.mjs starts it. The environment has ORT, a
// folder with onnxruntime-node, and MODEL, a folder with onnx/model_quantized.onnx and a tokenizer.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { AutoTokenizer } from "../../dist/node.js";

const { InferenceSession, Tensor } = createRequire(join(process.env.ORT, "package.json"))("onnxruntime-node");
const session = await InferenceSession.create(join(process.env.MODEL, "onnx/model_quantized.onnx"));
const tokenizer = await AutoTokenizer.from_pretrained(process.env.MODEL);

/** The mean of the states of a text's tokens, scaled to length 1. */
async function embed(text) {
  const inputs = tokenizer(text, { truncation: true, max_length: 512 });
  const feeds = Object.fromEntries(
    ["input_ids", "attention_mask", "token_type_ids"].map((name) => [
      name,
      new Tensor("int64", inputs[name].data, inputs[name].dims),
    ]),
  );
  const { last_hidden_state } = await session.run(feeds);
  const [, tokens, size] = last_hidden_state.dims;
  const mean = new Float32Array(size);
  for (let n = 0; n < tokens * size; n++) mean[n % size] += last_hidden_state.data[n] / tokens;
  const length = Math.hypot(...mean);
  return Array.from(mean, (value) => value / length);
}

const server = createServer(async (incoming, outgoing) => {
  const { inputs } = JSON.parse((await buffer(incoming)).toString());
  const body = JSON.stringify([await embed(inputs)]);
  outgoing.writeHead(200, { "content-type": "application/json" }).end(body);
});
server.keepAliveTimeout = 75_000; // as webert serve
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
