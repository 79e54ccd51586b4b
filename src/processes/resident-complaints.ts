/** What a resident program says on stderr, as lines for the log; of a flood, the beginning. */

export interface Complaints {
  hear(said: string): void;
  /** It has ended: a last line may have no line break. */
  flush(): void;
}

/** In each window; the rest is counted. */
const charactersAtMost = 64 << 10;
const windowInMilliseconds = 10_000;
const longestLine = 4_000;

export function createComplaints(log: (line: string) => void): Complaints {
  let rest = "";
  let since = performance.now();
  let said = 0;
  let dropped = 0;

  function tell(line: string): void {
    if (line.trim() === "") return;
    const now = performance.now();
    if (now - since > windowInMilliseconds) {
      reportDropped();
      since = now;
      said = 0;
    }
    said += line.length;
    if (said > charactersAtMost) dropped += 1;
    else log(line);
  }

  function reportDropped(): void {
    if (dropped > 0) log(`${dropped} more lines on its stderr were not kept`);
    dropped = 0;
  }

  return {
    hear(chunk) {
      const lines = (rest + chunk).split("\n");
      rest = (lines.pop() ?? "").slice(0, longestLine);
      for (const line of lines) tell(line.slice(0, longestLine));
    },
    flush() {
      tell(rest);
      rest = "";
      reportDropped();
    },
  };
}
