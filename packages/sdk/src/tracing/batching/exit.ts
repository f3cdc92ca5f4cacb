import type { Outbox } from './outbox.ts'

/** Only outboxes with pending runs, so that a client made for one request can be garbage collected. */
const used = new Set<Outbox>()
let hooked = false

/**
 * Prevents silent loss of runs when the process ends. On `beforeExit`, pending runs are sent (only manual flush mode
 * leaves any). After `process.exit()`, they are written to the dump directory, or counted in a warning. Signals are
 * left to the application.
 */
export function watchExit(outbox: Outbox): void {
  used.add(outbox)
  if (hooked || typeof globalThis.process?.on !== 'function') return
  hooked = true
  process.on('beforeExit', () => {
    for (const one of used) void one.drain()
  })
  process.on('exit', () => {
    for (const one of used) one.abandon()
  })
}

export function forgetExit(outbox: Outbox): void {
  used.delete(outbox)
}
