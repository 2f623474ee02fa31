// Values stored in this browser as JSON.

/** Load a value; null if there is none or it cannot be read. */
export function load<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}
