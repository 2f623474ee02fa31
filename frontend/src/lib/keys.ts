// Keys that act on the whole screen.

import { prefs } from "./prefs.svelte";

/** The key of a screen-wide shortcut in lower case; empty while the user types or a control handles the key. */
export function shortcut(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return "";
  const target = event.target as Element | null;
  if (target?.closest?.("input, select, textarea, dialog")) return "";
  if ((event.key === "Enter" || event.key === " ") && target?.closest?.("a, button, summary"))
    return "";
  if (event.key.length === 1 && !prefs.keys) return "";
  return event.key.toLowerCase();
}
