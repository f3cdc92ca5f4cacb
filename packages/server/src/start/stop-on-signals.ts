import type { Logger } from 'pino'

const PATIENCE_MS = 30_000

/**
 * Stops gracefully on SIGTERM and SIGINT: requests under way are finished and stored first. A second signal, or half a
 * minute, ends it at once; what was acknowledged is durable either way.
 */
export function stopOnSignals(log: Logger, stop: () => Promise<void>): void {
  let isStopping = false
  const begin = (exitCode: number) => {
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
    stop().then(
      () => process.exit(exitCode),
      (error) => {
        log.fatal({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => begin(0))
  process.on('SIGINT', () => begin(0))
  // A promise that nobody waits for harms nobody else: say it and go on serving.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception; stopping')
    begin(1)
  })
}
