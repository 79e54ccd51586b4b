/** hookline up --background and --service: other ways to run the daemon than in this terminal. */
import { readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { placeVariables } from "../../../agents/index.ts";
import { listensAt } from "../../../operations/daemon-labels.ts";
import { missingDoorWords } from "../../../operations/machine.ts";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { type ExitCode, type Invocation, textFlag, textsFlag, usageError } from "../command.ts";
import { isPostgres, storePath } from "../place.ts";
import { oneLine } from "../terminal.ts";
import { missingDoors } from "./port.ts";
import { launch, outputFile } from "./start.ts";

const look = 50;

export async function upInBackground(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, signal, flags } = invocation;
  const store = storePath(invocation, textFlag(flags, "store"));
  const files = daemonFilesOf(store);
  const before = sizeOf(outputFile(invocation));
  const child = launch(invocation, ["up", "--cwd", invocation.cwd, "--quiet", ...givenWords(invocation)]);
  const end: { code?: number } = {};
  child.on("error", () => (end.code = 3));
  child.on("exit", (code) => (end.code = code ?? 3));
  for (;;) {
    const daemon = runningDaemon(files);
    if (daemon?.pid === child.pid && daemon?.phase === "up") {
      child.unref();
      terminal.print(
        json
          ? JSON.stringify(shown(daemon))
          : `Hookline ${daemon.version} is running: ${listensAt(daemon)}, process ${daemon.pid}`,
      );
      for (const missing of missingDoors(invocation, store, daemon.port))
        terminal.error(`hookline: ${oneLine(missingDoorWords(missing, invocation))}`);
      return 0;
    }
    if (end.code !== undefined) {
      const said = readFileSync(outputFile(invocation)).subarray(before).toString("utf8").trimEnd();
      terminal.error(said === "" ? silentEnd(end.code, dirname(outputFile(invocation))) : said);
      return end.code === 2 ? 2 : 3;
    }
    if (signal.aborted) child.kill("SIGTERM");
    await wait(look);
  }
}

/** It could not write why. */
function silentEnd(code: number, folder: string): string {
  const { bavail } = statfsSync(folder);
  const [reason, advice] =
    bavail === 0
      ? ["the disk is full", "free some space"]
      : [`it stopped with exit code ${code} and said nothing`, "run `hookline up`, which says why"];
  return `hookline: the daemon has not started: ${reason} — ${folder} — ${advice}`;
}

const shown = ({ pid, phase, port, started, version, store }: DaemonState): object => ({
  ...{ pid, phase, port, started: new Date(started).toISOString(), version, store },
});

/** The flags that were given, with paths that hold wherever the daemon is started. */
function givenWords({ flags, cwd }: Invocation, usualFolders: readonly string[] = []): string[] {
  const folders = textsFlag(flags, "workspace").map((folder) => resolve(cwd, folder));
  const texts = ["port", "store", "idle-exit"].flatMap((name) => {
    const value = textFlag(flags, name);
    if (value === undefined) return [];
    return [`--${name}`, name === "store" && !isPostgres(value) ? resolve(cwd, value) : value];
  });
  return [...(folders.length > 0 ? folders : usualFolders).flatMap((folder) => ["--workspace", folder]), ...texts];
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Only printed: the person who installs the service sees what it does. */
export function upService(manager: string, invocation: Invocation): ExitCode {
  const write = Object.hasOwn(managers, manager) ? managers[manager] : undefined;
  if (!write)
    throw usageError(
      `unknown service manager "${manager}": use ${Object.keys(managers).join(" or ")}`,
      invocation.usage,
    );
  if (/^postgres(ql)?:\/\/[^@/]*:[^@/]+@/i.test(textFlag(invocation.flags, "store") ?? ""))
    throw usageError(
      "the password in --store would stand in the service's file: put it into ~/.pgpass",
      invocation.usage,
    );
  const command = [...invocation.self, "up", ...givenWords(invocation, [invocation.home])];
  invocation.terminal.print(write(command, invocation.environment));
  return 0;
}

type Environment = Readonly<Record<string, string>>;

const managers: Readonly<Record<string, (command: readonly string[], environment: Environment) => string>> = {
  systemd: (command, environment) => `# hookline up --service systemd > ~/.config/systemd/user/hookline.service
# systemctl --user daemon-reload && systemctl --user enable --now hookline
[Unit]
Description=Hookline, the daemon of hooks for coding agents

[Service]
ExecStart=${command.map(systemdWord).join(" ")}
${variables(environment)
  .map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}\n`)
  .join("")}Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=20

[Install]
WantedBy=default.target`,
  launchd: (command, environment) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- hookline up --service launchd > ~/Library/LaunchAgents/dev.hookline.daemon.plist
     launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/dev.hookline.daemon.plist -->
<plist version="1.0">
<dict>
  <key>Label</key><string>dev.hookline.daemon</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xmlText(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables(environment)
  .map(([name, value]) => `    <key>${name}</key><string>${xmlText(value)}</string>`)
  .join("\n")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>20</integer>
</dict>
</plist>`,
};

/** What its runs need to find programs and their own state; keys of models are for the person to add. */
const kept = ["PATH", "XDG_STATE_HOME", ...placeVariables()];
const variables = (environment: Environment): [string, string][] =>
  kept.flatMap((name) => (environment[name] ? [[name, environment[name]] as [string, string]] : [])); // a pair of two texts

/** systemd expands % and $ by itself. */
const systemdWord = (word: string): string => {
  const plain = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%+=:,./$-]+$/.test(plain)
    ? plain
    : `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
};

const xmlText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
