import type { Outbox } from './outbox.ts'

/** Only outboxes that hold something, so that a client made for one request can be collected. */
const used = new Set<Outbox>()
let hooked = false

/**
 * Sees to it that a process that ends does not lose runs silently: when its work is done, what still waits is sent (only
 * manual flush mode leaves anything then); after `process.exit()` it is written to the dump directory, or counted in a
 * warning. Signals are left alone: they belong to the application.
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
