/** Notices of the durable runs that this process performs. What sends them is loaded when such a run is to be reported. */
import type { Observation } from "../../engine/ports.ts";
import type { Notifier, NotifierOptions } from "../../services/notify/index.ts";

export type NoticesOptions = NotifierOptions;

export interface Notices {
  observe(observation: Observation): void;
  /** Waits some seconds for what is still to be sent. Never rejects. */
  close(): Promise<void>;
}

export function createNotices(options: NoticesOptions): Notices {
  let opened: Promise<Notifier> | undefined;
  const isSilent = (): boolean => {
    const { channels, notify } = options.settings();
    return Object.keys(channels).length === 0 && notify.length === 0;
  };
  const open = async (): Promise<Notifier> => (await import("../../services/notify/index.ts")).createNotifier(options);
  return {
    observe(seen) {
      if (seen.is !== "run" || !seen.hook?.durable || (isSilent() && !seen.hook.notify?.length)) return;
      opened ??= open();
      void opened.then((notifier) => notifier.observe(seen)).catch(() => {}); // close says why
    },
    async close() {
      try {
        await (await opened)?.close();
      } catch (error) {
        options.complain(`notices cannot be sent: ${error}`);
      }
    },
  };
}
