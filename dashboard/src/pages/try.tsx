/** An event that you compose or pick: which hooks would run on it, and why the others would not; then, if you want, they do. */
import { useEffect, useState } from "preact/hooks";
import type {
  HookPlace,
  Now,
  Performed,
  ProjectShown,
  Sample,
  Trace,
} from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ProjectChoice } from "../app.tsx";
import { ask, once, useAsked } from "../ask.ts";
import { Badge, counted, Failed, Head, Place, safe } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

type Judged = HookPlace & { would: "run" | "skip"; because: string; listens: boolean };
interface Tried {
  project: ProjectShown;
  hooks: Judged[];
}

const firstPayload = { tool_name: "Bash", tool_input: { command: "git push --force origin main" } };
const asText = (value: unknown): string => JSON.stringify(value, null, 2);

export function Try({ route }: { route: Route }) {
  const { project = "", hook, run } = route.query;
  const given = project === "" ? {} : { project };
  const names = useAsked<string[]>("event_names", {}, { follows: once }).data ?? [];
  const { data: now } = useAsked<Now>("now", given, { follows: once });
  const recorded = (now?.sessions ?? []).flatMap(({ events }) => events).filter(({ tool }) => tool !== null);
  const [event, setEvent] = useState("PreToolUse");
  const [payload, setPayload] = useState(asText(firstPayload));
  const [tried, setTried] = useState<Tried>();
  const [performed, setPerformed] = useState<Performed>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  async function guarded(work: () => Promise<void>): Promise<void> {
    setTried(undefined);
    setPerformed(undefined);
    setError(undefined);
    setBusy(true);
    try {
      await work();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  }
  const begin = ({ event: name, data }: { event: string; data: unknown }): void => {
    setEvent(name);
    setPayload(asText(data));
  };
  const pick = (id: string): Promise<void> =>
    guarded(async () => {
      const found = await ask<{ name: string; data: unknown }>("event", { id });
      begin({ event: found.name, data: found.data });
    });
  useEffect(() => {
    if (run) void guarded(async () => begin(eventIn(await ask<Trace>("trace", { id: run }))));
    else if (hook) void guarded(async () => begin(await ask<Sample>("sample", { hook, ...given })));
  }, [hook, run]);
  const attempt = (): Promise<void> =>
    guarded(async () => setTried(await ask<Tried>("try", { event, payload, ...given })));
  const perform = (): Promise<void> =>
    guarded(async () =>
      setPerformed(await ask<Performed>("perform", { event, payload, ...given, ...(hook ? { hook } : {}) })),
    );

  return (
    <>
      <Head title="Try" says="See which hooks would run on an event, and why the others would not.">
        <ProjectChoice route={route} />
      </Head>
      {hook ? (
        <p class="calm">
          Only <code>{safe(hook)}</code> is run, whatever its limits say.{" "}
          <a href={hashOf({ page: "try", query: { project, ...(run ? { run } : {}) } })}>Take all hooks instead</a>
        </p>
      ) : null}
      <form
        class="try"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void attempt();
        }}
      >
        {recorded.length === 0 ? null : (
          <label>
            <span>Start from a recorded event</span>
            <select onChange={({ currentTarget: { value } }) => (value === "" ? undefined : void pick(value))}>
              <option value="">–</option>
              {recorded
                .slice(-40)
                .toReversed()
                .map(({ id, name, tool, subject }) => (
                  <option key={id} value={id}>
                    {safe(`${name} ${tool ?? ""}: ${subject}`.slice(0, 90))}
                  </option>
                ))}
            </select>
          </label>
        )}
        <label>
          <span>Event</span>
          <input list="names" required value={event} onInput={(typed) => setEvent(typed.currentTarget.value)} />
          <datalist id="names">
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          <span>Payload, as the agent would send it</span>
          <textarea
            rows={9}
            spellcheck={false}
            value={payload}
            onInput={(typed) => setPayload(typed.currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy}>
            Try it: nothing runs
          </button>
          <button type="button" disabled={isBusy} onClick={() => void perform()}>
            {hook ? "Run this hook" : "Run its hooks"}
          </button>
        </div>
        <p class="dim">To run means that the programs of these hooks start, in the folder of the project.</p>
      </form>
      <Failed error={error} />
      <div aria-live="polite">
        {tried === undefined ? null : <Judgement tried={tried} />}
        {performed === undefined ? null : <Came performed={performed} project={project} />}
      </div>
    </>
  );
}

function eventIn({ event }: Trace): { event: string; data: unknown } {
  if (event === null) throw new Error("the store holds the event of this run no more");
  return { event: event.name, data: event.data };
}

function Judgement({ tried: { hooks, project } }: { tried: Tried }) {
  const would = hooks.filter((one) => one.would === "run");
  const others = hooks.filter((one) => one.would !== "run" && one.listens);
  const deaf = hooks.filter((one) => !one.listens).length;
  return (
    <section aria-labelledby="tried">
      <h2 id="tried">{would.length === 0 ? "No hook would run" : `${counted(would.length, "hook")} would run`}</h2>
      <ul class="rows">
        {[...would, ...others].map((one) => (
          <li key={one.id}>
            <div class="row">
              {one.would === "run" ? <span class="badge good">would run</span> : <Badge is="not matched" />}
              <span class="two">
                <span>
                  <strong>{safe(one.name)}</strong> <Place hook={one} project={project} />
                </span>
                <span class="because">{safe(one.because)}</span>
              </span>
            </div>
          </li>
        ))}
      </ul>
      {deaf === 0 ? null : <p class="dim">{counted(deaf, "hook")} of this project listen to other events.</p>}
    </section>
  );
}

function Came({ performed: { event, runs }, project }: { performed: Performed; project: string }) {
  return (
    <section aria-labelledby="came">
      <h2 id="came">{runs.length === 0 ? "No hook ran" : `${counted(runs.length, "hook")} ran`}</h2>
      <p>
        {event.verdict === null ? "Together: no decision." : <Badge is={event.verdict} />}{" "}
        {event.reason === null ? "" : safe(event.reason)}
      </p>
      <ul class="rows">
        {runs.map((one) => (
          <li key={one.run}>
            <a class="row" href={hashOf({ page: "run", id: one.run, query: { project } })}>
              <Badge is={one.status} />
              <span class="two">
                <strong>{safe(one.name)}</strong>
                <span class="because">{safe(one.because)}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
