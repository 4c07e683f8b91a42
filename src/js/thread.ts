// The script of the Workers that share an instance's memory and help it compute, in browsers.
import { help, type Start } from "./thread-work.js";

globalThis.onmessage = async ({ data }: MessageEvent<Start>) => {
  await help(data, (news) => globalThis.postMessage(news));
  globalThis.close();
};
