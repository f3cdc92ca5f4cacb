import {
  APIConnectionError,
  AuthenticationError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@touchstone/sdk'

/** How a command ended, for scripts. */
export const EXIT = {
  OK: { code: 0, says: 'Done.' },
  FAILED: { code: 1, says: 'Failed in a way that none of the others names.' },
  USAGE: { code: 2, says: 'The command line is wrong.' },
  NOT_FOUND: { code: 3, says: 'There is no such thing.' },
  REFUSED: { code: 4, says: 'The key is missing, wrong, or may not do that.' },
  CONFLICT: { code: 5, says: 'It exists already, or changed meanwhile.' },
  UNREACHABLE: { code: 6, says: 'No server answers there, or it cannot answer now.' },
  GATE: { code: 7, says: 'A condition of --fail-if holds.' },
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]['code']

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An experiment did not pass; the message says why, a line per condition. */
export class GateError extends Error {
  override readonly name = 'GateError'
}

/** A program that this one started has failed and said why; its exit codes are those of the table. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'

  constructor(readonly code: number) {
    super('')
  }
}

/** The code that an error ends the program with. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.USAGE.code
  if (error instanceof GateError) return EXIT.GATE.code
  if (error instanceof ProgramError) return findCode(error.code)
  if (error instanceof NotFoundError) return EXIT.NOT_FOUND.code
  if (error instanceof AuthenticationError || error instanceof PermissionDeniedError) return EXIT.REFUSED.code
  if (error instanceof ConflictError) return EXIT.CONFLICT.code
  const isAway = [APIConnectionError, RateLimitError, InternalServerError].some((kind) => error instanceof kind)
  return isAway ? EXIT.UNREACHABLE.code : EXIT.FAILED.code
}

function findCode(code: number): ExitCode {
  return Object.values(EXIT).find((known) => known.code === code)?.code ?? EXIT.FAILED.code
}
