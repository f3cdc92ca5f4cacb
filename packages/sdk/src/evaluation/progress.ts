/** Milliseconds between progress lines when there is no terminal for a bar. */
const LINE_EVERY_MS = 5000
const BAR_WIDTH = 30

interface Terminal {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/**
 * Shows the progress of an experiment on standard error: a bar on a terminal, otherwise a line every few seconds.
 * Standard output belongs to the program.
 */
export class Progress {
  readonly #isOn: boolean
  readonly #terminal: Terminal | undefined
  readonly #startedAt = Date.now()
  #total = 0
  #done = 0
  #failed = 0
  #saidAt = Date.now()
  #isBarShown = false

  constructor(isOn: boolean) {
    this.#isOn = isOn
    const stderr = globalThis.process?.stderr as Terminal | undefined
    this.#terminal = stderr?.isTTY ? stderr : undefined
  }

  begin(total: number): void {
    this.#total = total
    this.#draw()
  }

  /** Counts one completed row. */
  advance(hasFailed: boolean): void {
    this.#done++
    if (hasFailed) this.#failed++
    this.#draw()
    if (this.#terminal || Date.now() - this.#saidAt < LINE_EVERY_MS || this.#done === this.#total) return
    this.#saidAt = Date.now()
    this.print(this.#state())
  }

  /** Prints a line above the bar. */
  print(text: string): void {
    if (!this.#isOn) return
    this.#wipe()
    console.error(text)
    if (this.#total > this.#done) this.#draw()
  }

  /** Replaces the bar by a final line. */
  end(): void {
    if (!this.#isOn || this.#total === 0) return
    this.#wipe()
    console.error(this.#state())
    this.#total = 0
  }

  #state(): string {
    const seconds = ((Date.now() - this.#startedAt) / 1000).toFixed(1)
    const failed = this.#failed > 0 ? `, ${this.#failed} failed` : ''
    return `${this.#done} of ${this.#total} done${failed}, ${seconds} s`
  }

  #draw(): void {
    if (!this.#isOn || !this.#terminal || this.#total === 0) return
    const filled = Math.round((this.#done / this.#total) * BAR_WIDTH)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${this.#state()}`
    this.#terminal.write(`\r\u001b[K${bar.slice(0, (this.#terminal.columns ?? 80) - 1)}`)
    this.#isBarShown = true
  }

  #wipe(): void {
    if (this.#isBarShown) this.#terminal?.write('\r\u001b[K')
    this.#isBarShown = false
  }
}
