/** One folder per real scenario, told by the build that all tests use. */
import { describe } from "node:test";
import { stories, tell } from "./story.ts";

describe("flows", { concurrency: 3 }, () => {
  for (const name of stories("quick")) tell(name);
});
