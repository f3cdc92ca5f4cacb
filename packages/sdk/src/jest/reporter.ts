import { DefaultReporter } from '@jest/reporters'
import { SuiteTables } from '../testing/report.ts'

/** Jest's default reporter, followed by a table per suite with a link to its experiment. */
export default class Reporter extends DefaultReporter {
  readonly #tables = new SuiteTables()

  override onRunComplete(): void {
    super.onRunComplete()
    this.#tables.print((text) => this.log(text), Boolean(process.stderr.isTTY))
    if (!this._globalConfig.watch) this.#tables.close()
  }
}
