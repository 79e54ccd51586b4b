/** What each guard has done in the last days, and which exceptions are worth writing. */
import type { HookPlace, ProjectShown } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { ProjectChoice } from "../app.tsx";
import { useAsked } from "../ask.ts";
import { ago, Command, Failed, Head, Place, safe, Waiting } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

interface Guard extends HookPlace {
  state: string;
  fired: number;
  denied: number;
  asked: number;
  overridden: number;
  would_have: number;
  appealed: number;
  last: string | null;
  /** The level of the guard pack that it comes with. */
  level: string | null;
}
interface Stats {
  days: number;
  project: ProjectShown;
  guards: Guard[];
  candidates: { hook: string; pattern: string; times: number }[];
  appeals: { hook: string; pattern: string; times: number; open: number; why: string }[];
}

type Figure = "fired" | "denied" | "asked" | "overridden" | "would_have" | "appealed";
const figures: readonly [key: Figure, says: string][] = [
  ["fired", "looked"],
  ["denied", "blocked"],
  ["asked", "asked you"],
  ["overridden", "allowed once"],
  ["would_have", "would have"],
  ["appealed", "appealed"],
];

export function Guards({ route }: { route: Route }) {
  const { project = "" } = route.query;
  const { data, error } = useAsked<Stats>("guards", project === "" ? {} : { project });
  return (
    <>
      <Head title="Guards" says={data ? `What they did in the last ${data.days} days.` : undefined}>
        <ProjectChoice route={route} />
      </Head>
      <Failed error={error} />
      {!data ? error === undefined ? <Waiting /> : null : <Whole stats={data} project={project} />}
    </>
  );
}

function Whole({ stats: { guards, candidates, appeals, project: shown }, project }: { stats: Stats; project: string }) {
  if (guards.length === 0)
    return (
      <section class="empty">
        <h2>No guard is active here</h2>
        <p>
          A guard keeps an agent from what you would never allow. Add those that come with Hookline:{" "}
          <Command>hookline add guard</Command>
        </p>
      </section>
    );
  return (
    <>
      {candidates.length === 0 ? null : (
        <section aria-labelledby="candidates">
          <h2 id="candidates">Worth an exception</h2>
          <ul class="plain">
            {candidates.map(({ hook, pattern, times }) => (
              <li key={`${hook} ${pattern}`}>
                <code>{safe(pattern)}</code> was allowed {times} times by hand against <strong>{safe(hook)}</strong>: an
                exception in that hook ends the asking.
              </li>
            ))}
          </ul>
        </section>
      )}
      {appeals.length === 0 ? null : (
        <section aria-labelledby="appeals">
          <h2 id="appeals">What agents complain about</h2>
          <ul class="plain">
            {appeals.map(({ hook, pattern, times, open, why }) => (
              <li key={`${hook} ${pattern}`}>
                <code>{safe(pattern)}</code> against <strong>{safe(hook)}</strong>
                {times === 1 ? "" : `, ${times} times`}
                {open === 0 ? ", answered" : ""}: {safe(why)}
              </li>
            ))}
          </ul>
          <p class="dim">
            Answer in a terminal: <Command>hookline allow-once</Command>
          </p>
        </section>
      )}
      <Levels guards={guards} />
      <ul class="cards">
        {guards.map((guard) => (
          <li key={guard.id} class="card hook">
            <div class="line">
              <h2>{safe(guard.name)}</h2>
              {guard.level === null ? null : <span class="badge plain">{safe(guard.level)}</span>}
              {guard.state === "" ? null : <span class="badge warn">{safe(guard.state)}</span>}
              <span class="dim push">{guard.last === null ? "never asked" : ago(Date.parse(guard.last))}</span>
            </div>
            <p>
              <Place hook={guard} project={shown} />
            </p>
            <dl class="figures">
              {figures.map(([key, says]) => (
                <div key={key} class={key === "denied" && guard[key] > 0 ? "bad" : ""}>
                  <dt>{says}</dt>
                  <dd>{guard[key]}</dd>
                </div>
              ))}
            </dl>
            <a class="more" href={hashOf({ page: "runs", query: { hook: guard.id, project } })}>
              Its runs
            </a>
          </li>
        ))}
      </ul>
      <p class="dim">
        Only a person at a terminal loosens a guard: <Command>hookline guard off ID --for 1h</Command>
      </p>
    </>
  );
}

const levels: readonly [level: string, says: string][] = [
  ["quiet", "what nobody wants"],
  ["standard", "also what a person may want to know of before"],
  ["strict", "also every write outside of the repository, and code that cannot be judged"],
];

/** Which levels of the guard pack are here, and how to change that. */
function Levels({ guards }: { guards: readonly Guard[] }) {
  const counts = levels.map(([level, says]) => ({
    ...{ level, says, count: guards.filter((guard) => guard.level === level).length },
  }));
  if (counts.every(({ count }) => count === 0)) return null;
  return (
    <section aria-labelledby="levels">
      <h2 id="levels">Levels of the guard pack</h2>
      <ul class="plain">
        {counts.map(({ level, says, count }) => (
          <li key={level}>
            <strong>{level}</strong>: {says} · {count === 0 ? "not here" : `${count} here`}
          </li>
        ))}
      </ul>
      <p class="dim">
        Change it in a terminal: <Command>hookline add guard --level quiet</Command>
      </p>
    </section>
  );
}
