/** What everyone who looks for changed files must do. A test of an implementation calls testChanges with a way to make it. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Changes } from "../../../src/engine/event.ts";
import type { ChangeFinder } from "../../../src/runtime/changes/look.ts";
import { createGit } from "../../../src/runtime/processes/git.ts";
import {
  environment,
  type Repository,
  repositoryIn,
  type Session,
  sessionIn,
  submoduleIn,
  temporaryFolder,
  usualRepository,
} from "./repository.ts";

interface World {
  repository: Repository;
  session: Session;
  /** Another session in the same place. */
  another(): Session;
  at(name: string): string;
}
type Make = (git: ReturnType<typeof createGit>) => ChangeFinder;

const listsOf = ({ files, earlier, removed }: Changes): object => ({ files, earlier, removed });
const only = (...files: string[]): object => ({ files, earlier: [], removed: [] });
const nothing = only();

type Part = "harder to watch" | "others";

export interface Wanted {
  /** Before and after each story, such as that whoever watches does so. */
  check?(finder: ChangeFinder, folder: string): Promise<void>;
  /** The main stories that watching makes harder, or the other main ones: only these, or all but these. */
  only?: Part;
  except?: Part;
}

/** Where a change comes in another way than by the writing of a file that was there. */
const harderToWatch = [
  "a file is told of once",
  "a rename is one file gone",
  "files in new folders are found",
  "what the turn committed has changed",
  "ignored files do not count",
  "a rewrite of the same size",
];

/** Variants of what a main story shows: whoever asks for the main ones alone gets none of them. */
const variants = [
  "nothing has changed in a session that did nothing",
  "removed files are told of",
  "a folder that is made anew",
  "a rewrite with the same content",
  "another branch brings its files",
  "a commit is taken back",
  "is as a commit of the session left it",
  "a file that is tracked in an ignored folder",
  "a folder in a file's place",
  "a repository in a folder whose files are tracked",
  "a repository in another's place",
  "names that are no UTF-8",
  "two sessions have each their own",
  "from a subfolder",
  "many files at once",
  "repositories inside that are no submodules",
  "where the history is written anew",
  "a linked work tree is looked at",
  "a folder that becomes a repository",
];

