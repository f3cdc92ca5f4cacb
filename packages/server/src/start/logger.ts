import { type Logger, pino } from 'pino'

/** Logs to standard error, a JSON line each; standard output is for the banner. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      redact: ['*.headers.authorization', '*.headers["x-api-key"]', '*.headers.cookie', '*.password', '*.key', 'key'],
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
