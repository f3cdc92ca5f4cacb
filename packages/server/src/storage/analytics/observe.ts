import type { Metrics } from '../../http/metrics.ts'
import type { Analytics } from './port.ts'

/** The same store, with the time of every call and every failure of the engine counted. */
export function observeAnalytics(analytics: Analytics, metrics: Pick<Metrics, 'queried' | 'engineFailed'>): Analytics {
  async function observed<Result>(name: string, work: Promise<Result>): Promise<Result> {
    const began = performance.now()
    try {
      return await work
    } catch (error) {
      metrics.engineFailed('analytics')
      throw error
    } finally {
      metrics.queried(name, (performance.now() - began) / 1000)
    }
  }
  return {
    ...analytics,
    query: (statement) => observed('analytics select', analytics.query(statement)),
    queryTexts: (statement) => observed('analytics select', analytics.queryTexts(statement)),
    queryTable: (statement, settings) => observed('analytics sql', analytics.queryTable(statement, settings)),
    insert: (table, rows) => observed(`analytics insert ${table}`, analytics.insert(table, rows)),
    command: (statement) => observed('analytics command', analytics.command(statement)),
  }
}
