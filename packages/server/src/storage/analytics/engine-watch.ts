import type { Analytics } from './port.ts'
import type { Sql } from './sql.ts'

export interface EngineWatchOptions {
  /** Milliseconds beyond its own limit that a select may take while nothing else ends either. */
  readonly stuckAfterMs: number
  /** Called once, with a message for the log. */
  readonly onStuck: (message: string) => void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

interface Call {
  readonly sinceMs: number
  /** Undefined for a write or a select without a limit. */
  readonly limitMs: number | undefined
  /** May take as long as it needs: it may rewrite a table. */
  readonly isCommand: boolean
}

const CHECK_MS = 1_000

/**
 * The same store; notices that the embedded engine is stuck. It runs one statement at a time and looks at its time limits
 * between blocks of rows only, so that a statement inside of a call can hold all others forever.
 */
export function watchEngine(
  analytics: Analytics,
  { stuckAfterMs, onStuck, now = () => performance.now() }: EngineWatchOptions,
): Analytics {
  const running = new Set<Call>()
  let endedMs = now()

  async function watched<Result>(call: Omit<Call, 'sinceMs'>, work: () => Promise<Result>): Promise<Result> {
    const entry = { ...call, sinceMs: now() }
    running.add(entry)
    try {
      return await work()
    } finally {
      running.delete(entry)
      endedMs = now()
    }
  }

  const alarm = setInterval(() => {
    const stuck = [...running].find((call) => isStuck(call))
    if (stuck === undefined) return
    clearInterval(alarm)
    const seconds = Math.round((now() - stuck.sinceMs) / 1000)
    onStuck(
      `The column store has been stuck for ${seconds} s; the process is ended. Requests that were acknowledged are stored.`,
    )
  }, CHECK_MS)
  alarm.unref()

  /** A select is late by far, nothing has ended meanwhile, and no command from before it is running. */
  function isStuck({ limitMs, sinceMs }: Call): boolean {
    if (limitMs === undefined || now() - Math.max(sinceMs, endedMs) < limitMs + stuckAfterMs) return false
    return ![...running].some((other) => other.isCommand && other.sinceMs <= sinceMs)
  }

  const select = (statement: Sql) => ({ limitMs: findLimit(statement), isCommand: false })
  return {
    ...analytics,
    query: (statement, row) => watched(select(statement), () => analytics.query(statement, row)),
    queryTexts: (statement) => watched(select(statement), () => analytics.queryTexts(statement)),
    insert: (table, rows) => watched({ limitMs: undefined, isCommand: false }, () => analytics.insert(table, rows)),
    command: (statement) => watched({ limitMs: undefined, isCommand: true }, () => analytics.command(statement)),
    async close() {
      clearInterval(alarm)
      await analytics.close()
    },
  }
}

/** The limit that `limitQueries` sets, in milliseconds. */
function findLimit({ text }: Sql): number | undefined {
  const seconds = /\bmax_execution_time = (\d+)/.exec(text)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
