/** Notices of what this command performs itself. Loaded when such a run begins: most commands perform none, and nobody is to be told. */
import type { Observation } from "../../engine/ports.ts";
import type { NoticeSettings, Notifier, NotifierOptions } from "../../services/notify/index.ts";

export interface Notices {
  observe(observation: Observation): void;
  /** Waits some seconds for what is still to be told. Never rejects. */
  close(): Promise<void>;
}

/** @param options as for a notifier, whose settings do not change while a command runs */
export function createNotices(settings: NoticeSettings, options: Omit<NotifierOptions, "settings">): Notices {
  let opened: Promise<Notifier> | undefined;
  const isSilent = Object.keys(settings.channels).length === 0 && settings.notify.length === 0;
  const open = async (): Promise<Notifier> => {
    const { createNotifier } = await import("../../services/notify/index.ts");
    return createNotifier({ ...options, settings: () => settings });
  };
  return {
    observe(seen) {
      if (seen.is !== "run" || !seen.hook?.durable || (isSilent && !seen.hook.notify?.length)) return;
      opened ??= open();
      void opened.then((notifier) => notifier.observe(seen)).catch(() => {}); // told below
    },
    async close() {
      try {
        await (await opened)?.close();
      } catch (error) {
        options.complain(`nobody could be told: ${error}`);
      }
    },
  };
}
