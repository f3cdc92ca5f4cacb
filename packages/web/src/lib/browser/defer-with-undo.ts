/** How long an action can be undone. */
export const UNDO_MS = 5_000

/**
 * Calls `write` after a delay, or at once when the page is left.
 *
 * @returns a function that cancels the write; it does nothing after the delay
 */
export function deferWithUndo(write: () => void, ms = UNDO_MS): () => void {
  const settle = () => {
    clearTimeout(timer)
    window.removeEventListener('pagehide', now)
  }
  const now = () => {
    settle()
    write()
  }
  const timer = setTimeout(now, ms)
  window.addEventListener('pagehide', now)
  return settle
}