export function testChanges(name: string, make: Make, { check, only: part, except }: Wanted = {}): void {
  const about = (sentence: string, story: (world: World) => Promise<void>, open = usualRepository): void => {
    const isOneOf = (parts: readonly string[]): boolean => parts.some((one) => sentence.includes(one));
    const own = isOneOf(variants) ? undefined : isOneOf(harderToWatch) ? "harder to watch" : "others";
    if ((part && part !== own) || (except && except === own)) return;
    test(`${name}: ${sentence}`, async (context) => {
      const finder = make(createGit(environment));
      context.after(() => finder.close());
      const repository = open(context);
      const another = (): Session => sessionIn(repository.folder, finder);
      const session = another();
      await session.begin();
      await check?.(finder, repository.folder);
      await story({ repository, session, another, at: (one) => join(repository.folder, one) });
      await check?.(finder, repository.folder);
    });
  };

  about("nothing has changed in a session that did nothing", async ({ session }) => {
    assert.deepEqual(listsOf(await session.look()), nothing);
    assert.deepEqual(listsOf(await session.look()), nothing);
  });

  about(
    "[E24, E28, R57] a file is told of once, and is of the session from then on",
    async ({ session, repository }) => {
      repository.write("src/b.ts", "changed\n");
      repository.write("new.ts");
      assert.deepEqual(listsOf(await session.look()), only("new.ts", "src/b.ts"));
      assert.deepEqual(listsOf(await session.look()), { files: [], earlier: ["new.ts", "src/b.ts"], removed: [] });
      repository.write("new.ts", "changed again\n");
      assert.deepEqual(listsOf(await session.look()), { files: ["new.ts"], earlier: ["src/b.ts"], removed: [] });
    },
  );

  about("[E26, R57] the first look takes what was dirty or untracked before the session", async (world) => {
    const { repository, another } = world;
    repository.write("a.ts", "dirty\n");
    repository.write("left/over.ts");
    repository.git("add", "a.ts");
    const late = another();
    await late.begin();
    assert.deepEqual(listsOf(await late.look()), only("a.ts", "left/over.ts"));
    assert.deepEqual(listsOf(await late.look()), { files: [], earlier: ["a.ts", "left/over.ts"], removed: [] });
  });

  about("removed files are told of as changed, and as removed", async ({ session, repository, at }) => {
    rmSync(at("a.ts"));
    rmSync(at("src/deep"), { recursive: true });
    const changes = await session.look();
    assert.deepEqual(listsOf(changes), {
      files: ["a.ts", "src/deep/c.ts"],
      earlier: [],
      removed: ["a.ts", "src/deep/c.ts"],
    });
    repository.commit();
    assert.deepEqual(listsOf(await session.look()), {
      files: [],
      earlier: ["a.ts", "src/deep/c.ts"],
      removed: ["a.ts", "src/deep/c.ts"],
    });
  });

  about("a rename is one file gone and one come, and so is a folder's", async ({ session, at }) => {
    renameSync(at("a.ts"), at("z.ts"));
    renameSync(at("src"), at("lib"));
    assert.deepEqual(listsOf(await session.look()), {
      files: ["a.ts", "lib/b.ts", "lib/deep/c.ts", "src/b.ts", "src/deep/c.ts", "z.ts"],
      earlier: [],
      removed: ["a.ts", "src/b.ts", "src/deep/c.ts"],
    });
    writeFileSync(at("lib/deep/c.ts"), "in the folder's new place\n");
    assert.deepEqual((await session.look()).files, ["lib/deep/c.ts"]);
  });

  about("files in new folders are found, also those that come later", async ({ session, repository }) => {
    repository.write("one/two/three/new.ts");
    assert.deepEqual(listsOf(await session.look()), only("one/two/three/new.ts"));
    repository.write("one/two/three/new.ts", "again\n");
    repository.write("one/two/more.ts");
    repository.write("one/two/four/five.ts");
    assert.deepEqual((await session.look()).files, ["one/two/four/five.ts", "one/two/more.ts", "one/two/three/new.ts"]);
  });

  about("a folder that is made anew under its old name is no other", async ({ session, repository, at }) => {
    for (const text of ["first\n", "second\n", "third\n"]) {
      rmSync(at("src"), { recursive: true, force: true });
      repository.write("src/b.ts", text);
      assert.ok((await session.look()).files.includes("src/b.ts"), text);
      repository.write("src/b.ts", `${text}more\n`);
      assert.deepEqual((await session.look()).files, ["src/b.ts"], text);
    }
  });

  about("[R19, E30, ET23] what the turn committed has changed", async ({ session, repository }) => {
    repository.write("a.ts", "changed\n");
    repository.write("new.ts");
    repository.commit();
    assert.deepEqual(listsOf(await session.look()), only("a.ts", "new.ts"));
    assert.deepEqual(listsOf(await session.look()), { files: [], earlier: ["a.ts", "new.ts"], removed: [] });
  });

  about("[R19] a commit of what was seen changes nothing", async ({ session, repository }) => {
    repository.write("a.ts", "changed\n");
    await session.look();
    repository.commit();
    repository.write("src/b.ts", "changed\n");
    assert.deepEqual(listsOf(await session.look()), { files: ["src/b.ts"], earlier: ["a.ts"], removed: [] });
  });

  about("[E30] a file that is back to how it was is in no list", async ({ session, repository, at }) => {
    repository.write("a.ts", "changed\n");
    repository.write("new.ts");
    assert.deepEqual(listsOf(await session.look()), only("a.ts", "new.ts"));
    repository.git("checkout", "-q", "a.ts");
    rmSync(at("new.ts"));
    assert.deepEqual(listsOf(await session.look()), nothing);
  });

  about("a rewrite with the same content is no difference", async ({ session, repository }) => {
    repository.write("a.ts");
    assert.deepEqual(listsOf(await session.look()), nothing);
  });

  about("another branch brings its files, and the way back takes them along", async ({ session, repository }) => {
    repository.git("checkout", "-q", "-b", "other");
    repository.write("only-there.ts");
    repository.write("src/b.ts", "of the other branch\n");
    repository.commit();
    assert.deepEqual(listsOf(await session.look()), only("only-there.ts", "src/b.ts"));
    repository.git("checkout", "-q", "main");
    assert.deepEqual(listsOf(await session.look()), {
      files: ["only-there.ts", "src/b.ts"],
      earlier: [],
      removed: ["only-there.ts"],
    });
    assert.deepEqual(listsOf(await session.look()), nothing);
  });

  about("a commit is taken back, softly and whole", async ({ session, repository }) => {
    repository.write("a.ts", "changed\n");
    repository.commit();
    await session.look();
    repository.git("reset", "-q", "--soft", "HEAD~1");
    assert.deepEqual([...(await session.look()).files], ["a.ts"]);
    repository.git("reset", "-q", "--hard", "HEAD");
    assert.deepEqual(listsOf(await session.look()), nothing);
  });

  about("[R57] what was seen uncommitted and is as a commit of the session left it has changed", async (world) => {
    const { repository, session } = world;
    repository.write("a.ts", "committed, but never seen\n");
    repository.write("src/b.ts", "committed, but never seen\n");
    repository.commit();
    repository.write("a.ts", "as it was seen\n");
    repository.write("src/b.ts", "as it was seen\n");
    assert.deepEqual(listsOf(await session.look()), only("a.ts", "src/b.ts"));
    repository.git("checkout", "-q", "--", "a.ts");
    assert.deepEqual(listsOf(await session.look()), { files: ["a.ts"], earlier: ["src/b.ts"], removed: [] });
    repository.git("stash", "-q");
    assert.deepEqual(listsOf(await session.look()), { files: ["src/b.ts"], earlier: ["a.ts"], removed: [] });
    assert.deepEqual((await session.look()).files, []);
  });

  about("[R57] where the history is written anew and swept, all that it holds has changed", async (world) => {
    const { repository, session } = world;
    repository.write("a.ts", "changed\n");
    repository.git("commit", "-q", "-a", "--amend", "-m", "written anew");
    repository.git("reflog", "expire", "--expire=now", "--all");
    repository.git("gc", "-q", "--prune=now");
    const all = [".gitignore", "a.ts", "src/b.ts", "src/deep/c.ts"];
    assert.deepEqual(listsOf(await session.look()), only(...all));
    assert.deepEqual(listsOf(await session.look()), { files: [], earlier: all, removed: [] });
  });

  about("ignored files do not count, until the rules change", async ({ session, repository }) => {
    repository.write("ignored/deep/x.ts");
    repository.write("src/some.log");
    assert.deepEqual(listsOf(await session.look()), nothing);
    repository.write(".gitignore", "*.log\n");
    assert.deepEqual(listsOf(await session.look()), only(".gitignore", "ignored/deep/x.ts"));
    repository.write("ignored/deep/x.ts", "changed\n");
    assert.deepEqual((await session.look()).files, ["ignored/deep/x.ts"]);
    repository.write(".git/info/exclude", "new.ts\n");
    repository.write("new.ts");
    assert.deepEqual((await session.look()).files, []);
  });

  about("a file that is tracked in an ignored folder counts", async ({ session, repository }) => {
    repository.write("ignored/kept.ts");
    repository.write("ignored/other.ts");
    repository.git("add", "-f", "ignored/kept.ts");
    repository.git("commit", "-q", "-m", "kept");
    assert.deepEqual((await session.look()).files, ["ignored/kept.ts"]);
    repository.write("ignored/kept.ts", "changed\n");
    repository.write("ignored/other.ts", "changed\n");
    assert.deepEqual((await session.look()).files, ["ignored/kept.ts"]);
  });

  about(
    "[E26] names with blanks, quotes, line breaks, other scripts, dashes and pattern signs arrive as they are",
    async ({ session, repository }) => {
      const names = [
        "-rf.ts",
        " blank at both ends ",
        "dir with blank/two words.ts",
        'quote".ts',
        "it's.ts",
        "line\nbreak.ts",
        "tab\t.ts",
        "back\\slash.ts",
        "schön-日本語-😀.ts",
        "[a-z]*?.ts",
        ":(top)magic.ts",
        "$(touch x).ts",
        "__proto__",
        "a -> b.ts",
      ];
      for (const name of names) repository.write(name);
      assert.deepEqual(listsOf(await session.look()), only(...[...names].sort()));
      for (const name of names) repository.write(name, "changed\n");
      assert.deepEqual((await session.look()).files, [...names].sort());
      repository.commit();
      assert.deepEqual(listsOf(await session.look()), { files: [], earlier: [...names].sort(), removed: [] });
    },
  );

  about("[E25, R57] a rewrite of the same size with its old time is seen", async ({ session, repository, at }) => {
    const write = (text: string): void => {
      repository.write("new.ts", text);
      utimesSync(at("new.ts"), 1_000_000_000, 1_000_000_000); // whole seconds: a time that was read is not given back exactly
    };
    write("one\n");
    await session.look();
    write("two\n");
    assert.deepEqual((await session.look()).files, ["new.ts"]);
  });

  about("[E25] what a script itself rewrote does not set it off again", async ({ session, repository }) => {
    repository.write("a.ts", "changed\n");
    await session.look(() => repository.write("a.ts", "changed and formatted\n"));
    assert.deepEqual(listsOf(await session.look()), { files: [], earlier: ["a.ts"], removed: [] });
    repository.write("a.ts", "by the agent again\n");
    const again = await session.look(() => repository.write("src/b.ts", "the script commits"));
    assert.deepEqual(again.files, ["a.ts"]);
    await session.look(() => repository.commit());
    assert.deepEqual(listsOf(await session.look()), { files: [], earlier: ["a.ts", "src/b.ts"], removed: [] });
  });

  about("the run bit and a link in a file's place are changes", async ({ session, at }) => {
    chmodSync(at("a.ts"), 0o755);
    rmSync(at("src/b.ts"));
    symlinkSync("../a.ts", at("src/b.ts"));
    assert.deepEqual(listsOf(await session.look()), only("a.ts", "src/b.ts"));
  });

  about("a folder in a file's place, and the other way round", async ({ session, repository, at }) => {
    rmSync(at("a.ts"));
    repository.write("a.ts/inside.ts");
    rmSync(at("src/deep"), { recursive: true });
    repository.write("src/deep", "a file now\n");
    assert.deepEqual(listsOf(await session.look()), {
      files: ["a.ts", "a.ts/inside.ts", "src/deep", "src/deep/c.ts"],
      earlier: [],
      removed: ["a.ts", "src/deep/c.ts"],
    });
  });

  about(
    "[E26] a session that began without commits takes all that the first ones hold",
    async ({ session, repository }) => {
      repository.write("first.ts");
      repository.write("src/second.ts");
      assert.deepEqual(listsOf(await session.look()), only("first.ts", "src/second.ts"));
      repository.write("third.ts");
      repository.commit();
      assert.deepEqual(listsOf(await session.look()), {
        files: ["third.ts"],
        earlier: ["first.ts", "src/second.ts"],
        removed: [],
      });
    },
    (context) => repositoryIn(join(temporaryFolder(context), "empty")),
  );

  about(
    "[R57] a linked work tree is looked at for itself",
    async ({ session, repository }) => {
      repository.write("a.ts", "of this work tree\n");
      repository.git("checkout", "-q", "-b", "further");
      repository.write("src/new.ts");
      repository.commit();
      assert.deepEqual(listsOf(await session.look()), only("a.ts", "src/new.ts"));
    },
    (context) => {
      const main = usualRepository(context);
      const folder = join(main.folder, "..", "linked");
      main.git("worktree", "add", "-q", "-b", "linked", folder);
      const { commit: _own, ...rest } = main;
      const linked = { ...rest, folder };
      return withFolder(linked, main);
    },
  );

  about(
    "[R57] submodules are looked at, each by its own commits",
    async ({ session, repository, at }) => {
      const inner = at("libs/one thing");
      writeFileSync(join(inner, "inner.ts"), "changed\n");
      writeFileSync(join(inner, "-new.ts"), "new\n");
      assert.deepEqual(listsOf(await session.look()), only("libs/one thing/-new.ts", "libs/one thing/inner.ts"));
      repository.git("-C", inner, "add", "-A");
      repository.git("-C", inner, "commit", "-q", "-m", "inner work");
      writeFileSync(join(inner, "later.ts"), "later\n");
      repository.git("-C", inner, "add", "-A");
      repository.git("-C", inner, "commit", "-q", "-m", "more inner work");
      assert.deepEqual(listsOf(await session.look()), {
        files: ["libs/one thing/later.ts"],
        earlier: ["libs/one thing/-new.ts", "libs/one thing/inner.ts"],
        removed: [],
      });
      repository.git("commit", "-q", "-am", "the new commit of the submodule");
      assert.deepEqual((await session.look()).files, []);
    },
    (context) => {
      const outer = usualRepository(context);
      submoduleIn(outer, "libs/one thing", ["inner.ts"]);
      outer.commit();
      return outer;
    },
  );

  about(
    "[R57] repositories inside that are no submodules are looked at, each by its own commits",
    async ({ session, repository, at }) => {
      const vendored = handsIn(repository, "vendored");
      vendored.write("x.ts", "changed\n");
      vendored.write("ignored-there.ts");
      repository.write("a.ts", "changed\n");
      assert.deepEqual(listsOf(await session.look()), only("a.ts", "vendored/x.ts"));
      vendored.write("deep/new.ts");
      vendored.commit();
      repository.write("linked/y.ts", "changed\n"); // the index holds a link, and nothing says where it comes from
      assert.deepEqual((await session.look()).files, ["linked/y.ts", "vendored/deep/new.ts"]);
      rmSync(at("vendored"), { recursive: true });
      assert.deepEqual(listsOf(await session.look()), { files: [], earlier: ["a.ts", "linked/y.ts"], removed: [] });
    },
    (context) => {
      const outer = usualRepository(context);
      for (const name of ["linked", "vendored"]) {
        const inner = repositoryIn(join(outer.folder, name));
        for (const file of ["x.ts", "y.ts"]) inner.write(file);
        inner.write(".gitignore", "ignored-there.ts\n");
        inner.commit(longAgo);
      }
      outer.git("add", "linked");
      outer.git("commit", "-q", "-m", "a link");
      return outer;
    },
  );

  about(
    "a repository that is made in the session is new as a whole, committed or not; a clone is as it came",
    async ({ session, repository, at }) => {
      const made = repositoryIn(at("made"));
      made.write("first.ts");
      made.commit();
      made.write("second.ts");
      repository.git("clone", "-q", at("../library"), "cloned");
      assert.deepEqual(listsOf(await session.look()), only("made/first.ts", "made/second.ts"));
      made.commit();
      repository.write("cloned/old.ts", "changed\n");
      assert.deepEqual(listsOf(await session.look()), {
        files: ["cloned/old.ts"],
        earlier: ["made/first.ts", "made/second.ts"],
        removed: [],
      });
    },
    (context) => {
      const outer = usualRepository(context);
      const library = repositoryIn(join(outer.folder, "..", "library"));
      library.write("old.ts");
      library.commit(longAgo);
      return outer;
    },
  );

  about("a folder that becomes a repository and ceases to be one is looked at all along", async (world) => {
    const { session, repository, at } = world;
    repository.write("nest/q.ts");
    repository.write("nest/deep/r.ts");
    await session.look();
    repositoryIn(at("nest"));
    repository.write("nest/q.ts", "as a repository\n");
    assert.deepEqual((await session.look()).files, ["nest/q.ts"]);
    rmSync(at("nest/.git"), { recursive: true });
    repository.write("nest/q.ts", "as a folder again\n");
    assert.deepEqual((await session.look()).files, ["nest/q.ts"]);
    repository.write("nest/deep/r.ts", "as a folder again\n");
    assert.deepEqual((await session.look()).files, ["nest/deep/r.ts"]);
    repositoryIn(at("nest"));
    repository.write("nest/later.ts");
    assert.deepEqual((await session.look()).files, ["nest/later.ts"]);
  });

  about("a repository in a folder whose files are tracked changes nothing", async ({ session, repository, at }) => {
    repositoryIn(at("src"));
    repository.write("src/b.ts", "changed\n");
    repository.write("src/deep/new.ts");
    assert.deepEqual(listsOf(await session.look()), only("src/b.ts", "src/deep/new.ts"));
    repository.write("src/deep/new.ts", "changed\n");
    assert.deepEqual((await session.look()).files, ["src/deep/new.ts"]);
  });

  about("[R57] a further work tree inside is left to those who work there", async ({ session, repository }) => {
    repository.git("worktree", "add", "-q", "-b", "further", "trees/further");
    repository.write("trees/further/a.ts", "changed\n");
    repository.write("trees/further/new.ts");
    assert.deepEqual(listsOf(await session.look()), nothing);
  });

  about("a repository in another's place is the one that is asked", async ({ session, repository, at }) => {
    rmSync(at(".git"), { recursive: true });
    repositoryIn(repository.folder);
    repository.git("add", "a.ts");
    repository.git("commit", "-q", "-m", "a new history");
    assert.ok((await session.look()).files.includes("src/b.ts"));
    repository.write("a.ts", "changed\n");
    assert.deepEqual((await session.look()).files, ["a.ts"]);
    repository.git("rm", "-q", "--cached", "a.ts");
    repository.write(".gitignore", "a.ts\n");
    assert.deepEqual((await session.look()).files, [".gitignore"]);
  });

  if (process.platform === "linux")
    about("[E26] names that are no UTF-8 are told of, and tell files apart", async ({ session, repository, at }) => {
      const latin = (text: string): Buffer => Buffer.from(at(text), "latin1");
      mkdirSync(latin("d\u00e9r"));
      for (const name of ["caf\u00e9.ts", "caf\u00e8.ts", "d\u00e9r/x.ts"]) writeFileSync(latin(name), "x\n");
      const names = ["caf\udce8.ts", "caf\udce9.ts", "d\udce9r/x.ts"];
      assert.deepEqual(listsOf(await session.look()), only(...names));
      assert.deepEqual(listsOf(await session.look()), { files: [], earlier: names, removed: [] });
      writeFileSync(latin("d\u00e9r/x.ts"), "changed\n");
      assert.deepEqual((await session.look()).files, ["d\udce9r/x.ts"]);
      repository.commit();
      rmSync(latin("caf\u00e9.ts"));
      assert.deepEqual(listsOf(await session.look()), {
        files: ["caf\udce9.ts"],
        earlier: ["caf\udce8.ts", "d\udce9r/x.ts"],
        removed: ["caf\udce9.ts"],
      });
    });

  about("[R57] two sessions have each their own", async ({ session, another, repository }) => {
    repository.write("a.ts", "changed\n");
    await session.look();
    const late = another();
    await late.begin();
    assert.deepEqual((await late.look()).files, ["a.ts"]);
    assert.deepEqual((await session.look()).files, []);
  });

  about("an event without a session is told all that is not committed", async ({ session, repository }) => {
    repository.write("a.ts", "changed\n");
    await session.look();
    const changes = await session.tracked.changesOf({
      id: "e",
      name: "Stop",
      at: Date.now(),
      cwd: repository.folder,
      data: {},
      sender: "test",
    });
    assert.ok(!("unknown" in changes));
    assert.deepEqual(listsOf(changes), only("a.ts"));
  });

  about("[R57] from a subfolder, names are still relative to the repository", async ({ repository, at, session }) => {
    repository.write("a.ts", "changed\n");
    const changes = await session.tracked.changesOf({
      id: "e",
      name: "Stop",
      at: Date.now(),
      cwd: at("src/deep"),
      data: {},
      sender: "test",
      session: "s",
    });
    assert.ok(!("unknown" in changes));
    assert.equal(changes.base, repository.folder);
    assert.deepEqual(changes.files, ["a.ts"]);
  });

  about("many files at once are all told of, and so is the way back", async ({ session, repository }) => {
    for (let index = 0; index < 2_000; index++) repository.write(`many/folder${index % 20}/file${index}.ts`, "x\n");
    assert.equal((await session.look()).files.length, 2_000);
    repository.git("clean", "-q", "-f", "-d", "many");
    assert.deepEqual(listsOf(await session.look()), nothing);
  });
}

/** Older than any session. */
const longAgo = new Date("2020-02-02T02:02:02Z");

/** For a repository that lies inside another. */
const handsIn = ({ folder }: Repository, name: string): Repository => repositoryIn(join(folder, name));

/** The same hands in another folder. */
function withFolder(linked: Omit<Repository, "commit">, main: Repository): Repository {
  const git = (...words: string[]): string => main.git("-C", linked.folder, ...words);
  return {
    folder: linked.folder,
    git,
    write: (name, text) => main.write(join("..", "linked", name), text ?? `${name}\n`),
    commit() {
      git("add", "-A");
      git("commit", "-q", "-m", "work");
    },
  };
}
