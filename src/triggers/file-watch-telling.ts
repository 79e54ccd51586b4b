/** Whether a folder is told of, and why not: begun when the folder appears, begun anew when another takes its place, given up for good where the system cannot. */
import { messageOf } from "../core/error.ts";
import { isSharedFolder } from "../files/shared-file-system.ts";
import type { MakeTeller, Teller } from "./file-watch-tellers.ts";

export interface Telling {
  /** The folder is there, and is this one. Never rejects. */
  begin(identity: string): Promise<void>;
  end(): void;
  isOn(): boolean;
  /** Why it is looked at now and then instead, if so. */
  never(): string | undefined;
  /** Before a folder is read. Where the system refuses, it is given up. */
  enter(folder: string): void;
  leave(folder: string): void;
  close(): void;
}

export interface TellingOptions {
  top: string;
  make: MakeTeller;
  told(path: string | undefined): void;
  complain(reason: string): void;
  /** Why it is not even tried. */
  never?: string;
}

export function createTelling({ top, make, told, complain, never: given }: TellingOptions): Telling {
  let current: { teller: Teller; identity: string } | undefined;
  let never = given;
  let isClosed = false;

  function end(): void {
    current?.teller.close();
    current = undefined;
  }

  function giveUp(reason: unknown): void {
    if (!current) return;
    end();
    refuse(reason);
  }

  function refuse(reason: unknown): void {
    never = reasonOf(reason);
    complain(`${top} is looked at now and then instead of being watched: ${never}`);
  }

  return {
    async begin(identity) {
      if (current && current.identity !== identity) end();
      if (current || never !== undefined || isClosed) return;
      try {
        if (await isSharedFolder(top)) throw new Error("other machines may write there");
        const teller = await make({ top, told, lost: giveUp });
        if (isClosed) teller.close();
        else current = { teller, identity };
      } catch (error) {
        refuse(error);
      }
    },
    end,
    isOn: () => current !== undefined,
    never: () => never,
    enter(folder) {
      try {
        current?.teller.enter(folder);
      } catch (error) {
        giveUp(error);
      }
    },
    leave: (folder) => current?.teller.leave(folder),
    close() {
      isClosed = true;
      end();
    },
  };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC") return "the system's limit of watched folders is reached (fs.inotify.max_user_watches)";
  if (code === "EMFILE") return "the system's limit of watchers is reached (fs.inotify.max_user_instances)";
  return messageOf(error);
}
