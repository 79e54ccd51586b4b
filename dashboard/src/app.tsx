/** The frame of every page: navigation, the project, the state of the connection; and which page is shown. */
import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Connection, once, useAsked, useConnection } from "./ask.ts";
import { Automation } from "./pages/automation.tsx";
import { Automations } from "./pages/automations.tsx";
import { Guards } from "./pages/guards.tsx";
import { Hooks } from "./pages/hooks.tsx";
import { Insight } from "./pages/insight.tsx";
import { Now } from "./pages/now.tsx";
import { Run } from "./pages/run.tsx";
import { Runs } from "./pages/runs.tsx";
import { Try } from "./pages/try.tsx";
import { Code } from "./parts.tsx";
import { hashOf, type Route, useRoute } from "./route.ts";

interface Page {
  title: string;
  /** Absent: it is not in the navigation, but belongs to this page. */
  below?: string;
  shows: FunctionComponent<{ route: Route }>;
}

/** A page is a file in pages/ and a line here. */
const pages: Readonly<Record<string, Page>> = {
  now: { title: "Now", shows: Now },
  runs: { title: "Runs", shows: Runs },
  run: { title: "Run", below: "runs", shows: Run },
  hooks: { title: "Hooks", shows: Hooks },
  guards: { title: "Guards", shows: Guards },
  automations: { title: "Automations", shows: Automations },
  automation: { title: "Automation", below: "automations", shows: Automation },
  insight: { title: "Insight", shows: Insight },
  try: { title: "Try", shows: Try },
};

export function App() {
  const route = useRoute();
  const connection = useConnection();
  const known = Object.hasOwn(pages, route.page) ? pages[route.page] : undefined;
  const main = useRef<HTMLElement>(null);
  const seen = useRef(route.page + route.id);
  useEffect(() => {
    if (location.hash.startsWith("#enter=")) location.reload();
    document.title = `${known?.title ?? "Not found"} · Hookline`;
    if (seen.current === route.page + route.id) return;
    seen.current = route.page + route.id;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [route]);

  const project = route.query.project ?? "";
  const entries = Object.entries(pages).filter(([, { below }]) => below === undefined);
  return (
    <>
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <div class="frame">
        <header class="side">
          <a class="brand" href={hashOf({ query: { project } })}>
            <Mark />
            Hookline
          </a>
          <nav aria-label="Pages">
            {entries.map(([name, { title }]) => (
              <a
                key={name}
                href={hashOf({ page: name, query: { project } })}
                aria-current={name === (known?.below ?? route.page) ? "page" : undefined}
              >
                {title}
              </a>
            ))}
            <a href="/docs/">Documentation</a>
          </nav>
          <State connection={connection} />
        </header>
        <main ref={main} tabIndex={-1}>
          <Notice connection={connection} />
          {connection === "out" ? (
            <Outside />
          ) : known ? (
            <known.shows route={route} />
          ) : (
            <section class="empty">
              <h1>There is no such page</h1>
              <p>
                <a href={hashOf({ query: { project } })}>Go to what happens now</a>
              </p>
            </section>
          )}
        </main>
      </div>
    </>
  );
}

const states: Readonly<Record<Connection, string>> = {
  connecting: "connecting",
  live: "live",
  gone: "no daemon",
  out: "not let in",
};

const State = ({ connection }: { connection: Connection }) => (
  <p class={`state ${connection}`} role="status">
    <span aria-hidden="true" class="dot" />
    {states[connection]}
  </p>
);

const Notice = ({ connection }: { connection: Connection }) =>
  connection === "gone" ? (
    <p class="notice" role="alert">
      The daemon does not answer. Start it with <Code>hookline up</Code>; this page goes on by itself.
    </p>
  ) : null;

const Outside = () => (
  <section class="empty">
    <h1>This page needs a link from your terminal</h1>
    <p>Only you may see what your agents do, so each browser is let in by a link that works once.</p>
    <p>In a terminal, type:</p>
    <p>
      <Code>hookline open</Code>
    </p>
    <p class="dim">
      A link that was used, or is older than an hour, no longer lets a browser in. The same is true once the daemon has
      ended.
    </p>
  </section>
);

const Mark = () => (
  <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
    <rect width="32" height="32" rx="8" class="mark" />
    <path d="M20 7v11a6 6 0 0 1-12 0v-2" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" />
    <circle cx="20" cy="7" r="2.4" fill="#fff" />
  </svg>
);

/** The head of a page about one project, with the choice of another. */
export function ProjectChoice({ route, isForAll = false }: { route: Route; isForAll?: boolean }) {
  const { data } = useAsked<{ root: string; name: string }[]>("projects", {}, { follows: once });
  const { project = "" } = route.query;
  if (!data) return null;
  const isKnown = project === "" || data.some(({ root }) => root === project);
  const known = isKnown ? data : [{ root: project, name: project.split("/").at(-1) || project }, ...data];
  const choose = (root: string): void => {
    location.hash = hashOf({ ...route, query: { ...route.query, project: root } });
  };
  const isTwice = (name: string): boolean => known.filter((one) => one.name === name).length > 1;
  return (
    <label class="choice">
      <span>Project</span>
      <select value={project} onChange={(event) => choose(event.currentTarget.value)}>
        {isForAll ? (
          <option value="">All projects</option>
        ) : project === "" ? (
          <option value="">The daemon's</option>
        ) : null}
        {known.map(({ root, name }) => (
          <option key={root} value={root}>
            {isTwice(name) ? root : name}
          </option>
        ))}
      </select>
    </label>
  );
}
