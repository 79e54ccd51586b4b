/** Addresses without what they let in with. Apart, as projects keep addresses and handlers tell of them. */

/**
 * `https://user:token@host/…` holds a secret; the user of `git@host:…` is none. Where the secret makes the address one that
 * no library reads (`https://user:a/b@host`), all before the last @ goes: rather too much than a part of a secret.
 */
export function withoutCredentials(address: string): string {
  const [, scheme = ""] = /^([a-z][\w+.-]*:\/\/).*@/is.exec(address) ?? [];
  if (scheme === "") return address;
  if (!URL.canParse(address)) return scheme + address.slice(address.lastIndexOf("@") + 1);
  const url = new URL(address);
  if (url.password === "" && (url.username === "" || url.protocol === "ssh:")) return address;
  url.username = "";
  url.password = "";
  return url.href;
}
