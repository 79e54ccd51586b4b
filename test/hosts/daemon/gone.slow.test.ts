/** More ways in which a daemon loses its place. */
import { test } from "node:test";
import { endsWithout } from "./losses.ts";

test("[X8] a daemon at rest ends when its state folder is moved away, and makes nothing of it anew", (t) =>
  endsWithout(t, "its state folder is moved away"));

test("[X8] a daemon at rest ends when its store is deleted, and makes nothing of it anew", (t) =>
  endsWithout(t, "its store is deleted"));

test("[X8] a daemon at rest ends when its address is deleted, and makes nothing of it anew", (t) =>
  endsWithout(t, "its address is deleted"));

test("[X8] a daemon at rest ends when its address is another process's, and makes nothing of it anew", (t) =>
  endsWithout(t, "its address is another process's"));
