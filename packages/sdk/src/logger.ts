/** Receives the client's log messages. The console is used unless the `logger` option is set. */
export interface Logger {
  debug?(message: string): void
  info?(message: string): void
  warn(message: string): void
}

/** Logs a warning at most once per interval, with the number of suppressed warnings. */
export class RateLimitedWarning {
  readonly #everyMs: number
  #nextAt = 0
  #suppressed = 0

  constructor(everyMs = 60_000) {
    this.#everyMs = everyMs
  }

  log(logger: Logger, message: string, now: number = Date.now()): void {
    if (now < this.#nextAt) {
      this.#suppressed++
      return
    }
    const again = this.#suppressed > 0 ? ` (and ${this.#suppressed} more since)` : ''
    this.#nextAt = now + this.#everyMs
    this.#suppressed = 0
    logger.warn(`[touchstone] ${message}${again}`)
  }
}

/** Writes to standard error only: standard output belongs to the program. */
export const defaultLogger: Logger = {
  debug: (message) => console.error(message),
  info: (message) => console.error(message),
  warn: (message) => console.warn(message),
}

interface Reporting {
  reportProblem?(message: string): void
}

/** Logs a recording problem through the client's logger. Tracing never throws into the traced program. */
export function reportProblem(client: object | undefined, message: string): void {
  const reporting = client as Reporting | undefined
  if (reporting?.reportProblem) reporting.reportProblem(message)
  else console.warn(`[touchstone] ${message}`)
}
