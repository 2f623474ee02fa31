// The current address. Links are plain links; a click on a link to this site does not reload the page.

import { Trouble } from "./http";

export const place = $state({
  path: location.pathname,
  query: location.search,
  isMissing: false, // the server has nothing at this address
});

export function go(path: string): void {
  if (path === location.pathname + location.search) return;
  history.pushState(null, "", path);
  arrive();
  scrollTo(0, 0);
}

function arrive(): void {
  place.path = location.pathname;
  place.query = location.search;
  place.isMissing = false;
}

/** Wait for the answer; if the server has nothing at this address, show "Page not found". */
export async function orMissing<T>(answer: Promise<T>): Promise<T | null> {
  const { path } = place;
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Trouble && error.code === "not_found")) throw error;
    if (path === place.path) place.isMissing = true; // the visitor may have opened another screen meanwhile
    return null;
  }
}

function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.("a");
  const isPlain =
    event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download"))
    return;
  const there = new URL(link.href);
  if (there.origin !== location.origin || there.pathname.startsWith("/api/") || there.hash) return;
  event.preventDefault();
  go(there.pathname + there.search);
}

export function watchLinks(): void {
  addEventListener("popstate", arrive);
  document.addEventListener("click", follow);
}
