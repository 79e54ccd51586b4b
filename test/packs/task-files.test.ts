/** Lines that put a command where a task of the project, a container or another machine runs it: the command counts, whatever carries it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeOf } from "./judge.ts";

const carriers = `
npm pkg set scripts.x='LINE' && npm run x
pnpm pkg set "scripts.x=LINE"
npm pkg set --json scripts='{"x": "LINE"}'
composer config scripts.x 'LINE' && composer x
jq '.scripts.x="LINE"' package.json > p.json
jq '.scripts["x"] = "LINE"' package.json | sponge package.json; npm run x
sed -i 's/"test": ".*"/"test": "LINE"/' package.json && npm test
node -e 'p=require("./package.json");p.scripts.x="LINE";fs.writeFileSync("package.json",JSON.stringify(p))'
python3 -c 'd["scripts"]["x"]="LINE"'
printf 'x:\\n\\tLINE\\n' > /tmp/m.mk && make --file=/tmp/m.mk x
printf 'x:\\n\\tLINE\\n' > /tmp/other && make -f/tmp/other x
printf 'version: 3\\ntasks:\\n  x:\\n    cmds: [LINE]\\n' > Taskfile.yml && task x
printf 'tasks:\\n  x:\\n    cmds:\\n      - LINE\\n' > t.yml && task -t t.yml x
printf '[tasks.x]\\nrun = "LINE"\\n' > mise.toml && mise run x
echo 'task(:x) { sh "LINE" }' > Rakefile; rake x
echo 'web: LINE' > Procfile && foreman start
docker run --rm -v .:/w alpine/git push --force
docker run --entrypoint git image push --force
podman run --entrypoint=git image push --force
ssh host <<'E'\\nLINE\\nE
echo 'LINE' | ssh host
lima LINE
limactl shell vm LINE
colima ssh -- LINE
distrobox enter box -- LINE
toolbox run LINE
devcontainer exec --workspace-folder . LINE
`;
const ordinary = [
  "npm pkg set scripts.test='vitest run' && npm test",
  "npm pkg get scripts",
  "npm pkg set version=1.2.3",
  `sed -i 's/"version": ".*"/"version": "1.2.3"/' package.json && npm run build`,
  "jq '.scripts' package.json",
  "jq -r '.scripts | keys[]' package.json",
  `node -p 'require("./package.json").scripts'`,
  "printf 'x:\\n\\tgo build\\n' > Makefile && make x",
  "printf 'tasks:\\n  x:\\n    cmds: [go test ./...]\\n' > Taskfile.yml && task x",
  "docker run --rm node:22 node --version",
  "docker run -d --name pg -e POSTGRES_PASSWORD=x postgres:17",
  "docker run --rm -v $PWD:/w -w /w alpine/git log --oneline",
  "ssh host uptime",
  "ssh host <<'E'\nuptime\nE",
  "limactl shell vm uname -a",
  "colima ssh -- docker ps",
  "devcontainer exec --workspace-folder . npm test",
  "toolbox run make",
];

test("a command that a line puts into a task of the project, a container or another machine is asked about as if it stood there alone", async () => {
  const judge = await judgeOf("standard");
  for (const line of carriers.trim().split("\n")) {
    const command = line.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("LINE", "git push --force");
    assert.equal(judge(command).decision, "ask", command);
    assert.ok(judge(command).by.includes("git-push-force"), command);
  }
});

test("tasks, containers and machines with ordinary commands are asked about by nobody", async () => {
  const judge = await judgeOf("standard");
  for (const command of ordinary) assert.deepEqual([command, judge(command).decision], [command, "pass"]);
});
