/** Ids of things that people name: projects and automations. Apart because dialects, sources and operations make them. */
import { fingerprint } from "./fingerprint.ts";

const longestSlug = 60;

/** The name in small letters, with hyphens for all that is neither letter nor digit; "" where nothing is left. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, "");

/** What a folder's project is called where another folder's is called so already: the same in every process. */
export const slugBeside = (taken: string, folder: string): string => `${taken}-${fingerprint(folder).slice(0, 6)}`;

/** What an id may be: it stands in other ids, behind and before a slash, and people type it. */
export const isId = (id: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,99}$/u.test(id);
