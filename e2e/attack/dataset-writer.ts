import { randomUUID } from 'node:crypto'
import { postJson } from '../support/raw-ingest.ts'

/** Names of datasets whose creation was acknowledged: the relational store's share of a ledger. */
export class DatasetLedger {
  readonly acknowledged: string[] = []

  /**
   * Creates datasets, one after the other, until `signal` ends it. `findUrl` is asked before each, so that a writer can
   * follow a server that moves to another port. Failures are expected, and end one turn.
   */
  async writeUntil(signal: AbortSignal, findUrl: () => string): Promise<void> {
    while (!signal.aborted) {
      const name = `kept ${randomUUID()}`
      const answer = await postJson(`${findUrl()}/datasets`, JSON.stringify({ name })).catch(() => undefined)
      if (answer?.status === 200) this.acknowledged.push(name)
      else await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  /** Returns the acknowledged names that the server does not have. */
  async findMissing(serverUrl: string): Promise<string[]> {
    const held = new Set<string>()
    for (let offset = 0; ; offset += 100) {
      const answer = await fetch(`${serverUrl}/datasets?limit=100&offset=${offset}`)
      const page = (await answer.json()) as { name: string }[]
      for (const { name } of page) held.add(name)
      if (page.length < 100) break
    }
    return this.acknowledged.filter((name) => !held.has(name))
  }
}
