const ASKED_EVERY_MS = 2_000

let isDown = false
let onBack: () => void = () => undefined
const listeners = new Set<() => void>()

/** Whether the server has stopped answering; for `useSyncExternalStore`. */
export const reachability = {
  isDown: () => isDown,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Calls back when the server answers again after it did not. */
export function whenServerIsBack(listener: () => void): void {
  onBack = listener
}

/** A request got no answer at all: ask for a sign of life until there is one. */
export function noteSilence(): void {
  if (isDown) return
  set(true)
  const timer = setInterval(async () => {
    const answer = await fetch('/ok', { cache: 'no-store' }).catch(() => undefined)
    if (!answer?.ok || !isDown) return
    clearInterval(timer)
    set(false)
    onBack()
  }, ASKED_EVERY_MS)
}

function set(value: boolean): void {
  isDown = value
  for (const listener of listeners) listener()
}
