// The page's frame: the sentence, the tabs, the model's chip, and one view at a time.
import { render } from "preact";
import { App } from "./app.ts";
import { Frame } from "./frame/frame.tsx";
import { followHash } from "./frame/hash.ts";
import { keepForOffline } from "./frame/offline.ts";
import { keepDropped } from "./frame/own-model.ts";
import { speakPreferred } from "./language.ts";
import { FIRST_TEXTS } from "./views/first-texts.ts";
import { VIEWS } from "./views/index.ts";

const app = new App();
followHash(
  app,
  VIEWS.map(({ id }) => id),
);
const first: string | undefined = FIRST_TEXTS[app.view.peek() as keyof typeof FIRST_TEXTS];
if (first !== undefined) app.suggest(first);
speakPreferred();
render(<Frame app={app} />, document.getElementById("app")!);
keepDropped();
keepForOffline(app).then(() => app.load());
