/** Authorities of the tests, and the certificate of a server that one of them has signed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";

const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/** `NAME.crt` in the folder, with its key. */
export function makeAuthority(folder: string, name: string): void {
  openssl(folder, `req -x509 ${key} -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`);
}

/** @param name such as `DNS:localhost` or `IP:10.0.0.1` */
export function placeCertificate(
  cluster: Cluster,
  folder: string,
  { authority, name }: { authority: string; name: string },
): void {
  openssl(folder, `req ${key} -subj /CN=server -addext subjectAltName=${name} -keyout server.key -out server.csr`);
  const signed = `-CA ${authority}.crt -CAkey ${authority}.key -CAcreateserial -days 2 -copy_extensions copy`;
  openssl(folder, `x509 -req -in server.csr ${signed} -out server.crt`);
  for (const file of ["server.key", "server.crt"]) {
    const copy = `umask 077; cat > ${join(cluster.folder, "data", file)}`;
    cluster.program("sh", ["-c", copy], readFileSync(join(folder, file), "utf8"));
  }
}

function openssl(folder: string, words: string): void {
  const { status, stderr } = spawnSync("openssl", words.split(" "), { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
}
