import { ApiError, type FieldProblem } from '@touchstone/contract'

/** The most that one row of a file may have. */
export const MAX_ROW_BYTES = 20 * 1024 * 1024
export const TOO_LONG = `is longer than ${MAX_ROW_BYTES / 1024 / 1024} MiB`

/** Lines of a file that cannot be read, and why. */
export class BadRows {
  private readonly found: FieldProblem[] = []

  add(line: number, says: string, where: readonly (string | number)[] = []): void {
    this.found.push({ loc: ['file', line, ...where], msg: says, type: 'value_error' })
  }

  /** @throws ApiError INVALID_REQUEST naming the lines */
  throwIfAny(): void {
    if (this.found.length === 0) return
    const named = this.found.slice(0, 3).map(({ loc, msg }) => {
      return `line ${loc.slice(1, 2)}: ${[...loc.slice(2), ''].join('.').replace(/\.$/, ' ')}${msg}`
    })
    const more = this.found.length > 3 ? ` (and ${this.found.length - 3} more)` : ''
    throw new ApiError('INVALID_REQUEST', `Nothing was stored. ${named.join('; ')}${more}`, { problems: this.found })
  }
}
