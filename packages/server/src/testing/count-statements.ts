import type { Analytics } from '../storage/analytics/port.ts'

let sent = 0

/** The same column store; counts what is sent to it. */
export function countStatements(analytics: Analytics): Analytics {
  return {
    ...analytics,
    query(statement, row) {
      sent++
      return analytics.query(statement, row)
    },
    queryTexts(statement) {
      sent++
      return analytics.queryTexts(statement)
    },
    queryTable(statement, settings, limits) {
      sent++
      return analytics.queryTable(statement, settings, limits)
    },
    insert(table, rows) {
      sent++
      return analytics.insert(table, rows)
    },
    command(statement) {
      sent++
      return analytics.command(statement)
    },
  }
}

/** The statements since the last call. */
export function takeStatementCount(): number {
  const count = sent
  sent = 0
  return count
}
