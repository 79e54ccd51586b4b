/** Begins the page: takes the code of a login link, so that it is in no history, and shows the rest. */
import { render } from "preact";
import { App } from "./app.tsx";
import { ask, listen } from "./ask.ts";
import { hashOf } from "./route.ts";

const code = /^#enter=(.+)$/.exec(location.hash)?.[1];
if (code !== undefined) {
  history.replaceState(null, "", "/");
  try {
    const { project } = await ask<{ project: string }>("enter", { code });
    history.replaceState(null, "", hashOf({ query: { project } }));
  } catch {
    // the page says what to do
  }
}
const place = document.getElementById("app");
if (place) {
  place.replaceChildren();
  render(<App />, place);
}
void listen();
