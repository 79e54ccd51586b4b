/** What happened in the last days, counted: events and refusals over time, and what hooks cost. The chart is loaded with this page only. */
import { useEffect, useRef } from "preact/hooks";
import type { Insight as Shown } from "../../../src/hosts/daemon/dashboard/shown.ts";
import { once, useAsked } from "../ask.ts";
import { counted, duration, Failed, Head, safe, Waiting } from "../parts.tsx";
import { hashOf, type Route } from "../route.ts";

const spans: readonly [days: number, says: string][] = [
  [1, "24 hours"],
  [7, "7 days"],
  [30, "30 days"],
];

export function Insight({ route }: { route: Route }) {
  const days = Number(route.query.days ?? "1") || 1;
  const { data, error } = useAsked<Shown>("insight", { days }, { follows: once });
  return (
    <>
      <Head title="Insight" says="What happened, and what hooks cost: of the newest 10,000 events and runs.">
        <label class="choice">
          <span>The last</span>
          <select
            value={String(days)}
            onChange={(event) => {
              location.hash = hashOf({ ...route, query: { ...route.query, days: event.currentTarget.value } });
            }}
          >
            {spans.map(([value, says]) => (
              <option key={value} value={String(value)}>
                {says}
              </option>
            ))}
          </select>
        </label>
      </Head>
      <Failed error={error} />
      {!data ? error === undefined ? <Waiting /> : null : <Whole data={data} project={route.query.project ?? ""} />}
    </>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function Whole({ data, project }: { data: Shown; project: string }) {
  const { agents, hooks, days, decisions } = data;
  const figures: readonly [string, string | number][] = [
    ["events", sum(data.events)],
    ["blocked", sum(data.blocked)],
    ["hook runs", sum(hooks.map(({ runs }) => runs))],
    ["failures", sum(hooks.map(({ failures }) => failures))],
    ["tokens", sum(hooks.map(({ tokens }) => tokens))],
  ];
  return (
    <>
      <dl class="figures large">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {sum(data.events) === 0 ? (
        <p class="calm">Nothing happened in this time. Choose a longer one, or let an agent work.</p>
      ) : (
        <>
          <Chart data={data} />
          <Table
            title="Agents"
            heads={["agent", "events", "blocked", "asked you", "p95"]}
            rows={agents.map(({ name, events, blocked, asked, p95 }) => [
              ...[safe(name), events, blocked, asked, duration(p95)],
            ])}
          />
          <Table
            title="Hooks"
            heads={["hook", "runs", "failures", "time in all", "tokens"]}
            rows={hooks.map(({ hook, name, runs, failures, ms, tokens }) => [
              <a key="link" href={hashOf({ page: "runs", query: { hook, project } })}>
                {safe(name)}
              </a>,
              runs,
              failures,
              duration(ms),
              tokens,
            ])}
          />
          <Table
            title="Days"
            heads={["day", "events", "blocked", "asked you", "runs", "failures", "tokens"]}
            rows={days.map(({ name, events, blocked, asked, runs, failures, tokens }) => [
              ...[name, events, blocked, asked, runs, failures, tokens],
            ])}
          />
          <Table
            title="How long agents waited"
            heads={["event", "decisions", "p50", "p95"]}
            rows={decisions.map(({ event, count, p50, p95 }) => [safe(event), count, duration(p50), duration(p95)])}
          />
        </>
      )}
    </>
  );
}

type Cell = string | number | preact.JSX.Element;

const Table = ({
  title,
  heads,
  rows,
}: {
  title: string;
  heads: readonly string[];
  rows: readonly (readonly Cell[])[];
}) =>
  rows.length === 0 ? null : (
    <section aria-label={title}>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls, so the keyboard has to reach it */}
      <section class="wide" tabIndex={0} aria-label={`${title}, as a table`}>
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, column) => (
                  <td key={heads[column]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );

const height = 220;

function Chart({ data }: { data: Shown }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let end = (): void => {};
    let isOver = false;
    void import("uplot").then(({ default: UPlot }) => {
      const within = place.current;
      if (!within || isOver) return;
      const style = getComputedStyle(document.documentElement);
      const color = (name: string): string => style.getPropertyValue(name).trim();
      const axis = { stroke: color("--dim"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
      const bars = UPlot.paths.bars?.({ size: [0.8, 40] });
      const series = (label: string, name: string) => ({
        ...{ label, stroke: color(name), fill: color(name), width: 0, points: { show: false } },
        ...(bars ? { paths: bars } : {}),
      });
      const plot = new UPlot(
        {
          ...{ width: within.clientWidth, height, legend: { show: false }, cursor: { show: false } },
          scales: { y: { range: (_plot, _least, most) => [0, Math.max(4, most)] } },
          axes: [axis, { ...axis, size: 40 }],
          series: [{}, series("events", "--mild"), series("blocked", "--bad")],
        },
        [data.events.map((_, index) => (data.since + (index + 0.5) * data.step) / 1000), data.events, data.blocked],
        within,
      );
      const resize = (): void => plot.setSize({ width: within.clientWidth, height });
      addEventListener("resize", resize);
      end = () => {
        removeEventListener("resize", resize);
        plot.destroy();
      };
    });
    return () => {
      isOver = true;
      end();
    };
  }, [data]);
  const says = `${counted(sum(data.events), "event")} over time, ${sum(data.blocked)} of them blocked`;
  return (
    <figure>
      <div ref={place} class="chart" role="img" aria-label={says} />
      <figcaption class="dim">
        <span class="key events" aria-hidden="true" /> events <span class="key blocked" aria-hidden="true" /> blocked
      </figcaption>
    </figure>
  );
}
