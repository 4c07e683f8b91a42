// webert in Node, from version 20 on: models and wasm are read from disk.
export { platform } from "./node/platform.js";
