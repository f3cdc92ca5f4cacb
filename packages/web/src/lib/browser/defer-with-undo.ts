/** How long something reversible waits before it is written. */
export const UNDO_MS = 5_000

/**
 * Writes after a while, so that it can be undone until then. A page that is left writes at once.
 *
 * @returns what calls the write off; too late, it does nothing
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
