/** What the page asks the daemon, how it hears of news, and what it knows of the connection. */
import { useEffect, useRef, useState } from "preact/hooks";

/** out: this browser was not let in, or the daemon has been started anew. gone: no daemon answers. */
export type Connection = "connecting" | "live" | "gone" | "out";

export class Refusal extends Error {}
/** Whether the daemon is gone, `listen` says: it also breaks off what is too large. */
class NoAnswer extends Error {}

const headers = { "content-type": "application/json", "x-hookline": "dashboard" };

/** @throws Refusal with the daemon's own words, NoAnswer where there are none */
export async function ask<T>(name: string, input: object = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(input) });
  } catch {
    throw new NoAnswer("no answer came: the daemon has ended, or this is larger than the 1 MB that it takes");
  }
  if (response.status === 401) setConnection("out");
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Refusal(answer?.error?.message ?? `the daemon answered ${response.status}`);
}

let connection: Connection = "connecting";
const watchers = new Set<() => void>();
function setConnection(now: Connection): void {
  if (connection === now) return;
  connection = now;
  for (const watcher of watchers) watcher();
}

export function useConnection(): Connection {
  const [, look] = useState(0);
  useEffect(() => {
    const watcher = (): void => look((count) => count + 1);
    watchers.add(watcher);
    watcher();
    return () => void watchers.delete(watcher);
  }, []);
  return connection;
}

// News: what happens is only counted here. What is shown is asked for anew, so that there is one source of it.

/** Gets the words of the news, in which the ids stand of what it is about; none: the daemon answers again. */
type Ear = (news: string) => void;
const ears = new Set<Ear>();
const againAfter = 2_000;

/** Listens for as long as the page is there, and while a person can see it. Never ends. */
export async function listen(): Promise<never> {
  for (;;) {
    if (document.hidden) await shown();
    const leave = new AbortController();
    const hide = (): void => {
      if (document.hidden) leave.abort();
    };
    document.addEventListener("visibilitychange", hide);
    try {
      const response = await fetch("/api/live", { headers, signal: leave.signal });
      if (response.status === 401) setConnection("out");
      else if (response.ok && response.body) {
        setConnection("live");
        hear("");
        await hearAll(response.body);
        setConnection("gone");
      } else setConnection("gone");
    } catch {
      if (!leave.signal.aborted) setConnection("gone");
    }
    document.removeEventListener("visibilitychange", hide);
    if (!leave.signal.aborted) await new Promise((resolve) => setTimeout(resolve, againAfter));
  }
}

const shown = (): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
  });

/** A piece of news may come in parts: it is over with an empty line. */
async function hearAll(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let begun = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    begun += decoder.decode(value, { stream: true });
    const end = begun.lastIndexOf("\n\n");
    if (end < 0) continue;
    hear(begun.slice(0, end));
    begun = begun.slice(end);
  }
}

function hear(news: string): void {
  for (const ear of ears) ear(news);
}

const atMostEvery = 700;

export interface Asked<T> {
  data: T | undefined;
  error: string | undefined;
  again(): void;
}

interface Asking {
  /** Which news it is asked again for; absent: for all. Without an answer it is asked again when the daemon answers. */
  follows?: (news: string) => boolean;
  /** Milliseconds, for what moves on without an event. */
  every?: number;
}

/** What is asked once. */
export const once = (): boolean => false;
const always = (): boolean => true;

/** Asks, and asks again when something happens: no more often than a person can read. */
export function useAsked<T>(name: string, input: object, { follows = always, every }: Asking = {}): Asked<T> {
  const [state, setState] = useState<Pick<Asked<T>, "data" | "error">>({ data: undefined, error: undefined });
  const key = JSON.stringify([name, input]);
  const look = useRef<() => void>(() => {});
  useEffect(() => {
    let isOver = false;
    let isAsking = false;
    let isNews = false;
    let isUnanswered = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setState({ data: undefined, error: undefined });
    async function asked(): Promise<void> {
      isAsking = true;
      isNews = false;
      try {
        const data = await ask<T>(name, input);
        isUnanswered = false;
        if (!isOver) setState({ data, error: undefined });
      } catch (error) {
        isUnanswered = error instanceof NoAnswer || connection === "out"; // the frame says it
        const reason = isUnanswered ? undefined : error instanceof Error ? error.message : String(error);
        if (!isOver) setState(({ data }) => ({ data, error: reason }));
      }
      timer = setTimeout(() => {
        timer = undefined;
        isAsking = false;
        if (!isOver && (isNews || (isUnanswered && connection === "live"))) void asked();
      }, atMostEvery);
    }
    const again = (): void => {
      if (isAsking) isNews = true;
      else void asked();
    };
    const ear: Ear = (news) => {
      if (isUnanswered || follows(news)) again();
    };
    look.current = again;
    ears.add(ear);
    const regularly = every === undefined ? undefined : setInterval(() => document.hidden || again(), every);
    void asked();
    return () => {
      isOver = true;
      ears.delete(ear);
      clearTimeout(timer);
      clearInterval(regularly);
    };
  }, [key]);
  return { ...state, again: () => look.current() };
}
