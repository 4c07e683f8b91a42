import { useSignal } from "@preact/signals";
import type { App } from "../app.ts";
import { useAttempt } from "../components/attempt.ts";
import { ErrorText } from "../components/error-text.tsx";
import { amount, sentence } from "../format.ts";
import { language, t, tx } from "../language.ts";
import { BUILT_IN, type Device } from "../model.ts";
import { chosenFolder, droppedFolder, type Folder } from "./own-model.ts";

const DEVICES: [Device, string][] = [
  ["auto", "Auto"],
  ["webgpu", "GPU"],
  ["wasm", "CPU"],
];

/** The model in use, its device, and controls to change both. */
export function ModelPanel({ app }: { app: App }) {
  const info = app.info.value;
  const facts = info && [
    [t`Model`, app.model.value?.name ?? t`built-in`],
    [t`Device`, info.device === "webgpu" ? t`GPU (WebGPU)` : t`CPU (WebAssembly)`],
    [t`Precision`, info.dtype],
    // the GPU has neither
    ...(info.device === "wasm"
      ? [
          ["SIMD", info.simd],
          [t`Threads`, String(info.threads)],
        ]
      : []),
    [t`Parameters`, amount(info.parameters, "")],
    [t`Memory`, amount(info.bytes, "B")],
  ];
  return (
    <>
      <p>{t`BERT runs on this machine, in this page. Your text never leaves it.`}</p>
      {facts && (
        <dl class="facts">
          {facts.map(([term, fact]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
        </dl>
      )}
      <fieldset class="switch">
        <legend>{t`Compute on`}</legend>
        {DEVICES.map(([device, name]) => (
          <label key={device}>
            <input
              type="radio"
              name="device"
              value={device}
              checked={app.device.value === device}
              onChange={() => app.choose(device)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {info && <Reason text={sentence(info.device_reason)} />}
      {app.kept.value && <p class="hint">{t`This browser keeps the page: it also works without a network.`}</p>}
      <OwnModel app={app} />
    </>
  );
}

/** Why the model runs on its device, in the package's words, which are English. */
function Reason({ text }: { text: string }) {
  if (language.value === "en") return <p class="hint">{text}</p>;
  return (
    <details class="hint">
      <summary>{t`For developers`}</summary>
      <p lang="en">{text}</p>
    </details>
  );
}

/** Loads a visitor's model from a dropped or chosen folder. */
function OwnModel({ app }: { app: App }) {
  const { error, attempt } = useAttempt();
  const over = useSignal(false);
  const take = (find: () => Folder | Promise<Folder>) =>
    attempt(async () => {
      const { files, name } = await find();
      await app.load({ files }, name);
    });
  const own = app.model.value?.name;
  return (
    <div
      data-drop
      class={`drop${over.value ? " over" : ""}`}
      onDragOver={(event) => (over.value = event.dataTransfer?.types.includes("Files") ?? false)}
      onDragLeave={() => (over.value = false)}
      onDrop={(event) => {
        over.value = false;
        const transfer = event.dataTransfer;
        if (transfer?.types.includes("Files")) take(() => droppedFolder(transfer));
      }}
    >
      <p class="hint">{tx`A BERT of your own: drop a folder with ${<code>config.json</code>}, ${<code>model.safetensors</code>} and ${<code>tokenizer.json</code>} or ${<code>vocab.txt</code>}. It is read from your disk and goes nowhere else.`}</p>
      <input
        id="own-files"
        class="visually-hidden"
        type="file"
        multiple
        {...{ webkitdirectory: true }}
        onChange={(event) => {
          const input = event.currentTarget;
          take(() => chosenFolder(input));
        }}
      />
      <label for="own-files" class="button">{t`Choose a folder`}</label>
      {own !== undefined && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            document.getElementById("own-files")!.focus(); // because the button disappears
            app.load(BUILT_IN);
          }}
        >{t`Back to the built-in model`}</button>
      )}
      <ErrorText error={error.value} about={{ own: true }} />
    </div>
  );
}
