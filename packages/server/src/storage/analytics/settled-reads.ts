import type { Analytics } from './port.ts'
import type { Sql } from './sql.ts'

/** Writes that are acknowledged before they are in the store. */
export interface AcknowledgedWrites {
  /** Whether all of them are in the store. */
  readonly isSettled: boolean
  /** Waits until those of workspaces, or of all, are in the store. */
  settled(tenantIds?: readonly string[]): Promise<void>
  /** Runs `work` while nothing is acknowledged and everything that was is in the store. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Nothing is acknowledged before it is in the store. */
export const ALWAYS_SETTLED: AcknowledgedWrites = {
  isSettled: true,
  settled: async () => {},
  hold: (work) => work(),
}

/** Stands for writes whose path is opened later; until then there are none. */
export class OpenedWrites implements AcknowledgedWrites {
  #writes = ALWAYS_SETTLED

  use(writes: AcknowledgedWrites): void {
    this.#writes = writes
  }

  get isSettled(): boolean {
    return this.#writes.isSettled
  }

  settled(tenantIds?: readonly string[]): Promise<void> {
    return this.#writes.settled(tenantIds)
  }

  hold<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#writes.hold(work)
  }
}

/**
 * The same store for everything but the writer of acknowledged items: a statement first waits until what was
 * acknowledged before it can be read. A statement that names workspaces waits only for theirs. `queryTable` does not
 * wait, because the workspace of a user's statement stands in its settings: its caller awaits `settled`.
 */
export function withSettledReads(analytics: Analytics, writes: AcknowledgedWrites): Analytics {
  const settle = async (statement: Sql) => {
    if (!writes.isSettled) await writes.settled(findTenants(statement))
  }
  const { snapshots } = analytics
  return {
    ...analytics,
    settled: (tenantId) => writes.settled([tenantId]),
    async query(statement, row) {
      await settle(statement)
      return analytics.query(statement, row)
    },
    async queryTexts(statement) {
      await settle(statement)
      return analytics.queryTexts(statement)
    },
    async command(statement) {
      await settle(statement)
      return analytics.command(statement)
    },
    ...(snapshots && {
      snapshots: {
        ...snapshots,
        freeze: (name, whileWritesWait) => writes.hold(() => snapshots.freeze(name, whileWritesWait)),
      },
    }),
  }
}

/** The workspaces that a statement is limited to; undefined when it names none. */
function findTenants({ text, params }: Sql): string[] | undefined {
  const tenants: string[] = []
  for (const [, name = ''] of text.matchAll(TENANT)) tenants.push(...[params[name]].flat().map(String))
  return tenants.length === 0 ? undefined : tenants
}

const TENANT = /\btenant_id (?:=|in) \{(p\d+):(?:UUID|Array\(UUID\))\}/g
