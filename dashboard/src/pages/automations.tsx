/** The automations of all projects: what sets each off, when it runs next, what it did last; pause, resume, fire. */
import { useState } from "preact/hooks";
import type { AutomationShown, Automations as Shown } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ask, useAsked } from "../ask.ts";
import { ago, Badge, Command, Failed, Head, safe, Waiting, When } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

export function Automations({ route }: { route: Route }) {
  const { data, error, again } = useAsked<Shown>("automations", {}, { every: 4_000 });
  const { project = "" } = route.query;
  return (
    <>
      <Head title="Automations" says="What runs by itself: on an event, by the clock, or when files change.">
        <a class="button" href={hashOf({ page: "automation", id: "new", query: { project } })}>
          New automation
        </a>
      </Head>
      <Failed error={error} />
      {!data ? error === undefined ? <Waiting /> : null : data.automations.length === 0 ? <Nothing /> : null}
      {data && data.queue.length > 0 ? <Queue queue={data.queue} project={project} /> : null}
      <ul class="cards">
        {(data?.automations ?? []).map((one) => (
          <One key={one.hook} one={one} project={project} again={again} />
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
      Create one above, or in a terminal:{" "}
      <Command>
        {'hookline automation create "nightly tests" --cron "0 3 * * *" --prompt-template "Run the tests"'}
      </Command>
    </p>
  </section>
);

const Queue = ({ queue, project }: Pick<Shown, "queue"> & { project: string }) => (
  <section aria-labelledby="queue">
    <h2 id="queue">
      Runs and waits <span class="count">{queue.length}</span>
    </h2>
    <ul class="rows">
      {queue.map(({ run, name, status, at, cause }) => (
        <li key={run}>
          <a class="row" href={hashOf({ page: "run", id: run, query: { project } })}>
            <Badge is={status} />
            <span class="said grow">{safe(name)}</span>
            <span class="dim nowrap">
              {safe(cause)} · <When at={at} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  </section>
);

const stateOf = ({ isEnabled, isPaused }: AutomationShown): string =>
  isEnabled ? (isPaused ? "paused" : "enabled") : "disabled";

function One({ one, project, again }: { one: AutomationShown; project: string; again(): void }) {
  const [refusal, setRefusal] = useState<string>();
  async function act(name: "pause" | "resume" | "fire" | "enable" | "disable"): Promise<void> {
    try {
      await ask(`automation_${name}`, { id: one.id, project: one.project });
      setRefusal(undefined);
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
    again();
  }
  const state = stateOf(one);
  return (
    <li class="card hook">
      <div class="line">
        <h2>{safe(one.name)}</h2>
        <span class={`badge ${state === "enabled" ? "good" : "warn"}`}>{state}</span>
        <span class="push buttons">
          <button type="button" aria-label={`Run now: ${safe(one.name)}`} onClick={() => void act("fire")}>
            Run now
          </button>
          {!one.isStored ? null : one.isEnabled ? (
            <button type="button" aria-label={`Disable ${safe(one.name)}`} onClick={() => void act("disable")}>
              Disable
            </button>
          ) : (
            <button type="button" aria-label={`Enable ${safe(one.name)}`} onClick={() => void act("enable")}>
              Enable
            </button>
          )}
          {one.isStored ? (
            <a
              class="button"
              aria-label={`Edit ${safe(one.name)}`}
              href={hashOf({ page: "automation", id: `${one.project}/${one.id}`, query: { project } })}
            >
              Edit
            </a>
          ) : null}
          {one.isPaused ? (
            <button type="button" aria-label={`Resume ${safe(one.name)}`} onClick={() => void act("resume")}>
              Resume
            </button>
          ) : (
            <button type="button" aria-label={`Pause ${safe(one.name)}`} onClick={() => void act("pause")}>
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
      </p>
      <Tokens tokens={one.tokens} />
      <p>
        <span class="dim">project {safe(one.project)} · </span>
        {one.isStored ? <span class="dim">kept in the store</span> : <code>{safe(one.place)}</code>}
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
      {one.runs.length === 0 ? null : (
        <a class="more" href={hashOf({ page: "runs", query: { hook: one.hook, project } })}>
          All its runs
        </a>
      )}
    </li>
  );
}

/** A bar for each day, the last one today. */
function Tokens({ tokens }: Pick<AutomationShown, "tokens">) {
  const total = tokens.reduce((sum, one) => sum + one, 0);
  if (total === 0) return null;
  const most = Math.max(...tokens);
  const says = `${total} tokens in ${tokens.length} days`;
  return (
    <p class="tokens">
      <svg viewBox={`0 0 ${tokens.length * 8} 24`} width={tokens.length * 8} height="24" role="img" aria-label={says}>
        {tokens.map((one, day) => {
          const height = one === 0 ? 1 : Math.max(2, (one / most) * 24);
          return (
            <rect key={day} class={one === 0 ? "none" : ""} x={day * 8} y={24 - height} width="6" height={height} />
          );
        })}
      </svg>
      <span class="dim">{says}</span>
    </p>
  );
}
