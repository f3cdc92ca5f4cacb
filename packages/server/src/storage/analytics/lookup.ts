import type { Relational } from '../relational/port.ts'
import type { Analytics } from './port.ts'
import type { Bound, Sql } from './sql.ts'

/** Where a value may be looked up. */
export interface Stores {
  readonly relational: Relational
  readonly analytics: Pick<Analytics, 'query'>
}

/** A value that another question finds, so that a condition may speak of what the other store keeps. */
export interface LookupValue extends Bound {
  readonly value: PendingLookup
}

/**
 * @param find  asked when a statement with the value is sent; once, however many statements it stands in
 */
export function lookup(type: string, find: (stores: Stores) => Promise<unknown>): LookupValue {
  return { type, value: new PendingLookup(find) }
}

class PendingLookup {
  #found: Promise<unknown> | undefined

  constructor(private readonly find: (stores: Stores) => Promise<unknown>) {}

  in(stores: Stores): Promise<unknown> {
    this.#found ??= this.find(stores)
    return this.#found
  }
}

/** The same store for statements with values that have to be looked up first. */
export function withLookups(analytics: Analytics, relational: Relational): Analytics {
  const stores = { analytics, relational }
  async function resolved({ text, params }: Sql): Promise<Sql> {
    if (!Object.values(params).some((value) => value instanceof PendingLookup)) return { text, params }
    const entries = Object.entries(params).map(async ([name, value]) => [
      name,
      value instanceof PendingLookup ? await value.in(stores) : value,
    ])
    return { text, params: Object.fromEntries(await Promise.all(entries)) }
  }
  return {
    ...analytics,
    query: async (statement) => analytics.query(await resolved(statement)),
    queryTexts: async (statement) => analytics.queryTexts(await resolved(statement)),
    command: async (statement) => analytics.command(await resolved(statement)),
  }
}
