/** As whom a session script runs: the person, also where Hookline itself is root, unless the script asks for root (R32, R68). */
import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import type { Command } from "../../engine/program.ts";

type Environment = Readonly<Record<string, string>>;
type Sender = Readonly<Record<string, string | undefined>>;

export type ScriptUser =
  | { user?: Command["user"]; environment: Record<string, string>; note?: string }
  /** It may not run at all. */
  | { refusal: string };

interface Account {
  name: string;
  gid?: number;
  home: string;
}

/**
 * @param folder the workspace, whose owner the person is where nobody else is known
 * @param environment what the script is to be given
 * @param sender the environment of whoever sent the event: it tells who called sudo
 */
export function scriptUser(
  wish: "root" | "user",
  folder: string,
  environment: Environment,
  sender: Sender,
): ScriptUser {
  const isRoot = process.geteuid?.() === 0;
  if (wish === "root") return isRoot ? { environment: named(environment, accountOf(0)) } : { refusal: notRoot() };
  if (!isRoot) return { environment: { ...own(), ...environment } };
  const person = invoker(sender) ?? ownerOf(folder);
  if (!person)
    return {
      environment: { ...own(), ...environment },
      note: "run as root: no other user called Hookline, and the workspace is root's",
    };
  const { user, name } = person;
  const account = accountOf(user.uid);
  return {
    user: { uid: user.uid, gid: user.gid ?? account?.gid ?? user.uid },
    environment: named(environment, account ?? { name: name ?? String(user.uid), home: "/" }),
    ...(account ? {} : { note: `the user ${user.uid} has no account here, so HOME is /` }),
  };
}

const notRoot = (): string =>
  `it asks for run_as: root, and Hookline runs as ${userInfo().username} — start the agent as root, or take run_as out of the script`;

interface Person {
  user: { uid: number; gid?: number };
  name?: string;
}

/** Who called sudo. */
function invoker({ SUDO_UID, SUDO_GID, SUDO_USER }: Sender): Person | undefined {
  const uid = idIn(SUDO_UID);
  if (!uid) return undefined;
  const gid = idIn(SUDO_GID);
  return { user: { uid, ...(gid ? { gid } : {}) }, ...(SUDO_USER ? { name: SUDO_USER } : {}) };
}

const idIn = (written: string | undefined): number | undefined =>
  written !== undefined && /^\d{1,9}$/.test(written) ? Number(written) : undefined;

function ownerOf(folder: string): Person | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found || found.uid === 0) return undefined;
  const gid = accountOf(found.uid)?.gid ?? found.gid;
  return { user: { uid: found.uid, ...(gid ? { gid } : {}) } };
}

/** From the list of users that every system has, whatever else it asks. */
function accountOf(uid: number): Account | undefined {
  let lines: string[];
  try {
    lines = readFileSync("/etc/passwd", "utf8").split("\n");
  } catch {
    return undefined; // a system without one
  }
  for (const line of lines) {
    const [name = "", , id, group, , home = ""] = line.split(":");
    if (id === String(uid) && name !== "") return { name, gid: Number(group), home };
  }
  return undefined;
}

const named = (environment: Environment, account: Account | undefined): Record<string, string> =>
  account
    ? { ...environment, HOME: account.home || "/", USER: account.name, LOGNAME: account.name }
    : { ...own(), ...environment };

/** Where the sender's environment does not say it. */
function own(): Record<string, string> {
  try {
    const { username, homedir } = userInfo();
    return { HOME: homedir, USER: username };
  } catch {
    return {}; // a user without an account
  }
}
