/**
 * What git starts instead of Node in most of these tests: a program that hands the command over to the process that stays, with
 * the folder and the environment that git gave it, and says what that said. Everything else than a commit it leaves to Node.
 */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { standingFolder } from "../../program.ts";

/** Its path. Only where the test itself waits for git, because the process that stays performs one command at a time. */
export function standingNode(): string {
  const folder = standingFolder();
  const path = join(folder, "node");
  if (!existsSync(path)) {
    writeFileSync(path, text(folder));
    chmodSync(path, 0o755);
  }
  return path;
}

const text = (folder: string): string => `#!/bin/sh
[ "$2" = git ] || exec '${process.execPath}' "$@"
cd -P .
HOOKLINE_TEST_FOLDER=$PWD awk -v node="$0" '
function json(text) {
  gsub(/[\\\\"]/, "\\\\\\\\&", text)
  gsub(/\\n/, "\\\\n", text)
  gsub(/\\t/, "\\\\t", text)
  gsub(/\\r/, "\\\\r", text)
  return "\\"" text "\\""
}
BEGIN {
  for (name in ENVIRON)
    if (name == "HOOKLINE_TEST_FOLDER") cwd = ENVIRON[name]
    else environment = environment (environment == "" ? "" : ",") json(name) ":" json(ENVIRON[name])
  for (place = 2; place < ARGC; place++) words = words (place == 2 ? "" : ",") json(ARGV[place])
  printf "{\\"node\\":%s,\\"bin\\":%s,\\"words\\":[%s],\\"cwd\\":%s,\\"environment\\":{%s}}\\n", json(node), json(ARGV[1]), words, json(cwd), environment
}' "$@" >'${folder}/requests'
IFS= read -r answer <'${folder}/answers'
for said in '${folder}/stdout' '${folder}/stderr'; do
  while IFS= read -r line || [ "$line" ]; do printf '%s\\n' "$line" >&2; done <"$said"
done
code=\${answer#'{"status":'}
exit "\${code%%,*}"
`;
