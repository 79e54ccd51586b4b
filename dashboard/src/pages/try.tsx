/** An event that you compose or pick: which hooks would run on it, and why the others would not. Nothing runs. */
import { useState } from "preact/hooks";
import type { HookPlace, Now, ProjectShown } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ProjectChoice } from "../app.tsx";
import { ask, useAsked } from "../ask.ts";
import { Badge, counted, Failed, Head, Place, safe } from "../parts.tsx";
import type { Route } from "../route.ts";

type Judged = HookPlace & { would: "run" | "skip"; because: string; listens: boolean };
interface Tried {
  project: ProjectShown;
  hooks: Judged[];
}

const firstPayload = { tool_name: "Bash", tool_input: { command: "git push --force origin main" } };
const asText = (value: unknown): string => JSON.stringify(value, null, 2);

export function Try({ route }: { route: Route }) {
  const { project = "" } = route.query;
  const given = project === "" ? {} : { project };
  const names = useAsked<string[]>("event_names", {}, { follows: false }).data ?? [];
  const { data: now } = useAsked<Now>("now", given, { follows: false });
  const recorded = (now?.sessions ?? []).flatMap(({ events }) => events).filter(({ tool }) => tool !== null);
  const [event, setEvent] = useState("PreToolUse");
  const [payload, setPayload] = useState(asText(firstPayload));
  const [tried, setTried] = useState<Tried>();
  const [error, setError] = useState<string>();

  async function attempt(): Promise<void> {
    setTried(undefined);
    try {
      setTried(await ask<Tried>("try", { event, payload, ...given }));
      setError(undefined);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  }
  async function pick(id: string): Promise<void> {
    if (id === "") return;
    try {
      const found = await ask<{ name: string; data: unknown }>("event", { id });
      setEvent(found.name);
      setPayload(asText(found.data));
      setTried(undefined);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  }

  const would = tried?.hooks.filter((one) => one.would === "run") ?? [];
  const others = tried?.hooks.filter((one) => one.would !== "run" && one.listens) ?? [];
  const deaf = tried?.hooks.filter((one) => !one.listens).length ?? 0;
  return (
    <>
      <Head title="Try" says="See which hooks would run on an event, and why the others would not. Nothing runs.">
        <ProjectChoice route={route} />
      </Head>
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
            <select onChange={(changed) => void pick(changed.currentTarget.value)}>
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
        <button type="submit" class="main">
          Try it
        </button>
      </form>
      <Failed error={error} />
      {tried === undefined ? null : (
        <section aria-labelledby="tried" aria-live="polite">
          <h2 id="tried">{would.length === 0 ? "No hook would run" : `${counted(would.length, "hook")} would run`}</h2>
          <ul class="rows">
            {[...would, ...others].map((one) => (
              <li key={one.id}>
                <div class="row">
                  {one.would === "run" ? <span class="badge good">would run</span> : <Badge is="not matched" />}
                  <span class="two">
                    <span>
                      <strong>{safe(one.name)}</strong> <Place hook={one} project={tried.project} />
                    </span>
                    <span class="because">{safe(one.because)}</span>
                  </span>
                </div>
              </li>
            ))}
          </ul>
          {deaf === 0 ? null : <p class="dim">{counted(deaf, "hook")} of this project listen to other events.</p>}
        </section>
      )}
    </>
  );
}
