import { DefaultReporter } from 'vitest/node'
import { SuiteTables } from '../testing/report.ts'

/** Vitest's default reporter, followed by a table per suite with a link to its experiment. */
export default class Reporter extends DefaultReporter {
  readonly #tables = new SuiteTables()

  override onTestRunEnd(...args: Parameters<DefaultReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...args)
    this.#tables.print((text) => this.log(text), this.isTTY)
    if (!this.ctx.config.watch) this.#tables.close()
  }
}
