/** The automations of all projects: what sets each off, when it runs next, what it did last; pause, resume, fire. */
import { useState } from "preact/hooks";
import type { AutomationShown } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ask, useAsked } from "../ask.ts";
import { ago, Badge, Command, Failed, Head, safe, Waiting, When } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

export function Automations({ route }: { route: Route }) {
  const { data, error, again } = useAsked<AutomationShown[]>("automations", {});
  return (
    <>
      <Head title="Automations" says="What runs by itself: on an event, by the clock, or when files change." />
      <Failed error={error} />
      {!data ? error === undefined ? <Waiting /> : null : data.length === 0 ? <Nothing /> : null}
      <ul class="cards">
        {(data ?? []).map((one) => (
          <One key={one.hook} one={one} project={route.query.project ?? ""} again={again} />
        ))}
      </ul>
    </>
  );
}

const Nothing = () => (
  <section class="empty">
    <h2>There is no automation yet</h2>
    <p>
      An automation does a task without being asked: it runs the tests after each commit, or writes a report each night.
    </p>
    <p>
      Create one:{" "}
      <Command>{'hookline automation create "nightly tests" --cron "0 3 * * *" --prompt "Run the tests"'}</Command>
    </p>
  </section>
);

const stateOf = ({ isEnabled, isPaused }: AutomationShown): string =>
  isEnabled ? (isPaused ? "paused" : "enabled") : "disabled";

function One({ one, project, again }: { one: AutomationShown; project: string; again(): void }) {
  const [refusal, setRefusal] = useState<string>();
  async function act(name: "automation_pause" | "automation_resume" | "automation_fire"): Promise<void> {
    try {
      await ask(name, { id: one.id, project: one.project });
      setRefusal(undefined);
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
    again();
  }
  const tokens = one.runs.reduce((sum, run) => sum + run.tokens, 0);
  const state = stateOf(one);
  return (
    <li class="card hook">
      <div class="line">
        <h2>{safe(one.name)}</h2>
        <span class={`badge ${state === "enabled" ? "good" : "warn"}`}>{state}</span>
        <span class="push buttons">
          <button type="button" aria-label={`Run now: ${safe(one.name)}`} onClick={() => void act("automation_fire")}>
            Run now
          </button>
          {one.isPaused ? (
            <button type="button" aria-label={`Resume ${safe(one.name)}`} onClick={() => void act("automation_resume")}>
              Resume
            </button>
          ) : (
            <button type="button" aria-label={`Pause ${safe(one.name)}`} onClick={() => void act("automation_pause")}>
              Pause
            </button>
          )}
        </span>
      </div>
      <Failed error={refusal ?? one.fault ?? undefined} />
      <p class="when">
        <span class="dim">on</span> {safe(one.on ?? "nothing that is known")}
        {one.due === null ? null : (
          <>
            <span class="dim"> · next</span> {new Date(one.due).toLocaleString()}
          </>
        )}
        {tokens === 0 ? null : <span class="dim"> · {tokens} tokens in its last runs</span>}
      </p>
      <p>
        <span class="dim">project {safe(one.project)} · </span>
        {one.place === "store" ? <span class="dim">kept in the store</span> : <code>{safe(one.place)}</code>}
      </p>
      {one.yaml === "" ? null : (
        <details>
          <summary>As YAML</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
          <section class="sheet" tabIndex={0} aria-label={`${safe(one.name)} as YAML`}>
            <pre>{safe(one.yaml)}</pre>
          </section>
        </details>
      )}
      {one.runs.length === 0 ? (
        <p class="dim">It has not run yet.</p>
      ) : (
        <ul class="rows" aria-label="Its last runs">
          {one.runs.map((run) => (
            <li key={run.id}>
              <a class="row" href={hashOf({ page: "run", id: run.id, query: { project } })}>
                <Badge is={run.status} />
                <span class="said grow">{safe(run.result)}</span>
                <span class="dim nowrap" title={ago(run.at)}>
                  <When at={run.at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
