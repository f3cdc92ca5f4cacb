import { createStore } from '#lib/store.ts'

const PROBE_EVERY_MS = 2_000

/** Whether the server has stopped answering. */
export const serverIsDown = createStore(() => false)

/** Marks the server as down after a request without an answer, and probes it until it answers again. */
export function reportUnreachable(): void {
  if (serverIsDown.read()) return
  serverIsDown.write(true)
  const timer = setInterval(async () => {
    const answer = await fetch('/ok', { cache: 'no-store' }).catch(() => undefined)
    if (!answer?.ok || !serverIsDown.read()) return
    clearInterval(timer)
    serverIsDown.write(false)
  }, PROBE_EVERY_MS)
}
