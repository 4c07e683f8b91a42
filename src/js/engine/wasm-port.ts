// How the Worker of webert/inline gets its wasm file: from the page, because only the page can import it.
import { WebertError } from "../errors.js";
import type { ReadWasm } from "./wasm.js";

/** The page's answer: a file, or the reason why it failed. */
type WasmReply = { bytes: Uint8Array<ArrayBuffer> } | { error: string };

/** The page's side: returns a port that answers each address with its file. */
export function wasmPort(read: (url: string) => Promise<Uint8Array<ArrayBuffer>>): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = async ({ data }: MessageEvent<string>) => {
    const answer: WasmReply = await read(data).then(
      (bytes) => ({ bytes }),
      (error: Error) => ({ error: error.message }),
    );
    port1.postMessage(answer, "bytes" in answer ? [answer.bytes.buffer] : []);
  };
  return port2;
}

/**
 * Returns a function that turns the address of a script into an importable URL: it reads the script like a wasm file
 * and puts it into a Blob.
 */
export const blobOf = (read: ReadWasm) => async (url: string) =>
  URL.createObjectURL(new Blob([(await read(url)) as Uint8Array<ArrayBuffer>], { type: "text/javascript" }));

/** The Worker's side. Requests are sent one after another, because answers carry no id. */
export function readByPort(port: MessagePort): ReadWasm {
  let turn: Promise<unknown> = Promise.resolve();
  const ask = (url: string) =>
    new Promise<WasmReply>((resolve) => {
      port.onmessage = ({ data }: MessageEvent<WasmReply>) => resolve(data);
      port.postMessage(url);
    });
  return async (url) => {
    const answered = turn.then(() => ask(url));
    turn = answered;
    const answer = await answered;
    if ("bytes" in answer) return answer.bytes;
    throw new WebertError("network", `${url} could not be loaded: ${answer.error}`);
  };
}
