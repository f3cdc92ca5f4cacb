/** Receives the client's log messages. The console is used unless the `logger` option is set. */
export interface Logger {
  debug?(message: string): void
  info?(message: string): void
  warn(message: string): void
}

/** Logs a warning at most once per interval, with the number of suppressed warnings. */
export class Complaint {
  readonly #everyMs: number
  #saidAt = Number.NEGATIVE_INFINITY
  #unsaid = 0

  constructor(everyMs = 60_000) {
    this.#everyMs = everyMs
  }

  say(logger: Logger, message: string, now: number = Date.now()): void {
    if (now - this.#saidAt < this.#everyMs) {
      this.#unsaid++
      return
    }
    const again = this.#unsaid > 0 ? ` (and ${this.#unsaid} more like it since)` : ''
    this.#saidAt = now
    this.#unsaid = 0
    logger.warn(`[touchstone] ${message}${again}`)
  }
}

/** Writes to standard error only: standard output belongs to the program. */
export const defaultLogger: Logger = {
  debug: (message) => console.error(message),
  info: (message) => console.error(message),
  warn: (message) => console.warn(message),
}
