/** Search in the browser. Pages can be read without it. */
import MiniSearch from "minisearch";
import { type Found, indexName, searchOptions } from "../search.ts";

const most = 12;
const script = document.currentScript as HTMLScriptElement; // it was loaded by an element that names it
const root = new URL(".", script.src);
const box = document.querySelector("search");
const input = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLUListElement>("ul.found");
const said = document.querySelector("search [role=status]");

if (box && input && list && said) begin(box, input, list, said);
openMenu();
letKeysScroll();
showCurrent();

function begin(box: HTMLElement, input: HTMLInputElement, list: HTMLUListElement, said: Element): void {
  let index: Promise<MiniSearch<Found & { text: string }>> | undefined;
  box.hidden = false;

  async function find(): Promise<void> {
    const words = input.value.trim();
    if (words === "") return show([], "");
    index ??= loadIndex();
    const found = (await index).search(words).slice(0, most) as unknown as Found[]; // with the fields that are stored
    if (input.value.trim() === words)
      show(found, found.length === 0 ? `Nothing found for ${words}` : `${found.length} found`);
  }

  function show(found: readonly Found[], words: string): void {
    said.textContent = words;
    list.replaceChildren(...(found.length === 0 && words !== "" ? [item(words)] : found.map(resultOf)));
    list.hidden = words === "";
  }

  function move(by: number): void {
    const places = [input, ...list.querySelectorAll("a")];
    const at = places.indexOf(document.activeElement as HTMLInputElement); // any element: not found is -1
    places[Math.max(0, Math.min(places.length - 1, at + by))]?.focus();
  }

  const leave = (): void => {
    input.value = "";
    show([], "");
  };
  input.addEventListener("focus", () => {
    index ??= loadIndex();
  });
  input.addEventListener("input", () => void find());
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      leave();
      input.focus();
    } else if (event.key === "Enter" && event.target === input) {
      list.querySelector("a")?.click();
    }
  });
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLElement && target.closest("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Node && !box.contains(target)) show([], "");
  });
  list.addEventListener("click", leave);
}

/** By a script and not by a request: a page that was opened from a disk may send none. */
function loadIndex(): Promise<MiniSearch<Found & { text: string }>> {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = new URL("search.js", root).href;
    element.addEventListener("load", () => resolve(MiniSearch.loadJS(Reflect.get(window, indexName), searchOptions)));
    element.addEventListener("error", reject);
    document.head.append(element);
  });
}

function resultOf({ file, page, section, begins }: Found): HTMLLIElement {
  const link = document.createElement("a");
  link.href = new URL(file, root).href;
  const title = document.createElement("strong");
  title.textContent = section === "" ? page : `${page}: ${section}`;
  const text = document.createElement("span");
  text.textContent = begins;
  link.append(title, text);
  const element = item("");
  element.append(link);
  return element;
}

function item(text: string): HTMLLIElement {
  const element = document.createElement("li");
  element.textContent = text;
  return element;
}

/** What is wider than the page is scrolled with the arrow keys once it has the focus. */
function letKeysScroll(): void {
  const look = (): void => {
    for (const part of document.querySelectorAll<HTMLElement>("pre, .wide"))
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
  };
  look();
  addEventListener("resize", look);
}

/** On a wide screen the navigation is always there: the style sheet shows it, and this tells those who do not see it. */
function openMenu(): void {
  const menu = document.querySelector("details");
  const wide = matchMedia("(min-width: 56rem)");
  const follow = (): void => {
    if (menu) menu.open = wide.matches;
  };
  follow();
  wide.addEventListener("change", follow);
}

/** The navigation is longer than the screen. */
function showCurrent(): void {
  const menu = document.querySelector<HTMLElement>("nav.menu");
  const current = menu?.querySelector<HTMLElement>("[aria-current]");
  if (menu && current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}
