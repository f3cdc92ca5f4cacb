import {
  APIConnectionError,
  AuthenticationError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@touchstone/sdk'

/** Exit codes of all commands, for scripts. */
export const EXIT = {
  OK: { code: 0, meaning: 'Success.' },
  FAILED: { code: 1, meaning: 'Any other failure.' },
  USAGE: { code: 2, meaning: 'The command line is invalid, or a confirmation is missing.' },
  NOT_FOUND: { code: 3, meaning: 'The requested object does not exist.' },
  REFUSED: { code: 4, meaning: 'The API key is missing, invalid, or lacks permission.' },
  CONFLICT: { code: 5, meaning: 'The object exists already or has changed meanwhile.' },
  UNREACHABLE: { code: 6, meaning: 'The server cannot be reached or cannot answer now.' },
  THRESHOLD: { code: 7, meaning: 'A --fail-if condition holds.' },
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]['code']

/** The command line is invalid; the message names the problem. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An experiment did not pass its thresholds; the message has a line per condition. */
export class ThresholdError extends Error {
  override readonly name = 'ThresholdError'
}

/** The server does not have what was asked for; the answer is printed already. */
export class UnknownIdError extends Error {
  override readonly name = 'UnknownIdError'
}

/** A child process has failed and printed its own error; it uses the same exit codes. */
export class ChildProcessError extends Error {
  override readonly name = 'ChildProcessError'

  constructor(readonly code: number) {
    super('')
  }
}

export function toExitCode(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.USAGE.code
  if (error instanceof ThresholdError) return EXIT.THRESHOLD.code
  if (error instanceof ChildProcessError) return toKnownCode(error.code)
  if (error instanceof NotFoundError || error instanceof UnknownIdError) return EXIT.NOT_FOUND.code
  if (error instanceof AuthenticationError || error instanceof PermissionDeniedError) return EXIT.REFUSED.code
  if (error instanceof ConflictError) return EXIT.CONFLICT.code
  const isUnreachable = [APIConnectionError, RateLimitError, InternalServerError].some((kind) => error instanceof kind)
  return isUnreachable ? EXIT.UNREACHABLE.code : EXIT.FAILED.code
}

function toKnownCode(code: number): ExitCode {
  return Object.values(EXIT).find((exit) => exit.code === code)?.code ?? EXIT.FAILED.code
}
