import { ApiError, type FieldProblem } from '@touchstone/contract'

const CODES = ['INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND', 'CONFLICT'] as const
type Code = (typeof CODES)[number]

/** All problems of a request about examples, each with its example. */
export class ExampleProblems {
  private readonly found: { readonly code: Code; readonly problem: FieldProblem }[] = []

  /** @param where  id or position of the example, then the field and the position in it */
  add(code: Code, where: readonly (string | number)[], msg: string): void {
    this.found.push({ code, problem: { loc: ['examples', ...where], msg, type: TYPES[code] } })
  }

  get isEmpty(): boolean {
    return this.found.length === 0
  }

  /** @throws ApiError with every problem in its list and the first three in its message */
  throwIfAny(): void {
    if (this.isEmpty) return
    const problems = this.found.map(({ problem }) => problem)
    const named = problems.slice(0, 3).map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)
    const more = problems.length > 3 ? ` (and ${problems.length - 3} more)` : ''
    const code = CODES.find((one) => this.found.some((found) => found.code === one)) ?? 'INVALID_REQUEST'
    throw new ApiError(code, `${named.join('; ')}${more}`, { problems })
  }
}

const TYPES: Record<Code, string> = {
  INVALID_REQUEST: 'value_error',
  PAYLOAD_TOO_LARGE: 'too_large',
  NOT_FOUND: 'not_found',
  CONFLICT: 'conflict',
}
