/** All runs, newest first: only the rows that can be seen are in the page, so ten thousand cost no more than twenty. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ProjectShown, RunRow } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ask, once, useAsked } from "../ask.ts";
import { Badge, duration, Failed, Head, safe, Waiting, When } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

const statuses = ["completed", "skipped", "failed", "timeout", "running", "queued", "cancelled", "interrupted"];
const filters = ["hook", "session", "event", "status"] as const;
const rowHeight = 60;
const pageSize = 200;
/** Rows above and below what is seen. */
const margin = 12;
/** Fetched before a person gets there. */
const aheadRows = 100;

export function Runs({ route }: { route: Route }) {
  const filter = Object.fromEntries(filters.flatMap((name) => (route.query[name] ? [[name, route.query[name]]] : [])));
  const { rows, error, isWhole, more, renew } = usePages(filter);
  const newest = useAsked<RunRow[]>("runs", { ...filter, all: true, limit: 1 }).data?.[0]?.id;
  const isNews = newest !== undefined && newest !== rows[0]?.id && (rows.length > 0 || isWhole);
  const { list, first, last } = useWindow(rows.length);
  const { data: projects = [] } = useAsked<ProjectShown[]>("projects", {}, { follows: once });
  useEffect(() => {
    if (!isWhole && last + aheadRows >= rows.length) more();
  }, [last, rows.length, isWhole]);
  const set = (name: string, value: string): void => {
    location.hash = hashOf({ ...route, query: { ...route.query, [name]: value } });
  };
  return (
    <>
      <Head title="Runs" says="Each hook that matched an event, and what came of it." />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>Status</span>
          <select value={route.query.status ?? ""} onChange={(event) => set("status", event.currentTarget.value)}>
            <option value="">any</option>
            {statuses.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Event</span>
          <input
            value={route.query.event ?? ""}
            placeholder="any, as PreToolUse"
            onChange={(event) => set("event", event.currentTarget.value.trim())}
          />
        </label>
        <label>
          <span>Hook</span>
          <input
            value={route.query.hook ?? ""}
            placeholder="any, by its id"
            onChange={(event) => set("hook", event.currentTarget.value.trim())}
          />
        </label>
        {Object.keys(filter).length > 0 ? (
          <a class="quiet" href={hashOf({ page: "runs", query: { project: route.query.project ?? "" } })}>
            Clear
          </a>
        ) : null}
      </form>
      <Failed error={error} />
      {isNews ? (
        <p>
          <button type="button" onClick={renew}>
            Show newer runs
          </button>
        </p>
      ) : null}
      {rows.length === 0 ? (
        isWhole ? (
          <Nothing isFiltered={Object.keys(filter).length > 0} />
        ) : error === undefined ? (
          <Waiting />
        ) : null
      ) : (
        <ul ref={list} class="virtual" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, last).map((row, index) => (
            <li
              key={row.id}
              aria-posinset={first + index + 1}
              aria-setsize={isWhole ? rows.length : -1}
              style={{ transform: `translateY(${(first + index) * rowHeight}px)` }}
            >
              <Row row={row} project={route.query.project ?? ""} projects={projects} />
            </li>
          ))}
        </ul>
      )}
      <p class="dim foot" role="status">
        {rows.length === 0 ? "" : isWhole ? `${rows.length} runs` : `${rows.length} runs, more below`}
      </p>
    </>
  );
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) => (
  <section class="empty">
    <h2>{isFiltered ? "No run is like that" : "No hook has run yet"}</h2>
    <p>
      {isFiltered ? (
        "Take a filter away to see more."
      ) : (
        <>
          Try one without an agent: <code>hookline emit PreToolUse --data '…'</code>, or on the page{" "}
          <a href={hashOf({ page: "try" })}>Try</a>.
        </>
      )}
    </p>
  </section>
);

/** Of the project that a run happened in; of one that is not known, of its folder. */
const placeName = (cwd: string | null, projects: readonly ProjectShown[]): string =>
  cwd === null
    ? ""
    : (projects
        .filter(({ root }) => cwd === root || cwd.startsWith(`${root}/`))
        .toSorted((one, other) => other.root.length - one.root.length)[0]?.name ?? cwd.slice(cwd.lastIndexOf("/") + 1));

const marks: Readonly<Record<string, string>> = { blocked: "deny", held: "deny", asked: "ask" };

const Row = ({ row, project, projects }: { row: RunRow; project: string; projects: readonly ProjectShown[] }) => (
  <a class="run" href={hashOf({ page: "run", id: row.id, query: { project } })}>
    <Badge is={marks[row.outcome ?? ""] ?? row.status} />
    <span class="two">
      <strong>{safe(row.hookName)}</strong>
      <span class="said">{safe(row.reason ?? row.result)}</span>
    </span>
    <span class="two from">
      <span>{safe(row.event)}</span>
      <span class="dim">
        {[placeName(row.cwd, projects), row.sender ?? ""]
          .filter((one) => one !== "")
          .map(safe)
          .join(" · ")}
      </span>
    </span>
    <span class="two right">
      <When at={Date.parse(row.startedAt)} />
      <span class="dim">{duration(row.ms)}</span>
    </span>
  </a>
);

interface Pages {
  rows: RunRow[];
  error: string | undefined;
  /** There are no more. */
  isWhole: boolean;
  more(): void;
  /** Begins again with the newest: rows that a person reads do not move by themselves. */
  renew(): void;
}

function usePages(filter: object): Pages {
  const key = JSON.stringify(filter);
  const [state, setState] = useState<{ key: string; rows: RunRow[]; next: string | null | undefined; error?: string }>({
    ...{ key, rows: [], next: undefined },
  });
  const asking = useRef("");
  const current = state.key === key ? state : { key, rows: [], next: undefined };
  const fetchAfter = ({ next, rows }: Pick<typeof state, "next" | "rows">): void => {
    asking.current = `${key} ${next}`;
    ask<RunRow[]>("runs", { ...filter, all: true, limit: pageSize, ...(next ? { before: next } : {}) }).then(
      (page) =>
        setState({ key, rows: [...rows, ...page], next: page.length < pageSize ? null : (page.at(-1)?.id ?? null) }),
      (error: Error) => setState({ key, rows, next: null, error: error.message }),
    );
  };
  const more = (): void => {
    if (current.next !== null && asking.current !== `${key} ${current.next}`) fetchAfter(current);
  };
  useEffect(more, [key]);
  return {
    rows: current.rows,
    error: "error" in current ? current.error : undefined,
    isWhole: current.next === null,
    more,
    renew: () => fetchAfter({ next: undefined, rows: [] }),
  };
}

/** Which rows of the list stand in the window. */
function useWindow(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const [range, setRange] = useState({ first: 0, last: 30 });
  useEffect(() => {
    const look = (): void => {
      const top = -(list.current?.getBoundingClientRect().top ?? 0);
      const first = Math.max(0, Math.floor(top / rowHeight) - margin);
      const last = Math.ceil((top + innerHeight) / rowHeight) + margin;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [count]);
  return { list, first: Math.min(range.first, count), last: Math.min(range.last, count) };
}
