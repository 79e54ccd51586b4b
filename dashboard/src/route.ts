/** Where the page is: #/PAGE/ID?project=FOLDER, so that a link to it survives a reload and needs no server. */
import { useEffect, useState } from "preact/hooks";

export interface Route {
  page: string;
  /** Empty: of the page itself. */
  id: string;
  query: Readonly<Record<string, string>>;
}

export function routeIn(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page = "", ...rest] = path.split("/");
  return {
    page: page || "now",
    id: safely(rest.join("/")),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** A per cent sign that stands for itself. */
function safely(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

export function hashOf({ page, id = "", query = {} }: Partial<Route>): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
  return `#/${page ?? "now"}${id === "" ? "" : `/${encodeURIComponent(id)}`}${search}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeIn(location.hash));
  useEffect(() => {
    const look = (): void => setRoute(routeIn(location.hash));
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  return route;
}
