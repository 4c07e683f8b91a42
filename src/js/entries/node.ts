// webert in Node, from version 20 on: models and wasm files are read from disk.
export { platform } from "./node/platform.js";
