// How the Worker of webert/inline gets its wasm file: of the page, which alone can import it.
import { WebertError } from "../errors.js";
import type { ReadWasm } from "./wasm.js";

/** What the page answers: a file, or why there is none. */
type Answer = { bytes: Uint8Array<ArrayBuffer> } | { error: string };

/** The page's half: a port that answers each address with its file. */
export function wasmPort(read: (url: string) => Promise<Uint8Array<ArrayBuffer>>): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = async ({ data }: MessageEvent<string>) => {
    const answer: Answer = await read(data).then(
      (bytes) => ({ bytes }),
      (error: Error) => ({ error: error.message }),
    );
    port1.postMessage(answer, "bytes" in answer ? [answer.bytes.buffer] : []);
  };
  return port2;
}

/** Puts scripts that are read as wasm files are where they can be imported from: at the URL of a Blob. */
export const blobOf = (read: ReadWasm) => async (url: string) =>
  URL.createObjectURL(new Blob([(await read(url)) as Uint8Array<ArrayBuffer>], { type: "text/javascript" }));

/** The Worker's half: addresses are asked for one after the other, as answers carry no id. */
export function readByPort(port: MessagePort): ReadWasm {
  let turn: Promise<unknown> = Promise.resolve();
  const ask = (url: string) =>
    new Promise<Answer>((resolve) => {
      port.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
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
