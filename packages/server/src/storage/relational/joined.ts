import type { Database, Relational } from './port.ts'

/**
 * The store as seen from inside a transaction: whatever is handed it takes part in that transaction, also what would
 * open one of its own.
 */
export function joined(relational: Relational, tx: Database): Relational {
  return { ...relational, db: tx, transaction: (work) => work(tx) }
}
