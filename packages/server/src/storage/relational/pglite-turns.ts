import { setImmediate } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'

/** Milliseconds of the engine after which other work on the event loop gets its turn. */
const TURN_MS = 10

/**
 * The embedded engine works on the event loop, and the steps of a statement (parse, bind, execute) and the statements of a
 * transaction follow each other without a pause. After 10 ms of work this lets everything else run that is ready.
 */
export function pauseBetweenSteps(client: PGlite): void {
  const step = client.execProtocolRaw.bind(client)
  let busyMs = 0
  client.execProtocolRaw = async (...args) => {
    const began = performance.now()
    const answer = await step(...args)
    busyMs += performance.now() - began
    if (busyMs > TURN_MS) {
      busyMs = 0
      await setImmediate()
    }
    return answer
  }
}
